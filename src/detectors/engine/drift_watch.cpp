#include "detectors/engine/drift_watch.hpp"

#include "detectors/commands/branches.hpp"
#include "detectors/commands/broken_rule.hpp"
#include "detectors/commands/installs.hpp"
#include "detectors/commands/root_paths.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/speech/consent.hpp"
#include "detectors/speech/word_rules.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/find_near.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kTextRead = 160;  // bytes of an agent's message: what it is about stands in front
constexpr std::size_t kMostPending = 64;
constexpr std::size_t kMostMade = 64;
constexpr std::size_t kLongestTarget = 200;                                // bytes kept of the name of a file
constexpr std::size_t kMostOwn = 128;                                      // files
constexpr std::size_t kReadForNames = 512, kMostSaid = 4 * kReadForNames;  // bytes of one message, of all
constexpr std::size_t kMostNote = 32'768;
constexpr std::uint32_t kTrusted = 3;  // turns after a human message that are taken for an answer to it
constexpr double kTrust = 0.75;
constexpr double kPassedOn = 0.85;  // of a turn's relevance, to the words that are new in it

// A question at the end, or an offer.
bool asks(const LastText& last) {
    constexpr std::size_t kEnd = 200;
    static constexpr std::string_view kOffers[] = {
        "let me know", "just say",      "say the word",  "tell me w",     "tell me if", "if you want",
        "if you like", "if you prefer", "if you'd ",     "if you’d ",     "i suggest",  "i'd suggest",
        "i’d suggest", "i recommend",   "i'd recommend", "i’d recommend", "？"};
    static constexpr std::string_view kByNumber[] = {"\\u00", "\\u20", "\\uff"};
    static constexpr PhraseSet offers(kOffers);
    static constexpr PhraseSet numbered(kByNumber);
    // Neither need be decoded to be seen, unless it is written by number.
    const std::string_view raw = last.raw_end();
    if (raw.find('?') == raw.npos && !offers.in(raw) && !numbered.in(raw)) return false;
    const std::string decoded_end = last.end();
    std::string_view text = decoded_end;
    if (text.size() > kEnd) text.remove_prefix(text.size() - kEnd);
    return text.find('?') != text.npos || offers.said_in(text);
}

// Where a search looks, next to what it looks for: its field "path", however the quotes are spelled.
std::string_view searched_place(RawText args, std::span<const CallField> fields) {
    constexpr std::string_view kField = "path", kMarks = "\\\": ";
    if (!fields.empty()) {
        const auto path = std::ranges::find(fields, kField, &CallField::name);
        if (path == fields.end() || !path->is_string) return {};
        return path->value.substr(0, find_near(path->value, 0, '"', '\\'));
    }
    const std::string_view t = args.bytes;
    for (std::size_t quote = find_pair_near(t, 0, '"', 'p'); quote != t.npos;
         quote = find_pair_near(t, quote + 1, '"', 'p')) {
        const std::size_t end = quote + 1 + kField.size();
        if (!t.substr(quote + 1).starts_with(kField) || t.substr(end, 2).find('"') == t.npos) continue;
        const std::size_t begin = std::min(t.find_first_not_of(kMarks, end), t.size());
        return t[begin - 1] == '"' ? t.substr(begin, find_near(t, begin, '"', '\\') - begin) : std::string_view{};
    }
    return {};
}

// Where a project lies on the disk says nothing about the work: of a path the last parts, of a command what follows the
// change of the directory.
RawText telling(RawText argument) {
    constexpr std::size_t kParts = 3;
    std::string_view& text = argument.bytes;
    if (text.starts_with("cd ")) {
        const std::size_t next = text.find("&&");
        if (next != text.npos) text.remove_prefix(next + 2);
        return argument;
    }
    if (text.empty() || (text[0] != '/' && text[0] != '~') || text.find(' ') != text.npos) return argument;
    for (std::size_t at = text.size(), parts = 0; at-- > 1;) {
        if (text[at] != '/' || ++parts < kParts) continue;
        text.remove_prefix(at + 1);
        break;
    }
    return argument;
}

