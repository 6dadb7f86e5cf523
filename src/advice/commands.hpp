#pragma once

#include <agent_audit/model/text.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// The command line of a call that runs a shell: of ["bash","-lc","…"] the last element.
std::string command_of(RawText primary);

/// Whose exit code a command's is.
enum class CheckCommand : std::uint8_t {
    no,     ///< it runs no test, build or lint
    own,    ///< success of the whole says that the check passed
    mixed,  ///< a pipe, ; or || stands behind it: its output must tell
};
struct CheckPart {
    CheckCommand kind = CheckCommand::no;
    std::string words;  ///< of the checks alone
    bool edits_after = false;  ///< the same command changes something behind the check
    std::string directory;     ///< where the last of them ran; empty = where the session works
};
/// Tests, builds, lints and type checks; what only formats, configures, starts or publishes is none. `directory` is
/// where the command begins, empty = the session's own.
CheckPart check_of(std::string_view command, std::string_view directory = {});

/// Whether the output of a check speaks of success and of no failure.
bool says_success(std::string_view output);

/// What a shell command does to files and to the history, as far as its words tell.
struct CommandEffects {
    std::vector<std::string> changed, read;  ///< paths, below the directory that the command goes to
    bool commits = false;
    std::string message;      ///< of the commit, where it is on the command line
    bool undoes = false;      ///< takes uncommitted changes back: of `undone`, or of all files when it is empty
    std::vector<std::string> undone;
    bool stashes = false, unstashes = false;
};
/// `directory` is where the command begins, empty = the session's own.
CommandEffects effects_of(std::string_view command, std::string_view directory = {});

/// A path below a directory, without "." and "..", where that is possible.
std::string joined_path(std::string_view directory, std::string_view path);

/// The files that a patch names: "*** Update File: x", "+++ b/x".
void add_patched_files(std::string_view text, std::vector<std::string>& paths);

}  // namespace agent_audit::advice
