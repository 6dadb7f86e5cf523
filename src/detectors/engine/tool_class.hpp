#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What a tool's name says, before its arguments are looked at.
struct ToolNameClass {
    ToolClass tool_class = ToolClass::other;
    bool runs_shell = false;  ///< the command decides
    bool by_action = false;   ///< an "action"/"command" argument decides (process, str_replace_editor)
    bool stdin_poll = false;  ///< polls when called with empty input (write_stdin)
};

/// Names are compared without an mcp__server__ prefix, case and what joins their words: power_shell is PowerShell.
ToolNameClass classify_tool(std::string_view raw_name);
/// The same with what a run sets over the table; there a name may have its prefix. A tool set to `shell` is judged by
/// its command.
ToolNameClass classify_tool(std::string_view raw_name, const ToolClassOverlay& overlay);

/// The names whose class is known, their words joined by _.
std::vector<std::string_view> known_tools();

/// The words for a ToolClass, in its order.
std::span<const std::string_view> tool_class_names();

/// Bytes of a command by which it is classed: heredocs and inline scripts behind them can be huge.
inline constexpr std::size_t kClassedBytes = 384;

/// What a shell command does: split at && || ; | and newlines, each part judged by its first words.
/// A pause followed by a look is a poll; a pause alone is a wait.
ToolClass classify_command(RawText command);

/// Does the name of a tool say that it changes something: update_order, deployService?
bool names_a_change(std::string_view raw_name);

/// Whether a tool asks the person: ask_user, AskUserQuestion, request_user_input, ask_followup_question, question, …
bool asks_person(std::string_view tool);

/// Does a call type nothing but Ctrl-C, and so end what runs? `fields`: as ToolCall::fields.
bool stops_program(RawText primary, RawText args, std::span<const CallField> fields = {});

/// The name of the running command that a call with these arguments asks after (write_stdin); empty = none is told.
std::string_view session_asked(std::string_view args);

/// Class of one call.
ToolClass classify_call(const ToolNameClass& name, RawText primary, RawText args);

}  // namespace agent_audit::detectors
