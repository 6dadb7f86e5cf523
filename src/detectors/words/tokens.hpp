#pragma once

#include "support/ascii.hpp"

#include <cstddef>
#include <string_view>

// Tokens: what stands between blanks and marks, as names, numbers and ids do.

namespace agent_audit::detectors {

/// What a token is made of: letters, digits, underscores and hyphens.
constexpr bool is_token(char c) { return is_word(c) || c == '-'; }

/// The token that begins at a place of a text; empty when none does.
inline std::string_view token_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_token(text[end])) ++end;
    return text.substr(at, end - at);
}

}  // namespace agent_audit::detectors
