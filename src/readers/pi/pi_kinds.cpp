#include "readers/pi/pi_kinds.hpp"

#include "readers/json/format_util.hpp"

#include <array>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 17> kEntries{
    "message",      "custom_message", "compaction", "branch_summary",      "model_change",
    "reset",        "custom",         "label",      "session_info",        "thinking_level_change",
    "usage",        "context_edit",   "leaf",       "active_tools_change", "model_usage",
    "session_init", "reset_boundary"};

// Notes of Oh My Pi, a fork, which neither the model nor the person sees in the conversation.
constexpr std::array<std::string_view, 8> kForkNotes{"archive",      "credential_pin",      "mcp_tool_selection",
                                                     "mode_change",  "service_tier_change", "title",
                                                     "title_change", "ttsr_injection"};

constexpr std::array<std::string_view, 21> kStates{"agent_end",
                                                   "agent_settled",
                                                   "agent_start",
                                                   "auto_retry_end",
                                                   "auto_retry_start",
                                                   "compaction_start",
                                                   "entry_appended",
                                                   "extension_error",
                                                   "extension_ui_request",
                                                   "message_start",
                                                   "message_update",
                                                   "model_changed",
                                                   "queue_update",
                                                   "response",
                                                   "session_info_changed",
                                                   "thinking_level_changed",
                                                   "tool_execution_end",
                                                   "tool_execution_start",
                                                   "tool_execution_update",
                                                   "turn_end",
                                                   "turn_start"};

constexpr RecordKindDoc kDocs[] = {
    {"session; header", "SessionStart"},
    {"entry (version 4)", "as what it holds; LaneOpen in front of the first of another lane than main"},
    {"record (version 4)", "Usage of a hook, for example; why the context is compacted; others are ignored"},
    {"lane, fact (version 4)", "ignored"},
    {"a message without an entry around it", "as message, in which it would stand"},
    {"message, user",
     "Message: human with TurnStart, without the envelope (metadata, time) that OpenClaw puts around it; or injected "
     "(wake-ups, those by a timer with TurnStart; notices of the gateway)"},
    {"message, assistant", "Message, Thinking and ToolCall, one a block; Usage"},
    {"message, assistant with stopReason error or aborted",
     "the same, then Notice (provider) and TurnEnd (failed), or TurnEnd (aborted)"},
    {"message, toolResult",
     "ToolResult: isError, else details and text decide; Usage of the tool itself, if it is there"},
    {"message, bashExecution; pythonExecution", "ToolCall by the user and its ToolResult"},
    {"message, custom; fileMention; custom_message", "Message (injected)"},
    {"custom, openclaw:prompt-error", "Notice (provider)"},
    {"custom, other", "ignored"},
    {"compaction", "Compaction (summary, what was kept); Usage of the summary, if it is there"},
    {"reset, reset_boundary", "Compaction (reset)"},
    {"branch_summary", "Rewind and Message (summary); Usage, if it is there"},
    {"model_change", "ContextChange"},
    {"usage, model_usage", "Usage of a request beside the conversation, such as keeping the cache warm"},
    {"session_init", "ContextChange (the system prompt of a sub-agent, which another agent briefs from then on)"},
    {"leaf", "Rewind, when the next entry hangs elsewhere"},
    {"a message that follows a rewind with its old time", "the same events, marked as copies, without Usage"},
    {"thinking_level_change, label, session_info, context_edit, active_tools_change", "ignored"},
    {"title, title_change, mode_change, service_tier_change, ttsr_injection, credential_pin, archive, "
     "mcp_tool_selection (Oh My Pi)",
     "ignored"},
    {"--mode json: message_end, compaction_end", "as message and compaction; what happens around them is ignored"},
    {"an entry whose parent is not the entry before", "Rewind first; Notice when the parent is unknown"},
};

}  // namespace

bool pi_entry_type(std::string_view type) { return is_one_of(type, kEntries); }

bool pi_fork_note(std::string_view type) { return is_one_of(type, kForkNotes); }

bool pi_stream_state(std::string_view type) { return is_one_of(type, kStates); }

std::span<const RecordKindDoc> pi_kind_docs() { return kDocs; }

}  // namespace agent_audit::readers
