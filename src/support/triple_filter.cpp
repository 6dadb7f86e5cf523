#include "support/triple_filter.hpp"

#include <cstring>

#if AGENT_AUDIT_X86
#include <immintrin.h>
#endif

namespace agent_audit {
namespace {

// A kernel finds the masks of `blocks` blocks at `p`. With `warm`, the 64 bytes before `p` belong to the text as
// well; otherwise the text begins at `p`. `Before`: some group asks for the byte in front of the three.
template <bool Before>
void scan_portable(const TripleTables& t, const char* p, std::size_t blocks, bool warm, std::uint64_t* out) {
    // Groups alive before the three, after the byte before, and after the two bytes before.
    std::uint8_t front = t.any_before, first = 0, second = 0;
    const auto step = [&](char c) {
        const auto byte = static_cast<unsigned char>(c);
        const unsigned hit = second & t.groups[2][byte];
        second = first & t.groups[1][byte];
        first = Before ? front & t.groups[0][byte] : t.groups[0][byte];
        front = t.groups[TripleTables::kBefore][byte] | t.any_before;
        return hit;
    };
    if (warm) {
        step(p[-3]);
        step(p[-2]);
        step(p[-1]);
    }
    for (std::size_t k = 0; k < blocks; ++k) {
        std::uint64_t mask = 0;
        for (unsigned i = 0; i < kTripleBlock; ++i) {
            mask |= static_cast<std::uint64_t>(step(p[k * kTripleBlock + i]) != 0) << i;
        }
        out[k] = mask;
    }
}

#if AGENT_AUDIT_X86

#define AGENT_AUDIT_AVX2 __attribute__((target("avx2")))
#define AGENT_AUDIT_AVX512 __attribute__((target("avx2,avx512f,avx512bw")))

// GCC 12 takes the undefined operands inside its own AVX-512 headers for mistakes of ours.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

AGENT_AUDIT_AVX2 inline __m256i load32(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

template <bool Before>
AGENT_AUDIT_AVX2 void scan_avx2(const TripleTables& t, const char* p, std::size_t blocks, bool warm,
                                std::uint64_t* out) {
    const auto& low = t.low;
    const auto& high = t.high;
    const __m256i low0 = load32(low[0].data()), low1 = load32(low[1].data()), low2 = load32(low[2].data());
    const __m256i high0 = load32(high[0].data()), high1 = load32(high[1].data()), high2 = load32(high[2].data());
    const __m256i low3 = load32(low[3].data()), high3 = load32(high[3].data());
    const __m256i any = _mm256_set1_epi8(static_cast<char>(t.any_before));
    const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i before0 = zero, before1 = zero, before3 = zero;

    const auto half = [&](const char* at) AGENT_AUDIT_AVX2 {
        const __m256i v = load32(at);
        const __m256i l = _mm256_and_si256(v, nibble);
        const __m256i h = _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble);
        const __m256i c0 = _mm256_and_si256(_mm256_shuffle_epi8(low0, l), _mm256_shuffle_epi8(high0, h));
        const __m256i c1 = _mm256_and_si256(_mm256_shuffle_epi8(low1, l), _mm256_shuffle_epi8(high1, h));
        const __m256i c2 = _mm256_and_si256(_mm256_shuffle_epi8(low2, l), _mm256_shuffle_epi8(high2, h));
        // The byte two back and the byte before, across the border of the 32 bytes.
        const __m256i two = _mm256_alignr_epi8(c0, _mm256_permute2x128_si256(before0, c0, 0x21), 14);
        const __m256i one = _mm256_alignr_epi8(c1, _mm256_permute2x128_si256(before1, c1, 0x21), 15);
        before0 = c0;
        before1 = c1;
        __m256i hit = _mm256_and_si256(_mm256_and_si256(two, one), c2);
        if constexpr (Before) {
            const __m256i c3 = _mm256_and_si256(_mm256_shuffle_epi8(low3, l), _mm256_shuffle_epi8(high3, h));
            const __m256i three = _mm256_alignr_epi8(c3, _mm256_permute2x128_si256(before3, c3, 0x21), 13);
            before3 = c3;
            hit = _mm256_and_si256(hit, _mm256_or_si256(three, any));
        }
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(hit, zero)));
    };
    if (warm) (void)half(p - 32);
    for (std::size_t k = 0; k < blocks; ++k, p += kTripleBlock) {
        const std::uint64_t a = half(p);
        const std::uint64_t b = half(p + 32);
        out[k] = ~(a | b << 32);
    }
}

AGENT_AUDIT_AVX512 inline __m512i load64(const void* p) { return _mm512_loadu_si512(p); }

