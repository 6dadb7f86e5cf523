#pragma once

#include <agent_audit/model/text.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// True when an answer begins by saying that the tool failed: "Error: …", "ValueError: …", "MCP error -32602", "403
/// Forbidden". For tools that speak for themselves: what a command prints and what a file holds may begin so as well.
bool begins_with_failure(RawText answer);

/// A tool that shows what others wrote, by the words of its name: get_last_log_line, list_console_messages.
bool shows_messages(std::string_view tool);

}  // namespace agent_audit::detectors
