#pragma once

#include "readers/json/format_util.hpp"

namespace agent_audit::readers {

/// A time as text or as a number, in milliseconds; kNoTime for anything else. Consumes `v`.
inline std::int64_t any_time(json::value& v) { return is_string(v) ? time_ms(raw_string(v)) : unix_time(v); }

}  // namespace agent_audit::readers
