#pragma once

#include <string_view>

/// What stands in the messages of a user of Gemini CLI that no person typed.
namespace agent_audit::readers {

/// So begin the program's account of the setting, and the summary that stands for what was compressed.
inline constexpr std::string_view kGeminiSetting = "<session_context>", kGeminiSummary = "<state_snapshot>";

/// Whether the program says this in the user's place.
bool said_by_gemini_cli(std::string_view text);

/// The setting and behind it the first prompt, in one: so begins a history that is written again.
bool begins_gemini_history(std::string_view text);

/// A prompt, and what hooks add to it, in front of it or behind it.
struct GeminiPrompt {
    std::string_view before, said, behind;
};

/// Takes the texts of hooks off a prompt.
GeminiPrompt without_gemini_hooks(std::string_view text);

}  // namespace agent_audit::readers