// Tests, linters, builds and the bookkeeping of changes: part of any task that changes something.
bool is_routine(const Step& step, std::string_view command) {
    if (step.tool_class == ToolClass::verify) return true;
    while (command.starts_with(' ')) command.remove_prefix(1);
    return step.command_bytes > 0 && command.starts_with("git ");
}

}  // namespace

void DriftWatch::restart(const std::string& goal, std::uint32_t reflect_every) {
    for (auto* of : {&detectors_, &of_turns_, &of_texts_, &of_calls_, &of_plans_, &of_broken_}) of->clear();
    planned_ = false;
    goal_.clear();
    terms_.clear();
    given_ = !goal.empty();
    credits_.clear();
    learnt_ = 0;
    last_text_.clear();
    last_text_at_ = {};
    text_is_last_ = interrupted_ = turn_open_ = false;
    denied_ = 0;
    turn_ = turn_line_ = 0;
    trusted_turns_ = kTrusted;
    broken_.clear();
    made_at_.clear();
    shell_files_.clear();
    made_.clear();
    targets_.clear();
    searched_.clear();
    said_.clear();
    said_more_ = false;
    goal_names_.clear();
    named_calls_.clear();
    folder_.clear();
    branch_.clear();
    own_files_.clear();
    score_.clear();
    score_.reflect_every(reflect_every);
    if (goal.empty()) return;
    goal_.hear({goal, 0, false});
    terms_.hear(goal, 0);
    learn_goal();
}

void DriftWatch::add(DriftDetector* detector, std::uint8_t hears) {
    detectors_.push_back(detector);
    if ((hears & kDriftTurns) != 0) of_turns_.push_back(detector);
    switch (detector->acts()) {
        case DriftActs::all:
            of_texts_.push_back(detector);
            of_calls_.push_back(detector);
            break;
        case DriftActs::calls: of_calls_.push_back(detector); break;
        case DriftActs::planned: of_plans_.push_back(detector); break;
        case DriftActs::broken: of_broken_.push_back(detector); break;
    }
}

// Words of the goal are never taken back: only the new ones are to be marked.
void DriftWatch::learn_goal() {
    const std::vector<std::uint32_t>& words = goal_.all_words();
    for (; learnt_ < words.size(); ++learnt_) credits_.raise(words[learnt_], WordCredits::kGoal, turn_);
}

// A rename changes files that nobody named; what it changes in them is what the goal speaks of.
void DriftWatch::learn_names() {
    constexpr std::size_t kMost = 8, kShortest = 5;
    constexpr auto in_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const std::string_view text = said_;
    goal_names_.clear();
    said_more_ = false;
    std::size_t begin = 0;
    bool joined = false;
    for (std::size_t i = 0; i < text.size() && goal_names_.size() < kMost; ++i) {  // a blank ends it
        if (in_name(text[i])) {
            const bool hump = i > begin && text[i] >= 'A' && text[i] <= 'Z' && text[i - 1] >= 'a' && text[i - 1] <= 'z';
            joined = joined || hump || (i > begin && text[i] == '_');
            continue;
        }
        const std::string_view name = text.substr(begin, i - begin);
        begin = i + 1;
        if (std::exchange(joined, false) && name.size() >= kShortest) goal_names_.emplace_back(name);
    }
}

bool DriftWatch::has_goal_name(RawText args) {
    constexpr std::size_t kRead = 4'096;
    if (said_more_) learn_names();
    const std::string_view text = args.bytes.substr(0, kRead);
    return std::ranges::any_of(goal_names_, [&](const std::string& name) { return text.find(name) != text.npos; });
}

void DriftWatch::human(RawText text, const Place& at) {
    if (!active() || text.empty()) return;
    hear(human_text(text, at.line), at);
}

