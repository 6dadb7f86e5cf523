#pragma once

#include <agent_audit/model/report.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// Records that could not be read, and where the first of them stands.
class LostRecords {
public:
    /// Those of one input; `name` as it may be shown. The lines are numbers of records where `counts_records`.
    void add(std::string_view name, std::uint64_t count, std::span<const BadRecord> bad, bool counts_records);

    bool any() const { return count_ > 0; }
    /// "4 records could not be read; the replay is without them (the first at a.jsonl:12: …)". `and_so`: what is
    /// between.
    std::string words(std::string_view and_so) const;
    /// "a.jsonl:12: …" for each that is known, and how many more an input has. Empty where words() has said it all.
    std::vector<std::string> list() const;

private:
    std::uint64_t count_ = 0;
    std::string first_;
    std::vector<std::string> lines_;
};

/// The same for one input. "-" is standard input.
std::string lost_words(std::string_view input, std::uint64_t count, std::span<const BadRecord> bad, bool counts_records,
                       std::string_view and_so);

}  // namespace agent_audit::report
