#pragma once

#include "cli/exit_status.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::cli {

/// What a finished text is made of: lines to be read, or a document (JSON, TOML) that another program reads.
enum class Printed : std::uint8_t { lines, document };

/// Writes a finished text to standard output. On a CI runner nothing in it can be taken for a command, whatever it
/// quotes.
ExitStatus print(std::string_view text, Printed what = Printed::lines);

}  // namespace agent_audit::cli
