#pragma once

#include <agent_audit/policy/decision.hpp>

namespace agent_audit::policy {

/// The decision's words say "record 9" in place of "line 9", for an input that counts records. What they quote of the
/// run stays: "error at line 12" in a tool's answer is a line.
void call_lines_records(Decision& decision);

}  // namespace agent_audit::policy
