#include "cli/settings/flag_values.hpp"

#include <agent_audit/readers/locations.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/suggest.hpp>

#include <algorithm>
#include <limits>

namespace agent_audit::cli {
namespace {

constexpr std::uint64_t kSmallestLine = 1u << 10;
constexpr std::uint64_t kLargestLine = 2ull << 30;  // SourceSpan holds 32-bit lengths

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

Error expected(const FlagValue& value, std::string_view what, std::span<const std::string_view> known) {
    std::string message = fmt::format("{} = \"{}\": expected {}", value.origin, value.text, what);
    const std::string_view near = nearest(value.text, known);
    if (!near.empty()) message += fmt::format("; did you mean {}?", near);
    return {std::move(message)};
}

// Split only. Blanks around a name are how lists are written over several lines.
Problem name_list(const FlagValue& value, std::string_view what, std::vector<std::string>& out) {
    std::string_view rest = value.text;
    while (true) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view name = trimmed(rest.substr(0, end));
        if (name.empty()) return expected(value, what);
        out.emplace_back(name);
        if (end == rest.size()) return std::nullopt;
        rest.remove_prefix(end + 1);
    }
}

Problem size_value(const FlagValue& value, std::size_t& out) {
    const auto bytes = parse_size(value.text);
    if (!bytes || *bytes < kSmallestLine || *bytes > kLargestLine) {
        return expected(value, "a size from 1K to 2G, such as 64M");
    }
    out = static_cast<std::size_t>(*bytes);
    return std::nullopt;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [unit, ec] = std::from_chars(text.data(), end, value);
    if (ec != std::errc{}) return std::nullopt;
    std::string_view suffix(unit, static_cast<std::size_t>(end - unit));
    unsigned shift = 0;
    if (!suffix.empty()) {
        constexpr std::string_view kUnits = "KMG";
        const char upper = static_cast<char>(suffix[0] & ~0x20);
        const std::size_t at = kUnits.find(upper);
        suffix.remove_prefix(1);
        if (at == kUnits.npos || !(suffix.empty() || suffix == "B" || suffix == "iB")) return std::nullopt;
        shift = 10 * (static_cast<unsigned>(at) + 1);
    }
    if (value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
    return value << shift;
}

Problem input_format_value(const FlagValue& value, std::string& out) {
    if (find_reader(value.text)) {
        out = value.text;
        return std::nullopt;
    }
    return expected(value, "a format (agent-audit formats lists them)", likely_formats());
}

}  // namespace agent_audit::cli
