#include "readers/gemini/gemini_result.hpp"

#include "readers/gemini/gemini_mcp.hpp"
#include "readers/gemini/gemini_shell.hpp"

namespace agent_audit::readers {
namespace {

// "success" says that the tool ran; what a command made of it stands in the text.
ResultStatus status(const GeminiCall& call, const ToolResult& result) {
    const std::string_view text = result.text.bytes;
    if (call.status == "success") return status_of(result.exit_code);
    const bool refused = text.find("did not allow") != text.npos || text.find("denied by policy") != text.npos ||
                         text.starts_with("Tool execution blocked: ");  // by a hook
    if (refused) return ResultStatus::denied;
    return call.status == "error" ? ResultStatus::error : ResultStatus::cancelled;
}

}  // namespace

ToolResult gemini_result(const GeminiCall& call, std::string& room) {
    ToolResult result;
    result.call_id = text_of(call.id);
    result.name = text_of(call.name);
    result.text = !call.error.empty() ? call.error : !call.output.empty() ? call.output : call.display;
    const bool shell = call.name == "run_shell_command";
    if (shell) result.exit_code = number_after(result.text.bytes, "Exit Code: ");
    result.status = status(call, result);
    result.media_count = call.media;
    result.media_hash = call.media_hash;
    result.text = shell ? shell_answer(result.text) : mcp_answer(result.text, room);
    return result;
}

}  // namespace agent_audit::readers
