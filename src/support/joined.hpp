#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace agent_audit {

/// Lists of phrases as one, in their order.
template <std::size_t... N>
constexpr auto joined(const std::string_view (&... lists)[N]) {
    std::array<std::string_view, (N + ...)> all{};
    auto end = all.begin();
    ((end = std::ranges::copy(lists, end).out), ...);
    return all;
}

}  // namespace agent_audit
