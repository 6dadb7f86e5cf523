#include "readers/copilot/copilot_kinds.hpp"

#include "readers/json/format_util.hpp"

#include <array>

namespace agent_audit::readers {
namespace {

// Kinds that tell nothing the audit needs, by their beginning.
constexpr std::array<std::string_view, 58> kQuiet{"hook.",
                                                  "permission.",
                                                  "assistant.turn_",
                                                  "assistant.intent",
                                                  "assistant.reasoning",
                                                  "assistant.streaming",
                                                  "assistant.message_",
                                                  "assistant.tool_call_",
                                                  "assistant.server_tool_",
                                                  "assistant.fusion_",
                                                  "assistant.idle",
                                                  "tool.execution_p",
                                                  "tool_search.",
                                                  "pending_messages.",
                                                  "session.mode_changed",
                                                  "session.title_changed",
                                                  "session.idle",
                                                  "session.usage_info",
                                                  "session.usage_checkpoint",
                                                  "session.auto_mode_resolved",
                                                  "session.managed_settings_",
                                                  "skill.context_delivered",
                                                  "session.permissions_changed",
                                                  "session.session_limits_",
                                                  "session.plan_changed",
                                                  "session.todos_changed",
                                                  "session.autopilot_objective_",
                                                  "session.schedule_",
                                                  "session.workspace_file_changed",
                                                  "session.binary_asset",
                                                  "session.handoff",
                                                  "session.remote_steerable_",
                                                  "session.background_tasks_changed",
                                                  "session.tools_updated",
                                                  "session.skills_loaded",
                                                  "session.mcp_",
                                                  "session.extensions",
                                                  "session.custom_",
                                                  "session.fusion_",
                                                  "session.canvas.",
                                                  "session_limits_exhausted.",
                                                  "auto_mode_switch.",
                                                  "exit_plan_mode.",
                                                  "elicitation.",
                                                  "user_input.",
                                                  "external_tool.",
                                                  "sampling.",
                                                  "mcp.",
                                                  "mcp_app.",
                                                  "command.",
                                                  "commands.",
                                                  "capabilities.",
                                                  "factory.",
                                                  "ui.",
                                                  "sandbox.",
                                                  "agent.interrupted",
                                                  "prompt_cache_break",
                                                  "model."};

constexpr RecordKindDoc kKinds[] = {
    {"session.start, session.resume", "SessionStart"},
    {"session.model_change, session.context_changed", "ContextChange"},
    {"system.message", "Message (system)"},
    {"user.message", "TurnStart and Message (human); while the agent works: queued; with a source: injected"},
    {"assistant.message",
     "Thinking, Message, a ToolCall for each request, Usage (output); without a start its model: ContextChange"},
    {"tool.execution_start", "ToolCall, where no message told it"},
    {"tool.execution_complete", "ToolResult; for commands the exit code decides, or that they are still running"},
    {"tool.user_requested", "ToolCall by the user"},
    {"session.usage_record, assistant.usage, model.model_call_success", "Usage"},
    {"session.shutdown", "Usage: what the messages had not told"},
    {"session.compaction_start, session.compaction_complete, session.truncation",
     "Compaction; Usage: all requests of the summary in one"},
    {"session.context_cleared", "Compaction (reset); its initialMessage: Message (injected)"},
    {"session.snapshot_rewind", "Rewind"},
    {"abort, session.task_complete, the result of a run that prints its events", "TurnEnd"},
    {"session.error, session.warning, session.info", "Notice"},
    {"subagent.…, events with agentId", "LaneOpen, the events in the agent's own lane, LaneClose"},
    {"system.notification, skill.invoked, session.mode_notice_delivered", "Message (injected)"},
    {"permission.completed", "who denied a call: a person, or a rule, a hook, nobody to ask"},
    {"hooks, other permissions, turns of the model, pieces, states, settings, schedules", "ignored"},
};

}  // namespace

bool copilot_tells_nothing(std::string_view type) { return starts_with_one_of(type, kQuiet); }

Score copilot_cli_score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 9> kOurs{"session.",     "assistant.",  "tool.execution_",
                                                    "user.message", "system.",     "hook.",
                                                    "subagent.",    "permission.", "abort"};
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || !r.has("data") || r.has("payload")) continue;
        const std::string_view type = r.text("type");
        const ProbeRecord data = r.child("data");
        if (type == "session.start" && (data.has("copilotVersion") || data.text("producer") == "copilot-agent"))
            return kCertain;
        if (starts_with_one_of(type, kOurs) && r.has("parentId") && r.has("timestamp")) best = 90;
    }
    return best;
}

std::span<const RecordKindDoc> copilot_cli_kind_docs() { return kKinds; }

}  // namespace agent_audit::readers
