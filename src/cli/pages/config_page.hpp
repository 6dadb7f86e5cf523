#pragma once

#include <string>

namespace agent_audit::cli {

/// The reference page of agent-audit.toml, Markdown without the notice of generated pages.
std::string config_page();

}  // namespace agent_audit::cli
