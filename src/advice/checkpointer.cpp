#include <agent_audit/advice/checkpointer.hpp>

#include "advice/calls/call_facts.hpp"
#include "advice/calls/commands.hpp"

#include <utility>

namespace agent_audit::advice {

Checkpointer::Checkpointer(CheckpointOptions options, Sink sink, SessionMemory::TextFilter filter)
    : options_(options), sink_(std::move(sink)), memory_(std::move(filter)) {}

void Checkpointer::take(CheckpointReason reason, std::string risk) {
    if (taken_ >= options_.most) return;
    Checkpoint made = memory_.checkpoint();
    if (made.line == 0 || made.line == last_line_) return;
    made.reason = reason;
    made.risk = std::move(risk);
    last_ = made.responses;
    last_line_ = made.line;
    ++taken_;
    sink_(made);
}

void Checkpointer::on_event(const Event& event) {
    const auto* start = std::get_if<SessionStart>(&event.body);
    if (start && !start->resumed) last_ = last_line_ = taken_ = 0;
    if (options_.every > 0 && memory_.begins_response(event) && memory_.at_boundary() &&
        memory_.responses() >= last_ + options_.every) {
        take(CheckpointReason::interval, {});
    }
    if (options_.before_risks) {
        const auto* call = std::get_if<ToolCall>(&event.body);
        if (call && (event.head.flags & (kPartial | kStale)) == 0) {
            const CallFacts facts = facts_of(*call);
            if (facts.shell && is_risky_command(command_of(call->primary.empty() ? call->args : call->primary))) {
                take(CheckpointReason::risk, facts.words);
            }
        }
        const auto* compaction = std::get_if<Compaction>(&event.body);
        if (compaction && compaction->phase != CompactionPhase::failed && event.head.lane == 0 &&
            memory_.responses() > last_) {
            take(CheckpointReason::compaction, {});
        }
    }
    memory_.on_event(event);
}

}  // namespace agent_audit::advice
