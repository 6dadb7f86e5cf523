#include "report/words/lost_records.hpp"

#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"

#include <agent_audit/model/ingest.hpp>

#include <fmt/format.h>

namespace agent_audit::report {
namespace {

// Of a record that was understood but for a part the reason is another.
bool is_lost(const BadRecord& bad) { return bad.fate != LineFate::partial || bad.reason == info(bad.fate).doc; }

}  // namespace

void LostRecords::add(std::string_view name, std::uint64_t count, std::span<const BadRecord> bad, bool counts_records) {
    if (count == 0) return;
    count_ += count;
    InputReport input;
    input.counts_records = counts_records;
    const std::string_view shown = name == "-" ? "standard input" : name;
    std::uint64_t told = 0;
    for (const BadRecord& one : bad) {
        if (told == count || !is_lost(one)) continue;
        ++told;
        lines_.push_back(fmt::format("{}: {}", line_place(shown, one.line, input),
                                     one.reason.empty() ? info(one.fate).name : std::string_view(one.reason)));
        if (first_.empty()) first_ = lines_.back();
    }
    if (told < count) lines_.push_back(fmt::format("{}: {}", shown, count_of(count - told, "more record")));
}

std::string LostRecords::words(std::string_view and_so) const {
    const std::string words = count_of(count_, "record") + " could not be read" + std::string(and_so);
    return first_.empty() ? words : fmt::format("{} ({}{})", words, count_ > 1 ? "the first at " : "", first_);
}

std::vector<std::string> LostRecords::list() const {
    return count_ == 1 && !first_.empty() ? std::vector<std::string>() : lines_;
}

std::string lost_words(std::string_view input, std::uint64_t count, std::span<const BadRecord> bad, bool counts_records,
                       std::string_view and_so) {
    LostRecords lost;
    lost.add(input, count, bad, counts_records);
    return lost.words(and_so);
}

}  // namespace agent_audit::report
