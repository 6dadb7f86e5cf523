#include "report/exchange/test_points.hpp"

#include "model/unmeasured.hpp"
#include "report/words/human.hpp"

#include <algorithm>

namespace agent_audit::report {
namespace {

std::optional<SkippedRule> skipped_in(const SessionReport& session, std::string_view rule) {
    const auto found = std::ranges::find(session.skipped_rules, rule, &SkippedRule::rule);
    return found == session.skipped_rules.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<TestPoint> test_points(const Report& report, std::size_t index, const std::vector<const Finding*>& findings,
                                   const RenderOptions& options) {
    const SessionReport session = report.sessions[index];
    std::vector<TestPoint> points;
    for (const RuleRun& rule : report.rules) {
        points.push_back({TestPoint::Outcome::passed, rule.id, skipped_in(session, rule.id), {}});
    }
    const auto point_of = [&](std::string_view rule) -> TestPoint& {
        const auto point = std::ranges::find(points, rule, &TestPoint::rule);
        return point != points.end()
                   ? *point
                   : points.emplace_back(TestPoint{TestPoint::Outcome::passed, std::string(rule), std::nullopt, {}});
    };
    for (const Finding* f : findings) {
        TestPoint& point = point_of(f->rule);
        point.findings.push_back(f);
        if (fails(*f, options)) point.outcome = TestPoint::Outcome::failed;
    }
    for (const NotShown& rule : session.not_shown) {
        TestPoint& point = point_of(rule.rule);
        point.failing_not_shown = options.fail_on ? rule.from(*options.fail_on) : 0;
        point.told_not_shown = rule.from(Severity::info) - point.failing_not_shown;
        if (point.failing_not_shown > 0) point.outcome = TestPoint::Outcome::failed;
    }
    for (TestPoint& point : points) {
        const bool found = !point.findings.empty() || point.failing_not_shown + point.told_not_shown > 0;
        if (point.skipped && !found) point.outcome = TestPoint::Outcome::skipped;
    }
    return points;
}

std::string not_shown_words(std::uint64_t count, bool alone) {
    return count_of(count, alone ? "finding" : "more finding") + " not listed (--max-findings)";
}

std::string skip_reason(const SkippedRule& skipped) {
    constexpr Signals kOfNoRecording = unmeasured::kPrice | unmeasured::kWindow | unmeasured::kLimit;
    if ((skipped.missing & kOfNoRecording).bits != 0) return missing_words(skipped.missing, skipped.reason);
    return "needs " + describe(skipped.missing) +
           (skipped.reason == SkipReason::format ? ", which the format never tells"
                                                 : ", which this session does not tell");
}

std::vector<BrokenInput> broken_inputs(const Report& report) {
    std::vector<BrokenInput> out;
    for (std::size_t i = 0; i < report.inputs.size(); ++i) {
        if (report.inputs[i].error) out.push_back({i, *report.inputs[i].error});
    }
    return out;
}

}  // namespace agent_audit::report
