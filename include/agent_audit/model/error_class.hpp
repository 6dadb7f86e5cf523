#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit {

/// Why a tool call failed, as far as its text tells. Decides how patient the repeat rules are.
enum class ErrorClass : std::uint8_t {
    none,            ///< it did not fail
    transient,       ///< goes away by itself: timeouts, refused connections, rate limits, HTTP 408, 425, 429, 5xx
    persistent,      ///< comes back until something is changed: HTTP 400-410, bad credentials, permission, not found
    infrastructure,  ///< the machine or the harness is at fault: no space, out of memory, sandbox gone
    user_denied,     ///< a human or a policy said no
    unknown,         ///< failed, and the text says nothing known
};

inline constexpr std::size_t kErrorClassCount = 6;

/// How often each class occurred; at `none` stands nothing.
using ErrorCounts = std::array<std::uint32_t, kErrorClassCount>;

constexpr std::string_view name(ErrorClass error) {
    switch (error) {
        case ErrorClass::none: return "none";
        case ErrorClass::transient: return "transient";
        case ErrorClass::persistent: return "persistent";
        case ErrorClass::infrastructure: return "infrastructure";
        case ErrorClass::user_denied: return "user-denied";
        case ErrorClass::unknown: return "unknown";
    }
    return "unknown";
}

}  // namespace agent_audit
