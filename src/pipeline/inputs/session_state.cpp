#include <agent_audit/pipeline/session_state.hpp>

#include "pipeline/inputs/inputs.hpp"

#include <algorithm>

namespace agent_audit {
namespace {

// Hands on what stands at or before a line.
class UpTo final : public EventSink {
public:
    UpTo(std::uint64_t line, advice::Checkpointer& to) : line_(line), to_(to) {}

    void on_event(const Event& event) override {
        last_line = std::max(last_line, event.head.where.line);
        if (line_ != 0 && event.head.where.line > line_) return;
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) muted_.clear();
        if (muted_.mutes(event)) return;
        ++events;
        to_.on_event(event);
    }

    std::uint64_t events = 0;
    std::uint64_t last_line = 0;

private:
    std::uint64_t line_;
    advice::Checkpointer& to_;
    MutedLanes muted_{{}};
};

}  // namespace

Result<SessionState> session_state(const SessionStatePlan& plan) {
    const auto forced = reader_named(plan.input_format);
    if (!forced) return forced.error();
    InputLimits limits;
    limits.max_record_bytes = plan.max_line_bytes;
    InputBuffers buffers;
    SessionState out;
    OpenedInput opened = open_session(plan.input, 0, *forced, limits, buffers);
    if (!opened.reader) {
        out.problem = opened.problem;
        return out;
    }
    out.format = opened.reader->id;
    advice::CheckpointOptions when = plan.checkpoints;
    if (!plan.on_checkpoint) when = {.every = 0, .before_risks = false, .most = 0};
    const auto keep = plan.on_checkpoint ? plan.on_checkpoint : [](const advice::Checkpoint&) {};
    advice::Checkpointer checkpointer(when, keep, plan.filter);
    UpTo sink(plan.at_line, checkpointer);
    InputReport report;
    report.format = out.format;
    const auto reader = opened.reader->make();
    read_records(*opened.source, *reader, sink, report, [] { return true; });
    reader->finish(sink);
    out.state = checkpointer.memory().checkpoint();
    out.events = sink.events;
    out.last_line = std::max(sink.last_line, report.stats.records());
    out.lost_records = report.stats.bad();
    out.bad = std::move(report.bad);
    out.counts_records = opened.source->counts_records();
    if (report.error) out.problem = *report.error;
    if (opened.source->error()) out.problem = *opened.source->error();
    return out;
}

}  // namespace agent_audit
