#pragma once

#include <algorithm>
#include <ranges>
#include <string_view>

namespace agent_audit {

/// Is the word in a short list?
template <std::ranges::input_range Words>
constexpr bool among(std::string_view word, const Words& words) {
    return std::ranges::find(words, word) != std::ranges::end(words);
}

}  // namespace agent_audit
