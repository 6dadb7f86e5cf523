#pragma once

#include <agent_audit/model/session_report.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// 1204331 -> "1,204,331".
std::string thousands(std::uint64_t value);
/// Up to 9,999 as it is, then "12.3 k", "4.1 M", "2.0 G".
std::string short_count(std::uint64_t value);
/// "812 bytes", "1.2 MB" (powers of 1000).
std::string byte_size(std::uint64_t bytes);
/// Micro-dollars: "$3.20", "$0.0042" below a cent.
std::string money(std::uint64_t microusd);
/// "95 s", "90 min", "30 h 31 min", "3 days".
std::string duration_words(std::int64_t ms);
/// "1 session", "1,204 sessions". The plural is the word with an s unless given.
std::string count_of(std::uint64_t n, std::string_view one, std::string_view many = {});
/// What failed: calls, or results of which some have no call.
std::string_view failed_word(const SessionCounts& counts);
/// 0.975 -> "98 %"; never "100 %" for less than certain.
std::string percent(double share);

}  // namespace agent_audit::report
