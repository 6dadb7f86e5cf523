#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// How long ago, in few columns: "now", "40 s", "3 min", "5 h", "12 days"; from 100 days on the date.
std::string age(std::int64_t time_ms, std::int64_t now_ms);

/// A path with the home folder as ~, made harmless for a terminal.
std::string shown_path(std::string_view path);

/// A text as a word of a POSIX shell: quoted where the shell would take it apart.
std::string quoted_for_shell(std::string_view text);

/// A path as a word of a command line that is shown: the same with the home folder as ~, made harmless for a terminal.
std::string shell_word(std::string_view path);

/// The sessions last written on this machine and how to audit them, as hints; nothing when there are none.
void hint_newest();

}  // namespace agent_audit::cli
