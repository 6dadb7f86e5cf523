#include "readers/gemini/gemini_prompt.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/raw_blanks.hpp"

#include <array>

namespace agent_audit::readers {

bool said_by_gemini_cli(std::string_view text) {
    constexpr std::array<std::string_view, 4> kOwn{kGeminiSetting, "User has manually exited Plan Mode.",
                                                   "System: Please continue.", "System: Potential loop detected."};
    return starts_with_one_of(text, kOwn);
}

bool begins_gemini_history(std::string_view text) {
    constexpr std::string_view kEnd = "</session_context>";
    if (!text.starts_with(kGeminiSetting)) return false;
    const std::size_t end = text.find(kEnd);
    return end != text.npos && !without_blanks_in_front(text.substr(end + kEnd.size())).empty();
}

GeminiPrompt without_gemini_hooks(std::string_view text) {
    constexpr std::string_view kOpen = "<hook_context>", kClose = "</hook_context>";
    GeminiPrompt prompt{{}, text, {}};
    if (text.starts_with(kOpen)) {
        const auto end = text.find(kClose);
        prompt.before = end == text.npos ? text : text.substr(0, end + kClose.size());
        prompt.said = without_blanks_in_front(text.substr(prompt.before.size()));
    }
    if (prompt.said.ends_with(kClose)) {
        const auto at = prompt.said.rfind(kOpen);
        if (at == prompt.said.npos) return prompt;
        prompt.behind = prompt.said.substr(at);
        prompt.said = prompt.said.substr(0, at);
    }
    return prompt;
}

}  // namespace agent_audit::readers
