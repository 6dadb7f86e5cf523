#pragma once

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/reader.hpp>

#include <string>
#include <string_view>

namespace agent_audit {

/// Which reader takes an input, or why none does.
struct Detection {
    const ReaderSpec* reader = nullptr;
    std::string problem;        ///< one line, when there is no reader
    std::string_view layout{};  ///< the same, where the layout is known (unread_layout)
};

/// Looks at the first records: one certain record is enough, otherwise up to 20 are scored and the best wins.
Detection detect_format(RecordSource& source);

/// Whose record it is for certain; null where nobody is.
const ReaderSpec* certain_reader(const Record& record, Framing framing);

/// Why there is no record to look at. `too_long`: because the first is beyond the limit.
std::string no_records(const RecordSource& source, bool too_long);

}  // namespace agent_audit
