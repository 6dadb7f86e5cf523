#include <agent_audit/advice/session_memory.hpp>

#include "advice/call_facts.hpp"
#include "advice/text.hpp"
#include "detectors/engine/error_class.hpp"
#include "detectors/engine/exit_code.hpp"
#include "detectors/engine/goal.hpp"
#include "detectors/engine/outcome.hpp"

#include <agent_audit/advice/goal.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace agent_audit::advice {
namespace {

// Limits: what a table cannot hold, the least useful entry makes room for.
constexpr std::size_t kMostOpenCalls = 1024;
constexpr std::size_t kFirstMessages = 4, kLastMessages = 8;
constexpr std::size_t kMessageChars = 4000;
constexpr std::size_t kMostConstraints = 24, kMostDecisions = 16, kMostCommits = 16;
constexpr std::size_t kMostChanges = 256, kMostReads = 256;
constexpr std::size_t kMostFailures = 48, kMostRepetitions = 256;
constexpr std::size_t kSentenceChars = 240;
constexpr std::uint64_t kRepeated = 3;  // two is a retry, three is a habit

constexpr std::array<std::string_view, 16> kConstraintWords{
    "without changing", "without touching",
    "must", "never", "do not", "don't", "only", "always", "must not", "mustn't", "\u5FC5\u987B", "\u4E0D\u8981", "\u7981\u6B62",
    "\u53EA\u80FD", "\u5207\u52FF", "\u52A1\u5FC5"};
constexpr std::array<std::string_view, 5> kDecisionWords{"decided", "because", "instead of", "\u51B3\u5B9A", "\u56E0\u4E3A"};
constexpr std::array<std::string_view, 11> kPlanWords{"next", "i'll", "i will", "let me", "going to", "now i", "need to",
                                                      "remaining", "\u63A5\u4E0B\u6765", "\u4E0B\u4E00\u6B65", "\u6211\u5C06"};

const std::string kUnnamedFile = "(a file that the call does not name)";

template <std::size_t N>
bool has_any(std::string_view low, const std::array<std::string_view, N>& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return has_word(low, word); });
}

// Words with runs of digits as one mark: attempts at the same thing differ in line numbers and sizes.
std::string masked(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit) out += c;
        if (digit && (out.empty() || out.back() != '#')) out += '#';
    }
    return out;
}

// Typographic apostrophes are apostrophes.
std::string folded(std::string_view text) {
    std::string out = lower(text);
    for (std::size_t at = out.find("\u2019"); at != out.npos; at = out.find("\u2019", at)) out.replace(at, 3, "'");
    return out;
}

// As it is told: below the working directory without it. Temporary files are no progress.
std::string hidden_cwd(std::string path, const std::string& cwd) {
    path = joined_path(path.find("../") == path.npos ? std::string_view() : std::string_view(cwd), path);
    if (!cwd.empty() && path.size() > cwd.size() + 1 && path.starts_with(cwd) && path[cwd.size()] == '/') path.erase(0, cwd.size() + 1);
    while (path.starts_with("./")) path.erase(0, 2);
    return path;
}

// What a chat gateway puts before the words of a person: "Sender (untrusted metadata):" and a fenced block.
std::string without_metadata(std::string text) {
    constexpr std::string_view kMark = "(untrusted metadata):\n```";
    for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at)) {
        const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at) + 1;  // npos + 1 is 0
        const std::size_t close = text.find("\n```", at + kMark.size());
        if (close == text.npos) break;
        const std::size_t end = std::min(text.find('\n', close + 1), text.size() - 1) + 1;
        text.erase(begin, end - begin);
        at = begin;
    }
    return text;
}

bool is_temporary(std::string_view path, std::string_view cwd) {
    const auto below = [](std::string_view p) { return p.starts_with("/tmp/") || p.starts_with("/var/tmp/") || p.starts_with("/private/tmp/"); };
    return below(path) && !below(cwd);
}

