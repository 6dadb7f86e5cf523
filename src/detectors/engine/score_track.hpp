#pragma once

#include <agent_audit/model/drift.hpp>
#include <agent_audit/model/finding.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit::detectors {

/// The drift score as a series of at most DriftSeries::kMostPoints: when it is full, neighbours are joined.
class ScoreTrack {
public:
    void clear();
    /// `relevance` of one turn, 0 to 1.
    void add(std::uint64_t turn, std::uint64_t line, double relevance) {
        score_ += kAlpha * ((1 - relevance) - score_);
        ++series_.turns;
        series_.peak = std::max(series_.peak, score_);
        series_.last = score_;
        push(drift_point(turn, line, score_));
    }
    /// A human spoke: what is done now was asked for.
    void forgive() { score_ = 0; }
    double score() const { return score_; }
    void reflect_every(std::uint32_t turns) { reflect_every_ = turns; }
    /// What was done in the turn at hand, for the reflection points; cut.
    void did(const std::string& words);
    bool wants_words() const { return reflect_every_ > 0; }
    void end_turn(std::uint64_t turn, std::uint64_t line, const std::string& goal) {
        if (reflect_every_ > 0) reflect(turn, line, goal);
    }

    DriftSeries take();

private:
    static constexpr double kAlpha = 0.25;
    static constexpr std::size_t kRecent = 3;

    void push(const DriftPoint& point) {
        if (in_open_ == 0) {
            open_ = point;
        } else {
            open_.score = std::max(open_.score, point.score);
        }
        if (++in_open_ < stride_) return;
        series_.points.push_back(open_);
        in_open_ = 0;
        if (series_.points.size() >= DriftSeries::kMostPoints) join_neighbours();
    }
    void join_neighbours();
    void reflect(std::uint64_t turn, std::uint64_t line, const std::string& goal);

    DriftSeries series_;
    double score_ = 0, peak_ = 0;
    std::uint32_t stride_ = 1;  // turns of one point
    DriftPoint open_;
    std::uint32_t in_open_ = 0;
    std::uint32_t reflect_every_ = 0;
    std::vector<std::string> recent_;
    std::string now_;
};

/// Dates the drift findings of the main lane on its score: each is a change point.
void date_changes(DriftSeries& series, const std::vector<Finding>& findings);

}  // namespace agent_audit::detectors
