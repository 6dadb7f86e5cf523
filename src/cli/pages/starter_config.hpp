#pragma once

#include <string_view>

namespace agent_audit::cli {

/// An agent-audit.toml to begin with: it says what holds without it, and behind # what else can be said.
std::string_view starter_config();

}  // namespace agent_audit::cli
