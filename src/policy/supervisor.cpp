#include "policy/supervisor.hpp"

#include "detectors/engine/deeds.hpp"
#include "detectors/engine/engine_lane.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/asked_wait.hpp"
#include "policy/back_off.hpp"
#include "policy/supervisor_words.hpp"

#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace agent_audit::policy {
namespace {

// Limits: real runs have a few dozen sub-agents and tools. What is beyond them is hostile.
constexpr std::size_t kMaxLanes = 256;
constexpr std::size_t kMaxTools = 256;
constexpr std::size_t kMaxRetries = 16;
constexpr std::size_t kMaxDecisions = 2000;
constexpr std::size_t kMaxCheckpoints = 10'000;
constexpr std::size_t kMaxToolName = 100;

// The tool has done its work: what is wrong is in what it looked at, or nothing is where it looked. What only says the
// same again counts, as it would of any other call.
bool is_verdict(const Step& step) {
    if (step.revisit || step.error == ErrorClass::transient || step.error == ErrorClass::infrastructure) return false;
    return step.tool_class == ToolClass::verify ||
           (detectors::says_missing(step.text.outcome()) && !detectors::does_something(step));
}

}  // namespace

Supervisor::Supervisor(const RunPolicy& policy) : policy_(policy), clock_(policy.breaker.step_ms) {}

void Supervisor::at(std::uint64_t line, std::int64_t time_ms) {
    line_ = std::max(line_, line);
    clock_.at(time_ms);
}

void Supervisor::keep_goal(std::string goal) { goal_ = std::move(goal); }

// ---- tables ------------------------------------------------------------------------------------------------------

Supervisor::LaneState& Supervisor::lane(std::uint32_t number) {
    ++uses_;
    const auto known = std::ranges::find(lanes_, number, &LaneState::lane);
    if (known != lanes_.end()) {
        known->last_used = uses_;
        return *known;
    }
    if (lanes_.size() >= kMaxLanes) lanes_.erase(std::ranges::min_element(lanes_, {}, &LaneState::last_used));
    LaneState& made = lanes_.emplace_back();
    made.lane = number;
    made.last_used = uses_;
    made.ended = std::ranges::find(ended_lanes_, number) != ended_lanes_.end();
    return made;
}

bool Supervisor::ended(std::uint32_t number) const {
    return ended_ || std::ranges::find(ended_lanes_, number) != ended_lanes_.end();
}

Supervisor::ToolState* Supervisor::tool(std::uint64_t hash, std::string_view tool_name) {
    const auto known = std::ranges::find(tools_, hash, &ToolState::tool);
    if (known != tools_.end()) return &*known;
    if (tools_.size() >= kMaxTools) return nullptr;
    ToolState& made = tools_.emplace_back();
    made.tool = hash;
    made.name = cut_utf8(tool_name, kMaxToolName);
    return &made;
}

const ToolRules* Supervisor::rules_of(std::string_view tool_name) const {
    const auto known = policy_.tools.find(tool_name);
    return known == policy_.tools.end() ? nullptr : &known->second;
}

int Supervisor::retries_of(std::string_view tool_name) const {
    const ToolRules* rules = rules_of(tool_name);
    return rules && rules->retries ? *rules->retries : policy_.back_off.retries;
}

std::vector<BreakerTotals> Supervisor::breakers() const {
    std::vector<BreakerTotals> out;
    for (const ToolState& t : tools_) {
        if (t.breaker.opened() > 0) out.push_back({t.name, t.breaker.opened(), t.breaker.refused(), t.breaker.state()});
    }
    return out;
}

// ---- decisions ---------------------------------------------------------------------------------------------------

Decision Supervisor::draft(const LaneState& l, Action action, Trigger trigger) const {
    Decision d;
    d.action = action;
    d.trigger = trigger;
    d.line = l.last_line > 0 ? l.last_line : line_;
    d.seq = l.last_seq;
    d.known_line = line_;
    d.lane = l.lane;
    d.response = l.response;
    d.step = l.step;
    if (clock_.recorded()) d.time_ms = clock_.now();
    return d;
}

void Supervisor::decide(LaneState& l, Decision d) {
    d.spent = spent_;
    d.cost = cost_;
    d.tell_human = std::ranges::find(policy_.human.on, d.action) != policy_.human.on.end();
    if (d.action == Action::stop) {
        l.ended = true;
        if (ends_run(d))
            ended_ = true;
        else if (ended_lanes_.size() < kMaxDecisions)
            ended_lanes_.push_back(l.lane);
    }
    if (d.action == Action::reset_context) reset_in(l);
    // One that opened by its own count is open since the call was answered.
    if (d.action == Action::open_breaker && d.trigger != Trigger::breaker) {
        if (ToolState* t = tool(l.last.tool, l.last.text.tool())) t->breaker.trip(l.answered_at.value_or(clock_.now()));
    }
    if (decisions_.size() < kMaxDecisions) {
        decisions_.push_back(std::move(d));
    } else {
        ++not_kept_;
    }
}

