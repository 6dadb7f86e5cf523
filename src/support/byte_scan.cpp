#include "support/byte_scan.hpp"

#include <algorithm>

namespace agent_audit {
namespace {

// Bytes above 0x7F stand in [first, end).
void note_high(ByteFacts& facts, std::ptrdiff_t first, std::ptrdiff_t end) {
    if (facts.high_end == 0) facts.high_begin = static_cast<std::size_t>(first);
    facts.high_end = static_cast<std::size_t>(end);
}

// One byte at a time: the meaning of the scans, and what runs where there is nothing wider.

const char* newline_portable(const char* begin, const char* at, const char* end, ByteFacts& facts) {
    for (; at < end && *at != '\n'; ++at) {
        const auto byte = static_cast<unsigned char>(*at);
        facts.controls += byte < 0x20;
        if (byte >= 0x80) note_high(facts, at - begin, at - begin + 1);
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
        if (*at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\'))
            ++at;
        else if (*at == '"')
            at = string_end_portable(at + 1, end);
        if (at >= end) break;
        depth += *at == '{' || *at == '[';
        if ((*at == '}' || *at == ']') && --depth == 0) return at;
    }
    return end;
}

bool ends_scalar(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == ',' || c == ':' || c == '"' || c == '{' || c == '}' ||
           c == '[' || c == ']';
}

ValuePlace field_portable(const char* key) {
    const char* const end = key + kScanPadding;
    const auto mark = [end](const char* at) {
        while (at < end && *at != '"' && *at != '\\') ++at;
        return at;
    };
    const char* const close = mark(key);
    if (close + 2 >= end || *close != '"' || close[1] != ':') return {};
    const char* const value = close + 2;
    if (static_cast<unsigned char>(*value) <= ' ') return {};
    if (*value == '{' || *value == '[') return {value, nullptr};
    const char* last = value;
    if (*value == '"') {
        last = mark(value + 1);
        return {value, last >= end || *last != '"' ? nullptr : last + 1};
    }
    while (last < end && !ends_scalar(*last)) ++last;
    return {value, last == end ? nullptr : last};
}

#if AGENT_AUDIT_X86

/// Which bytes of a block stand behind a backslash that escapes them. `carry`: the first byte does (in), the byte
/// behind the block does (out). Runs of backslashes are told odd from even by adding to them, as simdjson does it
/// (Langdale, Lemire: Parsing Gigabytes of JSON per Second, 3.1.1).
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

/// Is the byte at `at` escaped, within a text that begins at `begin`?
inline bool is_escaped(const char* begin, const char* at) {
    bool escaped = false;
    for (; at > begin && at[-1] == '\\'; --at) escaped = !escaped;
    return escaped;
}

inline std::uint64_t first_bits(std::ptrdiff_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// One block of a text after the other: what stands between two looks at one.
struct StringWalk {
    std::uint64_t escape = 0;

    std::uint64_t quotes(std::uint64_t quotes, std::uint64_t slashes) {
        // Without asking whether there are any: text has a backslash in every other block, and a wrong guess costs
        // more.
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
        return bits(_mm256_cmpeq_epi8(_mm256_or_si256(low, bit), all),
                    _mm256_cmpeq_epi8(_mm256_or_si256(high, bit), all));
    }
    AGENT_AUDIT_AVX2 static __m256i is(__m256i bytes, char c) { return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)); }
    // Kinds of bytes are joined before they are made bits: that takes longer than to compare.
    AGENT_AUDIT_AVX2 static std::uint32_t half_marks(__m256i half) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(is(half, '"'), is(half, '\\'))));
    }
    AGENT_AUDIT_AVX2 static std::uint32_t half_scalar_ends(__m256i half) {
        const __m256i blank = _mm256_set1_epi8(' '), either = _mm256_or_si256(half, blank);
        const __m256i brackets = _mm256_or_si256(is(either, '{'), is(either, '}'));
        const __m256i between = _mm256_or_si256(is(half, ','), is(half, ':'));
        const __m256i others = _mm256_or_si256(is(half, '"'), _mm256_cmpeq_epi8(_mm256_min_epu8(half, blank), half));
        return static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(brackets, between), others)));
    }
    AGENT_AUDIT_AVX2 std::uint64_t marks() const { return half_marks(low) | std::uint64_t{half_marks(high)} << 32; }
    AGENT_AUDIT_AVX2 std::uint64_t scalar_ends() const {
        return half_scalar_ends(low) | std::uint64_t{half_scalar_ends(high)} << 32;
    }
    AGENT_AUDIT_AVX2 std::uint64_t controls() const {
        const __m256i most = _mm256_set1_epi8(0x1F);
        return bits(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low),
                    _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high));
    }
    /// Neither control characters nor bytes above 0x7F: as signed numbers, both are below 0x20.
    AGENT_AUDIT_AVX2 static bool is_plain(__m256i bytes) {
        return _mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), bytes)) == 0;
    }
    AGENT_AUDIT_AVX2 __m256i least() const { return _mm256_min_epi8(low, high); }
    AGENT_AUDIT_AVX2 bool plain() const { return is_plain(least()); }
    AGENT_AUDIT_AVX2 static bool four_plain(const char* at) {
        const __m256i ab = _mm256_min_epi8(Avx2(at).least(), Avx2(at + 64).least());
        const __m256i cd = _mm256_min_epi8(Avx2(at + 128).least(), Avx2(at + 192).least());
        return is_plain(_mm256_min_epi8(ab, cd));
    }
    AGENT_AUDIT_AVX2 static bool four_controls(const char* at) {
        __m256i least = _mm256_set1_epi8(-1);
        for (int i = 0; i < 256; i += 32)
            least = _mm256_min_epu8(least, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i)));
        return _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(least, _mm256_set1_epi8(0x1F)), least)) != 0;
    }
    AGENT_AUDIT_AVX2 std::uint64_t non_ascii() const { return bits(low, high); }
    /// Quotes of the block at `at`, without those that a single backslash stands before: few that end no string are
    /// left. Looks two bytes back.
    AGENT_AUDIT_AVX2 static std::uint64_t may_end(const char* at) {
        const Avx2 here(at), before(at - 1), further(at - 2);
        const __m256i quote = _mm256_set1_epi8('"'), slash = _mm256_set1_epi8('\\');
        const auto half = [&](__m256i h, __m256i b, __m256i f) AGENT_AUDIT_AVX2 {
            const __m256i single = _mm256_andnot_si256(_mm256_cmpeq_epi8(f, slash), _mm256_cmpeq_epi8(b, slash));
            return _mm256_andnot_si256(single, _mm256_cmpeq_epi8(h, quote));
        };
        return bits(half(here.low, before.low, further.low), half(here.high, before.high, further.high));
    }
};

