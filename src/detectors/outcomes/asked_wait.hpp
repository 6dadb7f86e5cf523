#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <optional>

namespace agent_audit::detectors {

/// How long an answer asks to wait before the next try, in ms: `Retry-After: 30`, `"retryDelay": "34s"`, "Please try
/// again in 6m0s". The longest where several are named, at most a day; nullopt where none is. Only the first 4 KB are
/// looked at.
std::optional<std::int64_t> asked_wait_ms(RawText said);

}  // namespace agent_audit::detectors