// Where progress was verified, and at the policy's interval.
void Supervisor::checkpoint(LaneState& l) {
    const bool due =
        policy_.checkpoint_turns > 0 && l.response % static_cast<std::uint64_t>(policy_.checkpoint_turns) == 0;
    const bool grown = l.steps_in_response > 0 && !l.last.revisit && l.failed_in_response == 0;
    if (!(l.checked && grown) && !(due && grown)) return;
    l.verified_line = l.last_line;
    if (l.lane == 0 && checkpoints_.size() < kMaxCheckpoints) checkpoints_.push_back(l.last_line);
}

void Supervisor::reset_in(LaneState& l) {
    if (l.lane == 0) since_reset_ = 0;
    l.recent.clear();
    l.full = l.over_share;
}

// ---- what happens ------------------------------------------------------------------------------------------------

// A stop ends what the person before had asked for. Whoever speaks now begins something new.
void Supervisor::on_human(std::uint32_t number) {
    LaneState& l = lane(number);
    l.ended = false;
    std::erase(ended_lanes_, number);
    if (number == 0) ended_ = warned_[kPerPrompt] = reached_[kPerPrompt] = false;
    l.said.clear();
    l.away = false;
    l.ladder.clear();
    l.iterations = 0;
    l.retries.clear();
    l.recent.clear();
    l.stagnant = false;
    l.refused_responses = 0;
}

void Supervisor::on_compaction(std::uint32_t number) {
    LaneState& l = lane(number);
    if (number == 0) since_reset_ = 0;
    l.full = l.over_share = false;
}

void Supervisor::on_request(std::uint32_t number, const RequestFigures& figures) {
    if (policy_.context.share <= 0 || figures.window == 0) return;
    LaneState& l = lane(number);
    l.over_share = static_cast<double>(figures.context) > policy_.context.share * static_cast<double>(figures.window);
    if (!l.over_share) l.full = false;
}

void Supervisor::on_words(std::uint32_t number, std::uint32_t actions, std::uint32_t goal_words) {
    if (policy_.similarity.below <= 0 || actions == 0) return;
    LaneState& l = lane(number);
    if (l.said.size() >= static_cast<std::size_t>(policy_.similarity.window)) l.said.erase(l.said.begin());
    l.said.emplace_back(actions, goal_words);
}

void Supervisor::on_answer(std::uint32_t number, std::int64_t time_ms, const ToolResult& result) {
    if (policy_.back_off.retries == 0 && policy_.breaker.failures == 0 && policy_.tools.empty()) return;
    LaneState& l = lane(number);
    l.answered_ms = time_ms;
    l.answered_at = clock_.now();
    if (result.status == ResultStatus::ok || l.asked.size() >= kMaxRetries) return;
    if (const auto wait = detectors::asked_wait_ms(result.text))
        l.asked.push_back({detectors::id_of(result.call_id), *wait});
}

void Supervisor::on_call(const CallSeen& call) {
    clock_.tick();
    ++calls_;
    if (ended_) return;
    if (policy_.breaker.failures > 0 || !tools_.empty()) {
        ToolState* t = tool(call.tool, call.name);
        if (t && !t->breaker.admit(policy_.breaker, clock_.now())) return;  // it is not tried at all
    }
    if (policy_.back_off.retries == 0 && policy_.tools.empty()) return;
    LaneState& l = lane(call.lane);
    if (l.ended) return;
    const auto known = std::ranges::find(l.retries, call.call, &Retry::call);
    if (known == l.retries.end()) return;
    const int retries = retries_of(call.name);
    if (retries == 0 || known->given_up) return;
    const auto words = std::string(cut_utf8(call.name, kMaxToolName));
    if (known->failures > retries) {
        known->given_up = true;
        Decision d = draft(l, Action::explore, Trigger::retries);
        d.line = call.line;
        d.seq = call.seq;
        d.severity = Severity::warning;
        d.tool = words;
        d.reason = fmt::format("{} failed {} times with an error that usually goes away; {} retries are allowed", words,
                               known->failures, retries);
        d.message = tag("retries") + fmt::format(
                                         "{} has failed {} times. Do not try it again now: take another way, or "
                                         "say what you need.",
                                         words, known->failures);
        d.alternatives.push_back({Action::back_off, fmt::format("all {} retries are used up", retries)});
        return decide(l, std::move(d));
    }
    const std::int64_t own = delay_after(policy_.back_off, known->failures, call.tool);
    const std::int64_t needed = std::max(own, known->asked_ms);  // who refuses knows best, also beyond our cap
    const bool timed = call.time_ms != kNoTime && known->failed_at != kNoTime;
    const std::int64_t waited = timed ? std::max<std::int64_t>(0, call.time_ms - known->failed_at) : 0;
    if (timed && waited >= needed) {
        ++self_waited_;
        return;
    }
    Decision d = draft(l, Action::back_off, Trigger::retries);
    d.line = call.line;
    d.seq = call.seq;
    d.tool = words;
    d.delay_ms = needed - waited;
    const std::string_view by = needed > own ? "the answer asks for" : "the policy asks for";
    d.reason =
        timed ? fmt::format("{} was tried again {:.1f} s after its failure number {}; {} {:.1f} s", words,
                            static_cast<double>(waited) / 1000, known->failures, by, static_cast<double>(needed) / 1000)
              : fmt::format("{} was tried again after its failure number {}; {} {:.1f} s (no times are recorded)",
                            words, known->failures, by, static_cast<double>(needed) / 1000);
    d.message = tag("retries") +
                fmt::format("{} failed with an error that usually goes away. It is tried again after {:.1f} s.", words,
                            static_cast<double>(d.delay_ms) / 1000);
    decide(l, std::move(d));
}

