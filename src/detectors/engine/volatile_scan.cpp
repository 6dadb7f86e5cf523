#include "detectors/engine/volatile_scan.hpp"

#include <algorithm>
#include <cstring>

#if AGENT_AUDIT_X86
#include <immintrin.h>
#endif

namespace agent_audit::detectors {
namespace {

// A rule is three sets of bytes that follow each other. Eight rules fit the eight bits of a byte, and a set is
// looked up by its low and its high nibble: two 16-byte tables for each of the three places, as shuffles want them.
// A table holds the rectangle around its set (every low nibble with every high nibble), so sets were chosen to be
// nearly rectangular; what slips in is turned away by the grammar in volatile_parts.cpp.
struct Rule {
    std::string_view bytes[3];
};

constexpr std::string_view kAny{};
constexpr std::string_view kDigit = "0123456789";

constexpr std::array<Rule, 8> kRules{{
    {{kDigit, "dhmnsux", kAny}},                     // 12ms 3h 0x7f…
    {{kDigit, " ", "dhmnsuwy"}},                     // 12 seconds
    {{"0123456789abcdefABCDEF", "-/:", kDigit}},     // 2026-02 12:34 …-4abc-… (2/5)
    {{"dtyDTY:=\"", " :=#", kDigit}},                // pid 12, attempt: 3, retry=3
    {{" ", "#(", kDigit}},                           // attempt #3
    {{"mMj/", "pPuT", "/\\s"}},                      // /tmp/ \Temp\ /T/ jus(t now)
    {{"\x1b\\", "[ux0e", kAny}},                     // ESC[ \u001b[ \x1b[ \033[ \e[
    {{" 0123456789", "\xc2\xce", kAny}},             // 12µs, 12 µs
}};

struct Tables {
    alignas(16) std::array<std::uint8_t, 16> low[3];
    alignas(16) std::array<std::uint8_t, 16> high[3];
};

constexpr Tables make_tables() {
    Tables t{};
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
        const auto bit = static_cast<std::uint8_t>(1u << rule);
        for (std::size_t place = 0; place < 3; ++place) {
            for (std::size_t n = 0; n < 16 && kRules[rule].bytes[place].empty(); ++n) {
                t.low[place][n] |= bit;
                t.high[place][n] |= bit;
            }
            for (const char c : kRules[rule].bytes[place]) {
                t.low[place][static_cast<unsigned char>(c) & 15] |= bit;
                t.high[place][static_cast<unsigned char>(c) >> 4] |= bit;
            }
        }
    }
    return t;
}

constexpr Tables kTables = make_tables();

constexpr std::array<std::array<std::uint8_t, 256>, 3> make_wide_tables() {
    std::array<std::array<std::uint8_t, 256>, 3> wide{};
    for (std::size_t place = 0; place < 3; ++place) {
        for (std::size_t c = 0; c < 256; ++c) {
            wide[place][c] = static_cast<std::uint8_t>(kTables.low[place][c & 15] & kTables.high[place][c >> 4]);
        }
    }
    return wide;
}

constexpr auto kWide = make_wide_tables();

// A kernel finds the masks of `blocks` blocks at `p`. With `warm`, the 64 bytes before `p` belong to the text as
// well; otherwise the text begins at `p`.
void scan_portable(const char* p, std::size_t blocks, bool warm, std::uint64_t* out) {
    std::uint8_t first = 0, second = 0;  // rules alive after the byte before, and after the two bytes before
    const auto step = [&](char c) {
        const auto byte = static_cast<unsigned char>(c);
        const unsigned hit = second & kWide[2][byte];
        second = first & kWide[1][byte];
        first = kWide[0][byte];
        return hit;
    };
    if (warm) {
        step(p[-2]);
        step(p[-1]);
    }
    for (std::size_t k = 0; k < blocks; ++k) {
        std::uint64_t mask = 0;
        for (unsigned i = 0; i < kScanBlock; ++i) {
            mask |= static_cast<std::uint64_t>(step(p[k * kScanBlock + i]) != 0) << i;
        }
        out[k] = mask;
    }
}

#if AGENT_AUDIT_X86

#define AGENT_AUDIT_AVX2 __attribute__((target("avx2")))
#define AGENT_AUDIT_AVX512 __attribute__((target("avx2,avx512f,avx512bw")))

AGENT_AUDIT_AVX2 void scan_avx2(const char* p, std::size_t blocks, bool warm, std::uint64_t* out) {
    const auto table = [](const std::array<std::uint8_t, 16>& t) AGENT_AUDIT_AVX2 {
        return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(t.data())));
    };
    const __m256i low0 = table(kTables.low[0]), low1 = table(kTables.low[1]), low2 = table(kTables.low[2]);
    const __m256i high0 = table(kTables.high[0]), high1 = table(kTables.high[1]), high2 = table(kTables.high[2]);
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i before0 = _mm256_setzero_si256(), before1 = _mm256_setzero_si256();

    const auto half = [&](const char* at) AGENT_AUDIT_AVX2 {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        const __m256i low = _mm256_and_si256(v, nibble);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble);
        const __m256i c0 = _mm256_and_si256(_mm256_shuffle_epi8(low0, low), _mm256_shuffle_epi8(high0, high));
        const __m256i c1 = _mm256_and_si256(_mm256_shuffle_epi8(low1, low), _mm256_shuffle_epi8(high1, high));
        const __m256i c2 = _mm256_and_si256(_mm256_shuffle_epi8(low2, low), _mm256_shuffle_epi8(high2, high));
        // The byte two back and the byte before, across the border of the 32 bytes.
        const __m256i two = _mm256_alignr_epi8(c0, _mm256_permute2x128_si256(before0, c0, 0x21), 14);
        const __m256i one = _mm256_alignr_epi8(c1, _mm256_permute2x128_si256(before1, c1, 0x21), 15);
        before0 = c0;
        before1 = c1;
        const __m256i hit = _mm256_and_si256(_mm256_and_si256(two, one), c2);
        return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(hit, _mm256_setzero_si256())));
    };
    if (warm) (void)half(p - 32);
    for (std::size_t k = 0; k < blocks; ++k, p += kScanBlock) {
        const std::uint64_t a = half(p);
        const std::uint64_t b = half(p + 32);
        out[k] = a | b << 32;
    }
}

