#include <agent_audit/advice/session_memory.hpp>

#include "advice/books/change_book.hpp"
#include "advice/books/commit_book.hpp"
#include "advice/books/deed_book.hpp"
#include "advice/books/failure_book.hpp"
#include "advice/books/job_book.hpp"
#include "advice/books/plan_book.hpp"
#include "advice/books/record_lines.hpp"
#include "advice/books/repeat_book.hpp"
#include "advice/books/response_count.hpp"
#include "advice/calls/answers.hpp"
#include "advice/calls/background.hpp"
#include "advice/calls/call_facts.hpp"
#include "advice/calls/call_outcome.hpp"
#include "advice/calls/commands.hpp"
#include "advice/calls/file_names.hpp"
#include "advice/calls/open_call.hpp"
#include "advice/calls/work_files.hpp"
#include "advice/conversation/conversation.hpp"
#include "advice/words/error_line.hpp"
#include "advice/words/text.hpp"
#include "detectors/engine/result_status.hpp"
#include "detectors/outcomes/error_class.hpp"
#include "detectors/outcomes/exit_code.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/speech/goal.hpp"
#include "support/ascii.hpp"

#include <agent_audit/advice/goal.hpp>
#include <agent_audit/detectors/step.hpp>
#include <agent_audit/simulator/session.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

namespace agent_audit::advice {
namespace {

// Limits: what a table cannot hold, the least useful entry makes room for.
constexpr std::size_t kMostOpenCalls = 1024;

const std::string kUnnamedFile = "(a file that the call does not name)";

// With one of these an agent hands in its work.
bool submits(std::string_view tool) {
    constexpr std::array<std::string_view, 7> kTools{
        "submit",        "finish",        "attempt_completion", "complete_task",
        "task_complete", "submit_answer", "submit_final_answer"};
    return std::ranges::find(kTools, snake_case(tool)) != kTools.end();
}

// What stands in the user's role and is no text that anybody wrote: a record, or a setting in a tag.
bool is_record(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \r\n");
    return begin == text.npos || text[begin] == '{' || text[begin] == '[' || text[begin] == '<';
}

}  // namespace

struct SessionMemory::Impl {
    Checkpoint state;  // names, places, the lists that need no tables
    ResponseCount responses;
    RecordLines records;
    Conversation conversation;
    std::deque<OpenCall> open;
    JobBook jobs;
    ChangeBook changes;
    FailureBook failures;
    RepeatBook repeats;
    CommitBook commits;
    PlanBook plan;
    DeedBook deeds;
    detectors::ErrorClassifier errors;
    TextFilter filter;

    std::string words(RawText raw, std::size_t max_bytes = 256u << 10) const {
        std::string text = words_of(raw, max_bytes);
        return filter ? clean(filter(text)) : text;
    }

    // ---- events ------------------------------------------------------------------------------------------------

    void begin(const SessionStart& start) {
        state = {};
        responses = {};
        records = {};
        conversation = {};
        open.clear();
        jobs = {};
        changes = {};
        failures = {};
        repeats = {};
        commits = {};
        plan = {};
        deeds = {};
        state.session = one_line(words(start.session_id.empty() ? start.label : start.session_id, 2000), 200);
        if (start.session_id.empty() && state.session.find_first_not_of("0123456789") == state.session.npos)
            state.session.clear();  // its number in the file
        state.model = one_line(words(start.model, 1000), 100);
        state.cwd = one_line(words(start.cwd, 4000), 500);
    }

    void on_event(const Event& event) {
        if ((event.head.flags & kPartial) != 0) look_for_summary(event);
        if ((event.head.flags & (kPartial | kStale)) != 0) return;
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) begin(*start);
        responses.see(event);
        const EventHeader& head = event.head;
        if (head.lane == 0) records.add(head.record_id, head.where.line);
        if (head.where.line > state.line) state.line = head.where.line;
        if (head.lane == 0 && head.turn > state.turn) state.turn = head.turn;
        if (head.time_ms != kNoTime) state.time_ms = head.time_ms;
        std::visit([&](const auto& body) { take(head, body); }, event.body);
    }

    template <class Body>
    void take(const EventHeader&, const Body&) {}

    void take(const EventHeader& head, const ContextChange& change) {
        if (head.lane != 0) return;
        if (!change.model.empty()) state.model = one_line(words(change.model, 1000), 100);
        if (!change.cwd.empty() && state.cwd.empty()) state.cwd = one_line(words(change.cwd, 4000), 500);
    }

