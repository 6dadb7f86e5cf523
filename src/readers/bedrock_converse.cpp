#include "readers/all.hpp"
#include "readers/messages/message_log.hpp"

namespace agent_audit::readers {
namespace {

Score score(std::span<const ProbeRecord> sample, Framing) {
    return look_at_messages(sample).dialect == MessageDialect::bedrock_converse ? 85 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{role, content: [blocks]}, one a line", "one session a file"},
    {"{messages: […], modelId, system, toolConfig}",
     "one session a record; a record that repeats an earlier one and goes on continues it"},
    {"{message, message_id, redact_message, created_at}", "a message of a session of Strands; its folder is one input"},
    {"{output: {message}, usage}", "a response, with its Usage"},
    {"{input: {inputBodyJson}, output: {outputBodyJson}}", "a request and its response, in a log of invocations"},
    {"text", "Message: human with TurnStart, or agent; beside tool results: injected"},
    {"reasoningContent", "Thinking"},
    {"toolUse", "ToolCall"},
    {"toolResult", "ToolResult: status decides; where no result has it, the text"},
    {"image, document, video", "counted as media"},
    {"system, toolConfig, modelId", "ContextChange"},
};

}  // namespace

ReaderSpec bedrock_converse() {
    return {"bedrock-converse",
            "Bedrock Converse",
            "messages with toolUse blocks: messages[] documents, one a line, logs of model invocations, sessions of "
            "Strands",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            make_message_log,
            kMessageArrays};
}

}  // namespace agent_audit::readers
