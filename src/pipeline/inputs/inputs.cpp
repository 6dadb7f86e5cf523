#include "pipeline/inputs/inputs.hpp"

#include "pipeline/inputs/detect.hpp"

#include <agent_audit/readers/locations.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit {
namespace {

void note_bad(InputReport& report, const Record& record, LineFate fate) {
    if (info(fate).severity == Severity::info || report.bad.size() >= kBadRecordsKept) return;
    report.bad.push_back({record.where.line, fate, std::string(info(fate).doc)});
}

void note_omissions(InputReport& report, RecordReader& reader) {
    for (RecordReader::Omission& one : reader.take_omissions()) {
        if (report.bad.size() < kBadRecordsKept)
            report.bad.push_back({one.line, LineFate::partial, std::move(one.what)});
    }
}

// agent-<id>.jsonl: the file of one sub-agent.
IdHash sub_agent_of(std::string_view path) {
    if (const auto slash = path.rfind('/'); slash != path.npos) path.remove_prefix(slash + 1);
    constexpr std::string_view prefix = "agent-";
    if (!path.starts_with(prefix)) return 0;
    path.remove_prefix(prefix.size());
    const std::string_view id = path.substr(0, path.find('.'));
    return id.empty() ? 0 : (stable_hash(id) | 1);
}

}  // namespace

Result<const ReaderSpec*> reader_named(std::string_view name) {
    const ReaderSpec* reader = name.empty() ? nullptr : find_reader(name);
    if (reader || name.empty()) return reader;
    const std::string_view near = nearest(name, likely_formats());
    return Error{fmt::format("unknown input format '{}'{}", name,
                             near.empty() ? "; see agent-audit formats" : fmt::format("; did you mean '{}'?", near))};
}

OpenedInput open_session(const std::string& path, std::uint32_t index, const ReaderSpec* forced,
                         const InputLimits& limits, InputBuffers& buffers) {
    auto source = open_input(path, index, limits, buffers);
    if (!source) return {nullptr, nullptr, source.error().message, true, false};
    Detection found{forced, {}};
    if (!forced) {
        found = detect_format(**source);
    } else {
        const bool too_long = (*source)->first_if_long().has_value();
        const bool in_parts = too_long && !forced->streams.empty();
        if (!in_parts && (*source)->peek(1).empty()) found = {nullptr, no_records(**source, too_long)};
    }
    if (!found.reader) {
        const bool unread = (*source)->withheld() || ((*source)->error().has_value() && !(*source)->foreign());
        return {nullptr, nullptr, std::move(found.problem), unread, true, found.layout};
    }
    (*source)->stream_arrays(found.reader->streams);
    (*source)->read_as(found.reader->id);
    return {std::move(*source), found.reader, {}, false, false};
}

bool read_record(RecordSource& source, RecordReader& reader, EventSink& sink, InputReport& report,
                 ForeignRecords& foreign) {
    using Next = RecordSource::Next;
    Record record;
    LineFate fate = LineFate::understood;
    switch (source.next(record)) {
        case Next::end: return false;
        case Next::blank: fate = LineFate::blank; break;
        case Next::too_long: fate = LineFate::too_long; break;
        case Next::record: fate = reader.read(record, sink); break;
    }
    report.stats.count(fate);
    report.still_growing = fate == LineFate::cut_at_end;
    if (fate != LineFate::understood) {
        note_bad(report, record, fate);
        foreign.see(record, fate, source.framing(), report);
    }
    if (reader.has_omissions()) note_omissions(report, reader);
    return true;
}

std::optional<std::string> not_one_understood(const InputReport& report) {
    using enum LineFate;
    const IngestStats& stats = report.stats;
    for (const LineFate some : {understood, repaired, partial, ignored_kind, cut_at_end}) {
        if (stats[some] > 0) return std::nullopt;
    }
    std::string fates;
    for (const LineFate fate : {unknown_kind, missing_field, malformed_json, too_long}) {
        if (stats[fate] > 0) fates += fmt::format("{}{} {}", fates.empty() ? "" : ", ", stats[fate], info(fate).name);
    }
    if (fates.empty()) return std::nullopt;
    return fmt::format("none of its records is one of {} ({})", report.format, fates);
}

std::vector<IdHash> sub_agents_with_files(std::span<const InputPath> paths) {
    std::vector<IdHash> found;
    for (const InputPath& input : paths) {
        if (const IdHash agent = sub_agent_of(input.path); agent != 0) found.push_back(agent);
    }
    std::ranges::sort(found);
    return found;
}

void MutedLanes::read(std::string_view path) { here_ = sub_agent_of(path); }

bool MutedLanes::look(const Event& event) {
    if (const auto* open = std::get_if<LaneOpen>(&event.body)) {
        const IdHash agent = open->agent_id.empty() ? 0 : (stable_hash(open->agent_id.bytes) | 1);
        if (agent != 0 && agent != here_ && std::ranges::binary_search(own_files_, agent))
            lanes_.push_back(event.head.lane);
    }
    return std::ranges::find(lanes_, event.head.lane) != lanes_.end();
}

}  // namespace agent_audit