    void take(const EventHeader& head, const Compaction& compaction) {
        if (compaction.phase != CompactionPhase::end) return;
        ++state.compactions;
        if (head.lane == 0 && !compaction.summary.empty())
            conversation.summarised(place_of(head), words(compaction.summary));
    }

    // A summary in a message completes the compaction before it.
    void look_for_summary(const Event& event) {
        const auto* message = std::get_if<Message>(&event.body);
        if (!message || message->origin != Origin::summary || event.head.lane != 0 || (event.head.flags & kStale) != 0)
            return;
        conversation.summarised(place_of(event.head), words(message->text));
    }

    void take(const EventHeader& head, const TurnEnd& end) {
        // What a document says at its head about its end is not known yet where it is cut.
        if (head.lane != 0 || head.where.line < state.line) return;
        if (end.status == TurnStatus::completed) conversation.turn_completed(place_of(head));
        if (end.status == TurnStatus::aborted || end.status == TurnStatus::failed)
            conversation.turn_broken_off(place_of(head), end.status == TurnStatus::failed);
    }

    // What the person took back by going on from an earlier place. How many events are gone says nothing about
    // messages.
    void take(const EventHeader& head, const Rewind& rewind) {
        if (head.lane != 0) return;
        const bool by_record = rewind.target == RewindTarget::to_record || rewind.target == RewindTarget::before_record;
        const std::uint64_t line = by_record ? records.line_of(rewind.record_id) : 0;
        if (line > 0) take_back(rewind.target == RewindTarget::to_record ? line + 1 : line);
        if (rewind.target == RewindTarget::last_turns) take_back_turns(rewind.count);
        if (rewind.target == RewindTarget::all) take_back(0);
    }

    void take_back_turns(std::uint64_t turns) {
        const std::uint64_t from = conversation.beginning_of_last(turns);
        if (from != UINT64_MAX) take_back(from);
    }

    // What was done stays done.
    void take_back(std::uint64_t from) {
        conversation.take_back(from);
        deeds.take_back_reports(from);
    }

    void take(const EventHeader& head, const Message& message) {
        if (head.lane != 0 || (head.flags & kHidden) != 0) return;
        if (message.role == Role::assistant) {
            if ((head.flags & kSynthetic) == 0) conversation.agent_said(place_of(head), words(message.text, 16u << 10));
            return;
        }
        if (message.role == Role::system) return look_for_rules(head, message.text);
        const bool human = message.origin == Origin::human || message.origin == Origin::queued;
        if (message.origin == Origin::hook) return;
        if (message.origin == Origin::summary) {
            look_for_rules(head, message.text);
            return conversation.summarised(place_of(head), words(message.text));
        }
        if (message.origin == Origin::injected) {
            asked_by_program(head, message.text);
            look_for_rules(head, message.text);
            // A task that the program around the agent gave is better than none.
            if (!conversation.empty() || message.text.empty() || is_record(message.text.bytes.substr(0, 64))) return;
            return user_said(head, message.text, Conversation::Speaker::program);
        }
        user_said(head, message.text, human ? Conversation::Speaker::human : Conversation::Speaker::other_agent);
    }

    // ---- what is said ------------------------------------------------------------------------------------------

    static Conversation::Place place_of(const EventHeader& head) { return {head.where.line, head.turn}; }

    void look_for_rules(const EventHeader& head, RawText raw) {
        if (conversation.wants_rules_of(raw.bytes)) conversation.project_rules(place_of(head), raw.bytes, words(raw));
    }

    void user_said(const EventHeader& head, RawText raw, Conversation::Speaker speaker) {
        std::string text = without_program_tags(words(raw));
        text.erase(0, text.size() - detectors::without_editor_context(text).size());
        text.erase(0, std::min(text.find_first_not_of(" \r\n"), text.size()));
        if (text.empty()) return;
        const bool human = speaker == Conversation::Speaker::human;
        const Withdrawal withdrawn = human ? withdrawal(text) : Withdrawal::no;
        if (withdrawn != Withdrawal::no) take_back_turns(1);
        if (human) repeats.asked();
        if (withdrawn == Withdrawal::alone) return;
        const Conversation::Verdict verdict = conversation.asked(place_of(head), text, speaker);
        if (verdict.approved)
            changes.verify(
                {one_line(text, 120), {}, true, 0, head.where.line, UINT64_MAX, [](const Change&) { return true; }});
        if (verdict.accepted) deeds.note({DeedKind::report, *verdict.accepted, verdict.accepted_line, head.turn, {}});
    }

