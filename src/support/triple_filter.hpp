#pragma once

#include "support/simd.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace agent_audit {

/// A filter for three bytes that follow each other, and the one before them if that is asked for, 64 bytes at a time
/// and without a branch: what decides whether a text is worth a closer look. It misses nothing and lets a little too
/// much through.
///
/// It knows up to eight groups. A group is three or four sets of bytes, and a set is looked up by its low and its high
/// nibble, so what really passes is every low nibble of the set with every high nibble: group what makes small
/// rectangles.
struct Triple {
    std::uint8_t group = 0;
    std::string_view bytes[3];     ///< empty: any byte
    std::string_view before = {};  ///< the byte in front; empty: any, or the text begins
};

class TripleTables {
public:
    constexpr explicit TripleTables(std::span<const Triple> triples) {
        for (const Triple& triple : triples) {
            for (std::size_t place = 0; place < 3; ++place) add(triple.group, place, triple.bytes[place]);
            if (triple.before.empty()) {
                any_before |= static_cast<std::uint8_t>(1u << triple.group);
            } else {
                add(triple.group, kBefore, triple.before);
                looks_before = true;
            }
        }
        for (std::size_t place = 0; place <= kBefore; ++place) {
            for (std::size_t c = 0; c < 256; ++c) groups[place][c] = low[place][c & 15] & high[place][c >> 4];
        }
    }

    static constexpr std::size_t kBefore = 3;  ///< place of the byte in front

    // By nibble; each table stands four times, as the widest shuffle wants it.
    alignas(64) std::array<std::uint8_t, 64> low[4]{};
    alignas(64) std::array<std::uint8_t, 64> high[4]{};
    std::array<std::uint8_t, 256> groups[4]{};  ///< by byte
    std::uint8_t any_before = 0;                ///< the groups that do not ask for the byte in front
    bool looks_before = false;                  ///< some group does

private:
    constexpr void add(unsigned group, std::size_t place, std::string_view bytes) {
        for (std::size_t nibble = 0; nibble < 16 && bytes.empty(); ++nibble) put(group, place, nibble, nibble);
        for (const char c : bytes)
            put(group, place, static_cast<unsigned char>(c) & 15, static_cast<unsigned char>(c) >> 4);
    }
    constexpr void put(unsigned group, std::size_t place, std::size_t low_nibble, std::size_t high_nibble) {
        for (std::size_t lane = 0; lane < 64; lane += 16) {
            low[place][lane + low_nibble] |= static_cast<std::uint8_t>(1u << group);
            high[place][lane + high_nibble] |= static_cast<std::uint8_t>(1u << group);
        }
    }
};

inline constexpr std::size_t kTripleBlock = 64;

/// Looks at `size` bytes of `text` from `from` on (the bytes before count as context, if `from` is at least 64). Bit i
/// of masks[k] says that the three bytes ending with byte from + 64k + i may belong to a group. Returns how many masks
/// were written: size / 64, rounded up. Reads nothing outside `text`.
std::size_t find_triples(const TripleTables& tables, std::string_view text, std::size_t from, std::size_t size,
                         std::span<std::uint64_t> masks, SimdLevel level = best_simd());

}  // namespace agent_audit
