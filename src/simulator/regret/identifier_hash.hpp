#pragma once

#include <agent_audit/support/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace agent_audit::simulator {

/// The number of an identifier: equal for equal ones, never 0. It is of use within one run only. Nearly all are so
/// short that their first and their last bytes are all there is: those are mixed without a call.
[[gnu::always_inline]] inline std::uint64_t identifier_hash(std::string_view name) {
    constexpr std::size_t kHalf = 4, kWord = 8;
    if (name.size() < kHalf || name.size() > 2 * kWord) return stable_hash(name) | 1;
    std::uint64_t first = 0, last = 0;
    if (name.size() >= kWord) {
        std::memcpy(&first, name.data(), kWord);
        std::memcpy(&last, name.data() + name.size() - kWord, kWord);
    } else {
        std::memcpy(&first, name.data(), kHalf);
        std::memcpy(&last, name.data() + name.size() - kHalf, kHalf);
    }
    return mix_hash(mix_hash(name.size(), first), last) | 1;
}

}  // namespace agent_audit::simulator
