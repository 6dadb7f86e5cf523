#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit {

/// How much repetition a run puts up with: what makes a finding an error.
enum class Policy : std::uint8_t {
    permissive,  ///< twice the fail counts, and only what the agent did not get out of by itself
    balanced,    ///< the fail counts; what the agent got out of fails only when it was costly
    strict,      ///< the warn counts are fail counts, and getting out of it does not help
};

constexpr std::string_view name(Policy policy) {
    switch (policy) {
        case Policy::permissive: return "permissive";
        case Policy::balanced: return "balanced";
        case Policy::strict: return "strict";
    }
    return "balanced";
}

}  // namespace agent_audit
