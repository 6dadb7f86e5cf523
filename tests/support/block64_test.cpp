// Sixty-four bytes are asked at once what each of them would say alone.
#include "support/wide_block64.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

using namespace agent_audit;

namespace {

// Every byte there is, in four blocks.
std::array<char, 256> all_bytes() {
    std::array<char, 256> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    return bytes;
}

unsigned number(char c) { return static_cast<unsigned char>(c); }

#define AGENT_AUDIT_KERNEL "support/block64_checks.inc"
#include "support/each_width.inc"

}  // namespace

TEST_CASE("a block says of each of its bytes what the byte is, however wide the machine reads") {
    for (const SimdLevel level : simd_levels()) at_level(level, portable::check, avx2::check, wide::check)();
}
