#include "readers/claude_code_kinds.hpp"

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
    "conversation_reset",
    "tool_progress",
    "tool_use_summary",
    "prompt_suggestion",
    "auth_status",
    "keep_alive",
    "control_request",
    "control_response",
    "control_cancel_request",
    "transcript_mirror",
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
    "permission_denied",
    "permission_retry",
    "session_state_changed",
    "files_persisted",
    "elicitation_complete",
    "local_command_output",
    "mirror_error",
    "worker_shutting_down",
    "notification",
};

}  // namespace

bool claude_code_bookkeeping(std::string_view type) {
    return std::ranges::find(kBookkeeping, type) != std::end(kBookkeeping);
}

bool claude_code_aside(std::string_view subtype) { return std::ranges::find(kAside, subtype) != std::end(kAside); }

}  // namespace agent_audit::readers
