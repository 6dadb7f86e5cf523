#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/detectors/step.hpp>

#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What a tool's name says, before its arguments are looked at.
struct ToolNameClass {
    ToolClass tool_class = ToolClass::other;
    bool runs_shell = false;  ///< the command decides
    bool by_action = false;   ///< an "action"/"command" argument decides (process, str_replace_editor)
    bool stdin_poll = false;  ///< polls when called with empty input (write_stdin, bash_command)
};

/// Names are compared without an mcp__server__ prefix, case and what joins their words: power_shell is PowerShell.
ToolNameClass classify_tool(std::string_view raw_name);
/// The same with what a run sets over the table; there a name may have its prefix. A tool set to `shell` is judged by
/// its command.
ToolNameClass classify_tool(std::string_view raw_name, const ToolClassOverlay& overlay);

/// The names whose class is known, their words joined by _.
std::vector<std::string_view> known_tools();

/// Does the name of a tool say that it changes something: update_order, deployService?
bool names_a_change(std::string_view raw_name);

/// Whether a tool asks the person: ask_user, AskUserQuestion, request_user_input, ExitPlanMode, question, …
bool asks_person(std::string_view tool);

}  // namespace agent_audit::detectors
