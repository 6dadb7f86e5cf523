#include "readers/traces/posted_traces.hpp"

#include <array>
#include <span>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 2> kServices{"langsmith", "otel"};

// Only what could be one is worth asking all of them.
const ReaderSpec* reader_of(const ProbeRecord& body) {
    constexpr std::array<std::string_view, 5> kKeys{"post", "patch", "run_type", "resourceSpans", "resourceLogs"};
    bool any = false;
    for (const std::string_view key : kKeys) any |= body.has(key);
    if (!any) return nullptr;
    for (const std::string_view id : kServices) {
        const ReaderSpec* const spec = find_reader(id);
        if (spec && spec->score(std::span(&body, 1), Framing::document) == kCertain) return spec;
    }
    return nullptr;
}

}  // namespace

LineFate PostedTraces::read(std::string_view body, const SourceSpan& where, EventSink& sink) {
    padded_.assign(body);
    padded_.resize(body.size() + kRecordPadding);
    Record record;
    record.text = std::string_view(padded_).substr(0, body.size());
    record.where = where;
    const ReaderSpec* const spec = reader_of(ProbeRecord(record.text));
    if (!spec) return LineFate::unknown_kind;
    if (spec_ && spec != spec_) return LineFate::ignored_kind;
    if (!reader_) {
        reader_ = spec->make();
        if (identity_) reader_->use(*identity_);
    }
    spec_ = spec;
    return reader_->read(record, sink);
}

void PostedTraces::finish(EventSink& sink) {
    if (reader_) reader_->finish(sink);
}

}  // namespace agent_audit::readers