// Two names of one file, as far as names tell: agents and their shells write paths in different ways.
bool same_file(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const std::string_view& shorter = a.size() < b.size() ? a : b;
    const std::string_view& longer = a.size() < b.size() ? b : a;
    if (shorter.find_first_of("/\\") == shorter.npos || longer.size() <= shorter.size()) return false;
    const std::size_t from = longer.size() - shorter.size();
    if (longer[from - 1] != '/' && longer[from - 1] != '\\') return false;
    const auto equal = [](char x, char y) { return x == y || ((x == '/' || x == '\\') && (y == '/' || y == '\\')); };
    return std::ranges::equal(longer.substr(from), shorter, equal);
}

// What no test, build or lint says anything about: texts and pictures.
bool is_prose(std::string_view path) {
    constexpr std::array<std::string_view, 12> kEndings{".md", ".markdown", ".rst", ".adoc", ".txt", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".log"};
    const std::string low = lower(path.substr(path.find_last_of("/\\") == path.npos ? 0 : path.find_last_of("/\\") + 1));
    if (low == "cmakelists.txt" || low.starts_with("requirements") || low.starts_with("constraints")) return false;
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return low.ends_with(ending); });
}

bool is_rooted(std::string_view path) {
    return path.starts_with('/') || path.starts_with('~') || (path.size() > 2 && path[1] == ':');
}

// True when a check that ran in `directory` says something about a file. Both as hidden_cwd gives them: below the
// session's own directory they are relative. A check elsewhere (another work tree, say) is about what lies there.
bool is_about(std::string_view directory, std::string_view path, bool cwd_known) {
    if (!is_rooted(directory)) return !cwd_known || !is_rooted(path);
    const auto slash = [](char c) { return c == '/' || c == '\\'; };
    while (directory.size() > 1 && slash(directory.back())) directory.remove_suffix(1);
    // A check often runs in a folder beside the sources: build/, build/release, tests.
    for (int up = 0; up < 2; ++up) {
        const std::size_t cut = directory.find_last_of("/\\");
        if (cut == directory.npos || cut == 0) break;
        const std::string_view last = directory.substr(cut + 1);
        const bool beside = last.starts_with("build") || last.starts_with("cmake-build") || last.starts_with("test") || last == "out" || last == "target" || last == "release" || last == "debug";
        if (!beside) break;
        directory = directory.substr(0, cut);
    }
    if (!is_rooted(path)) return !cwd_known;
    return path.size() > directory.size() && path.starts_with(directory) && slash(path[directory.size()]);
}

struct OpenCall {
    IdHash id = 0;
    std::uint32_t lane = 0;
    std::uint32_t turn = 0;
    std::uint64_t line = 0;
    std::uint64_t identity = 0;
    bool of_model = true;
    CallFacts facts;
};

struct Outcome {
    enum class Kind : std::uint8_t { ok, failed, denied, ignored, running } kind = Kind::ok;
    ErrorClass error = ErrorClass::none;
};

struct KnownFailure {
    Failure failure;
    std::uint64_t call = 0;  // hash of tool and masked call
};

struct KnownCall {
    Repetition all;      // every run of at least kRepeated calls
    std::uint64_t identity = 0, outcome = 0, epoch = 0;
    std::uint64_t run = 0, first_line = 0;
    std::uint64_t last_line = 0;
};

// The line of an error that says most.
std::string telling_line(std::string_view text) {
    std::string_view first, telling;
    while (!text.empty() && telling.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.find_first_not_of(" \t") == line.npos) continue;
        // The number alone says least.
        if (first.empty() || lower(first).starts_with("exit code")) first = line;
        const std::string low = lower(line.substr(0, 300));
        for (const std::string_view word : {"error", "fail", "exception", "cannot", "not found", "denied", "no such", "invalid"}) {
            if (low.find(word) != low.npos) telling = line;
        }
    }
    return one_line(telling.empty() ? first : telling, 160);
}

}  // namespace