template <bool Before>
AGENT_AUDIT_AVX512 void scan_avx512(const TripleTables& t, const char* p, std::size_t blocks, bool warm,
                                    std::uint64_t* out) {
    const auto& low = t.low;
    const auto& high = t.high;
    const __m512i low0 = load64(low[0].data()), low1 = load64(low[1].data()), low2 = load64(low[2].data());
    const __m512i high0 = load64(high[0].data()), high1 = load64(high[1].data()), high2 = load64(high[2].data());
    const __m512i low3 = load64(low[3].data()), high3 = load64(high[3].data());
    const __m512i any = _mm512_set1_epi8(static_cast<char>(t.any_before));
    const __m512i nibble = _mm512_set1_epi8(15), zero = _mm512_setzero_si512();
    __m512i before0 = zero, before1 = zero, before3 = zero;

    const auto block = [&](const char* at) AGENT_AUDIT_AVX512 {
        const __m512i v = load64(at);
        const __m512i l = _mm512_and_si512(v, nibble);
        const __m512i h = _mm512_and_si512(_mm512_srli_epi16(v, 4), nibble);
        const __m512i c0 = _mm512_and_si512(_mm512_shuffle_epi8(low0, l), _mm512_shuffle_epi8(high0, h));
        const __m512i c1 = _mm512_and_si512(_mm512_shuffle_epi8(low1, l), _mm512_shuffle_epi8(high1, h));
        const __m512i c2 = _mm512_and_si512(_mm512_shuffle_epi8(low2, l), _mm512_shuffle_epi8(high2, h));
        const __m512i two = _mm512_alignr_epi8(c0, _mm512_alignr_epi64(c0, before0, 6), 14);
        const __m512i one = _mm512_alignr_epi8(c1, _mm512_alignr_epi64(c1, before1, 6), 15);
        before0 = c0;
        before1 = c1;
        __m512i hit = _mm512_and_si512(two, one);
        if constexpr (Before) {
            const __m512i c3 = _mm512_and_si512(_mm512_shuffle_epi8(low3, l), _mm512_shuffle_epi8(high3, h));
            const __m512i three = _mm512_alignr_epi8(c3, _mm512_alignr_epi64(c3, before3, 6), 13);
            before3 = c3;
            hit = _mm512_and_si512(hit, _mm512_or_si512(three, any));
        }
        return static_cast<std::uint64_t>(_mm512_test_epi8_mask(hit, c2));
    };
    if (warm) (void)block(p - 64);
    for (std::size_t k = 0; k < blocks; ++k, p += kTripleBlock) out[k] = block(p);
}

#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

template <bool Before>
void scan_blocks(const TripleTables& t, const char* p, std::size_t blocks, bool warm, std::uint64_t* out,
                 SimdLevel level) {
#if AGENT_AUDIT_X86
    if (level == SimdLevel::avx512bw) return scan_avx512<Before>(t, p, blocks, warm, out);
    if (level == SimdLevel::avx2) return scan_avx2<Before>(t, p, blocks, warm, out);
#else
    (void)level;
#endif
    scan_portable<Before>(t, p, blocks, warm, out);
}

template <bool Before>
std::size_t find(const TripleTables& tables, std::string_view text, std::size_t from, std::size_t size,
                 std::span<std::uint64_t> masks, SimdLevel level) {
    const std::size_t whole = size / kTripleBlock;
    const char* at = text.data() + from;
    const bool warm = from >= kTripleBlock;
    scan_blocks<Before>(tables, at, whole, warm, masks.data(), level);
    const std::size_t rest = size % kTripleBlock;
    if (rest == 0) return whole;

    // The last bytes are looked at in a copy: nothing is ever read beyond the text.
    const bool has_before = warm || whole != 0;
    std::array<char, 2 * kTripleBlock> copy{};
    if (has_before) std::memcpy(copy.data(), at + whole * kTripleBlock - kTripleBlock, kTripleBlock);
    std::memcpy(copy.data() + kTripleBlock, at + whole * kTripleBlock, rest);
    scan_blocks<Before>(tables, copy.data() + kTripleBlock, 1, has_before, &masks[whole], level);
    masks[whole] &= (1ULL << rest) - 1;
    return whole + 1;
}

}  // namespace

std::size_t find_triples(const TripleTables& tables, std::string_view text, std::size_t from, std::size_t size,
                         std::span<std::uint64_t> masks, SimdLevel level) {
    return tables.looks_before ? find<true>(tables, text, from, size, masks, level)
                               : find<false>(tables, text, from, size, masks, level);
}

}  // namespace agent_audit
