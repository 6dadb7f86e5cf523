#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit {

/// The drift score at one place of a session. Where a session has more turns than points, a point stands for several
/// neighbours and holds the highest score of them. A run keeps a hundred of each session: hence 32 bits, which end at
/// the highest number.
struct DriftPoint {
    std::uint32_t turn = 0;  ///< model response in the lane, from 1
    std::uint32_t line = 0;  ///< record of its first event
    double score = 0;        ///< 0 = at the goal, 1 = nothing in common with it any more
};
constexpr DriftPoint drift_point(std::uint64_t turn, std::uint64_t line, double score) {
    constexpr std::uint64_t kMost = ~std::uint32_t{0};
    return {static_cast<std::uint32_t>(std::min(turn, kMost)), static_cast<std::uint32_t>(std::min(line, kMost)),
            score};
}

/// A place where a rule dates a departure: a change point of the score that is explained.
struct DriftChange {
    std::uint64_t line = 0;
    std::uint64_t turn = 0;
    std::string rule;
    double before = 0;  ///< score at the turn before
    double after = 0;   ///< highest score of the ten turns from there on
};

/// "Still on track?": every so many turns, when it was asked for.
struct ReflectionPoint {
    std::uint64_t turn = 0;
    std::uint64_t line = 0;
    double score = 0;
    std::vector<std::string> recent;  ///< the last three turns, one line each, decoded, not redacted
    std::string prompt;               ///< to be given to the agent, decoded, not redacted
};

/// How far a session's main conversation was from its goal, turn by turn.
struct DriftSeries {
    static constexpr std::size_t kMostPoints = 128;
    static constexpr std::size_t kMostReflections = 64;

    std::vector<DriftPoint> points;    ///< empty: no goal was recognised, or nothing was done
    std::vector<DriftChange> changes;  ///< by line
    std::vector<ReflectionPoint> reflections;
    std::uint64_t turns = 0;  ///< turns that were scored
    double peak = 0;
    double last = 0;
};

}  // namespace agent_audit