struct SessionMemory::Impl {
    Checkpoint state;  // names, places, the lists that need no tables
    std::vector<UserMessage> first_messages, last_messages;
    std::vector<OpenCall> open;
    std::vector<Change> changes;   // those no check has seen
    std::vector<Change> verified;
    std::vector<Change> modified;
    std::vector<Change> stashed;
    std::vector<FileRead> reads;
    std::vector<KnownFailure> failures;
    std::vector<KnownCall> calls;
    std::vector<PlanItem> plan;
    std::uint64_t plan_line = 0;
    std::uint32_t plan_turn = 0;
    std::uint64_t epoch = 0;  // changes so far
    std::uint64_t last_commit_line = 0;
    std::optional<OpenCall> running_check;  // went to the background
    IdHash response = 0;
    bool answered = true;  // results or a human since the model spoke
    bool started = false;
    bool has_rules = false;
    detectors::ErrorClassifier errors;
    TextFilter filter;

    std::string words(RawText raw, std::size_t max_bytes = 256u << 10) const {
        std::string text = words_of(raw, max_bytes);
        return filter ? clean(filter(text)) : text;
    }

    // ---- events ------------------------------------------------------------------------------------------------

    void begin(const SessionStart& start) {
        state = {};
        first_messages.clear();
        last_messages.clear();
        open.clear();
        for (auto* list : {&changes, &verified, &modified, &stashed}) list->clear();
        reads.clear();
        failures.clear();
        calls.clear();
        plan.clear();
        plan_line = epoch = last_commit_line = 0;
        running_check.reset();
        response = 0;
        answered = true;
        has_rules = false;
        state.session = one_line(words(start.session_id, 2000), 200);
        state.model = one_line(words(start.model, 1000), 100);
        state.cwd = one_line(words(start.cwd, 4000), 500);
    }

