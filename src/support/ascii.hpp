#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Characters of ASCII, whatever the locale. Bytes of other characters are none of these.

namespace agent_audit {

constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// A letter of either case.
constexpr bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

/// A digit of a hexadecimal number, its letters in either case.
constexpr bool is_hex(char c) { return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 6; }

constexpr bool is_alnum(char c) { return is_digit(c) || is_letter(c); }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// What a name in a program is made of: letters, digits and the underscore.
constexpr bool is_word(char c) { return is_alnum(c) || c == '_'; }

/// What separates words: blanks, line ends and the like.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c | 0x20) : c; }

/// Bytes of the decimal fraction that a text begins with: "8.59" has 4, "1.2.3" is a version and has 0, as has "12".
constexpr std::size_t fraction_size(std::string_view text) {
    const auto digits_end = [&](std::size_t from) {
        while (from < text.size() && is_digit(text[from])) ++from;
        return from;
    };
    const std::size_t point = digits_end(0);
    if (point == 0 || point == text.size() || text[point] != '.') return 0;
    const std::size_t end = digits_end(point + 1);
    const bool goes_on = end < text.size() && text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]);
    return end == point + 1 || goes_on ? 0 : end;
}

/// Letters in lower case, everything else as it is, so that places in both texts are the same.
std::string lowered(std::string_view text);

}  // namespace agent_audit
