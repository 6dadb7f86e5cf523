#include "detectors/engine/volatile_scan.hpp"

#include <algorithm>
#include <cstring>

#if AGENT_AUDIT_X86
#include <immintrin.h>
#endif

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kAny{};
constexpr std::string_view kDigit = "0123456789";
constexpr std::string_view kHex = "0123456789abcdefABCDEF";

constexpr bool is_word(std::size_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct ByteList {
    std::array<char, 256> bytes{};
    std::size_t size = 0;
    constexpr std::string_view view() const { return {bytes.data(), size}; }
};

constexpr ByteList bytes_but_letters() {
    ByteList list;
    for (std::size_t c = 0; c < 256; ++c) {
        if (!is_word(c) || (c >= '0' && c <= '9')) list.bytes[list.size++] = static_cast<char>(c);
    }
    return list;
}

constexpr ByteList kNoLetterList = bytes_but_letters();
constexpr std::string_view kNoLetter = kNoLetterList.view();

/// Five sets of bytes that follow each other: one before, the three the filter sees, one after. Beyond the ends of the
/// text stands a 0. The filter knows eight groups of rules, and a set by its low and its high nibbles, any of these
/// with any of those: rules were put together so that this lets little else through.
struct Rule {
    std::uint8_t group;
    PartBegin begin;
    std::string_view bytes[5];
};

// Where several rules speak of one place, the part that begins first comes first.
constexpr std::array<Rule, 32> kRules{{
    {0, PartBegin::number, {kAny, kDigit, "dhms", kNoLetter, kAny}},  // 3h 2m30s
    {0, PartBegin::number, {kAny, kDigit, "mnu", "s", kAny}},         // 12ms 12msec 12us 12ns
    {0, PartBegin::number, {kAny, kDigit, "hm", "oir", kAny}},        // 3hrs 3hours 3min 3months
    {0, PartBegin::number, {kAny, kDigit, "swy", "e", kAny}},         // 3sec 3weeks 3years
    {0, PartBegin::number, {kAny, kDigit, "d", "a", kAny}},           // 3days
    {0, PartBegin::first, {kAny, "0", "x", kHex, kHex}},              // 0x7f…

    {1, PartBegin::number, {kAny, kDigit, " ", "mnu", "s"}},          // the same after a blank
    {1, PartBegin::number, {kAny, kDigit, " ", "hm", "oir"}},
    {1, PartBegin::number, {kAny, kDigit, " ", "swy", "e"}},
    {1, PartBegin::number, {kAny, kDigit, " ", "d", "a"}},
    {1, PartBegin::number, {kAny, kDigit, " ", "s", kNoLetter}},      // 1.5 s

    {2, PartBegin::uuid, {kHex, kHex, "-", kDigit, kHex}},            // …-9b1d-4abc-…
    {2, PartBegin::date, {kDigit, kDigit, "-/", "01", kDigit}},       // 2026-02-…
    {2, PartBegin::digits, {kAny, kDigit, ":", "012345", kDigit}},    // 12:34
    {2, PartBegin::digits, {"(0123456789", kDigit, "/", kDigit, kAny}},  // (2/5) attempts
    {2, PartBegin::counted, {"dytDYT\\", "\"", ":", kDigit, kAny}},    // "pid":12

    {3, PartBegin::counted, {"iI", "dD", " :=", kDigit, kAny}},       // pid 12
    {3, PartBegin::counted, {"rR", "yY", " :=", kDigit, kAny}},       // retry=3
    {3, PartBegin::counted, {"pP", "tT", " :=", kDigit, kAny}},       // attempt:3
    {3, PartBegin::counted, {"dytDYT\"' ", ":", " ", kDigit, kAny}},  // "pid": 12

    {4, PartBegin::counted, {"dytDYT", " ", "#(", kDigit, kAny}},     // attempt #3, attempt (3
    {4, PartBegin::number, {kAny, "0123456789 ", "\xc2", "\xb5", "s"}},  // 12µs, 12 µs

    {5, PartBegin::name, {"t", "m", "p", "/", kAny}},                 // /tmp/
    {5, PartBegin::name, {"e", "m", "p", "/\\", kAny}},               // \Temp\ .
    {5, PartBegin::name, {"E", "M", "P", "/\\", kAny}},
    {5, PartBegin::name, {kAny, "/", "T", "/", kAny}},                // /var/folders/xx/name/T/

    {6, PartBegin::first, {kAny, "\x1b", "[", kAny, kAny}},           // ESC[
    {6, PartBegin::first, {kAny, "\\", "u", "0", "0"}},               // \u001b[
    {6, PartBegin::first, {kAny, "\\", "x", "1", "bB"}},              // \x1b[
    {6, PartBegin::first, {kAny, "\\", "0", "3", "3"}},               // \033[
    {6, PartBegin::first, {kAny, "\\", "e", "[", kAny}},              // \e[

    {7, PartBegin::first, {kAny, "j", "u", "s", "t"}},                // just now
}};

inline constexpr std::size_t kScanBlock = 64;
using ScanMasks = std::array<std::uint64_t, kScanChunk / kScanBlock>;

struct Tables {  // each table four times over, as the widest shuffle wants it
    alignas(64) std::array<std::uint8_t, 64> low[3];
    alignas(64) std::array<std::uint8_t, 64> high[3];
};

constexpr Tables make_tables() {
    Tables t{};
    const auto put = [&t](std::size_t place, std::size_t low, std::size_t high, std::uint8_t bit) {
        for (std::size_t lane = 0; lane < 64; lane += 16) {
            t.low[place][lane + low] |= bit;
            t.high[place][lane + high] |= bit;
        }
    };
    for (const Rule& rule : kRules) {
        const auto bit = static_cast<std::uint8_t>(1u << rule.group);
        for (std::size_t place = 0; place < 3; ++place) {
            const std::string_view bytes = rule.bytes[place + 1];
            for (std::size_t n = 0; n < 16 && bytes.empty(); ++n) put(place, n, n, bit);
            for (const char c : bytes) put(place, static_cast<unsigned char>(c) & 15, static_cast<unsigned char>(c) >> 4, bit);
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

constexpr std::array<std::array<std::uint32_t, 256>, 5> make_rule_bits() {
    std::array<std::array<std::uint32_t, 256>, 5> bits{};
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
        for (std::size_t place = 0; place < 5; ++place) {
            for (const char c : kRules[rule].bytes[place]) bits[place][static_cast<unsigned char>(c)] |= 1u << rule;
            for (std::size_t c = 0; c < 256 && kRules[rule].bytes[place].empty(); ++c) bits[place][c] |= 1u << rule;
        }
    }
    return bits;
}

/// The rules that each byte obeys in each of the five places.
constexpr auto kRuleBits = make_rule_bits();

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

// GCC 12 takes the undefined operands inside its own AVX-512 headers for mistakes of ours.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

AGENT_AUDIT_AVX2 inline __m256i load32(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

AGENT_AUDIT_AVX2 void scan_avx2(const char* p, std::size_t blocks, bool warm, std::uint64_t* out) {
    const auto& low = kTables.low;
    const auto& high = kTables.high;
    const __m256i low0 = load32(low[0].data()), low1 = load32(low[1].data()), low2 = load32(low[2].data());
    const __m256i high0 = load32(high[0].data()), high1 = load32(high[1].data()), high2 = load32(high[2].data());
    const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i before0 = zero, before1 = zero;

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
        const __m256i hit = _mm256_and_si256(_mm256_and_si256(two, one), c2);
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(hit, zero)));
    };
    if (warm) (void)half(p - 32);
    for (std::size_t k = 0; k < blocks; ++k, p += kScanBlock) {
        const std::uint64_t a = half(p);
        const std::uint64_t b = half(p + 32);
        out[k] = ~(a | b << 32);
    }
}

AGENT_AUDIT_AVX512 inline __m512i load64(const void* p) { return _mm512_loadu_si512(p); }

AGENT_AUDIT_AVX512 void scan_avx512(const char* p, std::size_t blocks, bool warm, std::uint64_t* out) {
    const auto& low = kTables.low;
    const auto& high = kTables.high;
    const __m512i low0 = load64(low[0].data()), low1 = load64(low[1].data()), low2 = load64(low[2].data());
    const __m512i high0 = load64(high[0].data()), high1 = load64(high[1].data()), high2 = load64(high[2].data());
    const __m512i nibble = _mm512_set1_epi8(15);
    __m512i before0 = _mm512_setzero_si512(), before1 = _mm512_setzero_si512();

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
        return static_cast<std::uint64_t>(_mm512_test_epi8_mask(_mm512_and_si512(two, one), c2));
    };
    if (warm) (void)block(p - 64);
    for (std::size_t k = 0; k < blocks; ++k, p += kScanBlock) out[k] = block(p);
}

