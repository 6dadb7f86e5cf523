#pragma once

#include <agent_audit/model/report.hpp>

#include <cstdint>
#include <vector>

namespace agent_audit::report {

/// A rule that was skipped for one reason, and in how many sessions.
struct SkippedTotal {
    SkippedRule rule;
    std::uint64_t sessions = 0;
};

/// Those of the whole report, sorted by rule and reason.
std::vector<SkippedTotal> skipped_totals(const Report& report);

}  // namespace agent_audit::report
