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

/// A finished output line in which a CI runner finds no command: a leading "::" (after white space) and
/// every "##[" are broken by U+200B after their first character.
std::string without_ci_commands(std::string_view line);
/// The same for each line of a text.
std::string lines_without_ci_commands(std::string_view text);
/// For JSON and TOML, where "##[" stands in strings only: its bracket as \u005b.
std::string with_escaped_ci_commands(std::string_view document);

}  // namespace agent_audit::report
