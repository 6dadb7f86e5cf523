#pragma once

#include "cli/exit_status.hpp"

#include <string>
#include <string_view>

namespace agent_audit::cli {

/// What would show a long text on a terminal; empty = nothing.
std::string pager_command();

/// A long text for a person: through $PAGER (default: less -FRX) when standard output is a terminal, as it is
/// otherwise. A pager that is missing or fails to start costs nothing, the text is then written as it is; one that is
/// left early is no error.
ExitStatus print_paged(std::string_view text, bool no_pager);

}  // namespace agent_audit::cli
