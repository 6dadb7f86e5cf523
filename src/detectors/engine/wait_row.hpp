#pragma once

#include <agent_audit/detectors/step.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Waits that follow each other with nothing in between: for others (sub-agents, a message, a timer), or for the time
/// alone (`sleep 60`). A wait is a pause, and work of hours is waited for in a dozen of them; but one that ended the
/// same way so many times is made to look whether something has come, and nothing has.
class WaitRow {
public:
    static constexpr std::uint32_t kPatience = 24;      ///< for others: they say when they are done
    static constexpr std::uint32_t kTimePatience = 16;  ///< for the time: nobody will say anything

    /// Whether this wait is one more of the same beyond what a pause may be. `timed`: it names only how long it waits.
    bool looks(const Step& wait, bool timed) {
        if (wait.opaque) return false;
        const bool same = wait.call == call_ && (timed || wait.out == out_);
        count_ = same ? count_ + 1 : 1;
        call_ = wait.call;
        out_ = wait.out;
        return count_ > (timed ? kTimePatience : kPatience);
    }

    void clear() { count_ = 0; }

private:
    std::uint64_t call_ = 0, out_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace agent_audit::detectors