#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

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

/// Bit i of masks[k] says that the three bytes ending with byte 64k + i of the chunk passed the filter.
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

}  // namespace

PartBegin part_begin(unsigned rule) { return kRules[rule].begin; }

namespace {

std::uint32_t rules(std::size_t place, char c) { return kRuleBits[place][static_cast<unsigned char>(c)]; }

}  // namespace

void find_suspect_at_end(std::string_view text, std::size_t from, Suspects& suspects) {
    const std::size_t last = text.size();
    const char before = last >= 3 ? text[last - 3] : '\0';
    const std::uint32_t obeyed = rules(0, before) & rules(1, text[last - 2]) & rules(2, text[last - 1]) & rules(3, '\0') & rules(4, '\0');
    suspects.list[0] = {static_cast<std::uint32_t>(last - from), obeyed};
    suspects.count = obeyed != 0;
}

void find_suspects(std::string_view text, std::size_t from, Suspects& suspects, SimdLevel level) {
    ScanMasks masks;
    const std::size_t blocks = scan_chunk(text, from, masks, level);

    // Both loops write every entry and then keep it or not: what is there cannot be predicted.
    std::array<std::uint16_t, kScanChunk + 4> lasts;
    std::size_t found = 0;
    for (std::size_t k = 0; k < blocks; ++k) {
        std::uint64_t mask = masks[k];
        const auto bits = static_cast<std::size_t>(__builtin_popcountll(mask));
        for (std::size_t n = 0; n < bits; n += 4) {
            for (std::size_t i = 0; i < 4; ++i) {
                lasts[found + n + i] = static_cast<std::uint16_t>(k * kScanBlock + static_cast<unsigned>(__builtin_ctzll(mask | 1ULL << 63)));
                mask &= mask - 1;
            }
        }
        found += bits;
    }

    suspects.count = 0;
    for (std::size_t i = 0; i < found; ++i) {
        const std::size_t last = from + lasts[i];
        const char before = last >= 3 ? text[last - 3] : '\0';
        const char after = last + 1 < text.size() ? text[last + 1] : '\0';
        const std::uint32_t obeyed = rules(0, before) & rules(1, text[last - 2]) & rules(2, text[last - 1]) &
                                     rules(3, text[last]) & rules(4, after);
        suspects.list[suspects.count] = {lasts[i], obeyed};
        suspects.count += obeyed != 0;
    }
}

}  // namespace agent_audit::detectors
