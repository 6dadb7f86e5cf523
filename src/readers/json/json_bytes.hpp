#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// What single bytes mean in JSON text: enough to cut it, far from parsing it.
namespace agent_audit::readers {

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr bool is_blank(std::string_view text) {
    for (const char c : text) {
        if (!is_blank(c)) return false;
    }
    return true;
}

constexpr bool begins_json_value(char c) {
    return c == '{' || c == '[' || c == '"' || c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n';
}

/// True for what a terminal, a wrapper or a logger writes in front of a session: words, an object of nothing, a line
/// whose bracket opens no JSON.
constexpr bool is_no_record(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size() && is_blank(text[i])) ++i;
    if (i == text.size() || (text[i] != '{' && text[i] != '[')) return true;
    const bool object = text[i] == '{';
    for (++i; i < text.size() && is_blank(text[i]);) ++i;
    return i < text.size() && text[i] != '"' && (object || (text[i] != '{' && text[i] != '['));
}

/// Position of the next `"` or `\` from `from` on; size() when there is none. Eight bytes at a time: strings
/// are most of a session.
inline std::size_t find_quote_or_backslash(std::string_view text, std::size_t from) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u;
    constexpr std::uint64_t kHighs = 0x8080808080808080u;
    const auto zero_bytes = [](std::uint64_t x) { return (x - kOnes) & ~x & kHighs; };
    std::size_t i = from;
    if constexpr (std::endian::native == std::endian::little) {
        for (; i + 8 <= text.size(); i += 8) {
            std::uint64_t word;
            std::memcpy(&word, text.data() + i, 8);
            // The lowest mark is exact; a borrow can only make false ones above it.
            const std::uint64_t hits = zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\'));
            if (hits != 0) return i + static_cast<std::size_t>(std::countr_zero(hits)) / 8;
        }
    }
    for (; i < text.size(); ++i) {
        if (text[i] == '"' || text[i] == '\\') break;
    }
    return i;
}

/// Position of the next bracket, brace or quote outside of strings; size() when there is none.
inline std::size_t find_structural(std::string_view text, std::size_t from) {
    static constexpr auto kStructural = [] {
        std::array<bool, 256> table{};
        for (const char c : {'{', '}', '[', ']', '"'}) table[static_cast<unsigned char>(c)] = true;
        return table;
    }();
    std::size_t i = from;
    while (i < text.size() && !kStructural[static_cast<unsigned char>(text[i])]) ++i;
    return i;
}

}  // namespace agent_audit::readers
