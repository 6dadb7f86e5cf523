#pragma once

#include <agent_audit/model/event.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// Commands, and sub-agents, that go on when their call is answered, and are asked after by other calls: Codex'
/// write_stdin, Claude Code's BashOutput and TaskOutput, OpenClaw's process, Copilot's read_bash.

/// The name under which a command goes on, as its answer tells it; empty = it tells none.
std::string handle_in(std::string_view answer);

/// Whether an answer says that the command goes on.
bool goes_on_in_background(const ToolResult& result, std::string_view words);

/// Every name that the arguments of a call may ask after.
std::vector<std::string> handles_asked(RawText arguments);

/// Whether a call stops what it names: by its tool, its action, or an interrupt that it types.
bool stops_it(std::string_view tool, RawText arguments);

/// How a command ended, as an answer tells it.
struct Ending {
    bool ended = false;
    std::optional<int> exit_code;
};
Ending ending_of(const ToolResult& result, std::string_view words);

/// What a program around an agent writes when a command in the background is over:
/// <task-notification><task-id>…</task-id>…<status>…</status>.
struct TaskNotice {
    std::string handle;
    Ending ending;
};
std::optional<TaskNotice> task_notice(std::string_view message);

/// The file that a program around an agent says to have been changed, by whomever:
/// {"type":"edited_text_file","filename":…}. Empty: it says nothing of the kind.
std::string changed_file_told(RawText message);

}  // namespace agent_audit::advice
