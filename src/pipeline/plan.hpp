#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/readers/reader.hpp>

#include <string>
#include <vector>

namespace agent_audit {

/// The rules of a run with their parameters bound, or why the plan makes no sense.
Result<std::vector<BoundDetector>> bind_rules(const AuditPlan& plan);

/// Those of `rules` whose needs a format covers; the names of the others go to `skipped`.
std::vector<BoundDetector> covered_rules(const std::vector<BoundDetector>& rules, Signals offered,
                                         std::vector<std::string>& skipped);

}  // namespace agent_audit
