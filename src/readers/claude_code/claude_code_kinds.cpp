#include "readers/claude_code/claude_code_kinds.hpp"

#include <algorithm>
#include <iterator>

namespace agent_audit::readers {
namespace {

constexpr std::string_view kBookkeeping[] = {
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "custom-title",
    "ai-title",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "frame-link",
    "agent-name",
    "tag",
    "agent-color",
    "agent-setting",
    "worktree-state",
    "content-replacement",
    "stream_event",
    "rate_limit_event",
    "task-summary",
    "continued-in",
    "ended",
    "ended-by-model",
    "relocated",
    "isolation-latch",
    "atis-latch",
    "cost-state",
    "bridge-session",
    "file-history-delta",
    "attribution-snapshot",
    "history-suppression",
    "fork-context-ref",
    "speculation-accept",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "artifact-comment-monitor",
    "artifact-autoreact-ledger",
    "tool_progress",
    "tool_use_summary",
    "prompt_suggestion",
    "auth_status",
    "keep_alive",
    "control_request",
    "control_response",
    "control_cancel_request",
    "transcript_mirror",
    "active_goal",
    "conversation_reset",  // in front of everything
    "api-request",
    "api-request-blob",
    "api-request-resumed",
    "data-flow-records",
    "data-flow-incomplete",
    "derived-from",
    "dev-mods",
    "hybrid-organization",
    "memory-mode",
    "observer-ref",
    "repl-mode",
    "resume-head-vouch",
    "session-owner",
    "tools-used",
};

constexpr std::string_view kAside[] = {
    "stop_hook_summary",
    "informational",
    "local_command",
    "away_summary",
    "hook_response",
    "hook_started",
    "hook_progress",
    "status",
    "bridge_status",
    "agents_killed",
    "file_snapshot",
    "scheduled_task_fire",
    "task_started",
    "task_progress",
    "task_updated",
    "task_notification",
    "background_tasks_changed",
    "thinking_tokens",
    "commands_changed",
    "vcs_state_changed",
    "code_change_published",
    "post_turn_summary",
    "memory_saved",
    "permission_retry",
    "session_state_changed",
    "files_persisted",
    "elicitation_complete",
    "local_command_output",
    "mirror_error",
    "worker_shutting_down",
    "notification",
    "bridge_state",
    "checkpoint_done",
    "cloud_session_delta",
    "cloud_session_status",
    "control_request_progress",
    "dev_intent",
    "feedback_draft_queued",
    "file_attachments_missing",
    "inherited_asks_settled",
    "instruction_size_warning",
    "late_allow_not_run",
    "memory_recall",
    "model_refusal_no_fallback",  // the answer itself says that it was refused
    "peer_message_hold",
    "per_turn_effort_changed",
    "permission_check_status",
    "placed",
    "plugin_install",
    "read_divider",
    "rewind_stand_in",
    "session_metadata",
    "session_title_changed",
    "shell_cwd",
    "start_folder",
    "task_summary",
    "thinking",
    "tool_host_result",
    "turn_began_before_init",
    "turn_handoff_available",
    "turn_preempted",
    "turn_starting",
    "voice_call_talk",
};

// What is written down for the screen, for hooks or for the next start of the program.
constexpr std::string_view kNeverSent[] = {
    "advisor_stripped",        "already_read_file",        "async_hook_response_batch",
    "batching_reminder_sent",  "command_permissions",      "credential_org",
    "deferred_tools_record",   "edited_image_file",        "goal_status",
    "hook_cancelled",          "hook_deferred_tool",       "hook_error_during_execution",
    "hook_non_blocking_error", "hook_permission_decision", "hook_system_message",
    "max_turns_reached",       "progress_reminder_sent",   "projects_thread_ask",
    "prompt_as_file",          "prompt_render_point",      "secondary_reminder_sent",
    "session_cron_carry",      "structured_output",        "teammate_shutdown_batch",
    "thinking_drop",           "thinking_stripped",        "tool_host_result_lines",
    "tool_offer_record",       "whole_texts_withdrawn",    "withheld_memory",
};

// Hooks whose output becomes part of the conversation when they succeed.
constexpr std::string_view kHeardHooks[] = {"SessionStart", "UserPromptSubmit", "UserPromptExpansion",
                                            "PostModelSwitch"};

constexpr RecordKindDoc kDocs[] = {
    {"parentUuid null with a sessionId that is new, and no compaction or resume",
     "SessionStart: another session in the same stream"},
    {"assistant",
     "one content block: Message, Thinking or ToolCall; Usage (repeated, the best counts), and that of an advisor"},
    {"assistant, isApiErrorMessage", "Notice (provider error); Usage where a model was billed"},
    {"user, text", "Message: human, or injected by the origin rules; TurnStart for a human"},
    {"user, <command-message> with <command-args>", "TurnStart and Message (human): what was typed behind the command"},
    {"user, text beside a tool_result",
     "TurnStart and Message (queued), unless a tag or a known word of the program begins it"},
    {"user, tool_result", "ToolResult: ok, error, denied, cancelled"},
    {"user, [Request interrupted…]", "TurnEnd (aborted)"},
    {"user, isCompactSummary", "Message (summary)"},
    {"user, <bash-input>/<bash-stdout>", "ToolCall by the user and its ToolResult, without the tags"},
    {"system, compact_boundary", "Compaction (summary)"},
    {"system, microcompact_boundary", "Compaction (cleared tool results)"},
    {"system, api_error; stream-json: api_retry", "Notice (provider, with attempt and wait)"},
    {"system, model_refusal_fallback, model_fallback, model_consent_fallback",
     "Notice (provider; none where the human chose) and ContextChange (model)"},
    {"system, session_writes_lost", "Notice (harness)"},
    {"conversation_reset", "Compaction (reset)"},
    {"supersedes", "Rewind before the first message in whose place this one is"},
    {"system, permission_denied", "the refused call's ToolResult: refused by a rule"},
    {"system, turn_duration", "TurnEnd (completed)"},
    {"user, origin or a known beginning: another agent", "Message (agent); no turn"},
    {"attachment", "Message (injected, hook, queued human text, or another agent's); hidden where the model sees none"},
    {"attachment, tool_results_cut", "Compaction (cleared tool results)"},
    {"attachment, prompt_snapshot; api-request-shape",
     "ContextChange (size of the system prompt and the tools), once a lane"},
    {"api-request, api-request-blob, api-request-resumed", "ignored: what they repeat is told by the conversation"},
    {"cost-state", "Usage (running cost of the session, with its sub-agents and helpers)"},
    {"agent-….meta.json beside a sub-agent's file", "the label of its SessionStart: kind, call of the parent, task"},
    {"progress with a message", "a sub-agent's message in its own lane"},
    {"queue-operation, remove, while a call runs",
     "TurnStart and Message (queued), unless the text is recorded as a message before the next response"},
    {"cwd that differs from the record before", "ContextChange"},
    {"progress, other; titles; snapshots; modes; queue-operation, other", "ignored"},
    {"version before 2.1.75",
     "ContextChange: every model had a window of 200,000 tokens, unless a longer one was chosen"},
    {"stream-json: system init, result",
     "ContextChange; Usage (cost, and what the responses had not told), Notice where it failed, and TurnEnd"},
};

}  // namespace

bool claude_code_bookkeeping(std::string_view type) {
    return std::ranges::find(kBookkeeping, type) != std::end(kBookkeeping);
}

bool claude_code_aside(std::string_view subtype) {
    return subtype.starts_with("ui_") || std::ranges::find(kAside, subtype) != std::end(kAside);
}

bool claude_code_never_sent(std::string_view attachment) {
    return std::ranges::find(kNeverSent, attachment) != std::end(kNeverSent);
}

bool claude_code_heard_hook(std::string_view event) {
    return std::ranges::find(kHeardHooks, event) != std::end(kHeardHooks);
}

std::span<const RecordKindDoc> claude_code_kind_docs() { return kDocs; }

}  // namespace agent_audit::readers
