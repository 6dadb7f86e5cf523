#include "readers/all.hpp"
#include "readers/messages/message_log.hpp"

namespace agent_audit::readers {
namespace {

Score score(std::span<const ProbeRecord> sample, Framing) {
    const MessageLogLook seen = look_at_messages(sample);
    if (seen.dialect != MessageDialect::anthropic_messages) return 0;
    return seen.odd_roles ? 60 : 85;
}

constexpr RecordKindDoc kKinds[] = {
    {"{role, content: [blocks]}, one a line", "one session a file; SessionStart before the first message"},
    {"{messages: […], system, tools}",
     "one session a record; a record that repeats an earlier one and goes on continues it, and sessions that come in "
     "turns are told "
     "one after the other; a request of another model or "
     "with other tools, while calls of the conversation are open, is a lane of its session"},
    {"{role: assistant, content, usage}", "a response, with its Usage"},
    {"text", "Message: human with TurnStart, or agent; beside tool results: injected"},
    {"thinking, redacted_thinking", "Thinking"},
    {"tool_use, server_tool_use, mcp_tool_use", "ToolCall"},
    {"tool_result, …_tool_result", "ToolResult: is_error decides; where no result has it, the text"},
    {"image, document", "counted as media"},
    {"compaction", "Compaction (summary)"},
    {"system, tools, model", "ContextChange"},
};

}  // namespace

ReaderSpec anthropic_messages() {
    return {"anthropic-messages",
            "Anthropic Messages",
            "messages with content blocks: one a line, messages[] documents, request logs",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            make_message_log,
            kMessageArrays};
}

}  // namespace agent_audit::readers
