#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Does a command line that tells an installer ("npm install") to work ask for nothing that the project does not list
/// already?
bool installs_known(std::string_view command_line, std::string_view installer);

/// The packages that a command line tells an installer to install, without their versions; bounded.
std::vector<std::string> installed_packages(std::string_view command_line, std::string_view installer);

}  // namespace agent_audit::detectors
