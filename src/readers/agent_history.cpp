#include "readers/all.hpp"
#include "readers/messages/message_log.hpp"

// {"role":"WebSurfer","content":"I clicked 'Next'.\n\nHere is a screenshot of […](…). …"}, one a line
// {"history":[{"role":"user","name":"Computer_terminal","content":"exitcode: 0 …"}, …],"question":"…"}

namespace agent_audit::readers {
namespace {

Score score(std::span<const ProbeRecord> sample, Framing) {
    const HistoryLook seen = look_at_history(sample);
    if (seen.documents) return 85;
    return seen.team ? 78 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"{role, name, content}, one a line", "one session a file; the speaker is the name, else the role"},
    {"{history: […], question, …}, {chat_history: […], summary, cost}", "one session a record; its messages as above"},
    {"first speaker, human", "TurnStart and Message (human)"},
    {"Orchestrator (thought), Orchestrator (-> X)", "Message (agent)"},
    {"Orchestrator (…), who speaks next, that it stalled or is done", "Message (system, synthetic)"},
    {"a browsing or reading member's report", "Message (what was done), ToolCall and ToolResult (what was seen then)"},
    {"a fenced block or Action: that the next message answers",
     "ToolCall, with the answer as ToolResult; an action that is a sentence is a call of act"},
    {"Action: of a log without outcomes",
     "ToolCall and ToolResult; it failed when the next message begins by saying so; the outcome of a look is "
     "named after the call, that of a command is unknown"},
    {"log", "Message (system, synthetic); a new instance begins a turn"},
    {"everything else", "as in chat-completions"},
};

}  // namespace

ReaderSpec agent_history() {
    return {"agent-history",
            "Agent teams",
            "histories of Magentic-One, AG2, HyperAgent and other teams: speakers with names, calls inside their texts",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            make_history_log,
            kHistoryArrays};
}

}  // namespace agent_audit::readers
