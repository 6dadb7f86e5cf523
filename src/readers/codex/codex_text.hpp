#pragma once

#include <agent_audit/model/event.hpp>

#include <optional>
#include <string_view>

namespace agent_audit::readers {

/// What the text of a tool output says about the call. Codex has no error field, so its header lines decide.
struct CodexOutcome {
    ResultStatus status = ResultStatus::unknown;
    std::optional<int> exit_code;
};

/// Reads the outcome from the first and last 400 bytes of a raw JSON string (escapes included).
CodexOutcome codex_outcome(std::string_view raw);

/// A custom tool that takes a program which calls the other tools ("code mode").
bool codex_script_tool(std::string_view name);

/// The header of what a script of the model's came to: newer versions offer their tools to such scripts only.
struct CodexScript {
    ResultStatus status = ResultStatus::unknown;
    std::string_view handle;  ///< under which a script that still runs is asked for
    std::string_view body;    ///< what follows in the same text
};
/// Nothing: a raw text that is no such header.
std::optional<CodexScript> codex_script(std::string_view raw);

/// The id under which a command goes on ("Process running with session ID 42"), from the header lines of a raw output.
std::string_view codex_session_id(std::string_view raw);

/// The 2025 form of an output is JSON in the string: {"output":"…","metadata":{"exit_code":0,…}}. Gives the still
/// doubly escaped inside of "output", or nothing when `raw` is not of that form.
std::optional<std::string_view> codex_wrapped_output(std::string_view raw);

/// What the tool itself said: without the header lines (chunk id, wall time, exit code, token count) that newer
/// versions put before "Output:". They are in the outcome or change from call to call.
std::string_view codex_body(std::string_view raw);

/// True when a text with the role "user" was put there by the program and not by a human.
bool codex_injected(std::string_view raw);

/// True for the tags that frame an attached image inside a human message.
bool codex_image_tag(std::string_view raw);

/// The shell line to quote for a call whose command is an array: ["bash","-lc","make"] gives make, any other array
/// gives itself. `primary` is where it begins inside `args`; anything but an array is handed back as it is.
RawText codex_command(RawText primary, RawText args);

}  // namespace agent_audit::readers
