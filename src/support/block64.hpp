#pragma once

#include "support/simd.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if AGENT_AUDIT_X86
#include <emmintrin.h>
#endif

namespace agent_audit {

/// The bits below `count`, of at most 64.
inline std::uint64_t low_bits(std::size_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Of backslashes, of which the first is not escaped itself, those that begin an escape: every other one where several
/// stand together. Adding carries through them.
inline std::uint64_t escape_begins(std::uint64_t backslashes) {
    constexpr std::uint64_t kOdd = 0xAAAAAAAAAAAAAAAA;
    return (((backslashes << 1 | kOdd) - backslashes) ^ kOdd) & backslashes;
}

/// 64 bytes of a text and questions about all of them at once. Bit i of an answer is about byte i. SSE2 is part of
/// every x86-64.
class Block64 {
public:
    static constexpr std::size_t kSize = 64;

    /// Reads 64 bytes.
    explicit Block64(const char* at) {
#if AGENT_AUDIT_X86
        for (std::size_t part = 0; part < 4; ++part)
            bytes_[part] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * part));
#else
        std::memcpy(bytes_, at, kSize);
#endif
    }

    /// The first 64 bytes of a text, or all of a shorter one with zeros behind.
    static Block64 of(const char* at, std::size_t size) {
        if (size >= kSize) return Block64(at);
        char padded[kSize] = {};
        std::memcpy(padded, at, size);
        return Block64(padded);
    }

    /// `first` <= byte <= `last`; both are ASCII, or both are not.
    std::uint64_t between(char first, char last) const {
#if AGENT_AUDIT_X86
        // Compared as signed numbers, among which what is not ASCII lies below everything else: 0x80 is the least of
        // all, and 0x7f the greatest.
        const __m128i low = _mm_set1_epi8(static_cast<char>(first - 1)),
                      high = _mm_set1_epi8(static_cast<char>(last + 1));
        if (first == '\x80') return bits([&](__m128i v) { return _mm_cmplt_epi8(v, high); });
        if (last == '\x7f') return bits([&](__m128i v) { return _mm_cmpgt_epi8(v, low); });
        return bits([&](__m128i v) { return _mm_and_si128(_mm_cmpgt_epi8(v, low), _mm_cmplt_epi8(v, high)); });
#else
        return bits([&](unsigned char c) {
            return c >= static_cast<unsigned char>(first) && c <= static_cast<unsigned char>(last);
        });
#endif
    }

    std::uint64_t equal(char wanted) const {
#if AGENT_AUDIT_X86
        const __m128i all = _mm_set1_epi8(wanted);
        return bits([&](__m128i v) { return _mm_cmpeq_epi8(v, all); });
#else
        return bits([&](unsigned char c) { return c == static_cast<unsigned char>(wanted); });
#endif
    }

    /// Letters of ASCII, small ones and capitals.
    std::uint64_t letters() const {
#if AGENT_AUDIT_X86
        // Capitals differ from small letters by one bit.
        const __m128i case_bit = _mm_set1_epi8(0x20), low = _mm_set1_epi8('a' - 1), high = _mm_set1_epi8('z' + 1);
        return bits([&](__m128i v) {
            const __m128i lower = _mm_or_si128(v, case_bit);
            return _mm_and_si128(_mm_cmpgt_epi8(lower, low), _mm_cmplt_epi8(lower, high));
        });
#else
        return between('a', 'z') | between('A', 'Z');
#endif
    }

    /// Bytes that are not ASCII.
    std::uint64_t high() const {
#if AGENT_AUDIT_X86
        return bits([](__m128i v) { return v; });
#else
        return bits([](unsigned char c) { return c >= 0x80; });
#endif
    }

    /// The bits of `bits` where `kept` has one, moved together at the low end.
    static std::uint64_t gather(std::uint64_t bits, std::uint64_t kept) {
        std::uint64_t out = bits & kept;
        const auto size = static_cast<unsigned>(std::bit_width(kept));
        for (std::uint64_t gaps = ~kept & low_bits(size); gaps != 0;) {
            const unsigned gap = 63 - static_cast<unsigned>(std::countl_zero(gaps));
            const std::uint64_t below = (std::uint64_t{1} << gap) - 1;
            out = (out & below) | (out >> 1 & ~below);
            gaps &= below;
        }
        return out;
    }

private:
    template <class Test>
    std::uint64_t bits(Test&& test) const {
        std::uint64_t out = 0;
#if AGENT_AUDIT_X86
        for (unsigned part = 0; part < 4; ++part) {
            const auto found = static_cast<std::uint16_t>(_mm_movemask_epi8(test(bytes_[part])));
            out |= std::uint64_t{found} << (16 * part);
        }
#else
        for (unsigned i = 0; i < kSize; ++i) out |= std::uint64_t{test(bytes_[i])} << i;
#endif
        return out;
    }

#if AGENT_AUDIT_X86
    __m128i bytes_[4];
#else
    unsigned char bytes_[kSize];
#endif
};

}  // namespace agent_audit
