#include "pipeline/audit/limit_needs.hpp"

#include "detectors/commands/constraints.hpp"
#include "model/unmeasured.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit {
namespace {

constexpr std::string_view kBudget = "budget/limits", kConstraint = "constraint/limit";

constexpr Signals kMoney = signals(Signal::token_usage) | unmeasured::kPrice;
constexpr Signals kShare = signals(Signal::token_usage) | unmeasured::kWindow;

constexpr LimitNeed kNeeds[] = {
    {kBudget, "minutes", "minutes", signals(Signal::timestamps)},
    {kBudget, "max-cost", "micro-dollars", kMoney},
    {kBudget, "window-share", "percent of the window", kShare},
    {kBudget, "failed-calls-from", "failed tool calls", signals(Signal::result_status)},
    {kBudget, "denied-by-rule-from", "calls denied by a rule", signals(Signal::result_status)},
    {kBudget, "denied-by-person-from", "calls denied by a person", signals(Signal::result_status)},
    {kConstraint, "max-wall-time", "max-wall-time", signals(Signal::timestamps)},
    {kConstraint, "max-cost", "max-cost", kMoney},
};

bool is_set(const LimitNeed& need, std::span<const RunLimit> limits, const detectors::RunConstraints& allowed) {
    if (need.rule == kBudget) return std::ranges::find(limits, need.limit, &RunLimit::what) != limits.end();
    return need.limit == "max-cost" ? allowed.max_cost_usd > 0 : allowed.max_wall_time_s > 0;
}

bool is_passed(const LimitNeed& need, std::span<const Finding> findings) {
    return std::ranges::any_of(findings, [&](const Finding& f) {
        return f.rule == need.rule && std::ranges::find(f.because, need.marker, &Fact::value) != f.because.end();
    });
}

std::string cause(Signals missing, std::uint64_t requests) {
    const std::string of = fmt::format("{} request{}", requests, requests == 1 ? "" : "s");
    if ((missing & unmeasured::kPrice).bits != 0) return fmt::format("the price of {} is not known (--prices)", of);
    if ((missing & unmeasured::kWindow).bits != 0)
        return fmt::format("the context window of {} is not known (--prices)", of);
    if (missing.has(Signal::result_status)) return "how calls ended is told by their texts only";
    return missing.has(Signal::timestamps) ? "no times are recorded" : "no usage is recorded";
}

}  // namespace

std::vector<LimitNeed> limit_needs(std::span<const BoundDetector> rules, std::span<const RunLimit> limits,
                                   const Settings& settings) {
    const auto allowed = detectors::constraints_of(settings);
    std::vector<LimitNeed> needs;
    for (const LimitNeed& need : kNeeds) {
        const bool runs =
            std::ranges::any_of(rules, [&](const BoundDetector& rule) { return rule.spec->id == need.rule; });
        if (runs && allowed && is_set(need, limits, *allowed)) needs.push_back(need);
    }
    return needs;
}

Signals missing_for(const LimitNeed& need, const SessionPart& part) {
    const Signals missing = need.needs & part.untold;
    return missing.bits == 0 || is_passed(need, part.findings) ? Signals{} : missing;
}

void note_unmeasured(std::span<const LimitNeed> needs, Signals offered, const SessionPart& part,
                     std::vector<SkippedRule>& skipped) {
    for (const LimitNeed& need : needs) {
        const Signals missing = missing_for(need, part);
        if (missing.bits == 0 || std::ranges::find(part.findings, need.rule, &Finding::rule) != part.findings.end())
            continue;
        const auto known = std::ranges::find(skipped, need.rule, &SkippedRule::rule);
        SkippedRule& rule =
            known != skipped.end() ? *known : skipped.emplace_back(SkippedRule{need.rule, {}, SkipReason::format});
        rule.missing = rule.missing | missing;
        constexpr Signals kOfModels = unmeasured::kPrice | unmeasured::kWindow;
        const Signals of_recording = missing.without(kOfModels);
        if (of_recording.bits == 0 || offered.covers(of_recording)) rule.reason = SkipReason::session;
    }
}

void UnmeasuredLimits::see(const SessionPart& part) {
    for (std::size_t i = 0; i < needs_.size(); ++i) {
        const Signals missing = missing_for(needs_[i], part);
        if (missing.bits == 0) continue;
        Count& count = counts_[{i, missing.bits}];
        ++count.sessions;
        count.requests += (missing & unmeasured::kPrice).bits != 0 ? part.unpriced : part.windowless;
    }
}

void UnmeasuredLimits::tell(std::vector<Note>& notes) const {
    for (const auto& [key, count] : counts_) {
        const LimitNeed& need = needs_[std::get<0>(key)];
        notes.push_back(
            {Severity::warning,
             fmt::format("{}: {} was not checked to the end in {} session{}: {}", need.rule, need.limit, count.sessions,
                         count.sessions == 1 ? "" : "s", cause(Signals{std::get<1>(key)}, count.requests))});
    }
}

}  // namespace agent_audit
