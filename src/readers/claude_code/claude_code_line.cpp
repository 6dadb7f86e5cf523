#include "readers/claude_code/claude_code_line.hpp"

#include "readers/claude_code/claude_code_text.hpp"

#include <string_view>

namespace agent_audit::readers {

std::string_view claude_code_denial(const ClaudeCodeLine& line, const ClaudeCodeBlock& result) {
    return line.refused_call.empty() || line.refused_call == result.id ? line.reason : std::string_view{};
}

ResultStatus claude_code_failed_as(const ClaudeCodeLine& line, const ClaudeCodeBlock& result) {
    const std::string_view text = result.content.text.bytes;
    const std::string_view reason = claude_code_denial(line, result);
    // With the turn; nobody said no to this call.
    if (reason == "interrupted" || reason == "cancelled") return ResultStatus::cancelled;
    if (claude_code_refused(text) || !reason.empty()) return ResultStatus::denied;
    const bool with_others =
        text.starts_with("<tool_use_error>Sibling tool call errored") || text.starts_with("<tool_use_error>Cancelled");
    return with_others ? ResultStatus::cancelled : ResultStatus::error;
}

}  // namespace agent_audit::readers
