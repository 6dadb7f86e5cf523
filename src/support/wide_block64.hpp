#pragma once

#include "support/block64.hpp"

#if AGENT_AUDIT_X86
#include <immintrin.h>

/// Between AGENT_AUDIT_WIDE_BEGIN and AGENT_AUDIT_WIDE_END functions are compiled for machines of SimdLevel::avx512bw;
/// only who has asked for the level may call them. Headers are included outside.
#if defined(__clang__)
#define AGENT_AUDIT_WIDE_BEGIN                                                                       \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,avx512f,avx512bw,avx512dq,bmi,bmi2,popcnt,lzcnt\"))), apply_to = function)")
#define AGENT_AUDIT_WIDE_END _Pragma("clang attribute pop")
#else
#define AGENT_AUDIT_WIDE_BEGIN \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,avx512f,avx512bw,avx512dq,bmi,bmi2,popcnt,lzcnt\")")
#define AGENT_AUDIT_WIDE_END _Pragma("GCC pop_options")
#endif

AGENT_AUDIT_WIDE_BEGIN
namespace agent_audit {

/// The same questions as Block64's, one instruction or two each.
class WideBlock64 {
public:
    static constexpr std::size_t kSize = Block64::kSize;

    explicit WideBlock64(const char* at) : bytes_(_mm512_loadu_si512(at)) {}
    static WideBlock64 of(const char* at, std::size_t size) {
        if (size >= kSize) return WideBlock64(at);
        return WideBlock64(_mm512_maskz_loadu_epi8(low_bits(size), at));
    }

    std::uint64_t between(char first, char last) const {
        const __m512i from_first = _mm512_sub_epi8(bytes_, _mm512_set1_epi8(first));
        return _mm512_cmple_epu8_mask(from_first, _mm512_set1_epi8(static_cast<char>(last - first)));
    }
    std::uint64_t equal(char wanted) const { return _mm512_cmpeq_epi8_mask(bytes_, _mm512_set1_epi8(wanted)); }
    std::uint64_t high() const { return _mm512_movepi8_mask(bytes_); }

    static std::uint64_t gather(std::uint64_t bits, std::uint64_t kept) { return _pext_u64(bits, kept); }

private:
    explicit WideBlock64(__m512i bytes) : bytes_(bytes) {}

    __m512i bytes_;
};

}  // namespace agent_audit
AGENT_AUDIT_WIDE_END
#endif
