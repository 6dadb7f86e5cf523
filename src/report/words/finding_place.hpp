#pragma once

#include <agent_audit/model/report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// Where a finding stands in its file.
struct FindingPlace {
    std::optional<FileLines> lines;  ///< of the file, from 1; absent = unknown, or there are none
    bool counted = false;            ///< the finding's own line numbers are those of records, and other ones
};

/// A finding about no line stands at the first.
FindingPlace place_of(const Finding& finding, const Report& report);

/// "logs/a.jsonl:3-9"; where records are counted "a.json:120-131 (records 9-12)", and "a.db (records 9-12)".
/// `own`: the finding's own lines.
std::string place_words(std::string_view path, FileLines own, const FindingPlace& place);
std::string place_words(std::string_view path, const Finding& finding, const FindingPlace& place);

/// The same of one line of an input: "logs/a.jsonl:3", "a.json (record 9)".
std::string line_place(std::string_view path, std::uint64_t line, const InputReport& input);

/// "line 9", or "record 9" where those are counted.
std::string line_words(std::uint64_t line, const FindingPlace& place);
/// Where the advice of a finding alone is to reset: "after line 9, as far as this finding goes".
std::string own_reset_words(std::uint64_t reset_line, const FindingPlace& place);

}  // namespace agent_audit::report
