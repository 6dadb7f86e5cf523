#include <agent_audit/tokens/calibration.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include "support/wide_block64.hpp"
#include "tokens/run_estimate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

namespace agent_audit {
namespace {

enum class Run : std::uint8_t { none, lower, upper, digit, punctuation, newline, blank, cjk, other };

constexpr auto kAscii = [] {
    std::array<Run, 128> table{};
    for (int c = 0; c < 128; ++c) {
        Run& run = table[static_cast<std::size_t>(c)];
        run = Run::punctuation;
        if (c >= 'a' && c <= 'z') run = Run::lower;
        if (c >= 'A' && c <= 'Z') run = Run::upper;
        if (c >= '0' && c <= '9') run = Run::digit;
        if (c == '\n' || c == '\r') run = Run::newline;
        if (c == ' ' || c == '\t') run = Run::blank;
    }
    return table;
}();

// Hundredths of a token.
constexpr std::uint64_t kOne = 100, kPunctuationMore = 35, kCjk = 80, kOther = 130;

bool is_cjk(std::uint32_t cp) {
    return (cp >= 0x2E80 && cp <= 0x9FFF) || (cp >= 0xAC00 && cp <= 0xD7AF) || (cp >= 0xF900 && cp <= 0xFAFF) ||
           (cp >= 0xFF00 && cp <= 0xFFEF) || (cp >= 0x20000 && cp <= 0x3134F);
}

std::uint64_t run_cost(Run run, std::uint64_t length) {
    switch (run) {
        case Run::lower:
        case Run::upper: return length <= 7 ? kOne : kOne + (length - 7) * kOne / 5;
        case Run::digit: return (length + 2) / 3 * kOne;
        case Run::punctuation: return length <= 2 ? kOne : kOne + (length - 2) * kPunctuationMore;
        case Run::newline: return kOne;
        case Run::blank: return length == 1 ? 0 : kOne;
        case Run::cjk: return length * kCjk;
        case Run::other: return length * kOther;
        case Run::none: break;
    }
    return 0;
}

// One code point of UTF-8; broken bytes count as one each.
std::uint32_t code_point(std::string_view text, std::size_t& i) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const std::uint32_t lead = byte(i);
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    std::uint32_t cp = lead & (0x7Fu >> (more + 1));
    for (std::size_t k = 1; k <= more; ++k) {
        if ((byte(i + k) & 0xC0) != 0x80) {
            ++i;
            return 0xFFFD;
        }
        cp = cp << 6 | (byte(i + k) & 0x3F);
    }
    i += more + 1;
    return more == 0 ? 0xFFFD : cp;
}

int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 0;
}

// A JSON escape at `i`; counts as what it stands for. A surrogate pair is one code point.
std::uint32_t escape(std::string_view text, std::size_t& i) {
    const char c = i + 1 < text.size() ? text[i + 1] : '\\';
    if (c == 'u' && i + 6 <= text.size()) {
        const auto unit = [&](std::size_t at) {
            return static_cast<std::uint32_t>(hex(text[at]) << 12 | hex(text[at + 1]) << 8 | hex(text[at + 2]) << 4 | hex(text[at + 3]));
        };
        const std::uint32_t first = unit(i + 2);
        i += 6;
        if (first >= 0xD800 && first < 0xDC00 && i + 6 <= text.size() && text[i] == '\\' && text[i + 1] == 'u') {
            const std::uint32_t second = unit(i + 2);
            i += 6;
            return 0x10000 + ((first - 0xD800) << 10) + (second & 0x3FF);
        }
        return first;
    }
    i += i + 1 < text.size() ? 2 : 1;
    switch (c) {
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return static_cast<unsigned char>(c) < 0x80 ? static_cast<std::uint32_t>(c) : 0xFFFD;
    }
}

Feature feature_of(Run run) {
    switch (run) {
        case Run::lower:
        case Run::upper: return Feature::letters;
        case Run::digit: return Feature::digits;
        case Run::punctuation: return Feature::punctuation;
        case Run::newline: return Feature::newlines;
        case Run::blank: return Feature::blanks;
        case Run::cjk: return Feature::cjk;
        case Run::other:
        case Run::none: break;
    }
    return Feature::other;
}

struct Sum {
    std::uint64_t hundredths = 0;

    void operator()(Run, std::uint64_t cost, std::uint64_t) { hundredths += cost; }
};

struct ByFeature {
    TextFeatures features;

    void operator()(Run run, std::uint64_t cost, std::uint64_t length) {
        features.hundredths[static_cast<std::size_t>(feature_of(run))] += cost;
        features.chars += length;
    }
};

#define AGENT_AUDIT_KERNEL "tokens/run_kernel.inc"
#include "support/each_width.inc"

}  // namespace

std::uint64_t estimate_tokens_at(SimdLevel level, RawText text) {
    return (at_level(level, portable::sum_of, avx2::sum_of, wide::sum_of)(text).hundredths + kOne - 1) / kOne;
}

TextFeatures features_at(SimdLevel level, RawText text, const TextFeatures& before) {
    return at_level(level, portable::features_of, avx2::features_of, wide::features_of)(text, before).features;
}

std::uint64_t estimate_tokens(RawText text) {
    static const SimdLevel level = best_simd();
    return estimate_tokens_at(level, text);
}

void TextFeatures::add(RawText text) {
    static const SimdLevel level = best_simd();
    *this = features_at(level, text, *this);
}

}  // namespace agent_audit
