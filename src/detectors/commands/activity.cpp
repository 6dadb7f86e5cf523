#include "detectors/commands/activity.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/shell_words.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/words/shipping_words.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::detectors {
namespace {

// Each of them has one of these; most commands have none and are settled by one look. Patches and code have many a
// `push` and `apply`, so the marks have more of the command than its verb.
constexpr std::string_view kMarks[] = {
    " push",   " publish", " deploy",      "kubectl",   "terraform apply", "tofu apply", "gh release", "gh pr ",
    "glab mr", "helm ",    "make release", "pulumi up", "twine up",        "--prod",     "-playbook",  "/deploy"};
constexpr PhraseSet kMarkSet(kMarks);
static_assert(std::ranges::all_of(kShippingCommands, [](const ShippingCommand& row) {
    return std::ranges::any_of(kMarks,
                               [&row](std::string_view mark) { return row.words.find(mark) != row.words.npos; });
}));

std::string_view next_word(std::string_view& rest) {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
}

bool begins_with(std::string_view part, std::string_view row) {
    for (std::string_view wanted = next_word(row); !wanted.empty(); wanted = next_word(row)) {
        std::string_view word = next_word(part);
        // Options between program and verb say how, not what: git -C dir push, kubectl -n x apply.
        if (wanted == "*") {
            while (word.starts_with('-')) {
                (void)next_word(part);
                word = next_word(part);
            }
            wanted = next_word(row);
        }
        if (word != wanted) return false;
    }
    return true;
}

// `./deploy.sh prod`, `bash scripts/deploy.sh`
bool runs_deploy_script(std::string_view command) {
    constexpr std::string_view kShells[] = {"bash", "sh", "zsh", "python", "python3", "node"}, kDeploy = "deploy",
                               kEnds[] = {".sh", ".py", ".js", ".mjs"};
    std::string_view word = next_word(command);
    if (std::ranges::find(kShells, word) != std::end(kShells)) word = next_word(command);
    word.remove_prefix(word.rfind('/') + 1);  // npos + 1 = 0
    return word.starts_with(kDeploy) &&
           std::ranges::any_of(kEnds, [word](std::string_view end) { return word.ends_with(end); });
}

Shipping shipping_of(std::string_view command) {
    // A rehearsal changes nothing anywhere.
    if (command.find("--dry-run") != command.npos) return Shipping::none;
    if (command.starts_with("npx ")) command.remove_prefix(4);
    if (command.starts_with("git ")) {
        std::string_view rest = past_git_options(command.substr(4), GitOptions::all);
        return next_word(rest) == "push" ? Shipping::push : Shipping::none;
    }
    const auto row = std::ranges::find_if(kShippingCommands, [&](const ShippingCommand& one) {
        return command.starts_with(one.words[0]) && begins_with(command, one.words);
    });
    if (row != std::end(kShippingCommands)) return row->how;
    return runs_deploy_script(command) ? Shipping::deploy : Shipping::none;
}

// `rest`: what stands behind "git". Files of an older state that are fetched back are edited.
bool keeps_in_git(std::string_view rest) {
    constexpr std::string_view kKeeps[] = {"add", "commit", "merge", "pull", "switch"};
    rest = past_git_options(rest, GitOptions::all);
    const std::string_view verb = next_word(rest);
    if (verb == "checkout")
        return (" " + std::string(rest) + " ").find(" -- ") == std::string::npos && next_word(rest) != ".";
    return std::ranges::find(kKeeps, verb) != std::end(kKeeps);
}

bool speaks(std::string_view tool) {
    constexpr std::string_view kSpeaks[] = {"ask",    "message", "respond",    "reply",    "notify",
                                            "email",  "Ask",     "Message",    "Respond",  "Reply",
                                            "Notify", "Email",   "user_input", "UserInput"};
    return std::ranges::any_of(kSpeaks, [&](std::string_view word) {
        const std::size_t at = tool.find(word);
        // "task" and "mask" ask nobody.
        return at != tool.npos && (at == 0 || tool[at - 1] == '_' || tool[at - 1] == '-' || word[0] < 'a');
    });
}

bool ships_with_tool(std::string_view tool) {
    return tool.find("deploy") != tool.npos || tool.find("Deploy") != tool.npos || tool.find("publish") != tool.npos ||
           tool.find("create_pull_request") != tool.npos || tool.find("merge_pull_request") != tool.npos;
}

Activity of_other_tool(std::string_view tool) {
    if (speaks(tool) || delegates(tool)) return Activity::communicate;
    return ships_with_tool(tool) ? Activity::deploy : Activity::run;
}

}  // namespace

