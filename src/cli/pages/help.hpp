#pragma once

#include "cli/arguments/command_spec.hpp"

#include <string>

namespace agent_audit::cli {

/// What --help prints, without colour: the page of a command, or of the program.
std::string command_help(const CommandSpec& command, int width);
std::string program_help(int width);

/// What is said at a terminal where nothing was typed behind the program's name.
std::string first_words(int width);

/// What --version prints: name and version on the first line, how it was built on the others. No time of the build.
std::string version_text(int width);

}  // namespace agent_audit::cli