    // What a program says to the agent orders what is repeated from here on, and may say that a command is over.
    void asked_by_program(const EventHeader& head, RawText raw) {
        repeats.asked();
        conversation.program_asked();
        if (const std::string file = changed_file_told(raw); !file.empty())
            return changes.doubt(name_of(file), head.where.line);
        if (jobs.empty() || raw.bytes.find("task-notification") == raw.bytes.npos) return;
        const std::string text = words(raw, 32u << 10);
        const auto notice = task_notice(text);
        if (!notice) return;
        if (const auto ended = jobs.noticed(*notice, text)) end_job(head, *ended);
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
        made.facts.check.directory = check_place(made.facts.check.directory);
        if (!made.facts.shell) {
            const RawText& about = call.primary.empty() ? call.args : call.primary;
            made.argument = about.bytes.substr(0, StepText::kArgument);
            made.argument_form = about.form;
        }
        if ((made.facts.asks || made.facts.offers_plan) && call.args.size() <= kLongestQuestion) {
            made.asked = call.args.bytes;
            made.asked_form = call.args.form;
        }
        if (made.facts.offers_plan && made.asked.empty()) made.plan = plan_title(words(call.primary, 2000));
        if (!jobs.empty() && !made.facts.shell) {
            made.job = jobs.asked(call.args);
            made.stops = !made.job.empty() && stops_it(made.facts.tool, call.args);
        }
        if (head.lane == 0 && made.of_model) agent_called(head, made.facts.tool);
        if (open.size() == kMostOpenCalls) open.pop_front();
        open.push_back(std::move(made));
    }

    void agent_called(const EventHeader& head, std::string_view tool) {
        if (submits(tool))
            conversation.agent_submitted(place_of(head));
        else
            conversation.agent_called();
    }

    void take(const EventHeader& head, const ToolResult& result) {
        if (head.lane == 0 && (head.flags & kHidden) == 0) responses.result_seen();
        const IdHash id = id_of(result.call_id);
        const auto mine = [&](const OpenCall& call) { return call.lane == head.lane && (id == 0 || call.id == id); };
        const auto found = std::ranges::find_if(open, mine);
        if (found == open.end()) return;
        OpenCall call = std::move(*found);
        open.erase(found);
        const bool in_vain = result.status == ResultStatus::error || result.status == ResultStatus::denied;
        if (in_vain && call.lane == 0 && call.of_model && submits(call.facts.tool)) conversation.agent_called();
        if (!call.job.empty()) {
            const auto ended = jobs.answered(call, result, words(result.text, JobBook::kText));
            if (ended) end_job(head, *ended);
            return;
        }
        if ((call.facts.shell || call.facts.delegates) && begins_job(call, result)) return;
        if (call.facts.asks || call.facts.offers_plan) person_answered(head, call, result);
        close(head, call, result);
    }

    // ---- commands in the background ------------------------------------------------------------------------------

    bool begins_job(OpenCall& call, const ToolResult& result) {
        if (!JobBook::may_go_on(result)) return false;
        const std::string text = words(result.text, JobBook::kText);
        if (!goes_on_in_background(result, text)) return false;
        std::string handle = result.handle.empty() ? handle_in(text) : one_line(words(result.handle, 400), 80);
        if (handle.empty()) return result.status == ResultStatus::running;
        if (call.facts.delegates) changes.doubt(call.line);  // from here on, and once more when it is over
        jobs.begin(std::move(handle), std::move(call), text);
        return true;
    }

    // The command has its result, wherever it was told.
    void end_job(const EventHeader& head, const JobBook::Ended& job) {
        ToolResult result;
        result.text = {job.text, TextForm::plain};
        result.exit_code = job.ending.exit_code;
        if (job.ending.exit_code) result.status = *job.ending.exit_code == 0 ? ResultStatus::ok : ResultStatus::error;
        close(head, job.call, result);
    }

    // ---- what the person answered through a tool -------------------------------------------------------------------