    void on_event(const Event& event) {
        if ((event.head.flags & (kPartial | kStale)) != 0) return;
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) begin(*start);
        if (begins_response(event)) {
            ++state.responses;
            answered = false;
            response = event.head.response;
        }
        const EventHeader& head = event.head;
        if (head.where.line > state.line) state.line = head.where.line;
        if (head.lane == 0 && head.turn > state.turn) state.turn = head.turn;
        if (head.time_ms != kNoTime) state.time_ms = head.time_ms;
        std::visit([&](const auto& body) { take(head, body); }, event.body);
    }

    bool begins_response(const Event& event) const {
        if (event.head.lane != 0 || (event.head.flags & (kPartial | kStale)) != 0) return false;
        const auto* message = std::get_if<Message>(&event.body);
        const bool speaks = (message && message->role == Role::assistant) || std::holds_alternative<Thinking>(event.body) ||
                            std::holds_alternative<ToolCall>(event.body);
        if (!speaks) return false;
        return answered || (event.head.response != 0 && response != 0 && event.head.response != response);
    }

    template <class Body>
    void take(const EventHeader&, const Body&) {}

    void take(const EventHeader& head, const ContextChange& change) {
        if (head.lane != 0) return;
        if (!change.model.empty()) state.model = one_line(words(change.model, 1000), 100);
        if (!change.cwd.empty() && state.cwd.empty()) state.cwd = one_line(words(change.cwd, 4000), 500);
    }

    void take(const EventHeader&, const Compaction& compaction) {
        if (compaction.phase == CompactionPhase::end) ++state.compactions;
    }

    void take(const EventHeader& head, const Message& message) {
        if (head.lane != 0 || (head.flags & kHidden) != 0) return;
        if (message.role == Role::assistant) {
            if ((head.flags & kSynthetic) == 0) agent_said(head, message.text);
            return;
        }
        if (message.role == Role::system) return look_for_rules(head, message.text);
        const bool human = message.origin == Origin::human || message.origin == Origin::queued;
        if (message.origin == Origin::hook) return;
        if (message.origin == Origin::injected || message.origin == Origin::summary) {
            look_for_rules(head, message.text);
            // A task that the program around the agent gave is better than none.
            if (!first_messages.empty() || message.text.empty()) return;
        }
        user_said(head, message.text, human, message.origin == Origin::injected || message.origin == Origin::summary);
    }

    // ---- what people said --------------------------------------------------------------------------------------

    void user_said(const EventHeader& head, RawText raw, bool human, bool of_program) {
        UserMessage message;
        message.human = human;
        std::string text = without_metadata(words(raw));
        text.erase(0, text.size() - detectors::without_editor_context(text).size());
        text.erase(0, std::min(text.find_first_not_of(" \r\n"), text.size()));
        message.quote = {head_and_tail(text, kMessageChars), head.where.line, head.turn};
        if (message.quote.text.empty()) return;
        if (human) {
            answered = true;
            if (is_approval(message.quote.text)) {
                verify(one_line(message.quote.text, 120), true, head.where.line, [](const Change&) { return true; });
            }
            for (KnownCall& call : calls) call.run = 0;  // what repeats now was asked for
        }
        if (!of_program) note_constraints(message.quote, text);
        if (first_messages.size() < kFirstMessages) {
            first_messages.push_back(std::move(message));
            return;
        }
        if (last_messages.size() == kLastMessages) last_messages.erase(last_messages.begin());
        last_messages.push_back(std::move(message));
    }

    void note_constraints(const Quote& from, std::string_view said) {
        constexpr std::size_t kOfOneMessage = 8;
        constexpr std::size_t kLongest = 600;  // bytes: longer ones are pasted text
        std::size_t taken = 0;
        for (const std::string_view sentence : sentences(said.substr(0, 32u << 10))) {
            if (taken == kOfOneMessage) break;
            if (sentence.size() > kLongest || sentence.ends_with('?') || sentence.ends_with(':') || !has_any(folded(sentence), kConstraintWords)) continue;
            std::string text = one_line(sentence, kSentenceChars);
            const auto same = [&](const Quote& q) { return q.text == text; };
            if (std::ranges::any_of(state.constraints, same)) continue;
            if (state.constraints.size() == kMostConstraints) state.constraints.erase(state.constraints.begin() + kMostConstraints / 2);
            state.constraints.push_back({std::move(text), from.line, from.turn});
            ++taken;
        }
    }

    // Headings of the project's rules, as agents are given them.
    void look_for_rules(const EventHeader& head, RawText raw) {
        if (has_rules) return;
        const std::string_view bytes = raw.bytes.substr(0, 4096);
        std::string_view file;
        for (const std::string_view name : {"AGENTS.md", "CLAUDE.md", "GEMINI.md"}) {
            if (file.empty() && bytes.find(name) != bytes.npos) file = name;
        }
        if (file.empty()) return;
        std::string headings;
        std::size_t taken = 0;
        const std::string text = words(raw);
        for (std::string_view rest = text; !rest.empty() && taken < 8;) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            const std::size_t marks = line.find_first_not_of('#');
            if (marks == 0 || marks > 3 || marks == line.npos || line[marks] != ' ' || line.find(file) != line.npos) continue;
            headings += (headings.empty() ? "" : "; ") + one_line(line.substr(marks), 60);
            ++taken;
        }
        if (headings.empty()) return;
        has_rules = true;
        state.constraints.insert(state.constraints.begin(), {one_line("project rules (" + std::string(file) + "): " + headings, kSentenceChars), head.where.line, head.turn});
    }

    // ---- what the agent said -----------------------------------------------------------------------------------

    void agent_said(const EventHeader& head, RawText raw) {
        const std::string text = words(raw, 16u << 10);
        const auto said = sentences(text);
        std::string step;
        for (const std::string_view sentence : said) {
            const std::string low = folded(sentence);
            if (has_any(low, kPlanWords)) step = one_line(sentence, 300);
            if (sentence.size() < 24 || sentence.ends_with(':') || !has_any(low, kDecisionWords)) continue;
            std::string decision = one_line(sentence, kSentenceChars);
            std::erase_if(state.decisions, [&](const Quote& q) { return q.text == decision; });
            if (state.decisions.size() == kMostDecisions) state.decisions.erase(state.decisions.begin());
            state.decisions.push_back({std::move(decision), head.where.line, head.turn});
        }
        if (step.empty()) {
            const auto whole = std::find_if(said.rbegin(), said.rend(), [](std::string_view s) { return !s.ends_with(':'); });
            if (whole != said.rend()) step = one_line(*whole, 300);
        }
        if (step.find(' ') != step.npos) state.next_step = Quote{std::move(step), head.where.line, head.turn};
    }

    // ---- calls -------------------------------------------------------------------------------------------------

    static IdHash id_of(RawText raw) { return raw.empty() ? 0 : (stable_hash(raw.bytes) | 1); }

    void take(const EventHeader& head, const ToolCall& call) {
        OpenCall made;
        made.id = id_of(call.call_id);
        made.lane = head.lane;
        made.turn = head.turn;
        made.line = head.where.line;
        made.of_model = call.caller != Caller::user;
        made.identity = call.digest.opaque ? 0 : call.digest.canonical;
        made.facts = facts_of(call, filter);
        if (open.size() == kMostOpenCalls) open.erase(open.begin());
        open.push_back(std::move(made));
    }

    void take(const EventHeader& head, const ToolResult& result) {
        if (head.lane == 0) answered = true;
        const IdHash id = id_of(result.call_id);
        const auto mine = [&](const OpenCall& call) { return call.lane == head.lane && (id == 0 || call.id == id); };
        const auto found = std::ranges::find_if(open, mine);
        if (found == open.end()) return;
        const OpenCall call = std::move(*found);
        open.erase(found);
        close(head, call, result);
    }

    Outcome outcome_of(const ToolResult& result) const {
        using Kind = Outcome::Kind;
        ResultStatus status = result.status;
        std::optional<int> code = result.exit_code;
        if (status == ResultStatus::unknown && !code) code = detectors::exit_code_in(result.text);
        if (status == ResultStatus::unknown && code) status = *code == 0 ? ResultStatus::ok : ResultStatus::error;
        if (status == ResultStatus::unknown && detectors::says_failure(result.text)) status = ResultStatus::error;
        switch (status) {
            case ResultStatus::denied: return {Kind::denied, ErrorClass::user_denied};
            case ResultStatus::cancelled: return {Kind::ignored, ErrorClass::none};
            case ResultStatus::running: return {Kind::running, ErrorClass::none};
            case ResultStatus::error: break;
            default: return {Kind::ok, ErrorClass::none};
        }
        const ErrorClass error = errors.classify(result.text);
        return {error == ErrorClass::user_denied && !code ? Kind::denied : Kind::failed, error};
    }

    void close(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        using Kind = Outcome::Kind;
        Outcome outcome = outcome_of(result);
        const CallFacts& facts = call.facts;
        // grep that finds nothing has not failed.
        if (outcome.kind == Kind::failed && facts.tool_class == ToolClass::search && result.text.size() <= 80) outcome = {};
        if (outcome.kind == Kind::ignored) return;
        const bool edits_first = !facts.check.edits_after;
        if (outcome.kind == Kind::ok && edits_first) changed(head, call);
        if (facts.check.kind != CheckCommand::no) checked(head, call, result, outcome.kind);
        if (outcome.kind == Kind::ok && !edits_first) changed(head, call);
        if (running_check && facts.tool_class == ToolClass::poll && result.exit_code) {
            const OpenCall check = std::move(*running_check);
            running_check.reset();
            checked(head, check, result, *result.exit_code == 0 ? Kind::ok : Kind::failed);
        }
        if (outcome.kind == Kind::ok && facts.plan) update_plan(head, *facts.plan);
        if (head.lane != 0 || !call.of_model) return;
        if (outcome.kind == Kind::ok) worked(head, call);
        if (outcome.kind == Kind::failed || outcome.kind == Kind::denied) failed(head, call, result, outcome.error);
        if (outcome.kind != Kind::running) repeated(head, call, result, outcome.kind == Kind::failed);
    }

    // ---- progress ----------------------------------------------------------------------------------------------

    void checked(const EventHeader& head, const OpenCall& call, const ToolResult& result, Outcome::Kind kind) {
        using Kind = Outcome::Kind;
        if (kind == Kind::running) running_check = call;
        if (kind != Kind::ok && kind != Kind::failed) return;
        CheckEnd end = kind == Kind::ok && !detectors::says_failure(result.text) ? CheckEnd::passed : CheckEnd::failed;
        if (end == CheckEnd::passed && call.facts.check.kind == CheckCommand::mixed && !says_success(words_of(result.text))) end = CheckEnd::unclear;
        state.last_check = CheckRun{call.facts.check.words, end, head.where.line, head.turn};
        if (end != CheckEnd::passed) return;
        const std::string directory = check_directory(call.facts.check.directory);
        verify(call.facts.check.words, false, head.where.line, [&](const Change& change) {
            return change.path == kUnnamedFile || (!is_prose(change.path) && is_about(directory, change.path, !state.cwd.empty()));
        });
    }

    // Empty for the session's own directory and what lies below it.
    std::string check_directory(const std::string& told) const {
        if (told.empty()) return {};
        std::string whole = joined_path(state.cwd, told);
        const bool below = !state.cwd.empty() && whole.starts_with(state.cwd) && (whole.size() == state.cwd.size() || whole[state.cwd.size()] == '/' || whole[state.cwd.size()] == '\\');
        return below ? std::string() : whole;
    }

    // What was changed before, and what the check, or the human, can speak for.
    template <class Covers>
    void verify(const std::string& by, bool approved, std::uint64_t line, const Covers& covers) {
        std::vector<Change> open_still;
        for (Change& change : changes) {
            if (!covers(change)) {
                open_still.push_back(std::move(change));
                continue;
            }
            change.check = by;
            change.approved = approved;
            change.check_line = line;
            std::erase_if(verified, [&](const Change& old) {
                if (!same_file(old.path, change.path)) return false;
                change.edits += old.edits;
                change.first_line = std::min(change.first_line, old.first_line);
                return true;
            });
            if (verified.size() == kMostChanges) verified.erase(verified.begin());
            verified.push_back(std::move(change));
        }
        changes = std::move(open_still);
    }

    static void count_change(std::vector<Change>& list, const std::string& path, const EventHeader& head) {
        auto at = std::ranges::find_if(list, [&](const Change& c) { return same_file(c.path, path); });
        Change change;
        if (at != list.end()) {
            change = std::move(*at);
            list.erase(at);
        } else {
            change.path = path;
            change.first_line = head.where.line;
        }
        ++change.edits;
        change.last_line = head.where.line;
        change.turn = head.turn;
        if (list.size() == kMostChanges) list.erase(list.begin());
        list.push_back(std::move(change));
    }

    void changed(const EventHeader& head, const OpenCall& call) {
        const CommandEffects& effects = call.facts.effects;
        for (const std::string& written : effects.changed) {
            const std::string path = hidden_cwd(written, state.cwd);
            if (is_temporary(written, state.cwd)) continue;
            count_change(changes, path, head);
            count_change(modified, path, head);
            std::erase_if(reads, [&](const FileRead& read) { return same_file(read.path, path); });
        }
        if (call.facts.tool_class == ToolClass::mutate) {
            ++epoch;
            if (effects.changed.empty() && !call.facts.shell) {
                count_change(changes, kUnnamedFile, head);
                count_change(modified, kUnnamedFile, head);
            }
        }
        if (effects.undoes) undo(effects.undone);
        if (effects.stashes) {
            stashed = changes;
            undo({});
        }
        if (effects.unstashes) {
            for (Change& change : stashed) changes.push_back(std::move(change));
            stashed.clear();
        }
        if (effects.commits) {
            last_commit_line = head.where.line;
            if (state.commits.size() == kMostCommits) state.commits.erase(state.commits.begin());
            state.commits.push_back({effects.message.empty() ? "git commit" : one_line(clean(effects.message), 120), head.where.line, head.turn});
        }
        for (const std::string& path : effects.read) {
            if (head.lane == 0) was_read(hidden_cwd(path, state.cwd), head);
        }
    }

    // Uncommitted changes are gone: of these files, or all of them.
    void undo(const std::vector<std::string>& written) {
        std::vector<std::string> paths;
        for (const std::string& path : written) paths.push_back(hidden_cwd(path, state.cwd));
        const auto undone = [&](const Change& change) {
            if (change.last_line <= last_commit_line) return false;
            return paths.empty() || std::ranges::any_of(paths, [&](const std::string& path) {
                       return same_file(change.path, path) ||
                              change.path.starts_with(path + "/");
                   });
        };
        for (auto* list : {&changes, &verified, &modified}) std::erase_if(*list, undone);
    }

    void was_read(const std::string& path, const EventHeader& head) {
        FileRead read{path, 0, 0, 0};
        if (const auto at = std::ranges::find(reads, path, &FileRead::path); at != reads.end()) {
            read = std::move(*at);
            reads.erase(at);
        }
        ++read.reads;
        read.line = head.where.line;
        read.turn = head.turn;
        if (reads.size() == kMostReads) reads.erase(reads.begin());
        reads.push_back(std::move(read));
    }

    void update_plan(const EventHeader& head, const PlanUpdate& update) {
        plan_line = head.where.line;
        plan_turn = head.turn;
        if (update.replaces) {
            plan = update.items;
            return;
        }
        for (const PlanItem& item : update.items) {
            const auto known = std::ranges::find_if(plan, [&](const PlanItem& p) { return !item.id.empty() && p.id == item.id; });
            if (known != plan.end()) {
                known->state = item.state;
                if (!item.text.empty()) known->text = item.text;
            } else if (!item.text.empty() && plan.size() < 64) {
                plan.push_back(item);
                // Tasks are numbered in the order in which they are made.
                if (item.id.empty()) plan.back().id = std::to_string(plan.size());
            }
        }
    }

    // ---- what failed -------------------------------------------------------------------------------------------

    static std::uint64_t call_key(const CallFacts& facts) { return stable_hash(masked(facts.words), stable_hash(facts.tool)); }

    void worked(const EventHeader&, const OpenCall& call) {
        const std::uint64_t key = call_key(call.facts);
        std::erase_if(failures, [&](const KnownFailure& known) { return known.call == key; });
    }

    void failed(const EventHeader& head, const OpenCall& call, const ToolResult& result, ErrorClass error) {
        const std::uint64_t key = call_key(call.facts);
        const auto same = [&](const KnownFailure& f) { return f.call == key && f.failure.error == error; };
        auto known = std::ranges::find_if(failures, same);
        if (known == failures.end()) {
            if (failures.size() == kMostFailures) {
                failures.erase(std::ranges::min_element(failures, {}, [](const KnownFailure& f) { return std::pair(f.failure.count, f.failure.last_line); }));
            }
            failures.push_back({{call.facts.tool, call.facts.words, error, 0, call.line, 0, 0, {}}, key});
            known = failures.end() - 1;
        }
        Failure& failure = known->failure;
        ++failure.count;
        failure.call = call.facts.words;
        failure.last_line = head.where.line;
        failure.turn = head.turn;
        failure.output = telling_line(words(result.text, 64u << 10));
    }

    void repeated(const EventHeader& head, const OpenCall& call, const ToolResult& result, bool error) {
        const ToolClass what = call.facts.tool_class;
        if (call.identity == 0 || result.opaque || what == ToolClass::poll || what == ToolClass::wait || what == ToolClass::note) return;
        auto known = std::ranges::find(calls, call.identity, &KnownCall::identity);
        if (known == calls.end()) {
            if (calls.size() == kMostRepetitions) {
                calls.erase(std::ranges::min_element(calls, {}, [](const KnownCall& c) { return std::pair(c.all.count, c.last_line); }));
            }
            KnownCall made;
            made.identity = call.identity;
            calls.push_back(made);
            known = calls.end() - 1;
        }
        const auto digest = detectors::digest_outcome(result.text, error);
        const bool again = known->run > 0 && known->outcome == digest.hash && !digest.opaque && known->epoch == epoch;
        if (!again) known->first_line = call.line;
        known->run = again ? known->run + 1 : 1;
        known->outcome = digest.hash;
        known->epoch = epoch;
        known->last_line = head.where.line;
        if (known->run < kRepeated) return;
        Repetition& all = known->all;
        if (all.count == 0) all = {call.facts.tool, call.facts.words, 0, known->first_line, 0, 0};
        all.count += known->run == kRepeated ? kRepeated : 1;
        all.last_line = head.where.line;
        all.turn = head.turn;
    }

    // ---- the checkpoint ----------------------------------------------------------------------------------------

    Checkpoint checkpoint() const {
        Checkpoint out = state;
        std::vector<UserMessage> messages = first_messages;
        messages.insert(messages.end(), last_messages.begin(), last_messages.end());
        out.goal = goal_of(messages);
        out.open_calls = static_cast<std::uint64_t>(std::ranges::count(open, 0u, &OpenCall::lane));
        out.verified.assign(verified.rbegin(), verified.rend());
        out.unverified.assign(changes.rbegin(), changes.rend());
        out.modified.assign(modified.rbegin(), modified.rend());
        out.read.assign(reads.rbegin(), reads.rend());
        std::ranges::reverse(out.commits);
        std::ranges::reverse(out.decisions);
        for (const KnownFailure& known : failures) out.failures.push_back(known.failure);
        std::ranges::stable_sort(out.failures, std::greater<>{}, [](const Failure& f) { return std::pair(f.count, f.last_line); });
        for (const KnownCall& call : calls) {
            if (call.all.count > 0) out.repetitions.push_back(call.all);
        }
        std::ranges::stable_sort(out.repetitions, std::greater<>{}, [](const Repetition& r) { return std::pair(r.count, r.last_line); });
        for (const auto wanted : {PlanItem::State::active, PlanItem::State::open}) {
            for (const PlanItem& item : plan) {
                if (item.state == wanted) out.plan.push_back({item.text, plan_line, plan_turn});
            }
        }
        return out;
    }
};

