#pragma once

#include "support/simd.hpp"

#include <bit>
#include <cstddef>
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

/// Position of the first `a` that `b` follows, npos when there is none.
inline std::size_t find_pair_near(std::string_view text, std::size_t from, char a, char b) {
#if AGENT_AUDIT_X86
    const __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
    const auto hits_at = [&](std::size_t place) {
        const auto* at = text.data() + place;
        const __m128i one = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), first);
        const __m128i two = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1)), second);
        return static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(one, two)));
    };
    constexpr std::size_t kBlock = 17;
    for (; from + kBlock <= text.size(); from += 16) {
        if (const unsigned hits = hits_at(from); hits != 0) return from + static_cast<std::size_t>(std::countr_zero(hits));
    }
    if (text.size() >= kBlock && from < text.size()) {  // the last block once more, without what was seen
        const std::size_t last = text.size() - kBlock;
        const unsigned hits = hits_at(last) >> (from - last);
        return hits != 0 ? from + static_cast<std::size_t>(std::countr_zero(hits)) : text.npos;
    }
#endif
    for (; from + 2 <= text.size(); ++from) {
        if (text[from] == a && text[from + 1] == b) return from;
    }
    return text.npos;
}

}  // namespace agent_audit
