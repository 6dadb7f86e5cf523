#pragma once

#include "pipeline/audit/audit_run.hpp"

namespace agent_audit {

/// What was found in all inputs, in their order. It takes the run's results with it: of a large run there must not be
/// two.
Report build_report(AuditRun& run);

}  // namespace agent_audit
