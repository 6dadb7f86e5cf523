#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// The command line of a call that runs a shell: of ["bash","-lc","…"] the last element.
std::string command_of(RawText primary);

/// What a command is about, so that another attempt at the same thing has the same: of git and its like the verb, of
/// others all words without what only quotes, pipes or places them. Digits are one mark.
std::string command_target(std::string_view command);

/// The same for each part of a command: what runs them all, with more around them, does what the command does.
struct CommandParts {
    std::vector<std::uint64_t> all;
    std::vector<std::uint64_t> sure;  ///< of these the success of the whole tells: nothing but && stands behind them
    bool either = false;              ///< "a || b": of none the success tells
    bool in_doubt() const { return either || sure.size() < all.size(); }
};
CommandParts command_parts(std::string_view command);

/// Whether the output of a command says that one of its parts failed, though the last one did not: in words, or by the
/// code that it was told to print ("exit=1").
bool tells_failed_part(bool prints_code, std::string_view output);

/// What a command that only writes files puts there: a patch, a text below the command line, or nothing of both.
enum class Written : std::uint8_t { nothing, patch, text };
Written written_by(std::string_view command);

/// What no test, build or lint says anything about: texts and pictures.
bool is_prose(std::string_view path);

/// Words with runs of digits as one mark: attempts at the same thing differ in line numbers and sizes.
std::string masked(std::string_view text);

}  // namespace agent_audit::advice
