#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// A command line as a shell would take it apart.

using Words = std::vector<std::string>;

struct Part {
    Words words;
    std::string text;
    std::string end;  ///< what follows it: && || ; | or nothing
};

/// The commands of a line, at most 64 or a few more: quotes are respected, here-documents passed over, and what a shell
/// is told to run (`bash -c '…'`) stands in its place.
std::vector<Part> split(std::string_view command);

/// The program and where its arguments begin; assignments and wrappers are passed over.
struct Program {
    std::string name;
    std::size_t at = 0;
};
Program program_of(const Words& words);

/// Arguments that are no options, up to a redirection.
Words arguments(const Words& words, std::size_t from);
bool has_option(const Words& words, std::string_view option);
/// "-rf", "-fr", "-r": a letter among short options.
bool has_letter(const Words& words, char letter);

/// Without "2>&1" and what stands behind it.
std::string_view unredirected(std::string_view text);

/// cd x
bool goes_elsewhere(const Part& part);

inline constexpr std::size_t kLongestPath = 300;  ///< bytes

/// A word that can be a path: no option, no pattern, no substitution.
bool is_path(std::string_view word);
/// Looks like a file and not like a word, a number or a range of lines.
bool is_file(std::string_view word);

}  // namespace agent_audit::advice