// Work that is given to another agent is done in its own conversation.
bool delegates(std::string_view tool) {
    constexpr std::string_view kDelegates[] = {"Agent",
                                               "Task",
                                               "agent",
                                               "delegate",
                                               "delegate_task",
                                               "delegate_to_agent",
                                               "dispatch_agent",
                                               "new_task",
                                               "run_subagent",
                                               "runSubagent",
                                               "spawn_agent",
                                               "subagent",
                                               "task"};
    return std::ranges::find(kDelegates, tool) != std::end(kDelegates);
}

bool only_tells(std::string_view command) {
    constexpr std::string_view kTells[] = {"tail", "head", "tee", "echo", "printf", "true"};  // grep and cat may fail
    return std::ranges::any_of(kTells, [&](std::string_view word) { return begins_with_words(command, word); });
}

ShippedLine shipping(RawText line) {
    constexpr std::size_t kLooked = 64u << 10;  // decoded, of the few that have a mark
    if (!kMarkSet.in(line.bytes)) return {};
    const std::string text = line.form == TextForm::plain ? std::string(line.bytes.substr(0, kLooked))
                                                          : decode_json_string(line.bytes, kLooked);
    const std::string spaced = with_single_blanks(text);
    ShippedLine found;
    for (const ShellCommand& command : shell_commands(spaced)) {
        if (const Shipping how = shipping_of(command.text); how != Shipping::none) {
            found = {how, true};
        } else if (!only_tells(command.text)) {
            found.at_end = false;
        }
    }
    return found;
}

bool only_keeps_in_git(RawText line) {
    constexpr std::size_t kLooked = 64u << 10;
    if (line.bytes.find("git ") == line.bytes.npos || line.size() > kLooked) return false;
    const std::string text =
        line.form == TextForm::plain ? std::string(line.bytes) : decode_json_string(line.bytes, kLooked);
    return std::ranges::all_of(shell_commands(text), [](const ShellCommand& command) {
        if (classify_command({command.text, TextForm::plain}) != ToolClass::mutate) return true;
        return command.text.starts_with("git ") && keeps_in_git(command.text.substr(4));
    });
}

bool activity_of(const Step& step, Activity& activity) {
    if (step.ships != Shipping::none) {
        activity = Activity::deploy;
        return true;
    }
    switch (step.work_class) {
        case ToolClass::read:
        case ToolClass::search: activity = Activity::explore; return true;
        case ToolClass::note: activity = Activity::plan; return true;
        case ToolClass::poll:
        case ToolClass::wait: return false;
        case ToolClass::mutate: activity = Activity::edit; return true;
        case ToolClass::verify: activity = Activity::verify; return true;
        case ToolClass::shell: activity = Activity::run; return true;
        case ToolClass::other: activity = of_other_tool(bare_tool_name(step.text.tool())); return true;
    }
    return true;
}

namespace {

// How much a call decides about its turn.
int weight(Activity activity) {
    constexpr std::array<int, kActivities> kWeights{2, 5, 4, 3, 6, 1, 0};
    return kWeights[static_cast<std::size_t>(activity)];
}

}  // namespace

void ActivityTrack::Turn::take(const Turn& other) {
    if (other.turns == 0) return;
    line = turns == 0 ? other.line : std::min(line, other.line);
    first = turns == 0 ? other.first : std::min(first, other.first);
    last_line = std::max(last_line, other.last_line);
    last = std::max(last, other.last);
    turns += other.turns;
    calls += other.calls;
}

void ActivityTrack::clear() {
    course_ = {};
    now_ = {};
    turn_ = left_ = ahead_ = {};
    acted_ = said_ = open_ = false;
    count_.fill(0);
    next_ = held_ = own_ = 0;
}