    void person_answered(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        if (head.lane != 0 || result.status == ResultStatus::cancelled) return;
        const std::string text = words(result.text, 64u << 10);
        std::string arguments = simulator::words_of({call.asked, call.asked_form}, simulator::WordsAs::arguments);
        if (filter) arguments = filter(arguments);
        const RawText asked{arguments, TextForm::plain};
        // Whatever the person answers, in words of failure too, is an answer.
        const auto code = detectors::exit_code_of(result);
        const bool refused =
            outcome_of(result, detectors::status_of(result, code), code, errors).kind != Outcome::Kind::ok;
        repeats.asked();
        conversation.answered_by_tool();
        const auto put = [&](std::string question, std::string answer, bool no) {
            conversation.add({one_line(words({question, TextForm::plain}), 240),
                              one_line(words({answer, TextForm::plain}), 300), no, head.where.line, head.turn});
        };
        if (call.facts.offers_plan) {
            const std::string low = lowered(text.substr(0, 400));
            const bool no = refused || low.find("reject") != low.npos || low.find("not approve") != low.npos ||
                            low.find("keep planning") != low.npos;
            return put("the plan: " + (call.plan.empty() ? plan_title(asked) : call.plan),
                       no ? words_of_refusal(text) : std::string(), no);
        }
        if (refused) {
            const auto questions = questions_of(asked);
            return put(questions.empty() ? std::string() : questions.front(), words_of_refusal(text), true);
        }
        for (PersonsAnswer& answer : answers_of(asked, text))
            put(std::move(answer.question), std::move(answer.answer), false);
    }

    void close(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        using Kind = Outcome::Kind;
        Outcome outcome = outcome_of(call, result, errors);
        const CallFacts& facts = call.facts;
        // Some editing tools say in words alone that they changed nothing.
        const bool edits = facts.tool_class == ToolClass::mutate && !facts.shell;
        if (outcome.kind == Kind::ok && edits && detectors::edit_refused(result.text))
            outcome = {Kind::failed, errors.classify(result.text)};
        if (outcome.kind == Kind::ignored) return;
        if (outcome.kind != Kind::denied && (facts.effects.may_change || facts.delegates))
            changes.doubt(head.where.line);
        const bool edits_first = !facts.check.edits_after;
        if (outcome.kind == Kind::ok && edits_first) changed(head, call, result);
        const bool was_ok = outcome.kind == Kind::ok;
        const bool settled = outcome.kind == Kind::failed && facts.shell && did_at_first(head, call, result);
        std::string second;
        if (facts.check.kind != CheckCommand::no) outcome = checked(head, call, result, outcome, second);
        if (was_ok && !edits_first) changed(head, call, result);
        // A sub-agent's list is about its own part, and no answer to what the person asked for.
        if (outcome.kind == Kind::ok && facts.plan && head.lane == 0) update_plan(head, *facts.plan);
        if (outcome.kind == Kind::denied && head.lane == 0) refused(head, call, result);
        // A check of the work tree matters whoever ran it. What else a sub-agent, or the person, met with is theirs,
        // and may have changed what a check says.
        const bool own = head.lane == 0 && call.of_model;
        if (!own && facts.check.kind == CheckCommand::no) {
            const bool idle = facts.looks || facts.tool_class == ToolClass::note ||
                              facts.tool_class == ToolClass::poll || facts.tool_class == ToolClass::wait;
            if (outcome.kind != Kind::denied && !idle) repeats.changed();
            return;
        }
        const FailureBook::Place place{call.line, head.where.line, head.turn, responses.count()};
        const auto in_doubt = [&] {
            return facts.parts.in_doubt() &&
                   (facts.parts.either || tells_failed_part(facts.prints_code, words(result.text, 16u << 10)));
        };
        if (outcome.kind == Kind::ok && !failures.empty()) failures.worked(facts, place, in_doubt());
        // What was deleted is not there when it is looked for: that is no failure.
        bool counts = !(settled && facts.settled.ends_looking && facts.check.kind == CheckCommand::no);
        // With nothing to commit all is committed.
        if (outcome.kind == Kind::denied && (facts.asks || facts.offers_plan))
            counts = false;  // an answer, and told as one
        if (outcome.kind == Kind::failed && facts.effects.commits && !facts.sends()) {
            counts = counts && words(result.text, 64u << 10).find("nothing to commit") == std::string::npos;
        }
        if (counts && (outcome.kind == Kind::failed || outcome.kind == Kind::denied))
            failures.failed(facts, outcome.error, told_of_failure(outcome, result), place, second);
        if (call.of_model && outcome.kind != Kind::running) repeated(head, call, result, outcome.kind == Kind::failed);
    }

    // That a person said no is told already, and the sentence in which a program says so gives orders.
    std::string told_of_failure(const Outcome& outcome, const ToolResult& result) const {
        constexpr std::array<std::string_view, 5> kRefusals{"the user doesn't want to", "the user does not want to",
                                                            "the user rejected", "user rejected", "the user declined"};
        std::string line = telling_line(words(result.text, 64u << 10));
        const std::string low = lowered(std::string_view(line).substr(0, 40));
        const bool known =
            outcome.kind == Outcome::Kind::denied &&
            std::ranges::any_of(kRefusals, [&](std::string_view words) { return low.starts_with(words); });
        return known ? std::string() : line;
    }

