#include "support/byte_scan.hpp"

#include <algorithm>

namespace agent_audit {
namespace {

// One byte at a time: the meaning of the three scans, and what runs where there is nothing wider.

const char* newline_portable(const char* at, const char* end, ByteFacts& facts) {
    for (; at < end && *at != '\n'; ++at) {
        const auto byte = static_cast<unsigned char>(*at);
        facts.controls += byte < 0x20;
        facts.non_ascii |= byte >= 0x80;
    }
    return at;
}

const char* string_end_portable(const char* at, const char* end) {
    for (; at < end && *at != '"'; ++at) {
        if (*at == '\\') ++at;
    }
    return std::min(at, end);
}

const char* container_end_portable(const char* at, const char* end) {
    for (std::size_t depth = 1; at < end; ++at) {
        // Outside of strings a backslash means nothing, but the wide scans do not know that it is outside.
        if (*at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\')) ++at;
        else if (*at == '"') at = string_end_portable(at + 1, end);
        if (at >= end) break;
        depth += *at == '{' || *at == '[';
        if ((*at == '}' || *at == ']') && --depth == 0) return at;
    }
    return end;
}

#if AGENT_AUDIT_X86

/// Which bytes of a block stand behind a backslash that escapes them. `carry`: the first byte does (in), the byte behind
/// the block does (out). Runs of backslashes are told odd from even by adding to them, as simdjson does it (Langdale,
/// Lemire: Parsing Gigabytes of JSON per Second, 3.1.1).
inline std::uint64_t escaped_bytes(std::uint64_t slashes, std::uint64_t& carry) {
    constexpr std::uint64_t kEven = 0x5555555555555555;
    slashes &= ~carry;
    const std::uint64_t follows = slashes << 1 | carry;
    const std::uint64_t odd_starts = slashes & ~kEven & ~follows;
    std::uint64_t even_runs = 0;
    carry = __builtin_add_overflow(odd_starts, slashes, &even_runs) ? 1 : 0;
    return (kEven ^ (even_runs << 1)) & follows;
}

/// Every bit becomes the parity of itself and all below: between an opening and a closing quote all are one.
inline std::uint64_t parities(std::uint64_t bits) {
    for (int shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
    return bits;
}

inline std::uint64_t first_bits(std::ptrdiff_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// One block of a text after the other: what stands between two looks at one.
struct StringWalk {
    std::uint64_t escape = 0;

    std::uint64_t quotes(std::uint64_t quotes, std::uint64_t slashes) {
        // Without asking whether there are any: text has a backslash in every other block, and a wrong guess costs more.
        return quotes & ~escaped_bytes(slashes, escape);
    }
};

struct BracketWalk {
    StringWalk strings;
    std::uint64_t inside = 0;  // all ones within a string
    std::int64_t depth = 1;

    /// The bit of the bracket that closes the container, or -1.
    int block(std::uint64_t quotes, std::uint64_t opens, std::uint64_t closes) {
        const std::uint64_t in_string = parities(quotes) ^ inside;
        inside = static_cast<std::uint64_t>(static_cast<std::int64_t>(in_string) >> 63);
        opens &= ~in_string;
        closes &= ~in_string;
        const int down = std::popcount(closes);
        if (down < depth) {
            depth += std::popcount(opens) - down;
            return -1;
        }
        for (std::uint64_t both = opens | closes; both != 0; both &= both - 1) {
            depth += (both & -both & opens) != 0 ? 1 : -1;
            if (depth == 0) return std::countr_zero(both);
        }
        return -1;
    }
};

#define AGENT_AUDIT_AVX2 __attribute__((target("avx2,bmi,popcnt,lzcnt")))
#define AGENT_AUDIT_AVX512 __attribute__((target("avx2,avx512f,avx512bw,bmi,bmi2,popcnt,lzcnt")))

struct Avx2 {
    __m256i low, high;

    AGENT_AUDIT_AVX2 explicit Avx2(const char* at)
        : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))),
          high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32))) {}
    AGENT_AUDIT_AVX2 static std::uint64_t bits(__m256i low, __m256i high) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
               std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
    }
    AGENT_AUDIT_AVX2 std::uint64_t equal(char c) const {
        const __m256i all = _mm256_set1_epi8(c);
        return bits(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
    }
    /// Equal but for the bit that tells brackets from braces.
    AGENT_AUDIT_AVX2 std::uint64_t equal_either(char c) const {
        const __m256i all = _mm256_set1_epi8(c), bit = _mm256_set1_epi8(0x20);
        return bits(_mm256_cmpeq_epi8(_mm256_or_si256(low, bit), all), _mm256_cmpeq_epi8(_mm256_or_si256(high, bit), all));
    }
    AGENT_AUDIT_AVX2 std::uint64_t controls() const {
        const __m256i most = _mm256_set1_epi8(0x1F);
        return bits(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low), _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high));
    }
    AGENT_AUDIT_AVX2 bool any_control() const {
        const __m256i most = _mm256_set1_epi8(0x1F);
        return _mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low),
                                                    _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high))) != 0;
    }
    AGENT_AUDIT_AVX2 std::uint64_t non_ascii() const { return bits(low, high); }

    /// The bytes of many blocks, one over the other.
    struct Any {
        __m256i bytes;
        AGENT_AUDIT_AVX2 Any() : bytes(_mm256_setzero_si256()) {}
        AGENT_AUDIT_AVX2 void add(const Avx2& block) {
            bytes = _mm256_or_si256(bytes, _mm256_or_si256(block.low, block.high));
        }
        AGENT_AUDIT_AVX2 bool non_ascii() const { return _mm256_movemask_epi8(bytes) != 0; }
    };
};

