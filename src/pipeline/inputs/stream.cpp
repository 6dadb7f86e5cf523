#include <agent_audit/pipeline/stream.hpp>

#include "pipeline/inputs/inputs.hpp"

namespace agent_audit {
namespace {

// Announces what the events are made from, and leaves out what stands in a file of its own.
class Announcer final : public EventSink {
public:
    Announcer(InputSink& sink, const std::string& path, const ReaderSpec& spec, const RecordReader& reader,
              std::span<const IdHash> own_files)
        : sink_(sink), path_(path), spec_(spec), reader_(reader), muted_(own_files, path) {
        if (!spec.relays) begin({spec.id, spec.signals});
    }

    void on_event(const Event& event) override {
        if (spec_.relays) follow();
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) muted_.clear();
        if (!muted_.mutes(event)) sink_.on_event(event);
    }

    void end(const IngestStats& stats) {
        if (spec_.relays && !begun_) follow();
        sink_.end_input(stats);
    }

private:
    void begin(const RelayedFormat& format) {
        begun_ = true;
        now_ = format;
        sink_.begin_input({path_, format.id.empty() ? spec_.id : format.id, format.signals});
    }

    // Events that were made from other formats may change those on the way.
    void follow() {
        const RelayedFormat format = reader_.relayed();
        if (begun_ && format.id == now_.id && format.signals == now_.signals) return;
        if (begun_) sink_.end_input({});
        begin(format);
    }

    InputSink& sink_;
    const std::string& path_;
    const ReaderSpec& spec_;
    const RecordReader& reader_;
    MutedLanes muted_;
    RelayedFormat now_;
    bool begun_ = false;
};

struct Run {
    const ReaderSpec* forced = nullptr;
    InputLimits limits;
    InputBuffers buffers;
    std::vector<IdHash> own_files;
};

enum class Streamed : std::uint8_t {
    yes,
    no_session,
    unread,  // and there may be one
};

Streamed stream_input(Run& run, std::uint32_t index, InputSink& sink, InputReport& report) {
    OpenedInput opened = open_session(report.path, index, run.forced, run.limits, run.buffers);
    if (!opened.reader) {
        report.error = opened.problem;
        return opened.unread ? Streamed::unread : Streamed::no_session;
    }
    report.format = opened.reader->id;
    const auto reader = opened.reader->make();
    Announcer announcer(sink, report.path, *opened.reader, *reader, run.own_files);
    read_records(*opened.source, *reader, announcer, report, [&sink] { return sink.wants_more(); });
    reader->finish(announcer);
    announcer.end(report.stats);
    report.stats.bytes = opened.source->bytes();
    report.counts_records = opened.source->counts_records();
    if (opened.source->error()) report.error = *opened.source->error();
    return Streamed::yes;
}

}  // namespace

Result<StreamOutcome> stream_events(const StreamPlan& plan, InputSink& sink) {
    auto forced = reader_named(plan.input_format);
    if (!forced) return forced.error();
    Run run;
    run.forced = *forced;
    run.limits.max_record_bytes = plan.max_line_bytes;
    InputList list = expand_inputs(plan.inputs);
    leave_out(list, plan.exclude);
    run.own_files = sub_agents_with_files(list.paths);

    StreamOutcome outcome;
    outcome.problems = std::move(list.problems);
    for (std::size_t i = 0; i < list.paths.size() && sink.wants_more(); ++i) {
        InputReport& report = outcome.inputs.emplace_back();
        report.path = list.paths[i].path;
        const Streamed streamed = stream_input(run, static_cast<std::uint32_t>(i), sink, report);
        outcome.read_inputs += streamed == Streamed::yes ? 1 : 0;
        if (!list.paths[i].named && streamed == Streamed::no_session) {
            report.error.reset();
            ++outcome.skipped_inputs;
        }
        outcome.ingest += report.stats;
    }
    return outcome;
}

}  // namespace agent_audit
