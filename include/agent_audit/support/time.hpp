#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit {

/// Milliseconds since 1970-01-01T00:00:00Z of an RFC 3339 time ("2026-02-12T03:04:42.563Z", offsets and
/// a blank instead of T allowed, fraction optional and cut to ms; no offset means UTC).
std::optional<std::int64_t> parse_time_ms(std::string_view text);

/// A moment as people write it on a command line: an RFC 3339 time, a date ("2026-02-12", midnight UTC), or how long
/// ago ("90s", "30m", "12h", "7d", "2w"). `whole_day` takes a date for its end, the midnight after it.
std::optional<std::int64_t> parse_moment_ms(std::string_view text, std::int64_t now_ms, bool whole_day);

/// RFC 3339 UTC with milliseconds.
std::string format_time_ms(std::int64_t ms);

}  // namespace agent_audit
