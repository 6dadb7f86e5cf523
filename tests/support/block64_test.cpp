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

namespace portable {
using Block = Block64;
#include "support/block64_checks.inc"
}  // namespace portable

}  // namespace

TEST_CASE("a block says of each of its bytes what the byte is") { portable::check(); }

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
namespace avx2 {
using Block = Avx2Block64;
#include "support/block64_checks.inc"
}  // namespace avx2
}  // namespace
AGENT_AUDIT_AVX2_END
AGENT_AUDIT_WIDE_BEGIN
namespace {
namespace wide {
using Block = WideBlock64;
#include "support/block64_checks.inc"
}  // namespace wide
}  // namespace
AGENT_AUDIT_WIDE_END

TEST_CASE("wider blocks say the same") {
    if (has(SimdLevel::avx2)) avx2::check();
    if (has(SimdLevel::avx512bw)) wide::check();
}
#endif