void DriftWatch::hear(const HumanText& human, const Place& at) {
    HumanTurn turn;
    turn.human = &human;
    turn.first = !goal_.known() || goal_.only_greeted();
    turn.asked = !turn.first && asks(last_text_);
    turn.correction = turn.first ? Correction::none : correction_in(human.text, turn.asked);
    if (human.reason && turn.correction == Correction::none && declines(human.text)) turn.correction = Correction::weak;
    turn.interrupted = interrupted_;
    turn.denied = denied_;
    turn.turn = turn_;
    turn.at = at;
    const DriftView seen = view();
    for (DriftDetector* detector : detectors_) detector->on_human(turn, seen);
    terms_.close();
    if (!goal_.constraints().empty()) {
        if (turn.asked)
            goal_.answered(last_text_.words(), human.text);
        else if (human.bare && text_is_last_ && !turn.first)
            goal_.answered(needs_in(last_text_.words()), human.text);
    }
    if (human.bare && text_is_last_ && !turn.first && !goal_.paths().empty() && agrees(human.text) &&
        proposes(last_text_.words()))
        goal_.open_scope();
    goal_.hear(human);
    // What was made before a rule was said is there like any other file.
    if (goal_.ruled()) made_.clear();
    terms_.hear(human.text, human.line);
    learn_goal();
    if (said_.size() < kMostSaid) {
        said_.append(human.text, 0, kReadForNames).push_back(' ');
        said_more_ = true;
    }
    interrupted_ = text_is_last_ = planned_ = false;
    denied_ = 0;
    trusted_turns_ = kTrusted;
    score_.forgive();
}

void DriftWatch::denied(RawText answer, const Place& at) {
    ++denied_;
    constexpr std::string_view kSaid = "the user said:";
    const std::size_t found = answer.bytes.find(kSaid);
    if (found == answer.bytes.npos) return;
    RawText words = answer;
    words.bytes.remove_prefix(found + kSaid.size());
    // A line break, escaped or not.
    while (words.bytes.starts_with("\\n") || words.bytes.starts_with('\n') || words.bytes.starts_with(' '))
        words.bytes.remove_prefix(words.bytes.starts_with('\\') ? 2 : 1);
    if (!active() || words.bytes.empty()) return;
    HumanText reason = human_text(words, at.line);
    reason.reason = true;
    hear(reason, at);
}

// "Shall I push?"="Yes", one after the other.
void DriftWatch::answered(RawText answers) {
    constexpr std::size_t kMost = 4'096, kMostPairs = 8;
    constexpr std::string_view kIs = "\"=\"";
    if (!active() || goal_.constraints().empty()) return;
    const std::string text = decoded(answers, kMost);
    constexpr std::string_view kApproved[] = {"approved your plan", "approved the plan", "plan was approved"};
    if (contains_any(text, kApproved)) goal_.plan_agreed();
    std::size_t at = text.find(kIs);
    for (std::size_t n = 0; n < kMostPairs && at != text.npos && at > 0; ++n) {
        const std::size_t open = text.rfind('"', at - 1) + 1;  // npos + 1 = 0
        const std::size_t from = at + kIs.size(), close = std::min(text.find('"', from), text.size());
        goal_.answered(std::string_view(text).substr(open, at - open),
                       std::string_view(text).substr(from, close - from));
        at = text.find(kIs, from);
    }
}

void DriftWatch::begin_turn(const Place& at) {
    if (turn_open_) return;
    turn_open_ = true;
    ++turn_;
    turn_line_ = at.line;
    credits_.begin_turn(turn_);
    turn_calls_ = turn_checks_ = 0;
    if (terms_.counts()) terms_.turn(at);
}

void DriftWatch::agent_text(RawText text, const Place& at, bool reasoning, bool between_agents) {
    // An agent is held to what it says and does, not to what it thinks.
    if (!active() || text.empty() || reasoning) return;
    begin_turn(at);
    words_.clear();
    add_words(text, kTextRead, words_);
    DriftAct act;
    act.text = text;
    act.at = at;
    act.between_agents = between_agents;
    tell(act);
    last_text_.keep(text);
    last_text_at_ = at;
    text_is_last_ = true;
    if (score_.wants_words()) score_.did("says: " + std::string(cut_utf8(last_text_.words(), 100)));
}

