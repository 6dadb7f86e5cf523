#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::tokens {

/// What the pre-tokenisers tell apart, as bits so that a run can be of several classes.
enum CharClass : std::uint8_t {
    kOtherChar = 1,
    kSpace = 2,  ///< white space but for line breaks
    kLineBreak = 4,
    kNumber = 8,
    kUpper = 16,  ///< title case too
    kLower = 32,
    kOtherLetter = 64,
    kMark = 128,
};

#include "tokens/unicode_classes.inc"

inline constexpr std::array<CharClass, 128> kAsciiClass = [] {
    std::array<CharClass, 128> classes{};
    for (std::size_t c = 0; c < 128; ++c) classes[c] = static_cast<CharClass>(1 << (kClassBlocks[0][c] - '0'));
    return classes;
}();

inline CharClass class_of(char32_t c) {
    constexpr char32_t kBlock = 128;
    const std::size_t block = c / kBlock;
    const std::size_t number = block < kBlockOf.size() ? kBlockOf[block] : kBlockOf.back();
    return static_cast<CharClass>(1 << (kClassBlocks[number][c % kBlock] - '0'));
}

}  // namespace agent_audit::tokens