struct Avx512 {
    __m512i all;

    AGENT_AUDIT_AVX512 explicit Avx512(const char* at) : all(_mm512_loadu_si512(at)) {}
    AGENT_AUDIT_AVX512 std::uint64_t equal(char c) const { return _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8(c)); }
    AGENT_AUDIT_AVX512 std::uint64_t equal_either(char c) const {
        return _mm512_cmpeq_epi8_mask(_mm512_or_si512(all, _mm512_set1_epi8(0x20)), _mm512_set1_epi8(c));
    }
    AGENT_AUDIT_AVX512 std::uint64_t controls() const { return _mm512_cmplt_epu8_mask(all, _mm512_set1_epi8(0x20)); }
    AGENT_AUDIT_AVX512 std::uint64_t marks() const { return equal('"') | equal('\\'); }
    AGENT_AUDIT_AVX512 std::uint64_t scalar_ends() const {
        return equal(',') | equal(':') | equal('"') | _mm512_cmple_epu8_mask(all, _mm512_set1_epi8(' ')) |
               equal_either('{') | equal_either('}');
    }
    AGENT_AUDIT_AVX512 static bool is_plain(__m512i bytes) {
        return _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0x20)) == 0;
    }
    AGENT_AUDIT_AVX512 bool plain() const { return is_plain(all); }
    AGENT_AUDIT_AVX512 static bool four_plain(const char* at) {
        return is_plain(_mm512_min_epi8(_mm512_min_epi8(Avx512(at).all, Avx512(at + 64).all),
                                        _mm512_min_epi8(Avx512(at + 128).all, Avx512(at + 192).all)));
    }
    AGENT_AUDIT_AVX512 static bool four_controls(const char* at) {
        const __m512i least = _mm512_min_epu8(_mm512_min_epu8(Avx512(at).all, Avx512(at + 64).all),
                                              _mm512_min_epu8(Avx512(at + 128).all, Avx512(at + 192).all));
        return _mm512_cmplt_epu8_mask(least, _mm512_set1_epi8(0x20)) != 0;
    }
    AGENT_AUDIT_AVX512 std::uint64_t non_ascii() const { return _mm512_movepi8_mask(all); }
    AGENT_AUDIT_AVX512 static std::uint64_t may_end(const char* at) {
        const __m512i slash = _mm512_set1_epi8('\\');
        const __mmask64 before = _mm512_cmpeq_epi8_mask(Avx512(at - 1).all, slash);
        const __mmask64 single = _mm512_mask_cmpneq_epi8_mask(before, Avx512(at - 2).all, slash);
        return _mm512_cmpeq_epi8_mask(Avx512(at).all, _mm512_set1_epi8('"')) & ~single;
    }
};

