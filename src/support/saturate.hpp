#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace agent_audit {

/// A count that is kept in 32 bits: the largest they can hold stands for all beyond it.
constexpr std::uint32_t saturated(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace agent_audit
