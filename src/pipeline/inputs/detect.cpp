#include "pipeline/inputs/detect.hpp"

#include "pipeline/inputs/unread_layout.hpp"
#include "readers/input/json_excerpt.hpp"
#include "readers/json/json_bytes.hpp"
#include "readers/json/json_repair.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {
namespace {

constexpr std::size_t kFewRecords = 4;
constexpr std::size_t kSample = 20;
constexpr std::uint64_t kLinesInFront = 8;  // of a session: more of them, and the file is something else

struct Best {
    const ReaderSpec* reader = nullptr;
    Score score = 0;
};

// The formats that fill most disks are asked first. The order is fixed, so that the answer depends on the input alone.
constexpr std::array<std::string_view, 2> kAskedFirst{"claude-code", "codex"};

bool asked_first(const ReaderSpec& reader) { return std::ranges::find(kAskedFirst, reader.id) != kAskedFirst.end(); }

Best best_of(std::span<const ProbeRecord> sample, Framing framing) {
    Best best;
    for (const bool first : {true, false}) {
        for (const ReaderSpec& reader : all_readers()) {
            if (asked_first(reader) != first) continue;
            const Score score = reader.score(sample, framing);
            if (score > best.score) best = {&reader, score};
            if (score >= kCertain) return best;
        }
    }
    return best;
}

// A session of those formats may begin with notes (a title, a snapshot of files) that many formats could have written.
// Who knows its own in the first record is asked about the next few before everybody is asked about the notes.
const ReaderSpec* knows_notes(const ProbeRecord& first, Framing framing) {
    const auto readers = all_readers();
    const auto knows = [&](const ReaderSpec& reader) {
        return asked_first(reader) && reader.score({&first, 1}, framing) > 0;
    };
    const auto found = std::ranges::find_if(readers, knows);
    return found == readers.end() ? nullptr : &*found;
}

bool settles_soon(RecordSource& source, const ReaderSpec& reader) {
    return std::ranges::any_of(source.peek(kFewRecords), [&](const Record& record) {
        const ProbeRecord probe(record.text);
        return reader.score({&probe, 1}, source.framing()) >= kCertain;
    });
}

struct CutDocument {
    bool is_one = false;
    Best best;
};

// The only record is an object that ends too early: closed where it ends, it still tells its format.
CutDocument look_at_cut(std::span<const Record> records, Framing framing) {
    if (records.size() != 1 || !records[0].last_unterminated) return {};
    std::string_view text = records[0].text;
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('{')) return {};
    readers::JsonExcerpt excerpt({1u << 20, 256u << 10, 4u << 10});
    for (std::size_t used = 0; !text.empty(); text.remove_prefix(used)) {
        if (excerpt.walk(text, used) == readers::JsonExcerpt::Stop::end) return {};
    }
    const std::string closed = excerpt.take(kRecordPadding);
    const ProbeRecord probe({closed.data(), closed.size() - kRecordPadding});
    return {true, best_of({&probe, 1}, framing)};
}

// Bytes that JSON forbids cost a record no more than a repair when it is read: they must not hide its format either.
// `repaired` keeps what is looked at instead.
ProbeRecord look_at(const Record& record, std::deque<std::string>& repaired) {
    ProbeRecord probe(record.text);
    const std::size_t begin = record.text.find_first_not_of(" \t\r\n");
    if (probe.is_object() || begin == record.text.npos || record.text[begin] != '{') return probe;
    const std::string& copy = repaired.emplace_back(readers::repaired_copy(record.text));
    return ProbeRecord(std::string_view(copy).substr(0, record.text.size()));
}

// Of a source without a record to look at: is there one that was too long to be looked at?
bool holds_too_long(RecordSource& source) {
    Record ignored;
    RecordSource::Next next = RecordSource::Next::blank;
    while (next == RecordSource::Next::blank) next = source.next(ignored);
    return next == RecordSource::Next::too_long;
}

}  // namespace

const ReaderSpec* certain_reader(const Record& record, Framing framing) {
    const ProbeRecord probe(record.text);
    if (!probe.is_object()) return nullptr;
    const Best best = best_of({&probe, 1}, framing);
    return best.score >= kCertain ? best.reader : nullptr;
}

std::string no_records(const RecordSource& source, bool too_long) {
    if (source.error()) return *source.error();
    if (!too_long) return "empty input";
    return "all that it holds is longer than --max-line-size; a larger one reads it";
}

Detection detect_format(RecordSource& source) {
    if (!source.stored_format().empty()) return {find_reader(source.stored_format()), {}};
    bool too_long = false;
    // An object beyond the limit is of use to formats that can be read in parts. For all others it is a line to pass
    // over, and what follows tells the format.
    if (const auto first = source.first_if_long()) {
        too_long = true;
        const ProbeRecord probe(first->text);
        const Best found = best_of({&probe, 1}, source.framing());
        if (found.reader && !found.reader->streams.empty()) return {found.reader, {}};
    }
    Best best;
    bool objects = false;
    // Most files are settled by their first record; only the others are looked at further.
    for (const std::size_t count : {std::size_t{1}, kFewRecords, kSample}) {
        const std::vector<Record> records = source.peek(count);
        if (records.empty()) return {nullptr, no_records(source, too_long || holds_too_long(source))};
        std::vector<ProbeRecord> sample;
        std::deque<std::string> repaired;
        sample.reserve(records.size());
        std::size_t junk = 0;  // records at the front that a terminal, a wrapper or a logger wrote
        for (const Record& record : records) {
            const bool in_front =
                junk == sample.size() && junk + 1 < records.size() && record.where.line <= kLinesInFront;
            if (in_front && readers::is_no_record(record.text)) ++junk;
            sample.push_back(look_at(record, repaired));
            objects = objects || sample.back().is_object();
        }
        if (const ReaderSpec* reader = count == 1 ? knows_notes(sample.front(), source.framing()) : nullptr) {
            if (reader->score(sample, source.framing()) >= kCertain || settles_soon(source, *reader))
                return {reader, {}};
            continue;  // the sample may have moved
        }
        // They say nothing about what follows, unless that is no JSON either.
        best = best_of(std::span(sample).subspan(junk), source.framing());
        if (!best.reader && junk > 0) best = best_of(sample, source.framing());
        if (best.score >= kCertain || records.size() < count) break;
    }
    if (best.reader) return {best.reader, {}};
    const CutDocument cut = look_at_cut(source.peek(2), source.framing());
    if (cut.best.reader) return {cut.best.reader, {}};
    if (const std::string_view kind = source.binary_kind(); !kind.empty()) return {nullptr, std::string(kind)};
    if (source.looks_binary()) return {nullptr, "binary data, not a session"};
    if (cut.is_one) return {nullptr, "a document that is cut off, and no session format as far as it goes"};
    const std::vector<Record> first = source.peek(1);
    const std::string_view layout = first.empty() ? std::string_view{} : unread_layout(first[0].text);
    if (!layout.empty()) return {nullptr, std::string(layout), layout};
    if (!objects) return {nullptr, "not a session: the first records are not JSON objects"};
    return {nullptr, "no known session format (agent-audit formats lists them); --input-format forces one"};
}

}  // namespace agent_audit
