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

/// The 2025 form of an output is JSON in the string: {"output":"…","metadata":{"exit_code":0,…}}. Gives the still
/// doubly escaped inside of "output", or nothing when `raw` is not of that form.
std::optional<std::string_view> codex_wrapped_output(std::string_view raw);

/// True when a text with the role "user" was put there by the program and not by a human.
bool codex_injected(std::string_view raw);

/// True for the tags that frame an attached image inside a human message.
bool codex_image_tag(std::string_view raw);

}  // namespace agent_audit::readers
