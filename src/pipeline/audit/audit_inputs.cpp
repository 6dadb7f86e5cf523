#include "pipeline/audit/audit_inputs.hpp"

#include "pipeline/audit/file_lines.hpp"
#include "pipeline/audit/printed_formats.hpp"
#include "pipeline/settings/plan.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>

namespace agent_audit {
namespace {

void merge_sessions(UsageMerger& merger, InputResult& result) {
    for (; result.merged < result.sessions.size(); ++result.merged) {
        SessionPart& part = result.sessions[result.merged];
        const std::size_t requests = part.usage->requests.size();
        part.merged_as = merger.add(std::move(*part.usage));
        part.shared = merger.shared_beginning();
        part.all_shared = part.shared > 0 && part.shared == requests;
        part.usage.reset();
        part.session.rest();
    }
}

// The input at this position is done: merge what can be merged now.
void merge_finished(AuditRun& run, std::size_t position) {
    const std::scoped_lock lock(run.merging);
    run.finished[position] = 1;
    for (; run.merged < run.order->size() && run.finished[run.merged] != 0; ++run.merged) {
        merge_sessions(*run.merger, run.results[(*run.order)[run.merged]]);
    }
}

// The input at this position goes on. Where its turn has come, its sessions need not wait for its end: a file may hold
// thousands.
void merge_begun(AuditRun& run, std::size_t position) {
    const std::scoped_lock lock(run.merging);
    if (run.merged == position) merge_sessions(*run.merger, run.results[(*run.order)[position]]);
}

std::size_t format_index(const ReaderSpec* reader) { return static_cast<std::size_t>(reader - all_readers().data()); }

const FormatRules& rules_for(const AuditRun& run, const ReaderSpec* reader) {
    LazyRules& rules = run.formats[format_index(reader)];
    std::call_once(rules.once, [&] {
        rules.made.rules = covered_rules(run.rules, reader->signals, rules.made.skipped);
        rules.made.offered = reader->signals;
    });
    return rules.made;
}

// What a thread keeps from one input to the next: memory that has grown to the size it needs.
struct Worker {
    InputBuffers buffers;
    std::vector<std::unique_ptr<SessionAudit>> audits;  // by format

    SessionAudit& audit(const AuditRun& run, const ReaderSpec* reader) {
        audits.resize(run.formats.size());
        auto& slot = audits[format_index(reader)];
        if (!slot)
            slot = std::make_unique<SessionAudit>(rules_for(run, reader).rules, run.own_files, run.options.engine,
                                                  run.profiles, &run.models, run.course_points);
        return *slot;
    }
};

// Whose recording it is, and of which kind. Where an agent only counts its sessions (Letta Code's "local-conv-1"),
// others have the same number elsewhere.
void name_recording(SessionUsage& usage, const SessionReport& session, std::string_view format) {
    constexpr std::size_t kUnique = 16;  // bytes
    usage.printed = is_printed(format);
    if (session.id.empty()) return;
    usage.session_key = stable_hash(session.id);
    if (session.id.size() < kUnique) usage.session_key = mix_hash(usage.session_key, stable_hash(session.cwd));
}

// Two recordings of the same have as much of it.
std::uint64_t recording_of(const SessionUsage& usage, const SessionCounts& counts) {
    const std::uint64_t heard = usage.heard.empty() ? 0 : usage.heard.back();
    return mix_hash(mix_hash(heard, usage.requests.size()), counts.calls) | 1;
}

void take_sessions(const AuditRun& run, std::vector<SessionPart> parts, const FormatRules& rules,
                   std::string_view format, InputResult& result) {
    for (SessionPart& part : parts) {
        SessionReport& session = part.session.open();
        session.input = result.input;
        session.format = format;
        session.skipped_rules = rules.skipped;
        name_recording(*part.usage, session, format);
        part.recording = recording_of(*part.usage, session.counts);
        note_untold(rules.rules, part.untold, part.findings, session.skipped_rules);
        // Of a format without states of results the texts tell some of the failures, and no denial for certain.
        if (session.counts.calls > 0) part.untold = part.untold | signals(Signal::result_status).without(rules.offered);
        if (!session.housekeeping) note_unmeasured(run.needs, rules.offered, part, session.skipped_rules);
        std::ranges::copy(run.idle, std::back_inserter(session.skipped_rules));
        if (&part != &parts.back()) part.session.rest();
    }
    if (result.sessions.empty()) {
        result.sessions = std::move(parts);
    } else {
        std::ranges::move(parts, std::back_inserter(result.sessions));
    }
}

void finish_sessions(const AuditRun& run, SessionAudit& audit, const FormatRules& rules, std::string_view format,
                     InputResult& result) {
    take_sessions(run, audit.finish(), rules, format, result);
}

// Events that were made from other formats: each is audited with the rules that its first format allows.
class Relay final : public EventSink {
public:
    Relay(const AuditRun& run, const RecordReader& reader, InputResult& result)
        : run_(run), reader_(reader), result_(result) {}

