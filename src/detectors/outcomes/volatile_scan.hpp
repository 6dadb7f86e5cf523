#pragma once

#include "support/simd.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Finds the places where a volatile part (volatile_parts.hpp) may be: misses none and is wrong now and then.
///
/// Every byte of every tool result passes through here, so this is done in two steps: a branch-free filter over 64
/// bytes at a time that looks at three bytes, and a closer look at five bytes where it finds something.

/// Where a part begins that was noticed by three bytes "abc" in its middle.
enum class PartBegin : std::uint8_t {
    uuid,     ///< b is the second dash
    date,     ///< b follows the year
    number,   ///< with the decimal number that ends with a, or with the digit before a
    digits,   ///< with the run of digits that ends with a
    counted,  ///< at c, if the word before is one of those
    name,     ///< after c and its like: slashes
    first,    ///< at a
};

/// Three suspicious bytes, of which the last is at `last`. Bit i of `rules` stands for part_begin(i).
/// No initialisers: two thousand of them lie on the stack for every text and are written before they are read.
struct Suspect {
    std::uint32_t last;
    std::uint32_t rules;
};

PartBegin part_begin(unsigned rule);

inline constexpr std::size_t kScanChunk = 2048;  ///< bytes looked at in one go

/// Suspects of one chunk, from left to right; `last` counts from the beginning of the chunk.
struct Suspects {
    std::size_t count = 0;
    std::array<Suspect, kScanChunk> list;
};

/// Looks at the chunk of `text` that begins at `from`, a multiple of kScanChunk.
void find_suspects(std::string_view text, std::size_t from, Suspects& suspects, SimdLevel level);

/// Looks at the last two bytes of `text` (there must be two) and the 0 that stands behind them: "took 3s".
void find_suspect_at_end(std::string_view text, std::size_t from, Suspects& suspects);

}  // namespace agent_audit::detectors
