#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace agent_audit::detectors {

/// The time, in ms, that a failed check measured where that is what it failed by: a limit stands beside it ("sort: 17.3
/// ms (limit 5 ms)", "took 2.1 s, expected at most 1 s"). How long a check itself took is no such time.
std::optional<double> measured_time(std::string_view said);

/// The shortest time that a check measured while it failed.
class BestTime {
public:
    /// Whether this failure measured a shorter one than all before it, by more than chance.
    bool beaten_by(std::string_view said) {
        constexpr double kNoise = 0.98;
        const std::optional<double> now = measured_time(said);
        if (!now) return false;
        const bool beaten = best_ && *now < *best_ * kNoise;
        best_ = best_ ? std::min(*best_, *now) : *now;
        return beaten;
    }
    bool known() const { return best_.has_value(); }
    void reset() { best_.reset(); }

private:
    std::optional<double> best_;
};

}  // namespace agent_audit::detectors
