#pragma once

#include <agent_audit/policy/policy.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::policy {

enum class BreakerState : std::uint8_t { closed, open, half_open };
constexpr std::string_view name(BreakerState state) {
    constexpr std::string_view kNames[] = {"closed", "open", "half-open"};
    return kNames[static_cast<std::size_t>(state)];
}

/// Circuit breaker of one tool. Closed: calls pass, failures in a row are counted. Open: calls are refused until the
/// time is over. Half open: calls pass to see; enough successes close it, a failure opens it again.
class Breaker {
public:
    BreakerState state() const { return state_; }
    std::uint64_t refused() const { return refused_; }
    std::uint64_t opened() const { return opened_; }

    /// A call is about to be made. False: it is refused, and what the recording says of it would not have happened.
    bool admit(const BreakerRules& rules, std::int64_t now_ms) {
        if (state_ == BreakerState::open && now_ms - opened_at_ >= rules.open_ms) {
            state_ = BreakerState::half_open;
            successes_ = 0;
        }
        if (state_ != BreakerState::open) return true;
        ++refused_;
        return false;
    }

    /// How an admitted call ended. True: the breaker opened with it.
    bool settle(const BreakerRules& rules, int failures_wanted, bool failed, std::int64_t now_ms) {
        if (state_ == BreakerState::open) return false;  // an answer that came late
        if (!failed) {
            failures_ = 0;
            if (state_ == BreakerState::half_open && ++successes_ >= rules.probes) state_ = BreakerState::closed;
            return false;
        }
        ++failures_;
        if (state_ == BreakerState::closed && failures_ < failures_wanted) return false;
        state_ = BreakerState::open;
        opened_at_ = now_ms;
        failures_ = 0;
        ++opened_;
        return true;
    }

    /// The call that was settled last was no failure, but is the first of several if the same comes again.
    void may_begin() {
        if (state_ == BreakerState::closed) failures_ = 1;
    }

    /// Opened by a supervisor, whatever was counted.
    void trip(std::int64_t now_ms) {
        if (state_ != BreakerState::open) ++opened_;
        state_ = BreakerState::open;
        opened_at_ = now_ms;
        failures_ = 0;
    }

private:
    BreakerState state_ = BreakerState::closed;
    int failures_ = 0, successes_ = 0;
    std::int64_t opened_at_ = 0;
    std::uint64_t refused_ = 0, opened_ = 0;
};

}  // namespace agent_audit::policy
