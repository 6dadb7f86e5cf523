#pragma once

#include "cli/arguments/arguments.hpp"

#include <array>
#include <cstddef>

namespace agent_audit::cli {

/// Of rows that say what a flag is and what it does, what it is.
template <class Flag, std::size_t N>
constexpr auto specs_of(const Flag (&flags)[N]) {
    std::array<FlagSpec, N> specs{};
    for (std::size_t i = 0; i < N; ++i) specs[i] = flags[i].spec;
    return specs;
}

}  // namespace agent_audit::cli
