#pragma once

#include <cstdint>

namespace agent_audit::report {

/// From 0 to 1; there is no share of nothing.
constexpr double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace agent_audit::report
