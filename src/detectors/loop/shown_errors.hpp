#pragma once

#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/shown_error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// Files that were edited while something failed. Who goes from file to file may be busy with something else than the
/// failure of one of them.
class EditedFiles {
public:
    EditedFiles() {}  // the first `count_` of them are known

    void edited(std::uint64_t file) {
        const auto end = files_.begin() + static_cast<std::ptrdiff_t>(count_);
        const bool full = count_ == files_.size();
        reworks_ = reworks_ || file == 0 || full || std::find(files_.begin(), end, file) != end;
        if (!full) files_[count_++] = file;
    }
    void clear() {
        count_ = 0;
        reworks_ = false;
    }
    /// One of them again, or nobody knows which.
    bool reworks() const { return reworks_; }

private:
    std::array<std::uint64_t, 32> files_;
    std::size_t count_ = 0;
    bool reworks_ = false;
};

/// Errors that looks show after one change after the other: in the console below a page, at the end of a log, of a pod.
class ShownErrors {
public:
    struct Row {
        std::uint64_t tool = 0, key = 0;
        int looks = 1;  // each after another change
        EditedFiles files;
        Episode episode;
        TimeWindow time;
    };

    /// Nothing is open: a rule may sleep.
    bool empty() const { return rows_.empty(); }

    void edited(std::uint64_t file) {
        for (Row& row : rows_) row.files.edited(file);
    }

    /// `close` is given each row that is over. One error after the other is progress, and so is a look without one.
    template <class Close>
    void looked(const Step& step, const LaneTrack& lane, const TimeWindow& fresh, Close&& close) {
        if (!shows_error(step.error_key)) return end([&](const Row& row) { return row.tool == step.tool; }, close);
        const auto known = std::ranges::find_if(
            rows_, [&](const Row& row) { return row.tool == step.tool && row.key == step.error_key; });
        if (known == rows_.end()) {
            end([&](const Row& row) { return row.episode.last().epoch != step.epoch; }, close);
            if (rows_.size() >= kMost) return;
            Row& row = rows_.emplace_back(Row{step.tool, step.error_key, 1, {}, {}, fresh});
            row.time.add(step);
            return row.episode.add(step);
        }
        if (step.epoch != known->episode.last().epoch) {
            if (++known->looks == 2) known->episode.waste_from(step, lane.step(step.ordinal - 1));
            known->time.add(step);
        }
        known->episode.add(step);
    }

    template <class Close>
    void end_all(Close&& close) {
        end([](const Row&) { return true; }, close);
    }

private:
    static constexpr std::size_t kMost = 8;

    template <class Is, class Close>
    void end(Is&& is, Close&& close) {
        std::erase_if(rows_, [&](const Row& row) {
            if (!is(row)) return false;
            close(row);
            return true;
        });
    }

    std::vector<Row> rows_;
};

}  // namespace agent_audit::detectors
