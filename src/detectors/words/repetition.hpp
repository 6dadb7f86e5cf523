#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace agent_audit::detectors {

/// A stretch in which everything equals what stands `period` places before.
struct Repetition {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t period = 0;

    std::size_t size() const { return end - begin; }
    std::size_t rounds() const { return (end - begin) / period; }

    bool operator==(const Repetition&) const = default;
};

struct RepetitionLimits {
    std::size_t min_rounds = 4;
    std::size_t min_size = 60;
    std::size_t max_period = 16'384;
};

/// All maximal stretches with at least `min_rounds` rounds and `min_size` symbols, each with its shortest period.
///
/// Exact, for any period: a stretch of period p holds a place that is a multiple of p and equals the one p before, so
/// only those are tried, n/p of them for each p. (Remembering where each 8-gram stood last costs less, but misses a
/// unit in which every 8-gram occurs twice.) n log n for texts that people write; the work on hostile ones is capped,
/// and what was found until then is returned.
std::vector<Repetition> find_repetitions(std::span<const std::uint32_t> symbols, const RepetitionLimits& limits);

}  // namespace agent_audit::detectors
