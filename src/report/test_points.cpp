#include "report/test_points.hpp"

#include <algorithm>

namespace agent_audit::report {
namespace {

const SkippedRule* skipped_in(const SessionReport& session, std::string_view rule) {
    const auto found = std::ranges::find(session.skipped_rules, rule, &SkippedRule::rule);
    return found == session.skipped_rules.end() ? nullptr : &*found;
}

}  // namespace

std::vector<TestPoint> test_points(const Report& report, std::size_t session,
                                   const std::vector<const Finding*>& findings, const RenderOptions& options) {
    std::vector<TestPoint> points;
    for (const RuleRun& rule : report.rules) {
        points.push_back({TestPoint::Outcome::passed, rule.id, skipped_in(report.sessions[session], rule.id), {}});
    }
    for (const Finding* f : findings) {
        auto point = std::ranges::find(points, std::string_view(f->rule), &TestPoint::rule);
        if (point == points.end()) point = points.insert(point, {TestPoint::Outcome::passed, f->rule, nullptr, {}});
        point->findings.push_back(f);
        if (fails(*f, options)) point->outcome = TestPoint::Outcome::failed;
    }
    for (TestPoint& point : points) {
        if (point.skipped && point.findings.empty()) point.outcome = TestPoint::Outcome::skipped;
    }
    return points;
}

std::string skip_reason(const SkippedRule& skipped) {
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
