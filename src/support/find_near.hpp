#pragma once

#include "support/simd.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if AGENT_AUDIT_X86
#include <emmintrin.h>
#endif

namespace agent_audit {

/// Searches for texts in which the next hit is near: inlined, where a call into the C library would cost more than the
/// search itself. SSE2 is part of every x86-64.

/// Position of the first `byte` from `from` on, npos when there is none.
inline std::size_t find_near(std::string_view text, std::size_t from, char byte) {
#if AGENT_AUDIT_X86
    const __m128i wanted = _mm_set1_epi8(byte);
    for (; from + 16 <= text.size(); from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
        const auto hits = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
        if (hits != 0) return from + static_cast<std::size_t>(std::countr_zero(hits));
    }
#endif
    for (; from < text.size(); ++from) {
        if (text[from] == byte) return from;
    }
    return text.npos;
}

/// Position of the first `a` or `b` from `from` on, npos when there is neither.
inline std::size_t find_near(std::string_view text, std::size_t from, char a, char b) {
#if AGENT_AUDIT_X86
    const __m128i one = _mm_set1_epi8(a), other = _mm_set1_epi8(b);
    for (; from + 16 <= text.size(); from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
        const __m128i either = _mm_or_si128(_mm_cmpeq_epi8(bytes, one), _mm_cmpeq_epi8(bytes, other));
        const auto hits = static_cast<unsigned>(_mm_movemask_epi8(either));
        if (hits != 0) return from + static_cast<std::size_t>(std::countr_zero(hits));
    }
#endif
    for (; from < text.size(); ++from) {
        if (text[from] == a || text[from] == b) return from;
    }
    return text.npos;
}

#if AGENT_AUDIT_X86
/// At which of the 16 places from `at` an `a` stands that `b` follows, as bits.
inline unsigned pairs_at(const char* at, char a, char b) {
    const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(one, _mm_set1_epi8(a)), _mm_cmpeq_epi8(two, _mm_set1_epi8(b)))));
}
inline constexpr std::size_t kPairBlock = 17;  // bytes it looks at
#endif

/// Position of the first `a` that `b` follows, npos when there is none.
inline std::size_t find_pair_near(std::string_view text, std::size_t from, char a, char b) {
#if AGENT_AUDIT_X86
    for (; from + kPairBlock <= text.size(); from += 16) {
        const unsigned hits = pairs_at(text.data() + from, a, b);
        if (hits != 0) return from + static_cast<std::size_t>(std::countr_zero(hits));
    }
    if (text.size() >= kPairBlock && from < text.size()) {  // the last block once more, without what was seen
        const std::size_t last = text.size() - kPairBlock;
        const unsigned hits = pairs_at(text.data() + last, a, b) >> (from - last);
        return hits != 0 ? from + static_cast<std::size_t>(std::countr_zero(hits)) : text.npos;
    }
#endif
    for (; from + 2 <= text.size(); ++from) {
        if (text[from] == a && text[from + 1] == b) return from;
    }
    return text.npos;
}

/// Position of the first digit from `from` on, npos when there is none.
inline std::size_t find_digit_near(std::string_view text, std::size_t from) {
#if AGENT_AUDIT_X86
    for (; from + 16 <= text.size(); from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
        const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(9)), above);
        const auto hits = static_cast<unsigned>(_mm_movemask_epi8(digits));
        if (hits != 0) return from + static_cast<std::size_t>(std::countr_zero(hits));
    }
#endif
    for (; from < text.size(); ++from) {
        if (text[from] >= '0' && text[from] <= '9') return from;
    }
    return text.npos;
}

/// Calls `take` with the position of every `a` that `b` follows, in order. `a` and `b` differ.
template <class Take>
void each_pair_near(std::string_view text, char a, char b, Take&& take) {
    std::size_t from = 0;
#if AGENT_AUDIT_X86
    const auto take_all = [&](std::size_t begin, std::uint64_t hits) {
        for (; hits != 0; hits &= hits - 1) take(begin + static_cast<std::size_t>(std::countr_zero(hits)));
    };
    for (; from + 48 + kPairBlock <= text.size(); from += 64) {
        std::uint64_t hits = 0;
        for (unsigned part = 0; part < 4; ++part)
            hits |= std::uint64_t{pairs_at(text.data() + from + 16 * part, a, b)} << 16 * part;
        take_all(from, hits);
    }
    for (; from + kPairBlock <= text.size(); from += 16) take_all(from, pairs_at(text.data() + from, a, b));
    if (text.size() >= kPairBlock) {
        const std::size_t last = text.size() - kPairBlock;
        return take_all(from, pairs_at(text.data() + last, a, b) >> (from - last));
    }
#endif
    for (; from + 2 <= text.size(); ++from) {
        if (text[from] == a && text[from + 1] == b) take(from);
    }
}

}  // namespace agent_audit
