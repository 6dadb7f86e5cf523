#include <agent_audit/advice/session_memory.hpp>

#include "advice/answers.hpp"
#include "advice/background.hpp"
#include "advice/call_facts.hpp"
#include "advice/change_book.hpp"
#include "advice/error_line.hpp"
#include "advice/failure_book.hpp"
#include "advice/repeat_book.hpp"
#include "advice/sentences.hpp"
#include "advice/text.hpp"
#include "detectors/engine/error_class.hpp"
#include "detectors/engine/exit_code.hpp"
#include "detectors/engine/goal.hpp"
#include "detectors/engine/outcome.hpp"
#include "detectors/engine/permission.hpp"

#include <agent_audit/advice/goal.hpp>
#include <agent_audit/simulator/session.hpp>
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
constexpr std::size_t kMostBetween = 24, kBetweenChars = 240;
constexpr std::size_t kMostAnswers = 24, kMostDeeds = 32;
constexpr std::size_t kMostJobs = 64, kJobText = 16u << 10;
constexpr std::size_t kMostRecords = 8192;  // back to which a rewind is followed
constexpr std::size_t kSentenceChars = 240;
constexpr std::size_t kReplyBytes = 200;  // a longer message says what it wants by itself

const std::string kUnnamedFile = "(a file that the call does not name)";

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
    const auto below = [](std::string_view p) { return p.starts_with("/tmp/") || p.starts_with("/var/tmp/") || p.starts_with("/private/tmp/") || p.find("\\AppData\\Local\\Temp\\") != p.npos || p.find("/AppData/Local/Temp/") != p.npos; };
    return below(path) && !below(cwd);
}

bool is_rooted(std::string_view path) {
    return path.starts_with('/') || path.starts_with('~') || (path.size() > 2 && path[1] == ':');
}

// Whether a command that reads a file has shown something of it: where nothing was printed, or that it is not there, it
// has not.
bool shows_file(std::string_view output, std::string_view path) {
    constexpr std::size_t kLongestNote = 80;  // "(no output)", "Tool ran without output"
    const std::size_t begin = output.find_first_not_of(" \t\r\n");
    if (begin == output.npos) return false;
    const std::string low = output.size() <= kLongestNote ? lower(output) : std::string();
    if (low.find("no output") != low.npos || low.find("without output") != low.npos) return false;
    const std::string_view name = path.substr(path.find_last_of('/') == path.npos ? 0 : path.find_last_of('/') + 1);
    for (std::size_t at = output.find("No such file"); at != output.npos; at = output.find("No such file", at + 1)) {
        const std::size_t line = at == 0 ? 0 : output.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        if (output.substr(line, at - line).find(name) != output.npos) return false;
    }
    return true;
}

// A whole path, written as that of the session's directory is: from D:\a to /d/a, and from ~, there is a step.
bool is_exact(std::string_view path, std::string_view cwd) {
    const auto has_drive = [](std::string_view p) { return p.size() > 2 && p[1] == ':'; };
    return is_rooted(path) && !path.starts_with('~') && (cwd.empty() || has_drive(path) == has_drive(cwd));
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
    std::uint64_t ordered = 0;  // EventHeader.seq
    std::uint64_t identity = 0;
    bool of_model = true;
    CallFacts facts;
    std::string asked;          // what it puts before the person, as recorded
    TextForm asked_form = TextForm::plain;
    std::string job;            // the command in the background that it asks after
    bool stops = false;         // and ends
};

// A command that goes on in the background.
struct Job {
    std::string handle;
    OpenCall call;
    std::string text;  // what it printed so far, the end of it
    bool stopped = false;  // the agent itself ended it
};

struct Outcome {
    enum class Kind : std::uint8_t { ok, failed, denied, ignored, running, unclear } kind = Kind::ok;
    ErrorClass error = ErrorClass::none;
};

// What the agent said last, until somebody answers.
struct LastWords {
    std::string question, proposal, intention, report;
    std::uint64_t line = 0;
};

bool begins_with_no(std::string_view text) {
    const std::string low = folded(text.substr(0, 40));
    for (const std::string_view word : {"no", "nope", "don't", "do not", "stop", "wait", "not ", "wrong", "that's wrong", "revert", "undo"}) {
        if (low.starts_with(word) && (low.size() == word.size() || !(low[word.size()] >= 'a' && low[word.size()] <= 'z'))) return true;
    }
    return false;
}

bool praises(std::string_view text) {
    const std::string low = lower(text);
    return is_remark(text) && std::ranges::any_of(std::array<std::string_view, 8>{"thanks", "thank", "great", "perfect", "nice", "awesome", "cool", "lgtm"}, [&](std::string_view word) { return has_word(low, word); });
}