struct Avx512 {
    __m512i all;

    AGENT_AUDIT_AVX512 explicit Avx512(const char* at) : all(_mm512_loadu_si512(at)) {}
    AGENT_AUDIT_AVX512 std::uint64_t equal(char c) const { return _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8(c)); }
    AGENT_AUDIT_AVX512 std::uint64_t equal_either(char c) const {
        return _mm512_cmpeq_epi8_mask(_mm512_or_si512(all, _mm512_set1_epi8(0x20)), _mm512_set1_epi8(c));
    }
    AGENT_AUDIT_AVX512 std::uint64_t controls() const { return _mm512_cmplt_epu8_mask(all, _mm512_set1_epi8(0x20)); }
    AGENT_AUDIT_AVX512 bool any_control() const { return controls() != 0; }
    AGENT_AUDIT_AVX512 std::uint64_t non_ascii() const { return _mm512_movepi8_mask(all); }

    struct Any {
        __m512i bytes;
        AGENT_AUDIT_AVX512 Any() : bytes(_mm512_setzero_si512()) {}
        AGENT_AUDIT_AVX512 void add(const Avx512& block) { bytes = _mm512_or_si512(bytes, block.all); }
        AGENT_AUDIT_AVX512 bool non_ascii() const { return _mm512_movepi8_mask(bytes) != 0; }
    };
};

// A function cannot inherit the instructions it may use, so the three scans are written out once as a macro and made
// for each register width.
#define AGENT_AUDIT_SCANS(TARGET, BLOCK, NAME)                                                              \
    TARGET const char* newline_##NAME(const char* at, const char* end, ByteFacts& facts) {                  \
        typename BLOCK::Any any;                                                                            \
        for (; at < end; at += 64) {                                                                        \
            const BLOCK block(at);                                                                          \
            if (end - at >= 64 && !block.any_control()) {                                                   \
                any.add(block);                                                                             \
                continue;                                                                                   \
            }                                                                                               \
            const std::uint64_t valid = first_bits(end - at);                                               \
            const std::uint64_t newlines = block.equal('\n') & valid;                                       \
            const std::uint64_t before = newlines == 0 ? valid : (newlines & -newlines) - 1;                \
            facts.controls += static_cast<std::uint64_t>(std::popcount(block.controls() & before));         \
            facts.non_ascii |= (block.non_ascii() & before) != 0;                                           \
            if (newlines == 0) continue;                                                                    \
            facts.non_ascii |= any.non_ascii();                                                             \
            return at + std::countr_zero(newlines);                                                         \
        }                                                                                                   \
        facts.non_ascii |= any.non_ascii();                                                                 \
        return end;                                                                                         \
    }                                                                                                       \
    TARGET const char* string_end_##NAME(const char* at, const char* end) {                                 \
        StringWalk walk;                                                                                    \
        for (; at < end; at += 64) {                                                                        \
            const BLOCK block(at);                                                                          \
            const std::uint64_t quotes = walk.quotes(block.equal('"'), block.equal('\\'));                  \
            if (quotes != 0) return std::min(at + std::countr_zero(quotes), end);                           \
        }                                                                                                   \
        return end;                                                                                         \
    }                                                                                                       \
    TARGET const char* container_end_##NAME(const char* at, const char* end) {                              \
        BracketWalk walk;                                                                                   \
        for (; at < end; at += 64) {                                                                        \
            const BLOCK block(at);                                                                          \
            const std::uint64_t quotes = walk.strings.quotes(block.equal('"'), block.equal('\\'));          \
            if (walk.inside != 0 && quotes == 0) continue;                                                  \
            const int closed = walk.block(quotes, block.equal_either('{'), block.equal_either('}'));        \
            if (closed >= 0) return std::min(at + closed, end);                                             \
        }                                                                                                   \
        return end;                                                                                         \
    }

AGENT_AUDIT_SCANS(AGENT_AUDIT_AVX2, Avx2, avx2)
AGENT_AUDIT_SCANS(AGENT_AUDIT_AVX512, Avx512, avx512)
#undef AGENT_AUDIT_SCANS

constexpr ByteScans kAvx2{newline_avx2, string_end_avx2, container_end_avx2};
constexpr ByteScans kAvx512{newline_avx512, string_end_avx512, container_end_avx512};

#endif

constexpr ByteScans kPortable{newline_portable, string_end_portable, container_end_portable};

}  // namespace

const ByteScans& byte_scans(SimdLevel level) {
#if AGENT_AUDIT_X86
    if (level == SimdLevel::avx512bw) return kAvx512;
    if (level == SimdLevel::avx2) return kAvx2;
#else
    (void)level;
#endif
    return kPortable;
}

}  // namespace agent_audit
