#pragma once

#include <agent_audit/model/ingest.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/readers/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit {

inline constexpr std::size_t kBadRecordsKept = 20;  // per input; the fates count the rest

/// Finds where an input goes on in another format: `cat claude/*.jsonl codex/*.jsonl | agent-audit`. To the reader of
/// the first format the rest is of kinds that it does not know, and an audit of half the input must not pass for one
/// of all of it.
class ForeignRecords {
public:
    /// A record of which the reader made no events. `report` has counted it.
    void see(const Record& record, LineFate fate, Framing framing, InputReport& report) {
        if (fate == LineFate::unknown_kind || fate == LineFate::missing_field)
            see_unread(record, fate, framing, report);
    }

private:
    [[gnu::cold]] void see_unread(const Record& record, LineFate fate, Framing framing, InputReport& report);
    bool is_of_another(const Record& record, Framing framing, std::string_view format);
    void tell(Framing framing, InputReport& report);

    const ReaderSpec* other_ = nullptr;  // that knows records of this row for certain
    std::uint64_t row_ = 0;              // records that meant nothing, since one that was understood
    std::uint64_t row_unknown_ = 0;      // of them, those counted as of an unknown kind
    std::uint64_t understood_ = 0;       // before the row
    std::uint64_t line_ = 0;             // its first
    unsigned looks_ = 0;
    bool told_ = false;  // of the row
};

}  // namespace agent_audit
