#include "readers/all.hpp"
#include "readers/messages/message_log.hpp"

namespace agent_audit::readers {
namespace {

Score score(std::span<const ProbeRecord> sample, Framing) {
    return look_at_messages(sample).dialect == MessageDialect::gemini_api ? 85 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{role, parts}, one a line or in an array", "one session a file"},
    {"{contents: […], systemInstruction, tools}",
     "one session a record; a record that repeats an earlier one and goes on continues it"},
    {"{request: {contents}, response: {candidates}}", "a request and its response"},
    {"{candidates, usageMetadata}", "the first candidate, with its Usage: thoughts count as output"},
    {"text", "Message: human with TurnStart, or agent; with thought: Thinking"},
    {"functionCall, executableCode", "ToolCall"},
    {"functionResponse", "ToolResult: a lone error decides; without an id it answers the oldest open call"},
    {"codeExecutionResult", "ToolResult: outcome decides"},
    {"inlineData, fileData", "counted as media"},
    {"systemInstruction, tools, modelVersion", "ContextChange"},
};

}  // namespace

ReaderSpec gemini_api() {
    return {"gemini-api",
            "Gemini API",
            "contents with functionCall parts: requests and responses, batch rows, tuning data, one message a line",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            make_message_log,
            kMessageArrays};
}

}  // namespace agent_audit::readers
