#include "pipeline/inputs/foreign_records.hpp"

#include "pipeline/inputs/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit {
namespace {

// One may be a record of a newer version, or what a hook printed between the others.
constexpr std::uint64_t kFew = 3;
constexpr unsigned kMostLooks = 256;  // of an input: a version with many new kinds must not make a scan slow

void recount(IngestStats& stats, std::uint64_t records) {
    stats.fates[static_cast<std::size_t>(LineFate::unknown_kind)] -= records;
    stats.fates[static_cast<std::size_t>(LineFate::missing_field)] += records;
}

// Of the first of them, which is among the bad records where it was not of an unknown kind.
void name_reason(std::vector<BadRecord>& bad, std::uint64_t line, std::string reason) {
    const auto known = std::ranges::find(bad, line, &BadRecord::line);
    if (known != bad.end())
        known->reason = std::move(reason);
    else if (bad.size() < kBadRecordsKept)
        bad.push_back({line, LineFate::missing_field, std::move(reason)});
}

}  // namespace

void ForeignRecords::see_unread(const Record& record, LineFate fate, Framing framing, InputReport& report) {
    const std::uint64_t understood = report.stats[LineFate::understood];
    if (row_ == 0 || understood != understood_) {
        const unsigned looks = looks_;
        *this = {};
        looks_ = looks;
        understood_ = understood;
        line_ = record.where.line;
    }
    ++row_;
    row_unknown_ += fate == LineFate::unknown_kind;
    if (!other_ && !is_of_another(record, framing, report.format)) return;
    if (row_ >= kFew) tell(framing, report);
}

bool ForeignRecords::is_of_another(const Record& record, Framing framing, std::string_view format) {
    if (looks_ == kMostLooks) return false;
    ++looks_;
    const ReaderSpec* own = find_reader(format);
    const ReaderSpec* other = certain_reader(record, framing);
    // A relative knows the same envelope.
    if (!own || !other || other->product == own->product || own->relays) return false;
    other_ = other;
    return true;
}

// Those records are lost, and no mere unknown kind.
void ForeignRecords::tell(Framing framing, InputReport& report) {
    recount(report.stats, std::exchange(row_unknown_, 0));
    if (std::exchange(told_, true) || report.error) return;
    name_reason(report.bad, line_, fmt::format("of another format ({})", other_->id));
    report.error = fmt::format(
        "{} {}: the records from here on are of another format ({}) and were not read; give "
        "each format an input of its own",
        framing == Framing::lines ? "line" : "record", line_, other_->id);
}

}  // namespace agent_audit
