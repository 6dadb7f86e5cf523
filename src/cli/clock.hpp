#pragma once

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <string>

namespace agent_audit::cli {

/// The variable that sets the clock, for tests and for runs that must say the same again: an RFC 3339 time.
inline constexpr char kNowVariable[] = "AGENT_AUDIT_NOW";

/// Milliseconds since 1970. Only ages and durations such as 7d are reckoned from it; no machine-readable output has it.
Result<std::int64_t> now_ms();

}  // namespace agent_audit::cli
