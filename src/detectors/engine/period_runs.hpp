#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace agent_audit::detectors {

/// Tail repetitions of a symbol stream with bounded period, exactly and incrementally.
///
/// run(p) = how many symbols in a row equal the one p places before them. The smallest p with run(p) >= p is the
/// primitive period of the tail, and the tail then holds run(p) / p + 1 rounds. One compare and one add for each p
/// and symbol; the state is kMaxPeriod + 1 symbols. (The bounded-period case of tail repetition needs no suffix
/// structure: docs/explanation/how-it-works.md.)
class PeriodRuns {
public:
    static constexpr std::uint32_t kMaxPeriod = 32;

    /// Adds a symbol. Symbols are folded to 32 bits so that the compares vectorise on every x86-64; a false match
    /// needs p equal folds in a row.
    void push(std::uint64_t symbol) {
        auto folded = static_cast<std::uint32_t>(symbol ^ (symbol >> 32));
        if (folded == 0) folded = 0x9e3779b9u;  // 0 stands where nothing was pushed yet, and equals no symbol
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < kMaxPeriod; ++i) {
            const std::uint32_t equal = recent_[i] == folded ? ~0u : 0u;
            run_[i] = (run_[i] + 1) & equal;
            any |= run_[i];
        }
        std::memmove(recent_.data() + 1, recent_.data(), (kMaxPeriod - 1) * sizeof(std::uint32_t));
        recent_[0] = folded;
        any_ = any != 0;
    }

    /// Symbols in a row equal to the one `period` (1 to kMaxPeriod) places before.
    std::uint32_t run(std::uint32_t period) const { return run_[period - 1]; }

    /// True when the newest symbol equals any of the last kMaxPeriod: the quick way out for healthy streams.
    bool any() const { return any_; }

    /// Smallest p with run(p) >= p, 0 when the tail repeats nothing.
    std::uint32_t period() const {
        if (!any_) return 0;
        for (std::uint32_t p = 1; p <= kMaxPeriod; ++p) {
            if (run_[p - 1] >= p) return p;
        }
        return 0;
    }

    void reset() { *this = PeriodRuns{}; }

private:
    std::array<std::uint32_t, kMaxPeriod> run_{};
    std::array<std::uint32_t, kMaxPeriod> recent_{};  // [0] = newest
    bool any_ = false;
};

}  // namespace agent_audit::detectors
