#include "readers/all.hpp"
#include "readers/messages/message_log.hpp"

namespace agent_audit::readers {
namespace {

Score score(std::span<const ProbeRecord> sample, Framing) {
    return look_at_messages(sample).dialect == MessageDialect::ai_sdk ? 85 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{role, content: [parts]}, one a line or in an array", "one session a file"},
    {"{messages: […]}", "one session a record; a record that repeats an earlier one and goes on continues it"},
    {"{finishReason, usage, response: {messages}}",
     "a step of a run: a response and its results, and its Usage; those of one callId are one session, as are those "
     "that "
     "repeat the ones before them"},
    {"{steps: [steps]}", "what a run gave back: one session"},
    {"text", "Message: human with TurnStart, or agent"},
    {"reasoning", "Thinking"},
    {"tool-call", "ToolCall"},
    {"tool-result, tool-error", "ToolResult: the type of its output, or isError, decides"},
    {"image, file", "counted as media"},
    {"usage", "Usage: cached tokens are part of the input"},
};

}  // namespace

ReaderSpec ai_sdk() {
    return {"ai-sdk",
            "AI SDK",
            "model messages with tool-call parts: messages[] documents, one a line, arrays",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            make_message_log,
            kMessageArrays};
}

}  // namespace agent_audit::readers