void ActivityTrack::act(Activity activity) {
    acted_ = true;
    if (weight(activity) > weight(turn_.activity)) turn_.activity = activity;
}

void ActivityTrack::step(const Step& step, bool in_git) {
    meet(step.call_at.line, step.last_line());
    Activity activity = Activity::communicate;
    if (!activity_of(step, activity)) return;
    act(in_git && activity == Activity::edit ? Activity::run : activity);
}

void ActivityTrack::end_response(std::uint64_t turn) {
    if (turn_.turns > 0) {
        turn_.first = turn_.last = turn;
        if (acted_ || (said_ && turn_.calls == 0)) {
            worked();
        } else {
            idled();
        }
    }
    turn_ = {};
    acted_ = said_ = false;
}

void ActivityTrack::idled() {
    if (held_ == 0) {
        if (!said_) ahead_.activity = Activity::run;
        return ahead_.take(turn_);
    }
    recent_[(next_ + kWindow - 1) % kWindow].take(turn_);
    add(turn_);
}

void ActivityTrack::worked() {
    turn_.take(std::exchange(ahead_, {}));
    if (held_ == kWindow) {
        left_ = recent_[next_];
        --count_[static_cast<std::size_t>(left_.activity)];
        --held_;
    }
    recent_[next_] = turn_;
    next_ = (next_ + 1) % kWindow;
    ++held_;
    ++count_[static_cast<std::size_t>(turn_.activity)];
    if (!open_) return open(held_ - 1, turn_.activity);
    add(turn_);
    ++own_;
    if (turn_.activity != now_.activity) settle();
}

// To the segment that is open.
void ActivityTrack::add(const Turn& turn) {
    now_.last_line = std::max(now_.last_line, turn.last_line);
    now_.last_turn = turn.last;
    now_.turns += turn.turns;
    now_.calls += turn.calls;
}

void ActivityTrack::settle() {
    if (turn_.activity == Activity::deploy) return open(held_ - 1, Activity::deploy);
    const std::uint32_t own = count_[static_cast<std::size_t>(now_.activity)];
    const auto most = static_cast<std::size_t>(std::ranges::max_element(count_) - count_.begin());
    if (own > 1 || (own == 1 && count_[most] < kEnough)) return;
    // The segment keeps its first turn, whatever follows.
    const std::size_t mine = own_ > held_ ? 0 : held_ - own_ + 1;
    std::size_t from = mine;
    while (own > 0 && from + 1 < held_ && static_cast<std::size_t>(recent(from).activity) != most) ++from;
    open(from, static_cast<Activity>(most));
}

// The recent turns from `from` on go over to a segment of their own.
void ActivityTrack::open(std::size_t from, Activity activity) {
    ActivitySegment next{activity, recent(from).line, 0, recent(from).first, recent(held_ - 1).last, 0, 0};
    for (std::size_t i = from; i < held_; ++i) {
        next.last_line = std::max(next.last_line, recent(i).last_line);
        next.turns += recent(i).turns;
        next.calls += recent(i).calls;
    }
    if (open_) {
        const Turn& before = from > 0 ? recent(from - 1) : left_;
        now_.last_line = std::max(now_.first_line, before.last_line);
        now_.last_turn = std::max(now_.first_turn, before.last);
        now_.turns -= next.turns;
        now_.calls -= next.calls;
        close();
    }
    open_ = true;
    own_ = held_ - from;
    now_ = next;
}

void ActivityTrack::close() {
    if (course_.segments.size() < ActivityCourse::kMost) {
        course_.segments.push_back(now_);
    } else {
        ++course_.more;
    }
}

ActivityCourse ActivityTrack::take() {
    // Nothing but waiting, or what was refused.
    if (ahead_.turns > 0)
        now_ = {ahead_.activity, ahead_.line, ahead_.last_line, ahead_.first, ahead_.last, ahead_.turns, ahead_.calls};
    if (open_ || ahead_.turns > 0) close();
    ActivityCourse out = std::move(course_);
    clear();
    return out;
}

}  // namespace agent_audit::detectors