void DriftWatch::call(RawText name, bool runs_shell, const Step& step, RawText primary, RawText args,
                      std::span<const CallField> fields) {
    if (!active()) return;
    begin_turn(step.call_at);
    text_is_last_ = false;
    if (terms_.counts()) {
        terms_.call(step.call_at);
        terms_.time(step.time_ms, step.call_at);
    }
    if (step.tool_class == ToolClass::search && !runs_shell && searched_.size() < kMostPending) {
        const std::string_view place = searched_place(args, fields);
        if (!place.empty()) searched_.push_back({step.call_at.seq, std::string(cut_utf8(place, 200))});
    }
    if (step.tool_class == ToolClass::mutate && std::ranges::any_of(detectors_, &DriftDetector::wants_names) &&
        named_calls_.size() < kMostPending && has_goal_name(args))
        named_calls_.push_back(step.call_at.seq);
    if (goal_.constraints().empty()) return unruled_call(runs_shell, step, primary, args);
    CallTarget target = target_of(name, runs_shell, step.tool_class, primary, args);
    target.folder = folder_;
    constexpr std::size_t kMostArguments = 2048;
    if (!runs_shell && asks_for_words(goal_.constraints())) target.said = decoded(args, kMostArguments);
    hold_against_rules(step, target);
    if (!target.paths.empty()) changes(step, target.paths.front());
}

void DriftWatch::hold_against_rules(const Step& step, CallTarget& target) {
    const std::vector<Constraint>& rules = goal_.constraints();
    const std::size_t before = made_.size();
    if (!target.command.empty() && target.paths.empty()) {
        const std::vector<std::string>& changed = shell_files_.changed_by(target.command);
        if (names_only_places(rules)) target.changed = changed;
        for (const std::string& name : shell_files_.just_made()) {
            if (made_.size() < kMostMade) made_.push_back(name);
        }
    }
    target.own = std::span(made_).first(before);
    target.branch = branch_;
    const Constraint* broken = broken_by(rules, target);
    goal_.met_at_root([&](std::string_view name) { return names_at_root(target, name); });
    if (!target.command.empty() && std::ranges::any_of(rules, [](const Constraint& c) { return !c.onto.empty(); }))
        branch_ = branch_behind(target.command, branch_);
    // A file that is written as a whole may be new: the outcome tells.
    if (broken && names_packages(target, *broken)) broken = nullptr;
    if (broken && broken->adds) {
        if (!names_in_goal(target) && broken_.size() < kMostPending)
            broken_.push_back({step.call_at.seq, static_cast<std::size_t>(broken - rules.data()), {}, true, false});
        broken = nullptr;
    }
    const bool if_there = !broken && target.creates && target.tool_class == ToolClass::mutate;
    if (if_there) {
        target.creates = false;
        broken = broken_by(rules, target);
        if (made_.size() < kMostMade && made_at_.size() < kMostPending && target.paths.size() == 1)
            made_at_.push_back({step.call_at.seq, target.paths.front()});
    }
    if (!broken || broken_.size() >= kMostPending) return;
    const bool by_command = broken->kind == Constraint::Kind::only_path && !target.changed.empty();
    broken_.push_back(
        {step.call_at.seq, static_cast<std::size_t>(broken - rules.data()),
         by_command ? std::string(cut_utf8(changed_outside(rules, target), kLongestTarget)) : std::string(), false,
         if_there});
}

// "Don't add dependencies. … ok, use zod for that": a package that the human named may be installed.
bool DriftWatch::names_packages(const CallTarget& target, const Constraint& rule) const {
    if (rule.kind != Constraint::Kind::forbid_command || !rule.existing) return false;
    const std::vector<std::string> packages = installed_packages(target.command, rule.target);
    return !packages.empty() && std::ranges::all_of(packages, [&](const std::string& package) {
        ActWords words;
        add_words({package, TextForm::plain}, package.size(), words);
        return words.size() > 0 && goal_.hits(words) == words.size();
    });
}

// "Put it into util.py. Do not create other files." The folder in which it lies is not enough.
bool DriftWatch::names_in_goal(const CallTarget& target) const {
    const auto last = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };  // npos + 1 = 0
    return std::ranges::any_of(target.paths, [&](const std::string& path) {
        return std::ranges::any_of(goal_.paths(), [&](const std::string& named) {
            return path_matches(path, named) && last(path) == last(named);
        });
    });
}