    // A command that failed at its end: what stood before it was done all the same, and a commit that git tells was
    // made.
    bool did_at_first(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        const CallFacts& facts = call.facts;
        if (facts.settled.effects.empty() && !facts.effects.commits) return false;
        const std::string output = words(result.text, 64u << 10);
        if (facts.effects.commits) committed(head, facts.effects, output, false);
        if (facts.settled.effects.empty() || denies(output, facts.settled)) return false;
        files_changed(head, call, facts.settled.effects);
        return true;
    }

    // The person said why.
    void refused(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        if (call.facts.asks || call.facts.offers_plan) return;
        const std::string why = words_of_refusal(words(result.text, 64u << 10));
        if (why.empty()) return;
        conversation.refused_because({head.where.line, head.turn}, why);
        conversation.add(
            {one_line(call.facts.tool + " " + call.facts.words, 200), why, true, head.where.line, head.turn});
    }

    // ---- progress ----------------------------------------------------------------------------------------------

    // The code of a mixed command is another's, whatever it is: there the output must tell.
    CheckEnd end_of(const CheckPart& check, const ToolResult& result, bool ok) const {
        if (check.kind != CheckCommand::mixed)
            return ok && !detectors::says_failure(result.text) ? CheckEnd::passed : CheckEnd::failed;
        const CheckEnd told = end_told(words(result.text));
        if (!ok) return told;
        if (detectors::check_failed(result.text)) return CheckEnd::failed;
        return told == CheckEnd::passed ? told : CheckEnd::unclear;
    }

    Outcome checked(const EventHeader& head, const OpenCall& call, const ToolResult& result, Outcome outcome,
                    std::string& second) {
        using Kind = Outcome::Kind;
        if (outcome.kind != Kind::ok && outcome.kind != Kind::failed) return outcome;
        const CheckPart& check = call.facts.check;
        const CheckEnd end = end_of(check, result, outcome.kind == Kind::ok);
        const CheckRun run{check.words, end, head.where.line, head.turn, check.directory};
        state.last_check = run;
        second = second_name(check.words, words(result.text, 16u << 10));
        failures.check_ended(run, second);
        if (end == CheckEnd::unclear) return {Kind::unclear, ErrorClass::none};
        if (end == CheckEnd::failed)
            return {Kind::failed, outcome.kind == Kind::failed ? outcome.error : errors.classify(result.text)};
        if (outcome.kind == Kind::failed) outcome = {Kind::unclear, ErrorClass::none};  // of what else ran with it
        const std::string& directory = check.directory;
        const bool cwd_known = !state.cwd.empty();
        changes.verify({check.words, directory, false, check_rank(check.words), head.where.line,
                        call.ordered + (check.edits_after ? 0 : 1), [&](const Change& change) {
                            if (change.path == kUnnamedFile) return true;
                            const std::string path = slashed(change.path);
                            return !is_prose(path) && is_about(directory, path, cwd_known) &&
                                   reaches_from(directory, path) && check_reaches(check.words, below(path, directory));
                        }});
        return outcome;
    }

    // Empty for the session's own directory, relative to it for what lies below.
    std::string check_place(const std::string& told) const {
        const bool unknown = told.find_first_of("$`*%") != told.npos || told == "-" || told.ends_with("/-");
        if (told.empty() || unknown) return {};
        std::string whole = joined_path(slashed(state.cwd), slashed(told));
        while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
        if (!lies_below(whole, state.cwd)) return whole;
        return whole.size() <= state.cwd.size() + 1 ? std::string() : whole.substr(state.cwd.size() + 1);
    }

    FileName name_of(const std::string& path) const { return {hidden_cwd(path, state.cwd), is_exact(path, state.cwd)}; }

    void files_changed(const EventHeader& head, const OpenCall& call, const CommandEffects& effects) {
        const ChangeBook::Place place{head.where.line, head.turn, call.ordered};
        for (const std::string& path : effects.changed) {
            const bool whole = std::ranges::find(effects.created, path) != effects.created.end();
            if (!is_temporary(path, state.cwd)) changes.edited(name_of(path), place, whole);
        }
        for (const std::string& path : effects.deleted) {
            if (!is_temporary(path, state.cwd)) changes.deleted(name_of(path), place);
        }
        for (const CommandEffects::Move& move : effects.moved) {
            if (!is_temporary(move.to, state.cwd)) changes.moved(name_of(move.from), name_of(move.to), place);
        }
    }

