#pragma once

#include <string_view>

namespace agent_audit::cli::plugin_texts {

/// The files in src/cli/hooks/plugins, each by its name (cmake/agent_audit_plugins.cmake).
std::string_view ask_js();
std::string_view opencode_js();
std::string_view pi_js();
std::string_view openclaw_js();
std::string_view openclaw_plugin_json();
std::string_view openclaw_package_json();

}  // namespace agent_audit::cli::plugin_texts
