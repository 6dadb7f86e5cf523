#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A command as it stands in a shell line.
struct ShellCommand {
    std::string_view text;   ///< from its program on
    std::string_view whole;  ///< with what leads to it: assignments, `sudo`, `time`, `!`, `then`, `do`
};

/// The commands of a shell line, each as it stands there, in the order of their ends: what `;`, `&&`, `||`, `|`, `&`
/// and line ends separate. What is quoted, a comment or a here-document is no command, unless a shell is told to run it
/// (`sh -c '…'`); those of `$(…)`, also in double quotes, of backticks and of `(…)` count; the heads of loops are none.
/// At most 256; a line that ends inside quotes gives those before. They are views of `line`, which has to outlive them.
std::vector<ShellCommand> shell_commands(std::string_view line);
template <std::same_as<std::string> Passing>
std::vector<ShellCommand> shell_commands(Passing&& line) = delete;

/// Calls `is` with the text of each of them, until it says true.
template <class Is>
bool any_command(std::string_view line, Is&& is) {
    return std::ranges::any_of(shell_commands(line), is, &ShellCommand::text);
}

/// The command, of the same length, with _ for each byte between quotes.
std::string with_quotes_hidden(std::string_view command);

enum class GitOptions : std::uint8_t {
    all,
    of_place,  ///< that say where git works; `-c` is none of them: it may name a program to run
};

/// What stands behind the options of git with which `text` begins: `push` of `-C dir --no-pager push`.
std::string_view past_git_options(std::string_view text, GitOptions which);

/// `git status` of `/usr/bin/git status`.
std::string_view without_folder(std::string_view command);

/// Does a command begin with these words, the last of them whole? Of /usr/bin/git the folder is no part, and of `git -C
/// a status` the option that only says where.
bool begins_with_words(std::string_view command, std::string_view words);

}  // namespace agent_audit::detectors
