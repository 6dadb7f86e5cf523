#pragma once

#include <cstddef>
#include <string_view>

namespace agent_audit {

/// 0 to 15; -1: no hexadecimal digit.
inline int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Four hexadecimal digits at `at`; -1: there are none.
inline int hex4(std::string_view text, std::size_t at) {
    if (at + 4 > text.size()) return -1;
    int value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        const int digit = hex_digit(text[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/// What a backslash and this character stand for in JSON; 0: no escape of two characters.
inline char simple_escape(char c) {
    switch (c) {
        case 'n': return '\n';
        case 't': return '\t';
        case 'r': return '\r';
        case 'b': return '\b';
        case 'f': return '\f';
        case '"':
        case '\\':
        case '/': return c;
        default: return '\0';
    }
}

}  // namespace agent_audit
