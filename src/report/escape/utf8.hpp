#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// One step of decoding: a code point, or one byte that belongs to none.
struct CodePoint {
    char32_t value = 0;
    std::uint8_t length = 1;
    bool valid = true;
};

/// Decodes at `pos` (which must be inside `text`). Overlong forms, surrogates and values beyond U+10FFFF
/// are invalid; an invalid sequence is consumed one byte at a time.
CodePoint decode_at(std::string_view text, std::size_t pos);

/// Columns a terminal needs: 0 for combining marks and format characters, 2 for wide East Asian and emoji.
int column_width(char32_t code_point);

/// Columns of valid UTF-8 text without controls.
int column_width(std::string_view text);

}  // namespace agent_audit::report
