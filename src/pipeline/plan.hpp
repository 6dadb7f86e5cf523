#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/readers/reader.hpp>

#include <agent_audit/model/report.hpp>

#include <span>
#include <vector>

namespace agent_audit {

/// The rules of a run with their parameters bound, or why the plan makes no sense.
Result<std::vector<BoundDetector>> bind_rules(const AuditPlan& plan);

/// Those of `rules` whose needs a format covers; the others go to `skipped`. A rule that has nothing to watch for as
/// it is set (a limit that nobody set) is not skipped: it would have been silent anyway.
std::vector<BoundDetector> covered_rules(const std::vector<BoundDetector>& rules, Signals offered,
                                         std::vector<SkippedRule>& skipped);

/// Adds those of a session's rules that had nothing to look at because the session did not tell what it could have.
/// A rule that found something had enough.
void note_untold(std::span<const BoundDetector> rules, Signals untold, std::span<const Finding> findings,
                 std::vector<SkippedRule>& skipped);

}  // namespace agent_audit
