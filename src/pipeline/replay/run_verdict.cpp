#include "pipeline/replay/run_verdict.hpp"

#include <agent_audit/model/rule_group.hpp>

#include <algorithm>
#include <string>

namespace agent_audit {
namespace {

using policy::Action;
using policy::Decision;
using policy::Trigger;

void account(SupervisedRun& run, const RunCourse& course, const RunCut& from) {
    const auto in_finding = [&](const RunTurn& turn) {
        return std::ranges::any_of(run.findings, [&](const Finding& f) {
            if (f.lane != turn.lane || f.severity < Severity::warning || !is_about_loops(f.rule)) return false;
            if (f.first_step > 0 && turn.last_step > 0)
                return f.contiguous && f.first_step <= turn.first_step && turn.last_step <= f.last_step;
            return turn.last_step == 0 && f.first_step == 0 && f.first_line <= turn.last_line &&
                   turn.first_line <= f.last_line;
        });
    };
    Counterfactual& a = run.after;
    // Who only speaks has learnt nothing since the calls before: the stop came where nothing was learnt.
    bool wasted_before = true;
    for (std::size_t i = from.turn; i < std::min(from.end, course.turns.size()); ++i) {
        const RunTurn& turn = course.turns[i];
        const bool nothing_new = turn.calls > 0 && turn.good == 0;
        const bool wasted = nothing_new || in_finding(turn) || (turn.calls == 0 && wasted_before);
        wasted_before = wasted;
        a.steps += turn.calls;
        a.tokens += turn.tokens;
        a.cost_parts += turn.cost_parts;
        (wasted ? a.wasted_tokens : a.useful_tokens) += turn.tokens;
        if (wasted) a.wasted_cost_parts += turn.cost_parts;
        const std::uint64_t lost = wasted ? 0 : turn.good;
        a.useful_steps += lost;
        a.wasted_steps += turn.calls - lost;
    }
    const std::int64_t until = from.over() ? from.end_ms : course.last_ms;
    if (from.time_ms != kNoTime && until != kNoTime)
        a.wall_ms = std::max<std::int64_t>(a.wall_ms, 0) + std::max<std::int64_t>(0, until - from.time_ms);
}

}  // namespace

void account_for_cuts(SupervisedRun& run, const RunCourse& course) {
    const bool ends = !course.stops.empty();
    if (!ends && course.restarts.empty()) return;
    const auto is_cut = [&](const Decision& d) {
        if (ends) return policy::ends_run(d);
        return d.lane == 0 && (d.action == Action::reset_context || d.action == Action::rollback);
    };
    run.cut = static_cast<std::size_t>(std::ranges::find_if(run.decisions, is_cut) - run.decisions.begin());
    run.after.priced = run.cost.has_value();
    if (!ends) return account(run, course, course.restarts.front());
    for (const RunCut& stop : course.stops) account(run, course, stop);
}

void judge_decisions(SupervisedRun& run) {
    for (std::size_t i = 0; i < run.decisions.size(); ++i) {
        const Decision& d = run.decisions[i];
        DecisionVerdict verdict = DecisionVerdict::none;
        if (run.cut == i && run.after.steps > 0) {
            verdict =
                run.after.wasted_steps >= run.after.useful_steps ? DecisionVerdict::right : DecisionVerdict::wrong;
        } else if (d.trigger == Trigger::pattern || d.trigger == Trigger::peer) {
            verdict = DecisionVerdict::wrong;
            for (const Finding& f : run.findings) {
                if (f.lane != d.lane || f.severity < Severity::warning || !is_about_loops(f.rule)) continue;
                if (f.first_line > d.line || f.last_line < std::min(d.first_line > 0 ? d.first_line : d.line, d.line))
                    continue;
                verdict = f.last_line > d.line ? DecisionVerdict::right : DecisionVerdict::late;
                if (verdict == DecisionVerdict::right) break;
            }
        }
        run.verdicts.push_back(verdict);
    }
}

void decide_failure(SupervisedRun& run, policy::FailOn on) {
    using policy::FailOn;
    const bool ends_early =
        std::ranges::any_of(run.decisions, [](const Decision& d) { return d.action == Action::stop; });
    const auto first = [&](auto wanted) {
        const auto at = std::ranges::find_if(run.findings, wanted);
        return at == run.findings.end() ? std::string() : at->rule + ": " + at->message;
    };
    switch (on) {
        case FailOn::never: break;
        case FailOn::stop:
            run.failed = ends_early;
            run.failed_because = std::ranges::any_of(run.decisions, policy::ends_run)
                                     ? "the policy ends the run"
                                     : "the policy ends a sub-agent's conversation";
            break;
        case FailOn::intervention:
            run.failed = !run.decisions.empty();
            run.failed_because = "the policy intervenes";
            break;
        case FailOn::unrecovered_error:
            run.failed = run.unrecovered_errors > 0;
            run.failed_because = first([](const Finding& f) { return f.severity == Severity::error && !f.recovered; });
            break;
        case FailOn::error:
            run.failed = run.errors > 0;
            run.failed_because = first([](const Finding& f) { return f.severity == Severity::error; });
            break;
        case FailOn::warning:
            run.failed = run.errors + run.warnings > 0;
            run.failed_because = first([](const Finding& f) { return f.severity >= Severity::warning; });
            break;
    }
    if (!run.failed) run.failed_because.clear();
}

}  // namespace agent_audit