    void on_event(const Event& event) override {
        const RelayedFormat format = reader_.relayed();
        if (!audit_ || format.id != now_.id || format.signals != now_.signals) change_to(format);
        audit_->on_event(event);
    }

    void finish() {
        if (audit_) finish_sessions(run_, *audit_, rules_, now_.id.empty() ? result_.report->format : now_.id, result_);
    }

private:
    void change_to(const RelayedFormat& format) {
        finish();
        const bool same_rules = audit_ && format.signals == now_.signals;
        now_ = format;
        if (same_rules) return;
        rules_.skipped.clear();
        rules_.rules = covered_rules(run_.rules, format.signals, rules_.skipped);
        rules_.offered = format.signals;
        audit_ = std::make_unique<SessionAudit>(rules_.rules, run_.own_files, run_.options.engine, run_.profiles,
                                                &run_.models, run_.course_points);
    }

    const AuditRun& run_;
    const RecordReader& reader_;
    InputResult& result_;
    RelayedFormat now_;
    FormatRules rules_;
    std::unique_ptr<SessionAudit> audit_;
};

void audit_records(AuditRun& run, std::size_t position, RecordSource& source, RecordReader& reader, SessionAudit& audit,
                   const OpenedInput& opened) {
    InputResult& result = run.results[(*run.order)[position]];
    const FormatRules& rules = rules_for(run, opened.reader);
    read_records(source, reader, audit, *result.report, [&] {
        if (audit.any_ended()) [[unlikely]] {
            take_sessions(run, audit.take_ended(), rules, opened.reader->id, result);
            merge_begun(run, position);
            result.sessions.back().session.rest();
        }
        return true;
    });
    reader.finish(audit);
    finish_sessions(run, audit, rules, opened.reader->id, result);
}

// `position`: in AuditRun::order.
void audit_input(AuditRun& run, std::size_t position, Worker& worker) {
    const std::size_t index = (*run.order)[position];
    InputResult& result = run.results[index];
    const std::string& path = run.paths[index].path;
    result.report->path = path;
    OpenedInput opened = open_session(path, static_cast<std::uint32_t>(index), run.forced, run.limits, worker.buffers);
    if (!opened.reader) {
        result.report->error = opened.problem;
        result.no_session = !opened.unread;
        result.layout = opened.layout;
        // Looked at, if in vain: its size is what there was to read.
        if (opened.looked_into) result.report->stats.bytes = run.paths[index].size;
        return;
    }
    RecordSource& source = *opened.source;
    result.report->format = opened.reader->id;
    const auto reader = opened.reader->make();
    if (run.options.calls) reader->use(*run.options.calls);
    if (opened.reader->relays) {
        Relay relay(run, *reader, result);
        read_records(source, *reader, relay, *result.report, [] { return true; });
        reader->finish(relay);
        relay.finish();
    } else {
        SessionAudit& audit = worker.audit(run, opened.reader);
        audit.begin_input(path);
        audit_records(run, position, source, *reader, audit, opened);
    }
    result.report->stats.bytes = source.bytes();
    const bool has_lines = source.has_lines();
    const bool find_lines = has_lines && source.counts_records();
    result.report->counts_records = find_lines || !has_lines;
    if (source.error()) {
        result.report->error = *source.error();
        result.report->still_growing = false;  // it was cut off, and nothing comes any more
    } else if (auto problem = not_one_understood(*result.report)) {
        // Readers tell of a session with the first record of any kind: here is none. In a folder that is read as of one
        // format, files of another are other files.
        result.report->error = std::move(*problem);
        result.no_session = run.forced != nullptr;
        result.sessions = std::vector<SessionPart>();
    }
    opened.source.reset();  // gives the buffers back
    if (find_lines) find_file_lines(result.sessions, path, run.limits, worker.buffers);
    if (result.report->counts_records) call_lines_records(result.sessions);
}

void work(AuditRun& run) {
    Worker worker;
    while (const auto share = run.order->take()) {
        for (std::size_t at = share->first; at < share->second; ++at) {
            audit_input(run, at, worker);
            merge_finished(run, at);
        }
    }
}

}  // namespace

void audit_inputs(AuditRun& run) {
    run.finished.resize(run.paths.size());
    in_threads(run, work);
}

}  // namespace agent_audit
