#pragma once

#include <agent_audit/support/time.hpp>

#include <cstdint>
#include <string>

namespace agent_audit {

/// A day as a date, "2026-02-12", by its number since 1970-01-01.
inline std::string format_date(std::int64_t days) {
    constexpr std::int64_t kDayMs = 24 * 60 * 60 * 1000;
    const std::string time = format_time_ms(days * kDayMs);
    return time.substr(0, time.find('T'));
}

}  // namespace agent_audit
