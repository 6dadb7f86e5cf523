#pragma once

#include "detectors/commands/failed_deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/retry_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Commands that fail alike again and again while others between them do well: `terraform apply` and its lock, which is
/// forced open before each. Switches make no other command of it, the next thing does.
class RetriedDeeds {
public:
    struct Row {
        std::uint64_t deed = 0, key = 0;
        int failures = 1;      // responses
        bool between = false;  // something else went well since the first of them
        bool worked = false;   // the same did at last
        Episode episode;
        TimeWindow time;
    };

    /// Nothing is open: a rule may sleep.
    bool empty() const { return rows_.empty(); }

    /// `close` is given each row that is over.
    template <class Close>
    void failed(const Step& step, const TimeWindow& fresh, Close&& close) {
        if (!counts(step)) return;
        const std::uint64_t deed = deeds_of(step)[0];
        if (deed == 0) return;
        const auto known = std::ranges::find_if(rows_, [&](const Row& row) { return row.deed == deed; });
        if (known != rows_.end() && goes_on(known->episode.last(), step) &&
            (known->key == step.error_key || begin_alike(known->episode.last(), step)))
            return grow(*known, step);
        if (known != rows_.end()) end(known, close);
        if (rows_.size() == kMost) end(rows_.begin(), close);
        rows_.push_back({deed, step.error_key, 1, false, false, {}, fresh});
        rows_.back().time.add(step);
        rows_.back().episode.add(step);
    }

    template <class Close>
    void went_well(const Step& step, Close&& close) {
        if (step.command_bytes == 0 || looks(step)) return;
        const std::uint64_t deed = deeds_of(step)[0];
        for (auto row = rows_.begin(); row != rows_.end();) {
            row->between = true;
            row->worked = row->deed == deed;
            if (row->worked)
                row = end(row, close);
            else
                ++row;
        }
    }

    template <class Close>
    void end_all(Close&& close) {
        while (!rows_.empty()) end(rows_.begin(), close);
    }

private:
    static constexpr std::size_t kMost = 8;
    static constexpr std::uint64_t kApart = 6;     // steps
    static constexpr std::uint32_t kTelling = 48;  // bytes of an answer that few others give

    static bool looks(const Step& step) {
        return step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
    }

    // A check may fail alike for one part after the other, and what is waited for is no mistake.
    static bool counts(const Step& step) {
        return step.command_bytes > 0 && step.tool_class == ToolClass::shell && step.error != ErrorClass::transient &&
               step.outcome_bytes >= kTelling;
    }

    static std::string_view next_word_but_switch(std::string_view& rest) {
        for (;;) {
            rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
            const std::string_view word = rest.substr(0, rest.find(' '));
            rest.remove_prefix(word.size());
            if (!word.starts_with('-')) return word;
        }
    }

    // In another folder, or of another thing, it is another command.
    static bool same_but_switches(std::string_view a, std::string_view b) {
        for (;;) {
            const std::string_view one = next_word_but_switch(a);
            if (one != next_word_but_switch(b)) return false;
            if (one.empty()) return true;
        }
    }

    static bool goes_on(const Step& last, const Step& step) {
        return step.epoch == last.epoch && step.revision == last.revision && step.ordinal - last.ordinal <= kApart &&
               same_but_switches(last.text.argument().bytes, step.text.argument().bytes);
    }

    // "Error acquiring the state lock", and further down which lock it was, and whose.
    static bool begin_alike(const Step& last, const Step& step) {
        const std::uint32_t longer = std::max(last.outcome_bytes, step.outcome_bytes),
                            shorter = std::min(last.outcome_bytes, step.outcome_bytes);
        if (longer - shorter > longer / 8) return false;
        const std::string_view before = last.text.outcome().bytes, now = step.text.outcome().bytes;
        return says_refusal(now) && masked(before) == masked(now);
    }

    static void grow(Row& row, const Step& step) {
        if (step.response != row.episode.last().response) {
            if (++row.failures == 2) row.episode.waste_from(step, &row.episode.last());
            row.time.add(step);
        }
        row.episode.add(step);
    }

    template <class Close>
    std::vector<Row>::iterator end(std::vector<Row>::iterator row, Close&& close) {
        close(*row);
        return rows_.erase(row);
    }

    std::vector<Row> rows_;
};

}  // namespace agent_audit::detectors