AGENT_AUDIT_AVX512 void scan_avx512(const char* p, std::size_t blocks, bool warm, std::uint64_t* out) {
    const auto table = [](const std::array<std::uint8_t, 16>& t) AGENT_AUDIT_AVX512 {
        return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(t.data())));
    };
    const __m512i low0 = table(kTables.low[0]), low1 = table(kTables.low[1]), low2 = table(kTables.low[2]);
    const __m512i high0 = table(kTables.high[0]), high1 = table(kTables.high[1]), high2 = table(kTables.high[2]);
    const __m512i nibble = _mm512_set1_epi8(15);
    __m512i before0 = _mm512_setzero_si512(), before1 = _mm512_setzero_si512();

    const auto block = [&](const char* at) AGENT_AUDIT_AVX512 {
        const __m512i v = _mm512_loadu_si512(at);
        const __m512i low = _mm512_and_si512(v, nibble);
        const __m512i high = _mm512_and_si512(_mm512_srli_epi16(v, 4), nibble);
        const __m512i c0 = _mm512_and_si512(_mm512_shuffle_epi8(low0, low), _mm512_shuffle_epi8(high0, high));
        const __m512i c1 = _mm512_and_si512(_mm512_shuffle_epi8(low1, low), _mm512_shuffle_epi8(high1, high));
        const __m512i c2 = _mm512_and_si512(_mm512_shuffle_epi8(low2, low), _mm512_shuffle_epi8(high2, high));
        const __m512i two = _mm512_alignr_epi8(c0, _mm512_alignr_epi64(c0, before0, 6), 14);
        const __m512i one = _mm512_alignr_epi8(c1, _mm512_alignr_epi64(c1, before1, 6), 15);
        before0 = c0;
        before1 = c1;
        return static_cast<std::uint64_t>(_mm512_test_epi8_mask(_mm512_and_si512(two, one), c2));
    };
    if (warm) (void)block(p - 64);
    for (std::size_t k = 0; k < blocks; ++k, p += kScanBlock) out[k] = block(p);
}

#endif

void scan_blocks(const char* p, std::size_t blocks, bool warm, std::uint64_t* out, SimdLevel level) {
#if AGENT_AUDIT_X86
    if (level == SimdLevel::avx512bw) return scan_avx512(p, blocks, warm, out);
    if (level == SimdLevel::avx2) return scan_avx2(p, blocks, warm, out);
#else
    (void)level;
#endif
    scan_portable(p, blocks, warm, out);
}

}  // namespace

std::size_t scan_chunk(std::string_view text, std::size_t from, ScanMasks& masks, SimdLevel level) {
    const std::size_t size = std::min(kScanChunk, text.size() - from);
    const std::size_t whole = size / kScanBlock;
    const char* at = text.data() + from;
    const bool warm = from != 0;
    scan_blocks(at, whole, warm, masks.data(), level);
    const std::size_t rest = size % kScanBlock;
    if (rest == 0) return whole;

    // The last bytes are scanned in a copy: nothing is ever read beyond the text.
    const bool has_before = warm || whole != 0;
    std::array<char, 2 * kScanBlock> copy{};
    if (has_before) std::memcpy(copy.data(), at + whole * kScanBlock - kScanBlock, kScanBlock);
    std::memcpy(copy.data() + kScanBlock, at + whole * kScanBlock, rest);
    scan_blocks(copy.data() + kScanBlock, 1, has_before, &masks[whole], level);
    masks[whole] &= (1ULL << rest) - 1;
    return whole + 1;
}

}  // namespace agent_audit::detectors
