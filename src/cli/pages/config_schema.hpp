#pragma once

#include <string>

namespace agent_audit::cli {

/// JSON Schema of agent-audit.toml, for editors. Made of the tables of flags, rules and settings.
std::string config_schema();

}  // namespace agent_audit::cli
