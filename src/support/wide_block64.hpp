#pragma once

#include "support/block64.hpp"

#if AGENT_AUDIT_X86
#include <immintrin.h>

/// Between AGENT_AUDIT_AVX2_BEGIN and AGENT_AUDIT_AVX2_END functions are compiled for machines of SimdLevel::avx2,
/// between AGENT_AUDIT_WIDE_BEGIN and AGENT_AUDIT_WIDE_END for those of SimdLevel::avx512bw; only who has asked for the
/// level may call them. Headers are included outside.
// A pragma takes one string that is not broken.
// clang-format off
#if defined(__clang__)
#define AGENT_AUDIT_AVX2_BEGIN \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,popcnt,lzcnt\"))), apply_to = function)")
#define AGENT_AUDIT_AVX2_END _Pragma("clang attribute pop")
#define AGENT_AUDIT_WIDE_BEGIN                                                                       \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,avx512f,avx512bw,avx512dq,bmi,bmi2,popcnt,lzcnt\"))), apply_to = function)")
#define AGENT_AUDIT_WIDE_END _Pragma("clang attribute pop")
#else
#define AGENT_AUDIT_AVX2_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,popcnt,lzcnt\")")
#define AGENT_AUDIT_AVX2_END _Pragma("GCC pop_options")
// GCC 12 takes the undefined operands inside its own AVX-512 headers for mistakes of ours.
#define AGENT_AUDIT_WIDE_BEGIN                                                                                  \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,avx512f,avx512bw,avx512dq,bmi,bmi2,popcnt,lzcnt\")") \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wuninitialized\"")                     \
            _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define AGENT_AUDIT_WIDE_END _Pragma("GCC diagnostic pop") _Pragma("GCC pop_options")
#endif
// clang-format on

AGENT_AUDIT_AVX2_BEGIN
namespace agent_audit {

/// The same questions as Block64's, in two halves.
class Avx2Block64 {
public:
    static constexpr std::size_t kSize = Block64::kSize;

    explicit Avx2Block64(const char* at) : low_(load(at)), high_(load(at + 32)) {}
    static Avx2Block64 of(const char* at, std::size_t size) {
        if (size >= kSize) return Avx2Block64(at);
        char padded[kSize] = {};
        std::memcpy(padded, at, size);
        return Avx2Block64(padded);
    }

    std::uint64_t between(char first, char last) const {
        const __m256i from = _mm256_set1_epi8(first), most = _mm256_set1_epi8(static_cast<char>(last - first));
        const __m256i low = _mm256_sub_epi8(low_, from), high = _mm256_sub_epi8(high_, from);
        return bits(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low),
                    _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high));
    }
    std::uint64_t equal(char wanted) const {
        const __m256i all = _mm256_set1_epi8(wanted);
        return bits(_mm256_cmpeq_epi8(low_, all), _mm256_cmpeq_epi8(high_, all));
    }
    std::uint64_t letters() const {
        const __m256i case_bit = _mm256_set1_epi8(0x20);
        Avx2Block64 lower = *this;
        lower.low_ = _mm256_or_si256(low_, case_bit);
        lower.high_ = _mm256_or_si256(high_, case_bit);
        return lower.between('a', 'z');
    }
    std::uint64_t high() const { return bits(low_, high_); }

    /// Without the instruction for it: where it is made of many small ones, as before Zen 3, it costs more than this.
    static std::uint64_t gather(std::uint64_t bits, std::uint64_t kept) { return Block64::gather(bits, kept); }

private:
    static __m256i load(const char* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }
    static std::uint64_t bits(__m256i low, __m256i high) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
               std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
    }

    __m256i low_, high_;
};

}  // namespace agent_audit
AGENT_AUDIT_AVX2_END

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
    std::uint64_t letters() const {
        return WideBlock64(_mm512_or_si512(bytes_, _mm512_set1_epi8(0x20))).between('a', 'z');
    }
    std::uint64_t high() const { return _mm512_movepi8_mask(bytes_); }

    static std::uint64_t gather(std::uint64_t bits, std::uint64_t kept) { return _pext_u64(bits, kept); }

private:
    explicit WideBlock64(__m512i bytes) : bytes_(bytes) {}

    __m512i bytes_;
};

}  // namespace agent_audit
AGENT_AUDIT_WIDE_END
#endif