// Does the outcome say that a file was made?
bool DriftWatch::is_new(const Step& step) {
    static constexpr std::string_view kSaid[] = {"created", "new file", "\nA ", "\\nA "};
    return !step.failed && !was_there(step) && contains_any(step.text.outcome().bytes, kSaid);
}

// Does the outcome of a file that was written as a whole say that it was there before?
bool DriftWatch::was_there(const Step& step) {
    static constexpr std::string_view kSaid[] = {"has been updated", "overwrote", "overwritten"};
    return contains_any(step.text.outcome().bytes, kSaid);
}

void DriftWatch::learn_made(const Step& step) {
    for (const Target& made : made_at_) {
        if (made.seq != step.call_at.seq || step.failed || was_there(step)) continue;
        made_.push_back(made.path.substr(made.path.rfind('/') + 1));  // npos + 1 = 0
    }
}

// `git ls-files` and its like tell what there is in the folder of the session.
void DriftWatch::learn_places(const Step& step) {
    const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search ||
                       step.tool_class == ToolClass::shell;
    if (!looks || step.failed) return;
    std::string said;
    goal_.met_at_root([&](std::string_view name) {
        if (said.empty()) said = decoded(step.text.outcome(), StepText::kOutcome);
        return says_at_root(said, folder_, name);
    });
}

// Where nothing is ruled out the name of the file is all that is asked for.
void DriftWatch::unruled_call(bool runs_shell, const Step& step, RawText primary, RawText args) {
    if (step.tool_class != ToolClass::mutate) return;
    const RawText& whole = primary.empty() ? args : primary;
    if (runs_shell && whole.bytes.substr(0, 256).find("*** Begin Patch") == whole.bytes.npos) return;
    changes(step, file_of(runs_shell, step.tool_class, primary, args));
}

void DriftWatch::changes(const Step& step, std::string file) {
    if (file.empty() || targets_.size() >= kMostPending) return;
    file.resize(cut_utf8(file, kLongestTarget).size());
    targets_.push_back({step.call_at.seq, std::move(file)});
}

void DriftWatch::check_failed(RawText said) {
    constexpr std::size_t kRead = 16'384, kMostNamed = 64;
    for (DriftDetector* detector : detectors_) detector->on_red(said);
    if (std::ranges::none_of(detectors_, &DriftDetector::wants_faulty)) return;
    const std::vector<std::string> files = paths_in(decoded(said, kRead), kMostNamed);
    for (DriftDetector* detector : detectors_) detector->on_faulty(files);
}

void DriftWatch::step(const Step& step) {
    if (!active()) return;
    begin_turn(step.call_at);
    words_.clear();
    const RawText argument = telling(step.text.argument());
    ++turn_calls_;
    turn_checks_ += is_routine(step, argument.bytes) || looks_at_own(step, argument.bytes);
    add_words(argument, argument.size(), words_);
    // A command that the human named, however short its name.
    if (step.command_bytes > 0) {
        const std::string_view program = short_program(trimmed(argument.bytes));
        if (!program.empty() && goal_.has(act_word(program))) words_.add(act_word(program));
    }
    for (const Target& place : searched_) {
        const RawText where = telling({place.path, step.text.argument_form});
        if (place.seq == step.call_at.seq && where.bytes != argument.bytes) add_words(where, where.size(), words_);
    }
    DriftAct act;
    act.step = &step;
    act.text = argument;
    act.at = step.call_at;
    for (const BrokenCall& broken : broken_) {
        if (broken.seq != step.call_at.seq || broken.constraint >= goal_.constraints().size() ||
            (broken.if_there && !was_there(step)) || (broken.if_new && !is_new(step)))
            continue;
        act.broken = &goal_.constraints()[broken.constraint];
        act.broken_file = broken.file;
    }
    for (const Target& target : targets_) {
        if (target.seq == step.call_at.seq) act.target = target.path;
    }
    learn_made(step);
    if (!goal_.constraints().empty()) learn_places(step);
    tell(act);
    if (score_.wants_words()) score_.did(step_words(step));
}

