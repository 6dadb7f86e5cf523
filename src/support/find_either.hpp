#pragma once

#include "support/simd.hpp"

#include <bit>
#include <cstddef>
#include <string_view>

#if AGENT_AUDIT_X86
#include <emmintrin.h>
#endif

namespace agent_audit {

/// Position of the first `a` or `b` from `from` on, npos when there is none. For texts in which the next one is near:
/// inlined, where a call into the C library would cost more than the search. SSE2 is part of every x86-64.
inline std::size_t find_either(std::string_view text, std::size_t from, char a, char b) {
#if AGENT_AUDIT_X86
    const __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
    for (; from + 16 <= text.size(); from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + from));
        const auto hits = static_cast<unsigned>(
            _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, second))));
        if (hits != 0) return from + static_cast<std::size_t>(std::countr_zero(hits));
    }
#endif
    for (; from < text.size(); ++from) {
        if (text[from] == a || text[from] == b) return from;
    }
    return text.npos;
}

}  // namespace agent_audit
