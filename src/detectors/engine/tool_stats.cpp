#include "detectors/engine/tool_stats.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <tuple>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kNameBytes = 100;  // of a name kept: longer ones are hostile

void add_up(ToolStats& into, const ToolStats& from) {
    into.calls += from.calls;
    for (std::size_t i = 0; i < kErrorClassCount; ++i) into.failures[i] += from.failures[i];
    into.longest_failure_streak = std::max(into.longest_failure_streak, from.longest_failure_streak);
}

std::string words(RawText name) {
    if (name.bytes.empty()) return "(unnamed tool)";
    return name.form == TextForm::plain ? std::string(cut_utf8(name.bytes, kNameBytes))
                                        : decode_json_string(name.bytes.substr(0, 4 * kNameBytes), kNameBytes);
}

}  // namespace

void ToolTotals::add(const ToolStats& stats) {
    auto known = by_name_.find(stats.tool);
    if (known == by_name_.end()) {
        const std::string_view name = by_name_.size() < kNames ? std::string_view(stats.tool) : kOtherTools;
        known = by_name_.try_emplace(std::string(name)).first;
    }
    add_up(known->second, stats);
}

std::vector<ToolStats> ToolTotals::listed() const {
    std::vector<ToolStats> list;
    ToolStats others;
    for (const auto& [name, stats] : by_name_) {
        if (name == kOtherTools) {
            others = stats;
            continue;
        }
        list.push_back(stats);
        list.back().tool = name;
    }
    std::ranges::sort(list, {}, [](const ToolStats& s) { return std::tuple(~s.calls, std::string_view(s.tool)); });
    for (std::size_t i = kListedTools; i < list.size(); ++i) add_up(others, list[i]);
    list.resize(std::min(list.size(), kListedTools));
    if (others.calls > 0) {
        others.tool = kOtherTools;
        list.push_back(std::move(others));
    }
    return list;
}

ToolTable::Index ToolTable::make(std::uint64_t hash, std::string name) {
    Entry& entry = entries_.emplace_back();
    entry.hash = hash;
    entry.stats.tool = std::move(name);
    return static_cast<Index>(entries_.size() - 1);
}

ToolTable::Index ToolTable::called(std::uint64_t hash, RawText name, bool counts) {
    if (slots_.empty()) slots_.resize(kSlots);
    std::size_t slot = hash % kSlots;
    for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
        Entry& entry = entries_[slots_[slot] - 1u];
        if (entry.hash != hash) continue;
        entry.stats.calls += counts;
        return static_cast<Index>(slots_[slot] - 1);
    }
    // The last entry is for all that find no room; it stands in no slot.
    if (entries_.size() >= kTools) {
        if (entries_.size() == kTools) make(0, std::string(kOtherTools));
        entries_[kTools].stats.calls += counts;
        return kTools;
    }
    const Index index = make(hash, words(name));
    slots_[slot] = static_cast<Index>(index + 1);
    entries_[index].stats.calls += counts;
    return index;
}

void ToolTable::settle(Entry& entry) {
    if (entry.any_ok) {
        entry.streak = 0;
    } else if (entry.any_failed) {
        ++entry.streak;
        entry.stats.longest_failure_streak = std::max(entry.stats.longest_failure_streak, entry.streak);
    }
    entry.any_ok = entry.any_failed = false;
}

void ToolTable::ended(Index tool, std::uint64_t response, bool failed) {
    Entry& entry = entries_[tool];
    if (entry.response != response) {
        settle(entry);
        entry.response = response;
    }
    (failed ? entry.any_failed : entry.any_ok) = true;
}

void ToolTable::drain(ToolTotals& into) {
    for (Entry& entry : entries_) {
        settle(entry);
        if (entry.stats.calls > 0) into.add(entry.stats);
    }
    entries_.clear();
    std::ranges::fill(slots_, Index{0});  // keeps its memory: sessions are many and short
}

}  // namespace agent_audit::detectors
