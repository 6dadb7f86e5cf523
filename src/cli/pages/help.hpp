#pragma once

#include "cli/arguments/command_spec.hpp"

#include <string>

namespace agent_audit::cli {

/// What --help prints, without colour: the page of a command, or of the program.
std::string command_help(const CommandSpec& command, int width);
std::string program_help(int width);

}  // namespace agent_audit::cli
