#pragma once

#include <agent_audit/simulator/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::simulator {

/// A length as a whole number: what is below nothing or no number is 0, what is beyond any text the largest.
inline std::size_t whole(double length) {
    constexpr double kMost = 9007199254740992.0;
    return length > 0 ? static_cast<std::size_t>(length < kMost ? length : kMost) : 0;
}

/// String.prototype.trim.
std::string_view js_trim(std::string_view wtf8);
/// toLowerCase of what tool names and error messages are made of: ASCII, Latin-1, Greek and Cyrillic capitals, and the
/// dotted I, of which it makes two.
std::string js_lower(std::string_view wtf8);

/// The first `units` UTF-16 units as a view; a pair that would be cut is left out.
std::string_view head_safe(std::string_view wtf8, std::size_t units);
/// The last `units` UTF-16 units as a view; a pair that would be cut is left out.
std::string_view tail_safe(std::string_view wtf8, std::size_t units);

/// slice(0, units) and slice(-units) as JavaScript cuts, through a pair if need be; `all` are the units of the text.
std::string head_raw(std::string_view wtf8, std::size_t units);
std::string tail_raw(std::string_view wtf8, std::size_t units, std::size_t all);

/// lastIndexOf("\n", unit) in UTF-16 units; nothing found: npos.
std::size_t last_newline(std::string_view wtf8, std::size_t unit);

/// A part of a text with its length in UTF-16 units and its weight.
struct Weighed {
    std::string_view words;
    std::uint64_t units = 0, weight = 0;

    /// The longest safe head of at most `budget` weighted units.
    Weighed front(std::uint64_t budget) const;
    /// The first `bytes` of it and what stands behind them, where a character ends; what goes is counted, not what
    /// stays.
    Weighed first(std::size_t bytes) const;
    Weighed behind(std::size_t bytes) const;
};
Weighed weighed(std::string_view wtf8);

/// The longest safe head or tail of at most `budget` weighted units.
Weighed weighted_front(std::string_view wtf8, std::uint64_t budget);
Weighed weighted_end(std::string_view wtf8, std::uint64_t budget);
inline std::string_view weighted_head(std::string_view wtf8, std::uint64_t budget) {
    return weighted_front(wtf8, budget).words;
}
inline std::string_view weighted_tail(std::string_view wtf8, std::uint64_t budget) {
    return weighted_end(wtf8, budget).words;
}

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value);

}  // namespace agent_audit::simulator