void Supervisor::on_step(const Step& step, std::uint32_t number) {
    LaneState& l = lane(number);
    l.step = step.ordinal;
    l.last_line = std::max(step.last_line(), step.first_line());
    l.last_seq = std::max(step.call_at.seq, step.result_at.seq);
    ++l.steps_in_response;
    l.checked = l.checked || (step.tool_class == ToolClass::verify && !step.failed && !step.opaque);
    if (policy_.stagnation.distinct > 0) {
        if (l.recent.size() >= static_cast<std::size_t>(policy_.stagnation.window)) l.recent.erase(l.recent.begin());
        l.recent.push_back(step.call);
    }
    const bool counts = step.failed && step.error != ErrorClass::user_denied;
    const bool refused = settle_breaker(l, step, counts);
    l.last = step;
    if (refused)
        ++l.refused_in_response;
    else
        l.failed_in_response += step.failed;
    if (refused || (policy_.back_off.retries == 0 && policy_.tools.empty())) return;
    note_retry(l, step, counts);
}

// True where the call was one that is refused. One that the ladder opened is tried as any other, though no failures in
// a row open it.
bool Supervisor::settle_breaker(LaneState& l, const Step& step, bool counts) {
    const bool may_break = policy_.breaker.failures > 0 || !policy_.tools.empty() || !tools_.empty();
    if (!may_break || out_of_lane(l)) return false;  // what comes after a stop would not have happened
    const ToolRules* own = rules_of(step.text.tool());
    const int wanted = own && own->breaker_failures ? *own->breaker_failures : policy_.breaker.failures;
    constexpr int kNever = std::numeric_limits<int>::max();
    ToolState* t = wanted > 0 || !tools_.empty() ? tool(step.tool, step.text.tool()) : nullptr;
    if (!t) return false;
    const bool was_tried = t->breaker.state() == BreakerState::half_open;
    const bool refused = t->breaker.state() == BreakerState::open;
    const bool verdict = counts && is_verdict(step) && !(own && own->breaker_failures);
    if (t->breaker.settle(policy_.breaker, wanted > 0 ? wanted : kNever, counts && !verdict,
                          l.answered_at.value_or(clock_.now()))) {
        l.response = std::max(l.response, step.response);
        l.last = step;
        const std::string why =
            was_tried ? "failed again after it had been refused" : fmt::format("failed {} times in a row", wanted);
        tell_breaker(l, t->name, why);
    }
    if (verdict) t->breaker.may_begin();
    return refused;
}

void Supervisor::tell_breaker(LaneState& l, const std::string& name, const std::string& why) {
    Decision d = draft(l, Action::open_breaker, Trigger::breaker);
    d.severity = Severity::warning;
    d.tool = name;
    d.reason = fmt::format("{} {}", name, why);
    d.message = tag("breaker") + fmt::format("{} is refused for {:.0f} s: it {}. Find out why, or use something else.",
                                             name, static_cast<double>(policy_.breaker.open_ms) / 1000, why);
    d.delay_ms = policy_.breaker.open_ms;
    decide(l, std::move(d));
}

// Failures that usually go away are counted by call; anything else ends the count.
void Supervisor::note_retry(LaneState& l, const Step& step, bool counts) {
    const auto known = std::ranges::find(l.retries, step.call, &Retry::call);
    if (!counts || step.error != ErrorClass::transient) {
        if (known != l.retries.end()) l.retries.erase(known);
        return;
    }
    Retry* retry = known != l.retries.end() ? &*known : nullptr;
    if (!retry) {
        if (l.retries.size() >= kMaxRetries) l.retries.erase(l.retries.begin());
        retry = &l.retries.emplace_back();
        retry->call = step.call;
    }
    ++retry->failures;
    const auto asked = std::ranges::find(l.asked, step.call_id, &AskedWait::call_id);
    retry->asked_ms = asked == l.asked.end() ? 0 : asked->ms;
    retry->failed_at = l.answered_ms != kNoTime ? l.answered_ms : step.time_ms;
}

}  // namespace agent_audit::policy
