#pragma once

#include <agent_audit/detectors/step.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Waits for others (sub-agents, a message, a timer) that follow each other with nothing in between. A wait is a pause,
/// and work of hours is waited for in a dozen of them; but one that ended the same way two dozen times is made to look
/// whether something has come, and nothing has.
class WaitRow {
public:
    static constexpr std::uint32_t kPatience = 24;

    /// Whether this wait is one more of the same beyond what a pause may be. What a shell sleeps is never.
    bool looks(const Step& wait) {
        if (wait.opaque || wait.command_bytes > 0) return false;
        const bool same = wait.call == call_ && wait.out == out_;
        count_ = same ? count_ + 1 : 1;
        call_ = wait.call;
        out_ = wait.out;
        return count_ > kPatience;
    }

    void clear() { count_ = 0; }

private:
    std::uint64_t call_ = 0, out_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace agent_audit::detectors
