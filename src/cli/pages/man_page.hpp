#pragma once

#include <string>

namespace agent_audit::cli {

struct CommandSpec;

/// The manual page of the program, or of one command, in the man macros of groff and mandoc. Made from the tables that
/// the parser and the help read.
std::string program_man_page();
std::string command_man_page(const CommandSpec& command);

}  // namespace agent_audit::cli