SessionMemory::SessionMemory(TextFilter filter) : impl_(std::make_unique<Impl>()) { impl_->filter = std::move(filter); }
SessionMemory::~SessionMemory() = default;
SessionMemory::SessionMemory(SessionMemory&&) noexcept = default;
SessionMemory& SessionMemory::operator=(SessionMemory&&) noexcept = default;

void SessionMemory::on_event(const Event& event) { impl_->on_event(event); }
bool SessionMemory::at_boundary() const {
    return std::ranges::none_of(impl_->open, [](const OpenCall& call) { return call.lane == 0; });
}
std::uint64_t SessionMemory::responses() const { return impl_->state.responses; }
bool SessionMemory::begins_response(const Event& event) const { return impl_->begins_response(event); }
Checkpoint SessionMemory::checkpoint() const { return impl_->checkpoint(); }

// ---- checkpoints -------------------------------------------------------------------------------------------------

Checkpointer::Checkpointer(CheckpointOptions options, Sink sink, SessionMemory::TextFilter filter)
    : options_(options), sink_(std::move(sink)), memory_(std::move(filter)) {}

void Checkpointer::take(CheckpointReason reason, std::string risk) {
    if (taken_ >= options_.most) return;
    Checkpoint made = memory_.checkpoint();
    if (made.line == 0 || made.line == last_line_) return;
    made.reason = reason;
    made.risk = std::move(risk);
    last_ = made.responses;
    last_line_ = made.line;
    ++taken_;
    sink_(made);
}

void Checkpointer::on_event(const Event& event) {
    const auto* start = std::get_if<SessionStart>(&event.body);
    if (start && !start->resumed) last_ = last_line_ = taken_ = 0;
    if (options_.every > 0 && memory_.begins_response(event) && memory_.at_boundary() && memory_.responses() >= last_ + options_.every) {
        take(CheckpointReason::interval, {});
    }
    if (options_.before_risks) {
        const auto* call = std::get_if<ToolCall>(&event.body);
        if (call && (event.head.flags & (kPartial | kStale)) == 0) {
            const CallFacts facts = facts_of(*call);
            if (facts.shell && is_risky_command(command_of(call->primary.empty() ? call->args : call->primary))) {
                take(CheckpointReason::risk, facts.words);
            }
        }
        const auto* compaction = std::get_if<Compaction>(&event.body);
        if (compaction && compaction->phase != CompactionPhase::failed && event.head.lane == 0 && memory_.responses() > last_) {
            take(CheckpointReason::compaction, {});
        }
    }
    memory_.on_event(event);
}

}  // namespace agent_audit::advice
