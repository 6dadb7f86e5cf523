#pragma once

#include "cli/arguments/arguments.hpp"

#include <span>
#include <string_view>

// Words that other programs of this kind have for what we call something else. They are no spellings of ours: whoever
// types one is told what to type.

namespace agent_audit::cli {

/// What to type for a flag of another program, where it is among `flags`: "-f json" for --json. Empty: nothing.
std::string_view instead_of_flag(std::string_view word, std::span<const FlagSpec> flags);

/// The same for a command: "discover" for ls.
std::string_view instead_of_command(std::string_view word);

}  // namespace agent_audit::cli
