#pragma once

#include "detectors/commands/command_state.hpp"

#include <agent_audit/detectors/step.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Looks at the same thing with pauses in between that grow: who waits half as long again before each next look backs
/// off, as one should, and soon looks no more than a few times an hour. Such looks are told apart from those at an even
/// pace. Times are as recorded or, where none are, as the commands name them.
class LongerPauses {
public:
    /// One more look, the `run`-th in a row (from 2); `before`: the one before it. How many of the row so far came
    /// after a longer pause than all before them.
    std::uint64_t see(const Step& before, const Step& look, std::uint64_t run) {
        if (run <= run_) *this = LongerPauses{};
        run_ = run;
        const std::int64_t pause = between(before, look);
        if (pause < kShortest) return grown_;
        const bool longer = longest_ > 0 && pause >= longest_ + longest_ / 2;
        if (longer && !is_settled(look)) ++grown_;
        if (longer || longest_ == 0) longest_ = pause;
        return grown_;
    }

private:
    static constexpr std::int64_t kShortest = 2000;  // ms

    // A wait helps against what goes away by itself, and no other error.
    static bool is_settled(const Step& look) { return look.failed && look.error != ErrorClass::transient; }

    static std::int64_t between(const Step& before, const Step& look) {
        if (before.time_ms == kNoTime || look.time_ms == kNoTime) return named_pause_ms(look.text.argument());
        return look.time_ms - before.time_ms;
    }

    std::uint64_t run_ = 0, grown_ = 0;
    std::int64_t longest_ = 0;  // ms
};

}  // namespace agent_audit::detectors
