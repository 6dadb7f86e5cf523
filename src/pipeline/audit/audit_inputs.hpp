#pragma once

#include "pipeline/audit/audit_run.hpp"

namespace agent_audit {

/// Reads every input once, into AuditRun::results, and counts their requests.
void audit_inputs(AuditRun& run);

}  // namespace agent_audit
