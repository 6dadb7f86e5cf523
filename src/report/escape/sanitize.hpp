#pragma once

#include <string>
#include <string_view>

namespace agent_audit::report {

/// Text from a transcript, made harmless for a terminal and put on one line: controls, escape sequences,
/// direction changes, invisible tag characters and broken UTF-8 become visible escapes (\n, \x1b, \u202e).
std::string visible(std::string_view text);
void append_visible(std::string& out, std::string_view text);

/// True for code points that must never reach a terminal raw: they move the cursor, reorder or hide text.
bool is_treacherous(char32_t code_point);

/// Where a command of a CI runner stands in the text, "##[group]", "##vso[task.setvariable" or "##teamcity[": its first
/// #, or npos.
std::size_t find_ci_command(std::string_view text);

/// A finished output line in which a CI runner finds no command: a leading "::" (after white space) and
/// every "##[", also with a word before the bracket, are broken by U+200B after their first character.
std::string without_ci_commands(std::string_view line);
/// The same for each line of a text.
std::string lines_without_ci_commands(std::string_view text);
/// For JSON and TOML, where such commands stand in strings only: their bracket as \u005b.
std::string with_escaped_ci_commands(std::string_view document);
/// Where the beginning of such a command stands at the end of a piece of a text; its size where none does.
std::size_t before_unfinished_command(std::string_view text);

}  // namespace agent_audit::report
