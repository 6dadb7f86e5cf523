#pragma once

#include "support/json_escape.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace agent_audit::tokens {

/// One step through WTF-8. A broken sequence is U+FFFD and as long as the part of it that could have been a beginning
/// (at least one byte), which is how browsers and Node.js replace it.
struct CodePoint {
    char32_t value = 0;
    std::uint8_t length = 1;
    bool valid = true;

    constexpr std::size_t units() const { return value >= 0x10000 ? 2 : 1; }
    constexpr bool surrogate() const { return value >= 0xD800 && value < 0xE000; }
};

inline constexpr char32_t kReplacementChar = 0xFFFD;

inline CodePoint decode_multibyte(const unsigned char* p, std::size_t left) {
    const unsigned lead = *p;
    if (lead < 0xC2 || lead > 0xF4) return {kReplacementChar, 1, false};
    const unsigned need = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // Only the second byte has narrower limits: they shut out overlong forms and what lies beyond U+10FFFF.
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    char32_t value = lead & (0x7Fu >> need);
    for (unsigned i = 1; i < need; ++i) {
        const bool fits = i < left && p[i] >= (i == 1 ? low : 0x80) && p[i] <= (i == 1 ? high : 0xBF);
        if (!fits) return {kReplacementChar, static_cast<std::uint8_t>(i), false};
        value = value << 6 | (p[i] & 0x3Fu);
    }
    return {value, static_cast<std::uint8_t>(need), true};
}

/// Decodes at `pos`, which must be inside `text`.
inline CodePoint decode_wtf8(std::string_view text, std::size_t pos) {
    const auto* p = reinterpret_cast<const unsigned char*>(text.data()) + pos;
    if (*p < 0x80) return {*p, 1, true};
    return decode_multibyte(p, text.size() - pos);
}

/// Bytes from `pos` on that are ASCII.
inline std::size_t ascii_run(std::string_view text, std::size_t pos) {
    const char* const begin = text.data() + pos;
    const char* const end = text.data() + text.size();
    const char* p = begin;
    for (; end - p >= 8; p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, 8);
        if ((word & 0x8080808080808080u) != 0) break;
    }
    while (p < end && static_cast<unsigned char>(*p) < 0x80) ++p;
    return static_cast<std::size_t>(p - begin);
}

/// Appends one code point, a surrogate as its three bytes.
inline void put_wtf8(std::string& out, char32_t c) {
    const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

/// The code unit of the escape at `at`, a \u and four digits; -1: there is none.
inline int unit_escape(std::string_view raw, std::size_t at) {
    return at + 1 < raw.size() && raw[at] == '\\' && raw[at + 1] == 'u' ? hex4(raw, at + 2) : -1;
}

/// Calls `see(CodePoint)` for each code point of `text`.
template <class See>
void each_code_point(std::string_view text, See&& see) {
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_wtf8(text, i);
        see(c);
        i += c.length;
    }
}

}  // namespace agent_audit::tokens
