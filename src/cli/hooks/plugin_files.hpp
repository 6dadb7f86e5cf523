#pragma once

#include "cli/hooks/clients.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// A file of a client's plugin, for a hook that is run as `words`: the program and its flags.
std::string plugin_file_text(const HookClient& client, const PluginFile& file, const std::vector<std::string>& words);

/// Whether a file at such a place is one that init wrote, and may write again.
bool is_plugin_of_ours(std::string_view text);

}  // namespace agent_audit::cli