// What the agent wrote was judged when it wrote it: to look at it again leads nowhere else.
bool DriftWatch::looks_at_own(const Step& step, std::string_view path) {
    // A longer one was cut, and may be another file's.
    if (step.failed || step.command_bytes > 0 || path.empty() || step.text.argument().size() == StepText::kArgument)
        return false;
    if (step.tool_class != ToolClass::mutate && step.tool_class != ToolClass::read) return false;
    const std::uint64_t file = stable_hash(path);
    const bool own = std::ranges::find(own_files_, file) != own_files_.end();
    if (step.tool_class == ToolClass::read) return own;
    if (own) return false;
    if (own_files_.size() == kMostOwn) own_files_.erase(own_files_.begin());
    own_files_.push_back(file);
    return false;
}

void DriftWatch::tell(DriftAct& act) {
    act.words = &words_;
    act.turn = turn_;
    const WordCredits::Met met = credits_.meet(words_.all());
    act.goal_hits = met.of_goal;
    act.names_goal = act.step && std::ranges::find(named_calls_, act.step->call_at.seq) != named_calls_.end();
    act.known = met.known;
    const DriftView seen = view();
    tell(act.step ? of_calls_ : of_texts_, act, seen);
    if (planned_) tell(of_plans_, act, seen);
    if (act.broken) tell(of_broken_, act, seen);
}

void DriftWatch::tell(const std::vector<DriftDetector*>& detectors, const DriftAct& act, const DriftView& view) {
    for (DriftDetector* detector : detectors) detector->on_act(act, view);
}

void DriftWatch::weigh() {
    if (credits_.met() < 2 || !goal_.known()) return;
    double relevance = credits_.best_of_turn();
    if (trusted_turns_ > 0) {
        --trusted_turns_;
        relevance = std::max(relevance, kTrust);
    }
    const auto credit = static_cast<std::uint8_t>(kPassedOn * relevance * 254 + 0.5);
    credits_.raise_turn(credit, turn_);
    // Checks and commits speak their own language whatever the task: they lead nowhere.
    if (turn_calls_ > 0 && turn_checks_ == turn_calls_) relevance = std::max(relevance, 1 - score_.score());
    score_.add(turn_, turn_line_, relevance);
    for (DriftDetector* detector : of_turns_) detector->on_turn({relevance, score_.score()}, view());
}

void DriftWatch::end_response() {
    if (!active() || !turn_open_) return;
    turn_open_ = false;
    weigh();
    score_.end_turn(turn_, turn_line_, goal_.words_of_goal());
    broken_.clear();
    made_at_.clear();
    targets_.clear();
    searched_.clear();
    named_calls_.clear();
}

void DriftWatch::note(RawText args, const Place& at) {
    if (!active() || args.size() > kMostNote) return;
    begin_turn(at);
    PlanUpdate update;
    update.items = args.form == TextForm::json_string ? plan_items(decode_json_string(args.bytes, kMostNote))
                                                      : plan_items(args.bytes);
    if (update.items.empty()) return;
    update.turn = turn_;
    update.at = at;
    planned_ = true;
    for (DriftDetector* detector : detectors_) detector->on_plan(update, view());
}

void DriftWatch::compacted(RawText summary) { this->summary(summary); }

void DriftWatch::summary(RawText text) {
    if (!active() || text.empty() || goal_.constraints().empty()) return;
    goal_.compacted(text.form == TextForm::plain ? std::string(text.bytes.substr(0, 65'536))
                                                 : decode_json_string(text.bytes, 65'536));
}

void DriftWatch::finish() {
    for (DriftDetector* detector : detectors_) detector->on_end(view());
}

DriftSeries DriftWatch::take_series() { return score_.take(); }

SessionGoal DriftWatch::goal() const {
    SessionGoal out;
    if (!goal_.known()) return out;
    out.given = given_;
    out.messages = goal_.messages();
    terms_.tell(out);
    if (goal_.latest_line() != out.line && goal_.latest_line() != 0) {
        out.latest = goal_.latest();
        out.latest_line = goal_.latest_line();
    }
    out.paths = goal_.paths();
    for (const Constraint& c : goal_.constraints())
        out.rules.push_back({static_cast<StatedRule::Kind>(c.kind), c.target, c.line, c.told()});
    return out;
}

}  // namespace agent_audit::detectors
