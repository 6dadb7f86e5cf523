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

template <class Block>
void check_ranges() {
    const std::array<char, 256> bytes = all_bytes();
    for (unsigned first = 0; first < 256; ++first) {
        // Both ends are ASCII, or both are not.
        const unsigned most = first < 0x80 ? 0x7f : 0xff;
        for (unsigned last = first; last <= most; ++last) {
            for (std::size_t part = 0; part < 4; ++part) {
                const char* const at = bytes.data() + 64 * part;
                const std::uint64_t found = Block(at).between(static_cast<char>(first), static_cast<char>(last));
                std::uint64_t expected = 0;
                for (unsigned i = 0; i < 64; ++i)
                    expected |= std::uint64_t{number(at[i]) >= first && number(at[i]) <= last} << i;
                CAPTURE(first);
                CAPTURE(last);
                REQUIRE(found == expected);
            }
        }
    }
}

template <class Block>
void check_bytes() {
    const std::array<char, 256> bytes = all_bytes();
    for (std::size_t part = 0; part < 4; ++part) {
        const Block block(bytes.data() + 64 * part);
        CHECK(block.high() == (part < 2 ? 0 : ~std::uint64_t{0}));
        for (unsigned c = 0; c < 256; ++c)
            REQUIRE(block.equal(static_cast<char>(c)) == (c / 64 == part ? std::uint64_t{1} << c % 64 : 0));
    }
    // What lies behind a short text is zero, whatever stands there.
    for (std::size_t size = 0; size <= 64; ++size)
        CHECK(Block::of(bytes.data() + 128, size).high() == low_bits(size));
}

template <class Block>
void check_gather() {
    std::mt19937_64 random(3);
    for (int round = 0; round < 2'000; ++round) {
        const std::uint64_t bits = random(), kept = random() & (round % 2 == 0 ? random() : ~std::uint64_t{0});
        std::uint64_t expected = 0;
        unsigned to = 0;
        for (unsigned i = 0; i < 64; ++i) {
            if ((kept >> i & 1) != 0) expected |= (bits >> i & 1) << to++;
        }
        REQUIRE(Block::gather(bits, kept) == expected);
    }
}

template <class Block>
void check() {
    check_ranges<Block>();
    check_bytes<Block>();
    check_gather<Block>();
}

}  // namespace

TEST_CASE("a block says of each of its bytes what the byte is") { check<Block64>(); }

#if AGENT_AUDIT_X86
namespace {
bool has(SimdLevel level) {
    if (std::ranges::find(simd_levels(), level) != simd_levels().end()) return true;
    MESSAGE("skipped: this machine has no such instructions");
    return false;
}
}  // namespace

AGENT_AUDIT_AVX2_BEGIN
namespace {
void check_avx2() { check<Avx2Block64>(); }
}  // namespace
AGENT_AUDIT_AVX2_END
AGENT_AUDIT_WIDE_BEGIN
namespace {
void check_wide() { check<WideBlock64>(); }
}  // namespace
AGENT_AUDIT_WIDE_END

TEST_CASE("wider blocks say the same") {
    if (has(SimdLevel::avx2)) check_avx2();
    if (has(SimdLevel::avx512bw)) check_wide();
}
#endif
