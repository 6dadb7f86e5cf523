#include "detectors/outcomes/measured_time.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

struct Unit {
    std::string_view name;
    double ms;
};
constexpr Unit kUnits[] = {{"ms", 1},    {"s", 1000},         {"sec", 1000}, {"seconds", 1000},
                           {"us", 1e-3}, {"\xc2\xb5s", 1e-3}, {"ns", 1e-6},  {"min", 60'000}};

constexpr std::string_view kLimits[] = {
    "limit",  "budget",    "at most",  "maxim",    "max ",   "max:",   "exceed", "threshold", "allowed",
    "target", "less than", "too slow", "expected", "límite", "grenze", "höchst", "seuil",     "上限"};

// The time that begins at `at`, which moves behind its number; none where no unit follows.
std::optional<double> time_at(std::string_view text, std::size_t& at) {
    double value = 0;
    const char* const begin = text.data() + at;
    const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), value, std::chars_format::fixed);
    at += std::max<std::size_t>(static_cast<std::size_t>(end - begin), 1);
    if (fault != std::errc{}) return std::nullopt;
    std::string_view unit = text.substr(std::min(at, text.size()));
    if (unit.starts_with(' ')) unit.remove_prefix(1);
    const auto in_word = [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; };
    unit = unit.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(unit, in_word) - unit.begin()));
    const auto known = std::ranges::find(kUnits, unit, &Unit::name);
    return known == std::end(kUnits) ? std::nullopt : std::optional(value * known->ms);
}

}  // namespace

std::optional<double> measured_time(std::string_view said) {
    if (!contains_any(lowered(said), kLimits)) return std::nullopt;
    std::optional<double> first;
    for (std::size_t at = 0; at < said.size();) {
        const bool begins = is_digit(said[at]) && (at == 0 || !(is_alnum(said[at - 1]) || said[at - 1] == '.'));
        const std::optional<double> time = begins ? time_at(said, at) : std::nullopt;
        // The limit and what was measured, in either order: the longer one missed it.
        if (time && first) return std::max(*time, *first);
        if (time) first = time;
        if (!begins) ++at;
    }
    return std::nullopt;
}

}  // namespace agent_audit::detectors
