#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Adds up what tools did, by name: lanes of a session, sessions of a run. Bounded: beyond kNames, names are one.
class ToolTotals {
public:
    static constexpr std::size_t kNames = 4096;

    void add(const ToolStats& stats);
    /// The most called ones, by calls and then by name, at most kListedTools; the others as one row at the end.
    std::vector<ToolStats> listed() const;
    void clear() { by_name_.clear(); }

private:
    std::map<std::string, ToolStats, std::less<>> by_name_;
};

/// Counts the calls and failures of a lane by tool. One look at a small table for each call, no allocation for a tool
/// that is known; beyond kTools they share one entry.
class ToolTable {
public:
    static constexpr std::size_t kTools = 256;
    using Index = std::uint16_t;

    /// A tool was called: its entry. `hash` is that of the name as recorded; `counts`: not as a copy of another
    /// session's call.
    Index called(std::uint64_t hash, RawText name, bool counts = true);
    void failed(Index tool, ErrorClass error, bool counts = true) {
        entries_[tool].stats.failures[static_cast<std::size_t>(error)] += counts;
    }
    std::string_view name(Index tool) const {
        return tool < entries_.size() ? std::string_view(entries_[tool].stats.tool) : kOtherTools;
    }
    /// A call of this response came to an end, well or not.
    void ended(Index tool, std::uint64_t response, bool failed);

    /// Hands everything over; the table is empty afterwards.
    void drain(ToolTotals& into);

private:
    struct Entry {
        std::uint64_t hash = 0;
        ToolStats stats;
        std::uint64_t response = 0;  // the one being looked at
        std::uint32_t streak = 0;    // failing responses before it
        bool any_failed = false, any_ok = false;
    };

    static constexpr std::size_t kSlots = 2 * kTools;
    static void settle(Entry& entry);
    Index make(std::uint64_t hash, std::string name);

    std::vector<Index> slots_;  // open addressing: 0 = free, otherwise index + 1
    std::vector<Entry> entries_;
};

}  // namespace agent_audit::detectors
