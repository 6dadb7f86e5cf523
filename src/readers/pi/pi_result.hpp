#pragma once

#include "readers/pi/pi_entry.hpp"

#include <string_view>

// What a result in a session of pi or OpenClaw says of its call.

namespace agent_audit::readers {

/// Whether the tool runs commands in a shell.
bool is_pi_shell(std::string_view tool);

inline std::string_view last_bytes(std::string_view text, std::size_t n) {
    return text.size() > n ? text.substr(text.size() - n) : text;
}

/// pi sets isError. OpenClaw leaves it false when a command failed: then details and text tell.
ResultStatus pi_status(const PiBody& message, const ToolResult& result);

}  // namespace agent_audit::readers
