#pragma once

#include <string>

namespace agent_audit::cli {

/// docs/reference/run-policies.md: the built-in policies of replay --policy, and every key of a policy file.
std::string run_policies_page();

}  // namespace agent_audit::cli
