#pragma once

#include <agent_audit/model/text.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// True when an answer begins by saying that the tool failed: "Error: …", "ValueError: …", "MCP error -32602", "403
/// Forbidden". For tools that speak for themselves: what a command prints and what a file holds may begin so as well.
bool begins_with_failure(RawText answer);

/// True when an answer begins with what a program of Ruby or Elixir died of, as begins_with_crash() knows it.
bool shows_crash(RawText answer);

/// True when an answer is nothing but the word of a server, or of the way to it, that it cannot serve now: it begins
/// with a line or is a page headed "503 Service Unavailable" (5xx or 429), or with "connect ECONNREFUSED …" or
/// "curl: (7) …". Whoever printed it, nothing was got.
bool says_unavailable(RawText answer);

/// True when what a command printed on a terminal ends, or begins, with a complaint of a program that it did not do its
/// work: "curl: (7) Failed to connect …", "E: Could not get lock …", "ssh: connect to host db port 22: Connection
/// refused". For commands of which no exit code is known, and short outputs.
bool ends_in_complaint(RawText printed);

/// A tool that shows what others wrote, by the words of its name: get_last_log_line, list_console_messages.
bool shows_messages(std::string_view tool);

}  // namespace agent_audit::detectors
