#include "support/repeat_probe.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#if AGENT_AUDIT_X86
#include <immintrin.h>
#endif

namespace agent_audit {
namespace {

// What these rest on: a stretch of four rounds or more is 180 bytes long or more and, what follows its last word left
// out, at least 3.75 times as long as its period p. So at the distance p, 180 - p bytes and 2.75 p bytes are equal: 132
// or more. An anchor of sixteen bytes and its like one period on fit in at 116 places or more, and at 2.75 p - 16.
constexpr std::size_t kShortest = 180;
constexpr std::size_t kAnchor = 16;
constexpr std::size_t kEqualBytes = 132;
constexpr std::size_t kShortPeriod = 64, kShortStride = 116;
constexpr std::size_t kBlock = 64;  // places looked at together
constexpr std::size_t kWords = 60, kRoundsOfShort = 32;

std::uint64_t load8(const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

bool is_word_byte(char c) {
    const auto lower = static_cast<unsigned char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

// Places that are compared: `anchors` a stride apart, each with those that are more than `nearer` and at most `farther`
// bytes behind it.
struct Reach {
    std::size_t nearer, farther, stride;
};

class Probe {
public:
    explicit Probe(std::string_view text) : text_(text) {}

    const char* data() const { return text_.data(); }
    std::size_t size() const { return text_.size(); }
    std::size_t places() const { return text_.size() - kAnchor + 1; }

    // The bytes at `a` and `b` (a < b) begin alike. Does what surrounds them go on alike, long enough, and is it words?
    bool goes_on(std::size_t a, std::size_t b) {
        const char* const p = text_.data();
        if (load8(p + a) != load8(p + b) || load8(p + a + 8) != load8(p + b + 8)) return false;
        // Four rounds: there is another one behind or before these two.
        const std::size_t distance = b - a;
        const bool behind = b + distance + 8 <= text_.size() && load8(p + b + distance) == load8(p + a);
        if (!behind && (a < distance || load8(p + a - distance) != load8(p + a))) return false;
        return measure(distance, b);
    }

private:
    bool measure(std::size_t distance, std::size_t at) {
        const char* const p = text_.data();
        std::size_t right = at + kAnchor;
        while (right + 8 <= text_.size() && load8(p + right) == load8(p + right - distance)) right += 8;
        while (right < text_.size() && p[right] == p[right - distance]) ++right;
        std::size_t left = at;
        while (left >= distance + 8 && load8(p + left - 8) == load8(p + left - 8 - distance)) left -= 8;
        while (left > distance && p[left - 1] == p[left - 1 - distance]) --left;
        const std::size_t equal = right - left;
        work_ += equal;
        // A text that costs this much to look at is odd enough to be looked at closely.
        if (work_ > 4 * text_.size()) return true;
        return equal >= kEqualBytes && equal * 4 >= distance * 11 &&
               says_enough(text_.substr(left, distance), equal / distance + 2);
    }

    // Enough words in at most so many rounds of `unit`? Half words at its ends and escapes make a word too many at
    // most.
    bool says_enough(std::string_view unit, std::size_t rounds) {
        work_ += unit.size();
        std::size_t words = 0;
        bool inside = false;
        for (const char c : unit) {
            const bool word = is_word_byte(c);
            words += (word && !inside) || (c & 0x80) != 0;  // scripts without blanks: each character is a word
            inside = word;
        }
        return words * rounds >= kWords && (words > 2 || rounds >= kRoundsOfShort);
    }

    std::string_view text_;
    std::size_t work_ = 0;  // bytes compared closely
};

bool any_portable(Probe& probe, Reach reach) {
    const char* const p = probe.data();
    for (std::size_t anchor = 0; anchor + reach.nearer + 1 < probe.places(); anchor += reach.stride) {
        const std::uint64_t wanted = load8(p + anchor);
        const std::size_t end = std::min(anchor + reach.farther + 1, probe.places());
        for (std::size_t at = anchor + reach.nearer + 1; at < end; ++at) {
            if (load8(p + at) == wanted && probe.goes_on(anchor, at)) return true;
        }
    }
    return false;
}

#if AGENT_AUDIT_X86

constexpr std::size_t kBlockBytes = kBlock + kAnchor - 1;
constexpr std::size_t kSecond = 6, kThird = 15;  // of the anchor's bytes, compared together with the first

// The places of a block, as bits, that are before `end` and not before `from`.
std::uint64_t between(std::size_t block, std::size_t from, std::size_t end) {
    const std::uint64_t low = ~0ULL << (from - block);
    return end - block >= kBlock ? low : low & ((1ULL << (end - block)) - 1);
}

bool any_goes_on(Probe& probe, std::size_t anchor, std::size_t block, std::uint64_t hits) {
    for (; hits != 0; hits &= hits - 1) {
        if (probe.goes_on(anchor, block + static_cast<std::size_t>(std::countr_zero(hits)))) return true;
    }
    return false;
}

#define AGENT_AUDIT_AVX2 __attribute__((target("avx2")))
AGENT_AUDIT_AVX2 inline __m256i load32(const void* at) { return _mm256_loadu_si256(static_cast<const __m256i*>(at)); }

// At the end of the text the last whole block is looked at once more, without the places seen before.
AGENT_AUDIT_AVX2 bool any_avx2(Probe& probe, Reach reach) {
    const char* const p = probe.data();
    const std::size_t last_block = probe.size() - kBlockBytes;
    for (std::size_t anchor = 0; anchor + reach.nearer + 1 < probe.places(); anchor += reach.stride) {
        const __m256i first = _mm256_set1_epi8(p[anchor]), second = _mm256_set1_epi8(p[anchor + kSecond]),
                      third = _mm256_set1_epi8(p[anchor + kThird]);
        const auto half = [&](const char* at) AGENT_AUDIT_AVX2 {
            const __m256i equal =
                _mm256_and_si256(_mm256_cmpeq_epi8(load32(at), first), _mm256_cmpeq_epi8(load32(at + kSecond), second));
            return _mm256_and_si256(equal, _mm256_cmpeq_epi8(load32(at + kThird), third));
        };
        const std::size_t end = std::min(anchor + reach.farther + 1, probe.places());
        for (std::size_t at = anchor + reach.nearer + 1; at < end; at += kBlock) {
            const std::size_t block = std::min(at, last_block);
            const __m256i a = half(p + block), b = half(p + block + 32);
            if (_mm256_testz_si256(_mm256_or_si256(a, b), _mm256_or_si256(a, b))) continue;
            const std::uint64_t hits = static_cast<std::uint32_t>(_mm256_movemask_epi8(a)) |
                                       std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(b))} << 32;
            if (any_goes_on(probe, anchor, block, hits & between(block, at, end))) return true;
        }
    }
    return false;
}

#endif

bool any(Probe& probe, Reach reach, SimdLevel level) {
#if AGENT_AUDIT_X86
    if (level != SimdLevel::portable) return any_avx2(probe, reach);  // wider registers gain nothing here
#else
    (void)level;
#endif
    return any_portable(probe, reach);
}

}  // namespace

bool may_repeat(std::string_view text, SimdLevel level) {
    if (text.size() < kShortest) return false;
    Probe probe(text);
    if (any(probe, {0, kShortPeriod, kShortStride}, level)) return true;
    // Longer periods, each reach about half as far again as the one before: then its stride is best used. 3.75 rounds
    // must fit in.
    for (std::size_t near = kShortPeriod; near < kProbedPeriod && near * 15 < text.size() * 4;) {
        const std::size_t far = near + std::max(kBlock, near / 2 / kBlock * kBlock);
        if (any(probe, {near, far, near * 11 / 4 - kAnchor}, level)) return true;
        near = far;
    }
    return false;
}

}  // namespace agent_audit
