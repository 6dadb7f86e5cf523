#include "readers/claude_code/claude_code_origin.hpp"

#include "readers/claude_code/claude_code_kinds.hpp"
#include "readers/claude_code/claude_code_text.hpp"

namespace agent_audit::readers {

Origin claude_code_origin(const ClaudeCodeLine& line, std::string_view text, bool beside_results, bool of_sub_agent) {
    if (line.compact_summary) return Origin::summary;
    const ClaudeCodeWriter writer = claude_code_writer(line.origin);
    if (writer == ClaudeCodeWriter::agent || claude_code_from_agent(text)) return Origin::agent;
    if (writer == ClaudeCodeWriter::program) return Origin::injected;
    if (writer == ClaudeCodeWriter::unknown && line.prompt_source == "system") return Origin::injected;
    if (line.meta || line.transcript_only || !line.source_tool_use_id.empty()) return Origin::injected;
    if (claude_code_injected(text)) return Origin::injected;
    if (beside_results)
        return !of_sub_agent && claude_code_typed_beside_results(text) ? Origin::queued : Origin::injected;
    if (of_sub_agent) return Origin::agent;  // a sub-agent is briefed by its parent
    return Origin::human;
}

Origin claude_code_queued_origin(const ClaudeCodeLine& line) {
    const std::string_view text = line.attachment_prompt.bytes;
    const ClaudeCodeWriter writer = claude_code_writer(line.origin);
    if (writer == ClaudeCodeWriter::agent || claude_code_from_agent(text)) return Origin::agent;
    const bool program = writer == ClaudeCodeWriter::program || line.command_mode == "task-notification" ||
                         (writer == ClaudeCodeWriter::unknown && line.attachment_meta);
    return program || claude_code_injected(text) ? Origin::injected : Origin::queued;
}

RawText claude_code_sent_of_attachment(const ClaudeCodeLine& line) {
    if (line.has_rendered) return line.rendered;
    const std::string_view type = line.attachment_type;
    if (claude_code_never_sent(type)) return {};
    if (type == "hook_success" && !line.hook_event.empty())
        return claude_code_heard_hook(line.hook_event) ? line.attachment_content : RawText{};
    if (type == "hook_additional_context" && !line.attachment_content.empty()) return line.attachment_content;
    return line.attachment;
}

}  // namespace agent_audit::readers
