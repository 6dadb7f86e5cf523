#pragma once

#include <cmath>
#include <cstdint>

namespace agent_audit::simulator {

/// std::llround of what is above 0, else 0; without a call, for sums that are rounded for every message of a prompt.
inline std::uint64_t rounded(double tokens) {
    constexpr double kExact = 4503599627370496.0;  // from here on there are no fractions
    if (!(tokens > 0)) return 0;
    if (tokens >= kExact) return static_cast<std::uint64_t>(std::llround(tokens));
    const auto whole = static_cast<std::int64_t>(tokens);
    return static_cast<std::uint64_t>(whole + (tokens - static_cast<double>(whole) >= 0.5 ? 1 : 0));
}

}  // namespace agent_audit::simulator