// The address that a command printed: of a pull request, an issue, a release.
std::string address_in(std::string_view text) {
    const std::size_t at = text.rfind("https://");
    if (at == text.npos) return {};
    std::size_t end = at;
    while (end < text.size() && end - at < 160 && text[end] > ' ' && text[end] < 0x7F && text[end] != '"' && text[end] != '\'' && text[end] != ')' && text[end] != '>' && text[end] != '\\') ++end;
    return std::string(text.substr(at, end - at));
}

}  // namespace

struct SessionMemory::Impl {
    Checkpoint state;  // names, places, the lists that need no tables
    std::vector<UserMessage> first_messages, middle_messages, last_messages;
    std::uint64_t forgotten = 0;  // requests that no list holds any more
    std::vector<OpenCall> open;
    std::vector<Job> jobs;
    ChangeBook changes;
    FailureBook failures;
    RepeatBook repeats;
    LastWords last_words;
    std::uint64_t answered_before = 0;  // state.answered_line when the person spoke last
    std::uint64_t answered_line = 0;  // where the person was answered before a program asked for something else
    std::optional<Quote> answer_report, answer_unsolved;
    std::vector<PlanItem> plan;
    std::uint64_t plan_line = 0;
    std::uint32_t plan_turn = 0;
    struct Record {
        IdHash id = 0;
        std::uint64_t line = 0;
    };
    std::vector<Record> records;  // a ring of the last ones
    std::size_t next_record = 0;
    IdHash response = 0;
    bool spoke = false;         // the response has begun
    bool results_seen = false;  // since it was last heard
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
        for (auto* list : {&first_messages, &middle_messages, &last_messages}) list->clear();
        forgotten = 0;
        open.clear();
        jobs.clear();
        changes = {};
        failures = {};
        repeats = {};
        last_words = {};
        answered_line = answered_before = 0;
        answer_report.reset();
        answer_unsolved.reset();
        plan.clear();
        plan_line = 0;
        plan_turn = 0;
        records.clear();
        next_record = 0;
        response = 0;
        spoke = results_seen = false;
        has_rules = false;
        state.session = one_line(words(start.session_id, 2000), 200);
        state.model = one_line(words(start.model, 1000), 100);
        state.cwd = one_line(words(start.cwd, 4000), 500);
    }

    void on_event(const Event& event) {
        if ((event.head.flags & (kPartial | kStale)) != 0) return;
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) begin(*start);
        count_response(event);
        remember_record(event.head);
        const EventHeader& head = event.head;
        if (head.where.line > state.line) state.line = head.where.line;
        if (head.lane == 0 && head.turn > state.turn) state.turn = head.turn;
        if (head.time_ms != kNoTime) state.time_ms = head.time_ms;
        std::visit([&](const auto& body) { take(head, body); }, event.body);
    }

    // Some producers put the figures before the text of the response they are about.
    static bool is_of_response(const Event& event) {
        if (event.head.lane != 0 || (event.head.flags & (kPartial | kStale)) != 0) return false;
        const auto* message = std::get_if<Message>(&event.body);
        return (message && message->role == Role::assistant) || std::holds_alternative<Thinking>(event.body) || std::holds_alternative<ToolCall>(event.body) ||
               (std::holds_alternative<Usage>(event.body) && event.head.response != 0);
    }

    // As a scan counts: parallel calls whose results come between them are of one response where its id says so.
    bool begins_response(const Event& event) const {
        if (!is_of_response(event)) return false;
        const IdHash id = event.head.response;
        return !spoke || (id == 0 ? results_seen : response != 0 && id != response);
    }

    void count_response(const Event& event) {
        if (is_of_response(event)) {
            if (begins_response(event)) {
                ++state.responses;
                response = 0;
            }
            spoke = true;
            results_seen = false;
            if (event.head.response != 0) response = event.head.response;
            return;
        }
        const auto* message = std::get_if<Message>(&event.body);
        const bool human = message && message->role == Role::user && (message->origin == Origin::human || message->origin == Origin::queued);
        if (human && event.head.lane == 0 && (event.head.flags & kCopied) == 0) {
            spoke = results_seen = false;
            response = 0;
        }
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

    void remember_record(const EventHeader& head) {
        if (head.lane != 0 || head.record_id.empty()) return;
        const IdHash id = stable_hash(head.record_id);
        if (!records.empty() && records[(next_record + records.size() - 1) % records.size()].id == id) return;
        if (records.size() < kMostRecords) {
            records.push_back({id, head.where.line});
            return;
        }
        records[next_record] = {id, head.where.line};
        next_record = (next_record + 1) % kMostRecords;
    }

    // Line of the newest record with that id; 0 = it is not known.
    std::uint64_t line_of_record(std::string_view id) const {
        const IdHash wanted = stable_hash(id);
        for (std::size_t i = records.size(); i-- > 0;) {
            const Record& record = records[(next_record + i) % records.size()];
            if (record.id == wanted) return record.line;
        }
        return 0;
    }

    // What the person took back by going on from an earlier place. How many events are gone says nothing about messages.
    void take(const EventHeader& head, const Rewind& rewind) {
        if (head.lane != 0) return;
        const bool by_record = rewind.target == RewindTarget::to_record || rewind.target == RewindTarget::before_record;
        const std::uint64_t line = by_record ? line_of_record(rewind.record_id) : 0;
        if (line > 0) take_back(rewind.target == RewindTarget::to_record ? line + 1 : line);
        if (rewind.target == RewindTarget::last_turns) take_back_turns(rewind.count);
        if (rewind.target == RewindTarget::all) take_back(0);
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
            if (message.origin == Origin::injected) asked_by_program(head, message.text);
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
        const Withdrawal taken_back = human ? withdrawal(text) : Withdrawal::no;
        if (taken_back != Withdrawal::no) take_back_turns(1);
        if (taken_back == Withdrawal::alone) return repeats.asked();
        if (human) person_said(head, text);
        if (human) note_reported(message.quote, text);
        if (human) drop_constraints(text);
        if (!of_program) note_constraints(message.quote, text);
        if (first_messages.size() < kFirstMessages) {
            first_messages.push_back(std::move(message));
            return;
        }
        if (last_messages.size() == kLastMessages) fold_oldest();
        last_messages.push_back(std::move(message));
    }

    // Of what was said in between the first words are kept, and of that the newest.
    void fold_oldest() {
        UserMessage oldest = std::move(last_messages.front());
        last_messages.erase(last_messages.begin());
        oldest.quote.text = folded_request(oldest.quote.text, kBetweenChars);
        if (middle_messages.size() == kMostBetween) {
            forgotten += is_request(middle_messages.front()) ? 1 : 0;
            middle_messages.erase(middle_messages.begin());
        }
        middle_messages.push_back(std::move(oldest));
    }

    // Of what was said from a line on nothing holds any more. What was done stays done.
    void take_back(std::uint64_t from) {
        const auto later = [&](const auto& said) { return said.line >= from; };
        for (auto* list : {&first_messages, &middle_messages, &last_messages}) {
            std::erase_if(*list, [&](const UserMessage& m) { return m.quote.line >= from; });
        }
        std::erase_if(state.constraints, later);
        std::erase_if(state.answers, later);
        std::erase_if(state.decisions, later);
        std::erase_if(state.reported, later);
        std::erase_if(state.deeds, [&](const Deed& d) { return d.kind == DeedKind::report && d.line >= from; });
        for (auto* said : {&state.question, &state.next_step, &state.report, &state.unsolved, &answer_report, &answer_unsolved}) {
            if (*said && (*said)->line >= from) said->reset();
        }
        if (last_words.line >= from) last_words = {};
        if (state.answered_line >= from || state.answered_line == 0) state.answered_line = answered_before < from ? answered_before : 0;
        answered_line = 0;
    }

    // The last messages of the person, and what came of them.
    void take_back_turns(std::uint64_t turns) {
        std::uint64_t from = UINT64_MAX;
        for (const auto* list : {&last_messages, &middle_messages, &first_messages}) {
            for (auto m = list->rbegin(); m != list->rend() && turns > 0; ++m) {
                if (!m->human) continue;
                from = m->quote.line;
                --turns;
            }
        }
        if (from != UINT64_MAX) take_back(from);
    }

    // What a program says to the agent orders what is repeated from here on, and may say that a command is over.
    void asked_by_program(const EventHeader& head, RawText raw) {
        repeats.asked();
        if (answered_line == 0) {  // the answer to the person stands, whatever a program asks for after it
            answered_line = state.answered_line;
            answer_report = state.report;
            answer_unsolved = state.unsolved;
        }
        if (jobs.empty() || raw.bytes.find("task-notification") == raw.bytes.npos) return;
        const auto notice = task_notice(words(raw, 32u << 10));
        if (!notice || !notice->ending.ended) return;
        const auto job = std::ranges::find(jobs, notice->handle, &Job::handle);
        if (job == jobs.end()) return;
        end_job(head, job, notice->ending);
    }

    void person_said(const EventHeader& head, const std::string& text) {
        repeats.asked();
        answered_before = answered_line != 0 ? answered_line : state.answered_line;
        state.answered_line = answered_line = 0;
        state.question.reset();
        const std::string reply = one_line(text, 240);
        const bool no = begins_with_no(reply);
        if (is_approval(text)) {
            changes.verify({one_line(text, 120), true, 0, head.where.line, UINT64_MAX, [](const Change&) { return true; }});
        }
        if ((is_approval(text) || praises(text)) && !last_words.report.empty()) note_deed({DeedKind::report, last_words.report, last_words.line, head.turn, {}});
        if (no && last_words.line > 0) std::erase_if(state.decisions, [&](const Quote& q) { return q.line == last_words.line; });
        if (text.size() <= kReplyBytes && !last_words.question.empty()) {
            note_answer({last_words.question, reply, no, head.where.line, head.turn});
        } else if (!last_words.proposal.empty() && (is_remark(text) || is_approval(text) || no)) {
            note_answer({last_words.proposal, reply, no, head.where.line, head.turn});
        } else if (!last_words.intention.empty() && (is_remark(text) || no)) {
            note_answer({last_words.intention, reply, no, head.where.line, head.turn});
        }
        last_words = {};
    }

    // An error that was pasted: of one that is only talked about the words stand in the request.
    void note_reported(const Quote& from, const std::string& text) {
        constexpr std::size_t kMost = 3;
        if (text.find('\n') == text.npos) return;
        std::string error = error_in(std::string_view(text).substr(0, 16u << 10));
        if (error.empty()) return;
        std::erase_if(state.reported, [&](const Quote& known) { return known.text == error; });
        if (state.reported.size() == kMost) state.reported.erase(state.reported.begin());
        state.reported.push_back({std::move(error), from.line, from.turn});
    }

    void note_answer(Answer answer) {
        if (state.answers.size() == kMostAnswers) state.answers.erase(state.answers.begin());
        state.answers.push_back(std::move(answer));
    }

    void note_deed(Deed deed) {
        std::erase_if(state.deeds, [&](const Deed& known) { return known.kind == deed.kind && known.words == deed.words; });
        if (state.deeds.size() == kMostDeeds) {
            // Small steps go before what others see.
            const auto step = std::ranges::find_if(state.deeds, [](const Deed& d) { return d.kind == DeedKind::item || d.kind == DeedKind::report || d.kind == DeedKind::branch; });
            state.deeds.erase(step == state.deeds.end() ? state.deeds.begin() : step);
        }
        state.deeds.push_back(std::move(deed));
    }

    // What the person allows or orders later is no constraint any more: a sentence goes when all its rules were taken back.
    void drop_constraints(std::string_view said) {
        if (state.constraints.empty()) return;
        const std::string_view message = std::string_view(said).substr(0, 2048);  // what is longer is pasted
        std::erase_if(state.constraints, [&](const Quote& known) {
            const std::vector<detectors::Constraint> rules = detectors::stated_rules(known.text);
            return !rules.empty() && std::ranges::all_of(rules, [&](const detectors::Constraint& rule) { return detectors::takes_back(message, rule); });
        });
    }

    void note_constraints(const Quote& from, std::string_view said) {
        constexpr std::size_t kOfOneMessage = 8;
        constexpr std::size_t kLongest = 600;  // bytes: longer ones are pasted text
        std::size_t taken = 0;
        const std::string own = without_pasted(said.substr(0, 32u << 10));
        for (const std::string_view sentence : sentences(own)) {
            if (taken == kOfOneMessage) break;
            if (sentence.size() > kLongest || sentence.ends_with(':') || !is_constraint(sentence)) continue;
            taken += note_constraint(from, one_line(sentence, kSentenceChars));
        }
        // What the rules hold steps against must not be forgotten, in whatever form it was said.
        for (const detectors::Constraint& rule : detectors::stated_rules(own)) {
            std::string text = one_line(rule.sentence, kSentenceChars);
            const bool named = rule.which == detectors::Constraint::Which::named && rule.kind != detectors::Constraint::Kind::forbid_command;
            if (named && text.find(rule.target) == text.npos) text += " (" + rule.target + ")";  // "never edit it"
            if (taken < kOfOneMessage) taken += note_constraint(from, std::move(text));
        }
    }

    // Not one that stands in another already ("Never push" is not in "Never push to main"); one that names its file as well
    // takes its place.
    bool note_constraint(const Quote& from, std::string text) {
        const auto words = [](std::string_view said) { return said.substr(0, said.find_last_not_of(".!") + 1); };
        for (Quote& known : state.constraints) {
            const std::size_t at = known.text.find(words(text));
            if (at != known.text.npos) {
                const std::size_t end = at + words(text).size();
                if (end == known.text.size() || std::string_view(".!,;:").find(known.text[end]) != std::string_view::npos) return false;
            }
            if (known.line != from.line || !text.starts_with(words(known.text)) || !std::string_view(text).substr(words(known.text).size()).starts_with(" (")) continue;
            known.text = std::move(text);
            return false;
        }
        if (state.constraints.size() == kMostConstraints) state.constraints.erase(state.constraints.begin() + kMostConstraints / 2);
        state.constraints.push_back({std::move(text), from.line, from.turn});
        return true;
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
        if (said.empty()) return;
        state.answered_line = answered_line != 0 ? answered_line : head.where.line;
        state.next_step.reset();
        state.question.reset();
        state.report.reset();
        state.unsolved.reset();
        last_words = {};
        last_words.line = head.where.line;
        const auto quote = [&](std::string_view sentence, std::size_t chars) { return Quote{one_line(sentence, chars), head.where.line, head.turn}; };
        constexpr std::size_t kEndOfText = 3;  // sentences: what is asked stands at the end
        constexpr std::size_t kFirst = 12, kLast = 36, kLongest = 600;  // of a long text these are looked at
        for (std::size_t i = 0; i < said.size(); ++i) {
            const std::string_view sentence = said[i];
            if ((i >= kFirst && i + kLast < said.size()) || sentence.size() > kLongest) continue;
            const bool announces = sentence.ends_with(':');
            if (i + kEndOfText >= said.size() && is_open_question(sentence)) state.question = quote(sentence, 300);
            if (is_proposal(sentence) && !announces) last_words.proposal = one_line(sentence, kSentenceChars);
            if (is_intention(sentence)) state.next_step = quote(sentence, 300);
            if (!state.report && !announces && sentence.size() >= 12 && is_report(sentence)) state.report = quote(sentence, kSentenceChars);
            if (!announces && is_unsolved(sentence)) state.unsolved = quote(sentence, 300);
            if (sentence.size() < 24 || announces || !is_decision(sentence)) continue;
            Quote decision = quote(sentence, kSentenceChars);
            std::erase_if(state.decisions, [&](const Quote& q) { return q.text == decision.text; });
            if (state.decisions.size() == kMostDecisions) state.decisions.erase(state.decisions.begin());
            state.decisions.push_back(std::move(decision));
        }
        if (state.question) last_words.question = state.question->text;
        if (state.report) last_words.report = state.report->text;
        if (state.next_step) last_words.intention = state.next_step->text;
    }

    // ---- calls -------------------------------------------------------------------------------------------------

    static IdHash id_of(RawText raw) { return raw.empty() ? 0 : (stable_hash(raw.bytes) | 1); }

    void take(const EventHeader& head, const ToolCall& call) {
        constexpr std::size_t kLongestQuestion = 8u << 10;
        OpenCall made;
        made.id = id_of(call.call_id);
        made.lane = head.lane;
        made.turn = head.turn;
        made.line = head.where.line;
        made.ordered = head.seq;
        made.of_model = call.caller != Caller::user;
        made.identity = call.digest.opaque ? 0 : call.digest.canonical;
        made.facts = facts_of(call, filter);
        if ((made.facts.asks || made.facts.offers_plan) && call.args.size() <= kLongestQuestion) {
            made.asked = call.args.bytes;
            made.asked_form = call.args.form;
        }
        if (!jobs.empty() && !made.facts.shell) look_for_job(made, call.args);
        if (head.lane == 0 && made.of_model) state.answered_line = answered_line;
        if (open.size() == kMostOpenCalls) open.erase(open.begin());
        open.push_back(std::move(made));
    }

    void look_for_job(OpenCall& call, RawText args) const {
        for (const std::string& handle : handles_asked(args)) {
            if (std::ranges::find(jobs, handle, &Job::handle) == jobs.end()) continue;
            call.job = handle;
            call.stops = stops_it(call.facts.tool, args);
            return;
        }
    }

    void take(const EventHeader& head, const ToolResult& result) {
        if (head.lane == 0) results_seen = spoke;
        const IdHash id = id_of(result.call_id);
        const auto mine = [&](const OpenCall& call) { return call.lane == head.lane && (id == 0 || call.id == id); };
        const auto found = std::ranges::find_if(open, mine);
        if (found == open.end()) return;
        OpenCall call = std::move(*found);
        open.erase(found);
        if (!call.job.empty()) return asked_after(head, call, result);
        if (call.facts.shell && begins_job(call, result)) return;
        if (call.facts.asks || call.facts.offers_plan) person_answered(head, call, result);
        close(head, call, result);
    }

    // ---- commands in the background ------------------------------------------------------------------------------

    bool begins_job(OpenCall& call, const ToolResult& result) {
        // Nearly all results are those of commands that have ended: look before anything is decoded.
        const std::string_view head = result.text.bytes.substr(0, 600);
        if (result.status != ResultStatus::running && head.find("running") == head.npos && head.find("background") == head.npos) return false;
        const std::string text = words(result.text, kJobText);
        if (!goes_on_in_background(result, text)) return false;
        std::string handle = result.handle.empty() ? handle_in(text) : one_line(words(result.handle, 400), 80);
        if (handle.empty()) return result.status == ResultStatus::running;
        std::erase_if(jobs, [&](const Job& job) { return job.handle == handle; });
        if (jobs.size() == kMostJobs) jobs.erase(jobs.begin());
        jobs.push_back({std::move(handle), std::move(call), text, false});
        return true;
    }

    void asked_after(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        const auto job = std::ranges::find(jobs, call.job, &Job::handle);
        if (job == jobs.end()) return;
        const std::string text = words(result.text, kJobText);
        job->text += "\n" + text;
        if (job->text.size() > 2 * kJobText) job->text = std::string(cut_front(job->text, kJobText));
        const Ending ending = ending_of(result, text);
        // What the agent itself has ended says nothing, and what is lost never will.
        job->stopped = job->stopped || call.stops;
        if (ending.ended && !job->stopped) return end_job(head, job, ending);
        if (!job->stopped && result.status == ResultStatus::error) jobs.erase(job);
    }

    static std::string_view cut_front(std::string_view text, std::size_t keep) {
        text.remove_prefix(text.size() - std::min(keep, text.size()));
        while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80) text.remove_prefix(1);
        return text;
    }

    // The command has its result, wherever it was told.
    void end_job(const EventHeader& head, std::vector<Job>::iterator at, const Ending& ending) {
        const Job job = std::move(*at);
        jobs.erase(at);
        ToolResult result;
        result.text = {job.text, TextForm::plain};
        result.exit_code = ending.exit_code;
        if (ending.exit_code) result.status = *ending.exit_code == 0 ? ResultStatus::ok : ResultStatus::error;
        close(head, job.call, result);
    }

    // ---- what the person answered through a tool -------------------------------------------------------------------

    void person_answered(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        if (head.lane != 0 || result.status == ResultStatus::cancelled) return;
        const std::string text = words(result.text, 64u << 10);
        std::string arguments = simulator::words_of({call.asked, call.asked_form}, simulator::WordsAs::arguments);
        if (filter) arguments = filter(arguments);
        const RawText asked{arguments, TextForm::plain};
        const bool refused = result.status == ResultStatus::denied || outcome_of(result).kind != Outcome::Kind::ok;
        repeats.asked();
        last_words = {};
        state.answered_line = answered_line = 0;
        const auto put = [&](std::string question, std::string answer, bool no) {
            note_answer({one_line(words({question, TextForm::plain}), 240), one_line(words({answer, TextForm::plain}), 300), no, head.where.line, head.turn});
        };
        if (call.facts.offers_plan) {
            const std::string low = lower(text.substr(0, 400));
            const bool no = refused || low.find("reject") != low.npos || low.find("not approve") != low.npos || low.find("keep planning") != low.npos;
            return put("the plan: " + plan_title(asked), no ? words_of_refusal(text) : std::string(), no);
        }
        if (refused) {
            const auto questions = questions_of(asked);
            return put(questions.empty() ? std::string() : questions.front(), words_of_refusal(text), true);
        }
        for (PersonsAnswer& answer : answers_of(asked, text)) put(std::move(answer.question), std::move(answer.answer), false);
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
        // Some editing tools say in words alone that they changed nothing.
        const bool edits = facts.tool_class == ToolClass::mutate && !facts.shell;
        if (outcome.kind == Kind::ok && edits && detectors::edit_refused(result.text)) outcome = {Kind::failed, errors.classify(result.text)};
        if (outcome.kind == Kind::ignored) return;
        const bool edits_first = !facts.check.edits_after;
        if (outcome.kind == Kind::ok && edits_first) changed(head, call, result);
        const bool was_ok = outcome.kind == Kind::ok;
        if (facts.check.kind != CheckCommand::no) outcome = checked(head, call, result, outcome);
        if (was_ok && !edits_first) changed(head, call, result);
        if (outcome.kind == Kind::ok && facts.plan) update_plan(head, *facts.plan);
        if (outcome.kind == Kind::denied && head.lane == 0) refused(head, call, result);
        // A check of the work tree matters whoever ran it. What else a sub-agent, or the person, met with is theirs.
        const bool own = head.lane == 0 && call.of_model;
        if (!own && facts.check.kind == CheckCommand::no) return;
        const FailureBook::Place place{call.line, head.where.line, head.turn, state.responses};
        if (outcome.kind == Kind::ok) failures.worked(facts, place);
        if (outcome.kind == Kind::failed || outcome.kind == Kind::denied) failures.failed(facts, outcome.error, telling_line(words(result.text, 64u << 10)), place);
        if (own && outcome.kind != Kind::running) repeated(head, call, result, outcome.kind == Kind::failed);
    }

    // The person said why.
    void refused(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        if (call.facts.asks || call.facts.offers_plan) return;
        const std::string why = words_of_refusal(words(result.text, 64u << 10));
        if (!why.empty()) note_answer({one_line(call.facts.tool + " " + call.facts.words, 200), why, true, head.where.line, head.turn});
    }

    // ---- progress ----------------------------------------------------------------------------------------------

    // The code of a mixed command is another's, whatever it is: there the output must tell.
    CheckEnd end_of(const CheckPart& check, const ToolResult& result, bool ok) const {
        if (check.kind != CheckCommand::mixed) return ok && !detectors::says_failure(result.text) ? CheckEnd::passed : CheckEnd::failed;
        const CheckEnd told = end_told(words(result.text));
        if (!ok) return told;
        if (detectors::says_failure(result.text)) return CheckEnd::failed;
        return told == CheckEnd::passed ? told : CheckEnd::unclear;
    }

    Outcome checked(const EventHeader& head, const OpenCall& call, const ToolResult& result, Outcome outcome) {
        using Kind = Outcome::Kind;
        if (outcome.kind != Kind::ok && outcome.kind != Kind::failed) return outcome;
        const CheckPart& check = call.facts.check;
        const CheckEnd end = end_of(check, result, outcome.kind == Kind::ok);
        const CheckRun run{check.words, end, head.where.line, head.turn};
        state.last_check = run;
        failures.check_ended(run);
        if (end == CheckEnd::unclear) return {Kind::unclear, ErrorClass::none};
        if (end == CheckEnd::failed) return {Kind::failed, outcome.kind == Kind::failed ? outcome.error : errors.classify(result.text)};
        if (outcome.kind == Kind::failed) outcome = {Kind::unclear, ErrorClass::none};  // of what else ran with it
        const std::string directory = slashed(check_directory(check.directory));
        const bool cwd_known = !state.cwd.empty();
        changes.verify({check.words, false, check_rank(check.words), head.where.line, call.ordered + (check.edits_after ? 0 : 1),
                        [&](const Change& change) {
                            if (change.path == kUnnamedFile) return true;
                            const std::string path = slashed(change.path);
                            return !is_prose(path) && is_about(directory, path, cwd_known) && check_reaches(check.words, below(path, directory));
                        }});
        return outcome;
    }

    static std::string_view below(std::string_view path, std::string_view directory) {
        if (directory.empty() || !path.starts_with(directory)) return path;
        path.remove_prefix(directory.size());
        while (path.starts_with('/') || path.starts_with('\\')) path.remove_prefix(1);
        return path;
    }

    // Empty for the session's own directory and what lies below it.
    std::string check_directory(const std::string& told) const {
        if (told.empty()) return {};
        std::string whole = joined_path(state.cwd, told);
        const bool below = !state.cwd.empty() && whole.starts_with(state.cwd) && (whole.size() == state.cwd.size() || whole[state.cwd.size()] == '/' || whole[state.cwd.size()] == '\\');
        return below ? std::string() : whole;
    }

    void changed(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        const CommandEffects& effects = call.facts.effects;
        const ChangeBook::Place place{head.where.line, head.turn, call.ordered};
        const auto told = [&](const std::string& path) { return FileName{hidden_cwd(path, state.cwd), is_exact(path, state.cwd)}; };
        for (const std::string& path : effects.changed) {
            if (!is_temporary(path, state.cwd)) changes.edited(told(path), place);
        }
        for (const std::string& path : effects.deleted) {
            if (!is_temporary(path, state.cwd)) changes.deleted(told(path), place);
        }
        for (const CommandEffects::Move& move : effects.moved) {
            if (!is_temporary(move.to, state.cwd)) changes.moved(told(move.from), told(move.to), place);
        }
        if (call.facts.tool_class == ToolClass::mutate) {
            repeats.changed();
            const bool named = !effects.changed.empty() || !effects.deleted.empty() || !effects.moved.empty();
            if (!named && !call.facts.shell) changes.edited({kUnnamedFile, true}, place);
        }
        std::vector<FileName> undone;
        for (const std::string& path : effects.undone) undone.push_back(told(path));
        if (effects.undoes) changes.undo(undone);
        if (effects.stashes) changes.stash();
        if (effects.unstashes) changes.unstash();
        if (effects.commits) {
            changes.committed(head.where.line);
            if (state.commits.size() == kMostCommits) state.commits.erase(state.commits.begin());
            state.commits.push_back({effects.message.empty() ? "git commit" : one_line(clean(effects.message), 120), head.where.line, head.turn});
        }
        for (const CommandEffects::Done& done : effects.done) {
            const bool has_address = done.kind == DeedKind::pull_request || done.kind == DeedKind::issue || done.kind == DeedKind::released;
            note_deed({done.kind, done.words, head.where.line, head.turn, has_address ? address_in(words(result.text, 64u << 10)) : std::string()});
        }
        if (effects.read.empty() || head.lane != 0) return;
        const std::string shown = call.facts.shell ? words(result.text, 64u << 10) : std::string();
        for (const std::string& path : effects.read) {
            if (!call.facts.shell || shows_file(shown, path)) changes.read(told(path), place);
        }
    }

    void update_plan(const EventHeader& head, PlanUpdate update) {
        for (PlanItem& item : update.items) {
            if (filter) item.text = one_line(clean(filter(item.text)), 200);
        }
        plan_line = head.where.line;
        plan_turn = head.turn;
        if (update.replaces) {
            const std::vector<PlanItem> before = std::move(plan);
            plan = update.items;
            for (const PlanItem& item : plan) {
                const bool known = std::ranges::any_of(before, [&](const PlanItem& p) { return p.text == item.text && p.state == PlanItem::State::done; });
                if (!known) note_item(head, item);
            }
            return;
        }
        for (const PlanItem& item : update.items) {
            const auto known = std::ranges::find_if(plan, [&](const PlanItem& p) { return !item.id.empty() && p.id == item.id; });
            if (known != plan.end()) {
                known->state = item.state;
                if (!item.text.empty()) known->text = item.text;
                note_item(head, *known);
            } else if (!item.text.empty() && plan.size() < 64) {
                plan.push_back(item);
                // Tasks are numbered in the order in which they are made.
                if (item.id.empty()) plan.back().id = std::to_string(plan.size());
            }
        }
    }

    void note_item(const EventHeader& head, const PlanItem& item) {
        if (item.state == PlanItem::State::done && !item.text.empty()) note_deed({DeedKind::item, item.text, head.where.line, head.turn, {}});
    }

    // ---- what repeats ------------------------------------------------------------------------------------------

    void repeated(const EventHeader& head, const OpenCall& call, const ToolResult& result, bool error) {
        const ToolClass what = call.facts.tool_class;
        if (call.identity == 0 || result.opaque || what == ToolClass::poll || what == ToolClass::wait || what == ToolClass::note) return;
        const auto digest = detectors::digest_outcome(result.text, error);
        if (digest.opaque) return;
        RepeatBook::Call told;
        told.identity = call.identity;
        told.outcome = digest.hash;
        told.tool = call.facts.tool;
        told.words = call.facts.words;
        told.first_line = call.line;
        told.line = head.where.line;
        told.turn = head.turn;
        told.may_change = !error && !call.facts.looks && call.facts.check.kind == CheckCommand::no;
        repeats.told(told);
    }

    // ---- the checkpoint ----------------------------------------------------------------------------------------

    Checkpoint checkpoint() const {
        Checkpoint out = state;
        std::vector<UserMessage> messages = first_messages;
        messages.insert(messages.end(), middle_messages.begin(), middle_messages.end());
        messages.insert(messages.end(), last_messages.begin(), last_messages.end());
        out.goal = goal_of(messages);
        out.goal.left_out += forgotten;
        if (answered_line != 0 && answer_report) out.report = answer_report;
        if (answered_line != 0 && !out.unsolved) out.unsolved = answer_unsolved;
        out.open_calls = static_cast<std::uint64_t>(std::ranges::count(open, 0u, &OpenCall::lane));
        out.verified = changes.verified();
        out.unverified = changes.unverified();
        out.modified = changes.modified();
        out.read = changes.reads();
        std::ranges::reverse(out.commits);
        std::ranges::reverse(out.decisions);
        std::ranges::reverse(out.answers);
        std::ranges::reverse(out.deeds);
        constexpr std::uint32_t kRecent = 3;  // turns
        std::erase_if(out.reported, [&](const Quote& error) { return error.turn + kRecent < out.turn; });
        std::ranges::reverse(out.reported);
        failures.tell(out);
        out.repetitions = repeats.list();
        for (const auto wanted : {PlanItem::State::active, PlanItem::State::open}) {
            for (const PlanItem& item : plan) {
                if (item.state == wanted) out.plan.push_back({item.text, plan_line, plan_turn});
            }
            if (wanted == PlanItem::State::active) out.plan_active = out.plan.size();
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
