#include "detectors/engine/score_track.hpp"

#include <agent_audit/model/rule_group.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace agent_audit::detectors {

void ScoreTrack::clear() {
    series_ = {};
    score_ = peak_ = 0;
    stride_ = 1;
    open_ = {};
    in_open_ = 0;
    recent_.clear();
    now_.clear();
}

void ScoreTrack::join_neighbours() {
    for (std::size_t i = 0; i < DriftSeries::kMostPoints / 2; ++i) {
        DriftPoint joined = series_.points[2 * i];
        joined.score = std::max(joined.score, series_.points[2 * i + 1].score);
        series_.points[i] = joined;
    }
    series_.points.resize(DriftSeries::kMostPoints / 2);
    stride_ *= 2;
}

void ScoreTrack::did(const std::string& words) {
    constexpr std::size_t kLine = 140;
    if (now_.size() >= kLine) return;
    if (!now_.empty()) now_ += "; ";
    now_ += cut_utf8(words, kLine - std::min(kLine, now_.size()));
}

void ScoreTrack::reflect(std::uint64_t turn, std::uint64_t line, const std::string& goal) {
    if (recent_.size() == kRecent) recent_.erase(recent_.begin());
    recent_.push_back(std::move(now_));
    now_.clear();
    if (turn % reflect_every_ != 0 || series_.reflections.size() >= DriftSeries::kMostReflections) return;
    ReflectionPoint point{turn, line, score_, recent_, {}};
    point.prompt = "The goal is: " + goal + "\nThe last responses were:\n";
    for (const std::string& did_then : recent_) point.prompt += "- " + did_then + "\n";
    point.prompt +=
        "Are these steps still on the way to the goal? If not, say where they left it and go on from there; "
        "if they are, name what is left to do.";
    series_.reflections.push_back(std::move(point));
}

// Three digits say all there is. Rounded once, here, so that what is saved says the same when it is shown later.
DriftSeries ScoreTrack::take() {
    constexpr auto rounded = [](double score) { return std::round(score * 1000) / 1000; };
    if (in_open_ > 0) series_.points.push_back(open_);
    DriftSeries out = std::move(series_);
    out.peak = rounded(out.peak);
    out.last = rounded(out.last);
    for (DriftPoint& point : out.points) point.score = rounded(point.score);
    for (ReflectionPoint& point : out.reflections) point.score = rounded(point.score);
    clear();
    return out;
}

void date_changes(DriftSeries& series, const std::vector<Finding>& findings) {
    constexpr std::uint64_t kAfter = 10;
    constexpr std::size_t kMostChanges = 64;
    for (const Finding& f : findings) {
        if (f.lane != 0 || !is_about_drift(f.rule) || series.points.empty() || series.changes.size() >= kMostChanges)
            continue;
        DriftChange change{f.first_line, 0, f.rule, 0, 0};
        for (const DriftPoint& point : series.points) {
            if (point.line < f.first_line) {
                change.before = point.score;
                change.turn = point.turn;
            } else if (point.turn <= change.turn + kAfter) {
                change.after = std::max(change.after, point.score);
            }
        }
        ++change.turn;
        series.changes.push_back(std::move(change));
    }
    std::ranges::stable_sort(series.changes, {}, &DriftChange::line);
}

}  // namespace agent_audit::detectors