// A function cannot inherit the instructions it may use, so the scans are written out once as a macro and made
// for each register width.
#define AGENT_AUDIT_SCANS(TARGET, BLOCK, NAME)                                                                        \
    TARGET const char* newline_##NAME(const char* begin, const char* at, const char* end, ByteFacts& facts) {         \
        for (;;) {                                                                                                    \
            while (end - at >= 256) {                                                                                 \
                if (!BLOCK::four_plain(at)) {                                                                         \
                    if (BLOCK::four_controls(at)) break;                                                              \
                    note_high(facts, at - begin, at - begin + 256);                                                   \
                }                                                                                                     \
                at += 256;                                                                                            \
            }                                                                                                         \
            const char* const stop = end - at >= 256 ? at + 256 : end;                                                \
            for (; at < stop; at += 64) {                                                                             \
                const BLOCK block(at);                                                                                \
                if (stop - at >= 64 && block.plain()) continue;                                                       \
                const std::uint64_t valid = first_bits(stop - at);                                                    \
                const std::uint64_t newlines = block.equal('\n') & valid;                                             \
                const std::uint64_t before = newlines == 0 ? valid : (newlines & -newlines) - 1;                      \
                facts.controls += static_cast<std::uint64_t>(std::popcount(block.controls() & before));               \
                const std::uint64_t high = block.non_ascii() & before;                                                \
                const std::ptrdiff_t place = at - begin;                                                              \
                if (high != 0) note_high(facts, place + std::countr_zero(high), place + 64 - std::countl_zero(high)); \
                if (newlines != 0) return at + std::countr_zero(newlines);                                            \
            }                                                                                                         \
            if (at >= end) return end;                                                                                \
        }                                                                                                             \
    }                                                                                                                 \
    TARGET const char* string_end_##NAME(const char* at, const char* end) {                                           \
        if (at >= end) return end;                                                                                    \
        const char* const begin = at;                                                                                 \
        StringWalk walk;                                                                                              \
        const BLOCK block(at);                                                                                        \
        const std::uint64_t quotes = walk.quotes(block.equal('"'), block.equal('\\'));                                \
        if (quotes != 0) return std::min(at + std::countr_zero(quotes), end);                                         \
        for (at += 64; at < end; at += 64) {                                                                          \
            for (std::uint64_t ends = BLOCK::may_end(at); ends != 0; ends &= ends - 1) {                              \
                const char* const quote = at + std::countr_zero(ends);                                                \
                if (!is_escaped(begin, quote)) return std::min(quote, end);                                           \
            }                                                                                                         \
        }                                                                                                             \
        return end;                                                                                                   \
    }                                                                                                                 \
    TARGET const char* container_end_##NAME(const char* at, const char* end) {                                        \
        const char* const begin = at;                                                                                 \
        BracketWalk walk;                                                                                             \
        for (; at < end; at += 64) {                                                                                  \
            const BLOCK block(at);                                                                                    \
            const std::uint64_t quotes = walk.strings.quotes(block.equal('"'), block.equal('\\'));                    \
            const int closed = walk.block(quotes, block.equal_either('{'), block.equal_either('}'));                  \
            if (closed >= 0) return std::min(at + closed, end);                                                       \
            if (walk.inside == 0) continue;                                                                           \
            const char* const from = at;                                                                              \
            while (at + 64 < end && BLOCK::may_end(at + 64) == 0) at += 64;                                           \
            if (at != from) walk.strings.escape = is_escaped(begin, at + 64) ? 1 : 0;                                 \
        }                                                                                                             \
        return end;                                                                                                   \
    }                                                                                                                 \
    TARGET ValuePlace field_##NAME(const char* key) {                                                                 \
        const BLOCK block(key);                                                                                       \
        std::uint64_t marks = block.marks();                                                                          \
        const int close = std::countr_zero(marks);                                                                    \
        if (close + 2 >= 64 || key[close] != '"' || key[close + 1] != ':') return {};                                 \
        const int at = close + 2;                                                                                     \
        const char* const value = key + at;                                                                           \
        if (static_cast<unsigned char>(*value) <= ' ') return {};                                                     \
        if (*value == '{' || *value == '[') return {value, nullptr};                                                  \
        if (*value == '"') {                                                                                          \
            marks &= marks - 1;                                                                                       \
            marks &= marks - 1;                                                                                       \
            const int last = std::countr_zero(marks);                                                                 \
            return {value, last >= 64 || key[last] != '"' ? nullptr : key + last + 1};                                \
        }                                                                                                             \
        const std::uint64_t ends = block.scalar_ends() >> at;                                                         \
        return {value, ends == 0 ? nullptr : value + std::countr_zero(ends)};                                         \
    }

