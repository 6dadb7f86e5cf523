#include "readers/all.hpp"
#include "readers/messages/message_log.hpp"

namespace agent_audit::readers {
namespace {

Score score(std::span<const ProbeRecord> sample, Framing) {
    const MessageLogLook seen = look_at_messages(sample);
    if (seen.dialect != MessageDialect::chat_completions) return 0;
    if (seen.odd_roles) return 50;
    return seen.sessions ? 80 : 75;
}

constexpr RecordKindDoc kKinds[] = {
    {"{role, content, …}, one a line", "one session a file; SessionStart before the first message"},
    {"{messages: […]}, {trajectory: […]}, or an array of messages",
     "one session a record; a record that repeats an earlier one and goes on continues it, and sessions that come in "
     "turns are told "
     "one after the other; a request of another model or "
     "with other tools, while calls of the conversation are open, is a lane of its session"},
    {"{prompt: […], completion: […]}", "of training data: the two halves of one conversation"},
    {"{prompt, chosen: […], rejected: […]}", "of training data: two conversations"},
    {"{episode_id, trajectories: [{steps: [{chat_completions}]}]}", "an episode of rLLM: a session a trajectory"},
    {"{choices: [{message}], usage}", "the first choice, with its Usage"},
    {"system, developer", "Message (system)"},
    {"user", "TurnStart and Message (human); with the name of an agent: Message (agent)"},
    {"assistant", "Message, Thinking (reasoning), ToolCall (tool_calls, function_call), Usage"},
    {"tool, function", "ToolResult; without is_error the text decides"},
    {"human", "TurnStart and Message (human)"},
    {"log", "Message (system, synthetic)"},
    {"any other role", "Message (agent); the first speaker of a group chat gives the task"},
    {"tools, functions, model", "ContextChange"},
};

}  // namespace

ReaderSpec chat_completions() {
    return {"chat-completions",
            "OpenAI Chat Completions",
            "messages with tool_calls: one a line, messages[] documents, response logs, fine-tuning data",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            make_message_log,
            kMessageArrays};
}

}  // namespace agent_audit::readers
