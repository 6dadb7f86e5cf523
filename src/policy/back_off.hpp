#pragma once

#include <agent_audit/policy/policy.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstdint>

namespace agent_audit::policy {

/// How long to wait before the next try after `failures` failures in a row (at least 1).
inline std::int64_t delay_after(const BackOff& rules, int failures, std::uint64_t call) {
    double delay = static_cast<double>(rules.base_ms);
    const auto cap = static_cast<double>(rules.cap_ms);
    for (int i = 1; i < failures && delay < cap; ++i) delay *= rules.factor;
    delay = std::min(delay, cap);
    const std::uint64_t dice = mix_hash(mix_hash(rules.seed, call), static_cast<std::uint64_t>(failures));
    const double unit = static_cast<double>(dice >> 11) / static_cast<double>(std::uint64_t{1} << 53);  // [0, 1)
    delay *= 1 + rules.jitter * (2 * unit - 1);
    return static_cast<std::int64_t>(std::min(delay, cap));
}

}  // namespace agent_audit::policy
