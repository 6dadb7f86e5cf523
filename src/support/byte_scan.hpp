#pragma once

#include "support/simd.hpp"

#include <agent_audit/support/byte_facts.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

#if AGENT_AUDIT_X86
#include <immintrin.h>
#endif

namespace agent_audit {

/// How far behind the end of a text the scans below may read. What stands there does not change their answers.
inline constexpr std::size_t kScanPadding = 64;

/// Where the value of a JSON object's field stands, as far as one look tells.
struct ValuePlace {
    const char* begin = nullptr;  ///< nullptr: a long key, one with escapes, or blanks around the colon
    const char* end = nullptr;    ///< behind a short string, number or word; nullptr for anything else
};

/// The scans that go over every byte of an input, for one level of SIMD. All of them take [at, end) with kScanPadding
/// readable bytes behind it, and give `end` for "not there".
struct ByteScans {
    /// The next '\n'. Adds to `facts` what is in front of it, in a line that begins at `begin`.
    const char* (*newline)(const char* begin, const char* at, const char* end, ByteFacts& facts);
    /// The quote that closes the JSON string `at` is inside of. The byte at `at` must not be escaped.
    const char* (*string_end)(const char* at, const char* end);
    /// The bracket that closes the JSON object or array `at` is inside of (outside of its strings). Braces and brackets
    /// are not told apart.
    const char* (*container_end)(const char* at, const char* end);
    /// The value of the field whose key begins at `key`, behind its quote. Looks at kScanPadding bytes, whether or not
    /// the text goes on that far.
    ValuePlace (*field)(const char* key);
};

const ByteScans& byte_scans(SimdLevel level = best_simd());

#if AGENT_AUDIT_X86
/// `at` + `distance` (below 16) by a jump instead of an addition. The next place to look at then hangs on what the
/// processor expects the distance to be, which in a log is mostly what it was in the lines before, and not on the bytes
/// that are still being loaded: a walk over short strings takes about two thirds of the time.
[[gnu::always_inline]] inline const char* leap(const char* at, unsigned distance) {
#define AGENT_AUDIT_LEAP(N) \
    case N: asm volatile("" : "+r"(at)); return at + N;
    // It would take the macros for expressions.
    // clang-format off
    switch (distance & 15) {
        AGENT_AUDIT_LEAP(0) AGENT_AUDIT_LEAP(1) AGENT_AUDIT_LEAP(2) AGENT_AUDIT_LEAP(3)
        AGENT_AUDIT_LEAP(4) AGENT_AUDIT_LEAP(5) AGENT_AUDIT_LEAP(6) AGENT_AUDIT_LEAP(7)
        AGENT_AUDIT_LEAP(8) AGENT_AUDIT_LEAP(9) AGENT_AUDIT_LEAP(10) AGENT_AUDIT_LEAP(11)
        AGENT_AUDIT_LEAP(12) AGENT_AUDIT_LEAP(13) AGENT_AUDIT_LEAP(14) AGENT_AUDIT_LEAP(15)
        default: return at;
    }
    // clang-format on
#undef AGENT_AUDIT_LEAP
}
#endif

/// string_end() for strings that are mostly short: keys, ids, times.
[[gnu::always_inline]] inline const char* short_string_end(const char* at, const char* end, const ByteScans& scans) {
#if AGENT_AUDIT_X86
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    for (int block = 0; block < 3 && at < end; ++block, at += 16) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const int quotes = _mm_movemask_epi8(_mm_cmpeq_epi8(v, quote));
        const int slashes = _mm_movemask_epi8(_mm_cmpeq_epi8(v, slash));
        if ((quotes | slashes) == 0) continue;
        if (slashes != 0) break;
        at = leap(at, static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(quotes))));
        return at < end ? at : end;
    }
    if (at >= end) return end;
#endif
    return scans.string_end(at, end);
}

}  // namespace agent_audit
