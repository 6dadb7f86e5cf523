#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// The next status code in `text` at or after `from`, and where to go on looking; 0 when there is none.
///
/// A number of three digits is a code only as a whole and with words beside it that make it one: "HTTP/1.1 503",
/// "status code of 404", {"status": 429}, "error (500)", but not "line 500", "500 items", "error: 400 tests failed",
/// "exit code 404", "took 503 ms" or "app.js:500:12".
std::uint16_t next_status_code(std::string_view text, std::size_t& from);

}  // namespace agent_audit::detectors
