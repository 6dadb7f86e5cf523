#pragma once

#include "pipeline/audit/audit_run.hpp"
#include "pipeline/audit/copied_findings.hpp"

namespace agent_audit {

/// Of history that several sessions have, one counts: the others are told without. All inputs were read.
void count_shared_once(AuditRun& run);

/// A finding that was made in such history is that of the session in which it counts, where there is the same.
void drop_copied_findings(AuditRun& run, CopiedFindings& copies);

}  // namespace agent_audit
