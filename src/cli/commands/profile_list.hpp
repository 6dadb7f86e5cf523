#pragma once

#include "cli/exit_status.hpp"
#include "cli/terminal/terminal.hpp"

namespace agent_audit::cli {

/// What --as list prints: every emulation profile with its rule.
ExitStatus list_profiles(When color);

}  // namespace agent_audit::cli
