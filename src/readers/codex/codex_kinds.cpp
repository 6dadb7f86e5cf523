#include "readers/codex/codex_kinds.hpp"

#include <algorithm>
#include <iterator>

namespace agent_audit::readers {
namespace {

constexpr std::string_view kRecords[] = {
    "dynamic_tools_updated", "id_allocation",       "inter_agent_communication_metadata",
    "realtime_item",         "security_risk_score", "world_state",
};

constexpr std::string_view kEvents[] = {
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "agent_message_delta",
    "agent_reasoning_delta",
    "context_compacted",
    "web_search_begin",
    "web_search_end",
    "image_generation_begin",
    "image_generation_end",
    "entered_review_mode",
    "exited_review_mode",
    "item_started",
    "sub_agent_activity",
    "thread_goal_updated",
    "exec_command_begin",
    "exec_command_output_delta",
    "exec_approval_request",
    "apply_patch_approval_request",
    "patch_apply_begin",
    "patch_apply_updated",
    "mcp_tool_call_begin",
    "mcp_startup_update",
    "mcp_startup_complete",
    "turn_diff",
    "plan_update",
    "plan_delta",
    "session_configured",
    "shutdown_complete",
    "view_image_tool_call",
    "background_event",
    "deprecation_notice",
    "raw_response_item",
    "guardian_assessment",
    "hook_started",
    "hook_completed",
    "terminal_interaction",
    "thread_settings_applied",
    "model_reroute",
    "request_user_input",
    "elicitation_request",
    "undo_completed",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "guardian_warning",
    "safety_buffering",
    "model_verification",
    "turn_moderation_metadata",
    "request_permissions",
    "agent_message_content_delta",
    "reasoning_content_delta",
    "reasoning_raw_content_delta",
    "auth_recovery_started",
    "auth_recovery_completed",
    "elicitation_abandoned",
    "environment_connected",
    "environment_disconnected",
    "raw_response_completed",
    "thread_queue_changed",
};

// Events of one family are ignored together.
constexpr std::string_view kFamilies[] = {
    "collab_",
    "realtime_conversation_",
};

constexpr std::string_view kItems[] = {
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "ghost_snapshot",
    "configuration_update",
    "other",
    "item_reference",
};

constexpr RecordKindDoc kDocs[] = {
    {"session_meta",
     "SessionStart (resumed when repeated), ContextChange (prompt size); of the parents behind it: copied history"},
    {"turn_context", "ContextChange (model, cwd) where it changed"},
    {"response_item/message", "Message: assistant, system (developer), human or injected by the origin rules"},
    {"response_item/reasoning", "Thinking (summary, size of the encrypted part)"},
    {"response_item/function_call, custom_tool_call, local_shell_call, tool_search_call", "ToolCall"},
    {"response_item/web_search_call, image_generation_call", "ToolCall with an opaque result: none is recorded"},
    {"response_item/*_output", "ToolResult; status from exit code lines, refined by end events"},
    {"response_item/agent_message, inter_agent_communication", "Message (from another agent)"},
    {"response_item/additional_tools", "ContextChange (size of the tool definitions)"},
    {"compacted", "Compaction (replacement history)"},
    {"event_msg/token_count", "Usage (running total of its requests, window, context size)"},
    {"event_msg/task_started, turn_started", "TurnStart"},
    {"event_msg/task_complete, turn_complete, turn_aborted", "TurnEnd; Notice (provider) of a turn that failed"},
    {"event_msg/thread_rolled_back", "Rewind (last turns)"},
    {"event_msg/patch_apply_end, mcp_tool_call_end, exec_command_end, item_completed of a call",
     "status of the ToolResult, or its update"},
    {"event_msg/item_completed of a call that a script made",
     "ToolCall by code and its ToolResult, hidden from the model"},
    {"response_item/custom_tool_call exec, its output, where no items are kept",
     "ToolCall by code and its ToolResult for each command that the script names"},
    {"event_msg/user_message", "proof that a human wrote the message; Message where no item has it"},
    {"event_msg/error, stream_error, warning", "Notice"},
    {"token_usage_record", "Usage, where no token_count tells the same figures: remote compactions, killed runs"},
    {"world_state", "ignored"},
    {"event_msg/agent_message, agent_reasoning, context_compacted, *_begin, item_completed, other; review mode",
     "ignored"},
};

constexpr RecordKindDoc kLegacyDocs[] = {
    {"first line: id, timestamp, instructions, git", "SessionStart, ContextChange (size of the instructions)"},
    {"message", "Message; TurnStart before a human's"},
    {"reasoning", "Thinking"},
    {"function_call, custom_tool_call, local_shell_call", "ToolCall"},
    {"function_call_output, custom_tool_call_output", "ToolResult"},
    {"record_type: state", "ignored"},
};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool codex_ignored_record(std::string_view type) { return is_one_of(type, kRecords); }

bool codex_ignored_event(std::string_view type) {
    return is_one_of(type, kEvents) ||
           std::ranges::any_of(kFamilies, [type](std::string_view family) { return type.starts_with(family); });
}

bool codex_ignored_item(std::string_view type) { return is_one_of(type, kItems); }

std::span<const RecordKindDoc> codex_kind_docs() { return kDocs; }

std::span<const RecordKindDoc> codex_legacy_kind_docs() { return kLegacyDocs; }

}  // namespace agent_audit::readers
