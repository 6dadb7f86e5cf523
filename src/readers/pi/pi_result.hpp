#pragma once

#include "readers/json/format_util.hpp"
#include "readers/pi/pi_entry.hpp"

#include <optional>
#include <string_view>

// What a result in a session of pi or OpenClaw says of its call.

namespace agent_audit::readers {

/// Whether the tool runs commands in a shell.
bool is_pi_shell(std::string_view tool);

/// The code that a runner writes below what a command printed: "Command exited with code 1". A log that was read may
/// tell of another program's ("worker exited with code 137").
std::optional<int> pi_exit_code(std::string_view answer);

inline std::string_view last_bytes(std::string_view text, std::size_t n) {
    return text.size() > n ? text.substr(text.size() - n) : text;
}

/// pi sets isError. OpenClaw leaves it false when a command failed: then details and text tell.
ResultStatus pi_status(const PiBody& message, const ToolResult& result);

/// OpenClaw leaves out an answer whose calls are all of tools that it does not have, and only writes that they were not
/// found. The call that such a result answers; nothing: the result is no such one.
std::optional<ToolCall> pi_call_left_out(const ToolResult& result);

/// OpenClaw calls it a failure when the agent ends a program that runs in the background: the call that does it has
/// done what it was asked for, and what the program says of its end later is its doing.
class PiKilled {
public:
    /// Sets the status of a result of the tool that watches over such programs, where one was ended.
    void judge(const PiToolDetails& details, ToolResult& result);

private:
    RecentIds killed_;  // programs in the background that the agent ended
};

}  // namespace agent_audit::readers
