#include "advice/session_memory_impl.hpp"

#include "advice/calls/answers.hpp"
#include "advice/calls/background.hpp"
#include "advice/calls/commands.hpp"
#include "advice/words/error_line.hpp"
#include "advice/words/text.hpp"
#include "detectors/engine/result_status.hpp"
#include "detectors/outcomes/exit_code.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "support/ascii.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/simulator/session.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostOpenCalls = 1024;  // of more, the oldest is given up

// With one of these an agent hands in its work.
bool submits(std::string_view tool) {
    constexpr std::array<std::string_view, 7> kTools{
        "submit",        "finish",        "attempt_completion", "complete_task",
        "task_complete", "submit_answer", "submit_final_answer"};
    return std::ranges::find(kTools, snake_case(tool)) != kTools.end();
}

}  // namespace

void SessionMemory::Impl::take(const EventHeader& head, const ToolCall& call) {
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

void SessionMemory::Impl::agent_called(const EventHeader& head, std::string_view tool) {
    if (submits(tool))
        conversation.agent_submitted(place_of(head));
    else
        conversation.agent_called();
}

void SessionMemory::Impl::take(const EventHeader& head, const ToolResult& result) {
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

bool SessionMemory::Impl::begins_job(OpenCall& call, const ToolResult& result) {
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
void SessionMemory::Impl::end_job(const EventHeader& head, const JobBook::Ended& job) {
    ToolResult result;
    result.text = {job.text, TextForm::plain};
    result.exit_code = job.ending.exit_code;
    if (job.ending.exit_code) result.status = *job.ending.exit_code == 0 ? ResultStatus::ok : ResultStatus::error;
    close(head, job.call, result);
}

void SessionMemory::Impl::person_answered(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
    if (head.lane != 0 || result.status == ResultStatus::cancelled) return;
    const std::string text = words(result.text, 64u << 10);
    std::string arguments = simulator::words_of({call.asked, call.asked_form}, simulator::WordsAs::arguments);
    if (filter) arguments = filter(arguments);
    const RawText asked{arguments, TextForm::plain};
    // Whatever the person answers, in words of failure too, is an answer.
    const auto code = detectors::exit_code_of(result);
    const bool refused = outcome_of(result, detectors::status_of(result, code), code, errors).kind != Outcome::Kind::ok;
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

void SessionMemory::Impl::close(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
    using Kind = Outcome::Kind;
    Outcome outcome = outcome_of(call, result, errors);
    const CallFacts& facts = call.facts;
    // Some editing tools say in words alone that they changed nothing.
    const bool edits = facts.tool_class == ToolClass::mutate && !facts.shell;
    if (outcome.kind == Kind::ok && edits && detectors::edit_refused(result.text))
        outcome = {Kind::failed, errors.classify(result.text)};
    if (outcome.kind == Kind::ignored) return;
    if (outcome.kind != Kind::denied && (facts.effects.may_change || facts.delegates)) changes.doubt(head.where.line);
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
        const bool idle = facts.looks || facts.tool_class == ToolClass::note || facts.tool_class == ToolClass::poll ||
                          facts.tool_class == ToolClass::wait;
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
std::string SessionMemory::Impl::told_of_failure(const Outcome& outcome, const ToolResult& result) const {
    constexpr std::array<std::string_view, 5> kRefusals{"the user doesn't want to", "the user does not want to",
                                                        "the user rejected", "user rejected", "the user declined"};
    std::string line = telling_line(words(result.text, 64u << 10));
    const std::string low = lowered(std::string_view(line).substr(0, 40));
    const bool known = outcome.kind == Outcome::Kind::denied &&
                       std::ranges::any_of(kRefusals, [&](std::string_view words) { return low.starts_with(words); });
    return known ? std::string() : line;
}

// A command that failed at its end: what stood before it was done all the same, and a commit that git tells was
// made.
bool SessionMemory::Impl::did_at_first(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
    const CallFacts& facts = call.facts;
    if (facts.settled.effects.empty() && !facts.effects.commits) return false;
    const std::string output = words(result.text, 64u << 10);
    if (facts.effects.commits) committed(head, facts.effects, output, false);
    if (facts.settled.effects.empty() || denies(output, facts.settled)) return false;
    files_changed(head, call, facts.settled.effects);
    return true;
}

// The person said why.
void SessionMemory::Impl::refused(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
    if (call.facts.asks || call.facts.offers_plan) return;
    const std::string why = words_of_refusal(words(result.text, 64u << 10));
    if (why.empty()) return;
    conversation.refused_because({head.where.line, head.turn}, why);
    conversation.add({one_line(call.facts.tool + " " + call.facts.words, 200), why, true, head.where.line, head.turn});
}

void SessionMemory::Impl::repeated(const EventHeader& head, const OpenCall& call, const ToolResult& result,
                                   bool error) {
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

}  // namespace agent_audit::advice