    void changed(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
        const CommandEffects& effects = call.facts.effects;
        files_changed(head, call, effects);
        const ChangeBook::Place place{head.where.line, head.turn, call.ordered};
        if (call.facts.tool_class == ToolClass::mutate) {
            repeats.changed();
            if (effects.empty() && !call.facts.shell) {
                changes.edited({kUnnamedFile, true}, place);
                changes.doubt(head.where.line);
            }
        }
        std::vector<FileName> undone;
        for (const std::string& path : effects.undone) undone.push_back(name_of(path));
        if (effects.uncommits > 0) {
            commits.take_back(effects.uncommits, deeds.last_sent_line());
            changes.uncommitted(commits.last_line());
        }
        if (effects.reverts_last && !commits.empty()) changes.reverted(commits.line_before_last());
        if (effects.undoes) changes.undo(undone);
        bool of_files = false;
        for (const std::string& path : effects.perhaps_undone) of_files |= changes.undo_known(name_of(path));
        if (effects.stashes) changes.stash();
        if ((effects.undoes || effects.stashes || of_files) && changes.unverified().empty()) failures.taken_back();
        if (effects.unstashes) changes.unstash();
        for (const std::string& name : effects.dropped) drop_branch(name, effects.drops_commits);
        if (!effects.branch.empty() && !of_files) commits.went_to(one_line(clean(effects.branch), 120));
        if (is_temporary(effects.makes_repository, state.cwd)) commits.made_scratch(effects.makes_repository);
        if (effects.commits) committed(head, effects, words(result.text, 64u << 10), true);
        for (const CommandEffects::Done& done : effects.done) {
            const bool has_address =
                done.kind == DeedKind::pull_request || done.kind == DeedKind::issue || done.kind == DeedKind::released;
            deeds.note({done.kind, done.words, head.where.line, head.turn,
                        has_address ? address_in(words(result.text, 64u << 10)) : std::string()});
        }
        if (effects.read.empty() || head.lane != 0) return;
        const std::string shown = call.facts.shell ? words(result.text, 64u << 10) : std::string();
        for (const std::string& path : effects.read) {
            if (!call.facts.shell || shows_file(shown, path)) changes.read(name_of(path), place);
        }
    }

    void committed(const EventHeader& head, const CommandEffects& effects, const std::string& output, bool worked) {
        if (commits.committed(effects, output, worked, {head.where.line, head.turn}))
            changes.committed(head.where.line);
    }

    // A branch that was not merged takes its commits with it unless others have them.
    void drop_branch(const std::string& name, bool unmerged) {
        if (name.empty()) return;
        deeds.drop_branch(name);
        if (unmerged) commits.drop_branch(name, deeds.last_sent_line());
    }

    void update_plan(const EventHeader& head, PlanUpdate update) {
        for (PlanItem& item : update.items) {
            if (filter) item.text = one_line(clean(filter(item.text)), 200);
        }
        for (const std::string& words : plan.update(update, {head.where.line, head.turn}))
            deeds.note({DeedKind::item, words, head.where.line, head.turn, {}});
    }

    // ---- what repeats ------------------------------------------------------------------------------------------

    void repeated(const EventHeader& head, const OpenCall& call, const ToolResult& result, bool error) {
        const ToolClass what = call.facts.tool_class;
        if (call.identity == 0 || result.opaque || what == ToolClass::poll || what == ToolClass::wait ||
            what == ToolClass::note)
            return;
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
        out.responses = responses.count();
        conversation.tell(out);
        out.open_calls = static_cast<std::uint64_t>(std::ranges::count(open, 0u, &OpenCall::lane));
        out.verified = changes.verified();
        out.unverified = changes.unverified();
        out.modified = changes.modified();
        out.read = changes.reads();
        commits.tell(out);
        jobs.tell(out);
        deeds.tell(out, plan);
        failures.tell(out);
        out.repetitions = repeats.list();
        plan.tell(out);
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
std::uint64_t SessionMemory::responses() const { return impl_->responses.count(); }
bool SessionMemory::begins_response(const Event& event) const { return impl_->responses.begins(event); }
Checkpoint SessionMemory::checkpoint() const { return impl_->checkpoint(); }

}  // namespace agent_audit::advice
