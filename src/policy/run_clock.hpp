#pragma once

#include <agent_audit/model/event.hpp>

#include <cstdint>

namespace agent_audit::policy {

/// The time of a run as its recording tells it. Times that go backwards do not move it: what has happened stays
/// happened. Where nothing is recorded, each call takes a fixed time, so that waits and breakers still end.
class RunClock {
public:
    explicit RunClock(std::int64_t step_ms) : step_ms_(step_ms) {}

    void at(std::int64_t time_ms) {
        if (time_ms == kNoTime) return;
        if (!recorded_) first_ = now_ = time_ms;
        recorded_ = true;
        if (time_ms > now_) now_ = time_ms;
    }
    /// A call was made.
    void tick() {
        if (!recorded_) now_ += step_ms_;
    }

    std::int64_t now() const { return now_; }
    std::int64_t elapsed() const { return now_ - first_; }
    bool recorded() const { return recorded_; }

private:
    std::int64_t step_ms_;
    std::int64_t first_ = 0, now_ = 0;
    bool recorded_ = false;
};

}  // namespace agent_audit::policy
