#pragma once

#include <optional>
#include <string_view>

namespace agent_audit::readers {

/// What a shell of Copilot CLI says of itself below what the command printed: in a line of its own, the last one.
struct CopilotShellNote {
    std::string_view text;  ///< what stands before it
    std::optional<int> exit_code;
    std::string_view running;  ///< the shell in which the command goes on
};

/// Takes the note off the answer of a command, a text as JSON writes it:
///
///   1 failing\n<exited with exit code 1>
///   1 failing\n<shellId: 51 completed with exit code 1>     (since 1.0.64; another number each time)
///   <command with shellId: 22 is still running after 30 seconds. …>
///
/// The number of a shell would make two equal outputs differ, and the exit code says how the command ended. A text
/// without a note is given back whole.
CopilotShellNote copilot_shell_note(std::string_view raw);

}  // namespace agent_audit::readers
