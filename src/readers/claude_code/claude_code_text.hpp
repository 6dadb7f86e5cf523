#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// What texts of Claude Code's records say: who wrote them, and how a call ended. All are raw insides of JSON strings.
namespace agent_audit::readers {

bool claude_code_begins_with_tag(std::string_view text);

/// Text the program puts into user records on its own behalf.
bool claude_code_injected(std::string_view text);

/// A message of another agent's, in the words with which the program passes it on.
bool claude_code_from_agent(std::string_view text);

/// Who wrote a prompt, as its record says it; unknown: older versions do not say it.
enum class ClaudeCodeWriter : std::uint8_t { unknown, human, agent, program };
ClaudeCodeWriter claude_code_writer(std::string_view origin);

/// What a human types while a tool runs is sent with its result. What the program adds there stands in a tag, or is
/// known.
bool claude_code_typed_beside_results(std::string_view text);

/// What a human typed behind a command that stands for a prompt; empty for others. A command that the program carries
/// out itself, which no model sees, is written with its name first.
std::string_view claude_code_typed_behind_command(std::string_view text);

/// What the human ran with a `!`, and what it printed.
std::string_view claude_code_shell_input(std::string_view text);
struct ClaudeCodeShellOutput {
    std::string_view out, err;
};
ClaudeCodeShellOutput claude_code_shell_output(std::string_view text);

/// Whether a result says that the call was refused: by a human, or by a rule where nobody could be asked.
bool claude_code_refused(std::string_view text);

/// Whether a `toolDenialKind` names a rule, a hook or the classifier of the automatic mode. "user-rejected" stands also
/// where there was nobody to ask: of that the text tells.
bool claude_code_refused_by_rule(std::string_view kind);

/// The code in front of what a failed command printed.
std::optional<int> claude_code_exit_code(std::string_view text);

/// Tokens of the window that this version gave every model; 0: it depends on the model.
std::uint64_t claude_code_usual_window(std::string_view version);

/// What a tool said of its failure, as a raw JSON string: without the schema that newer versions add the first time
/// that a tool is called which was not loaded.
std::string_view claude_code_error(std::string_view raw);

}  // namespace agent_audit::readers
