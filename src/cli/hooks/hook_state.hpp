#pragma once

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// What is remembered of a live session between two calls of the hook: a hook log, readable by its owner only. It holds
/// at most kLongestLog bytes, which are read within some milliseconds even if all lines are short; of a longer one the
/// newer three quarters stay.
inline constexpr std::uint64_t kLongestLog = 512u << 10;

/// Where it is: $XDG_STATE_HOME/agent-audit/live, by default below ~/.local/state. An Error without a home directory.
Result<std::string> live_folder();
/// The log of a session of a client; ids that make no plain file name are hashed.
std::string log_path(const std::string& folder, std::string_view client, std::string_view session);

/// Appends a line (with its newline), whole or not at all, and makes folder and file where they are missing. Several
/// hooks of a session may run at once; one that has waited 50 ms for the others gives up with an Error.
/// `end` is set to where the line ends.
std::optional<Error> append_line(const std::string& path, std::string_view line, std::uint64_t* end = nullptr);

/// Removes logs that nobody wrote to in the seven days before `now_ms` (since 1970). What cannot be removed stays.
void remove_old_logs(const std::string& folder, std::int64_t now_ms);

}  // namespace agent_audit::cli