AGENT_AUDIT_SCANS(AGENT_AUDIT_AVX2, Avx2, avx2)
AGENT_AUDIT_SCANS(AGENT_AUDIT_AVX512, Avx512, avx512)
#undef AGENT_AUDIT_SCANS

// Most keys end in the first half of a block, and many values with them: the other half is looked at when one does not.
AGENT_AUDIT_AVX2 ValuePlace short_field_avx2(const char* key) {
    constexpr int kHalf = 32;
    const auto* const halves = reinterpret_cast<const __m256i*>(key);
    const __m256i low = _mm256_loadu_si256(halves);
    std::uint64_t marks = Avx2::half_marks(low);
    const int close = std::countr_zero(marks), at = close + 2;
    if (at >= kHalf) [[unlikely]]
        return field_avx2(key);
    const char* const value = key + at;
    if (value[-2] != '"' || value[-1] != ':' || static_cast<unsigned char>(*value) <= ' ') [[unlikely]]
        return {};
    if (*value == '"') {
        marks &= marks - 1;
        marks &= marks - 1;
        if (marks == 0) marks = std::uint64_t{Avx2::half_marks(_mm256_loadu_si256(halves + 1))} << kHalf;
        const int last = std::countr_zero(marks);
        return {value, last >= 2 * kHalf || key[last] != '"' ? nullptr : key + last + 1};
    }
    if (*value == '{' || *value == '[') return {value, nullptr};
    std::uint64_t ends = Avx2::half_scalar_ends(low) >> at;
    if (ends == 0) [[unlikely]]
        ends = std::uint64_t{Avx2::half_scalar_ends(_mm256_loadu_si256(halves + 1))} << kHalf >> at;
    return {value, ends == 0 ? nullptr : value + std::countr_zero(ends)};
}

constexpr ByteScans kAvx2{newline_avx2, string_end_avx2, container_end_avx2, short_field_avx2};
constexpr ByteScans kAvx512{newline_avx512, string_end_avx512, container_end_avx512, field_avx512};

#endif

constexpr ByteScans kPortable{newline_portable, string_end_portable, container_end_portable, field_portable};

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
