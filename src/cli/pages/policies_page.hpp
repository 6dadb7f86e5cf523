#pragma once

#include <string>

namespace agent_audit::cli {

/// docs/reference/policies.md: every context policy with its stages, and what a file of one's own may say.
std::string policies_page();

}  // namespace agent_audit::cli
