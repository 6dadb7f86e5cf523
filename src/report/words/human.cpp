#include "report/words/human.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace agent_audit::report {
namespace {

std::string scaled(double value, std::string_view unit) {
    return value < 100 ? fmt::format("{:.1f} {}", value, unit) : fmt::format("{:.0f} {}", value, unit);
}

}  // namespace

std::string thousands(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string short_count(std::uint64_t value) {
    const auto real = static_cast<double>(value);
    if (value < 10'000) return thousands(value);
    if (value < 999'500) return scaled(real / 1e3, "k");
    if (value < 999'500'000) return scaled(real / 1e6, "M");
    return scaled(real / 1e9, "G");
}

std::string byte_size(std::uint64_t bytes) {
    const auto real = static_cast<double>(bytes);
    if (bytes < 1000) return count_of(bytes, "byte");
    if (bytes < 999'500) return scaled(real / 1e3, "kB");
    if (bytes < 999'500'000) return scaled(real / 1e6, "MB");
    return scaled(real / 1e9, "GB");
}

std::string money(std::uint64_t microusd) {
    if (microusd == 0) return "$0";
    if (microusd < 50) return "<$0.0001";  // and not $0.0000: it was something
    const double dollars = static_cast<double>(microusd) / 1e6;
    if (microusd < 10'000) return fmt::format("${:.4f}", dollars);
    const std::uint64_t cents = (microusd + 5'000) / 10'000;
    return fmt::format("${}.{:02}", thousands(cents / 100), cents % 100);
}

std::string duration_words(std::int64_t ms) {
    constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
    const std::int64_t s = ms / 1000;
    if (s < 2 * kMinute) return fmt::format("{} s", s);
    if (s < 2 * kHour) return fmt::format("{} min", s / kMinute);
    if (s >= 2 * kDay) return fmt::format("{} days", s / kDay);
    return fmt::format("{} h {} min", s / kHour, s % kHour / kMinute);
}

std::string count_of(std::uint64_t n, std::string_view one, std::string_view many) {
    std::string out = thousands(n) + " ";
    if (n == 1) return out.append(one);
    return many.empty() ? out.append(one).append("s") : out.append(many);
}

std::string_view failed_word(const SessionCounts& counts) {
    return counts.orphans > 0 ? "failed result" : "failed call";
}

std::string percent(double share) {
    if (!(share > 0)) return "0 %";
    if (share < 0.005) return "<1 %";  // 0 % would say that there is nothing
    if (share >= 1) return "100 %";
    return fmt::format("{:.0f} %", std::min(std::round(share * 100), 99.0));
}

}  // namespace agent_audit::report
