#pragma once

#include <string>
#include <string_view>

namespace agent_audit::advice {

/// With slashes, and with its drive as a shell on Windows writes it: D:\a is /d/a.
std::string slashed(std::string_view path);

/// The same path, however its slashes and its drive are written.
bool same_path(std::string_view a, std::string_view b);

/// Two names of one file, as far as names tell: agents and their shells write paths in different ways.
bool same_file(std::string_view a, std::string_view b);

}  // namespace agent_audit::advice
