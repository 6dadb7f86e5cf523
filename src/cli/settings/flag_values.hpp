#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/terminal/terminal.hpp"

#include <agent_audit/report/renderer.hpp>
#include <agent_audit/support/result.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// What the value of a flag means, wherever it was said. Each reader of one changes `out` only where the value makes
// sense, and says otherwise what was expected.

namespace agent_audit::cli {

/// What is wrong with a value; nothing where it makes sense.
using Problem = std::optional<Error>;

/// "--jobs = \"x\": expected WHAT", with the nearest of the known words.
Error expected(const FlagValue& value, std::string_view what, std::span<const std::string_view> known = {});

/// Was it typed, and neither found in the environment nor in a file?
inline bool typed(const FlagValue& value) { return value.origin.starts_with("--"); }

/// One of some words.
template <class T, std::size_t N>
Problem choose(const FlagValue& value, const std::pair<std::string_view, T> (&choices)[N], T& out) {
    std::vector<std::string_view> words;
    std::string all;
    for (const auto& [word, meaning] : choices) {
        if (word == value.text) {
            out = meaning;
            return std::nullopt;
        }
        words.push_back(word);
        all += (all.empty() ? "" : ", ") + std::string(word);
    }
    return expected(value, "one of " + all, words);
}

/// All of a text as a number.
template <class T>
bool parse_number(std::string_view text, T& out) {
    const char* end = text.data() + text.size();
    const auto [ptr, ec] = std::from_chars(text.data(), end, out);
    return ec == std::errc{} && ptr == end;
}

/// A number from `min` to `max`.
template <class T>
Problem number_value(const FlagValue& value, T min, T max, T& out) {
    T parsed{};
    if (!parse_number(value.text, parsed) || !(parsed >= min && parsed <= max)) {
        return expected(value, fmt::format("a number from {} to {}", min, max));
    }
    out = parsed;
    return std::nullopt;
}

/// Names, comma separated, added to `out`; `what` they are is said where one is empty.
Problem name_list(const FlagValue& value, std::string_view what, std::vector<std::string>& out);

/// A length of records, from 1 KiB to 2 GiB.
Problem size_value(const FlagValue& value, std::size_t& out);

/// "64M", "1G", "4096": bytes, with factors of 1024.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// The name of an input format.
Problem input_format_value(const FlagValue& value, std::string& out);

inline constexpr std::pair<std::string_view, Redact> kRedact[] = {
    {"none", Redact::none}, {"secrets", Redact::secrets}, {"strict", Redact::strict}};
inline constexpr std::pair<std::string_view, When> kWhen[] = {
    {"auto", When::automatic}, {"always", When::always}, {"never", When::never}};

}  // namespace agent_audit::cli
