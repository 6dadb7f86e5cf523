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

// Classes of characters. The kernel builds the numbers of those below `none` from bits.
enum class Run : std::uint8_t {
    punctuation = 0,
    lower = 1,
    newline = 2,
    upper = 3,
    digit = 4,
    other = 5,
    blank = 6,
    cjk = 7,
    none = 8
};

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
constexpr std::uint64_t kOne = 100, kLongLetter = 20, kPunctuationMore = 35, kCjk = 80, kOther = 130;

bool is_cjk(std::uint32_t cp) {
    return (cp >= 0x2E80 && cp <= 0x9FFF) || (cp >= 0xAC00 && cp <= 0xD7AF) || (cp >= 0xF900 && cp <= 0xFAFF) ||
           (cp >= 0xFF00 && cp <= 0xFFEF) || (cp >= 0x20000 && cp <= 0x3134F);
}

// How many of what costs something. Letters cost a token a run and a fifth of one for each behind the seventh, digits one
// for each three, punctuation one a run and a part for each behind the second, lines and what is more than one blank one.
struct Tally {
    std::uint64_t letter_runs = 0, long_letters = 0, digit_groups = 0, punctuation_runs = 0, more_punctuation = 0;
    std::uint64_t newline_runs = 0, long_blanks = 0, cjk = 0, others = 0;
    std::uint64_t chars = 0;

    /// A character, and how many of its run stand before it.
    void add(Run run, std::uint64_t before) {
        ++chars;
        switch (run) {
            case Run::lower:
            case Run::upper:
                letter_runs += before == 0 ? 1 : 0;
                long_letters += before >= 7 ? 1 : 0;
                break;
            case Run::digit: digit_groups += before % 3 == 0 ? 1 : 0; break;
            case Run::punctuation:
                punctuation_runs += before == 0 ? 1 : 0;
                more_punctuation += before >= 2 ? 1 : 0;
                break;
            case Run::newline: newline_runs += before == 0 ? 1 : 0; break;
            case Run::blank: long_blanks += before == 1 ? 1 : 0; break;
            case Run::cjk: ++cjk; break;
            case Run::other: ++others; break;
            case Run::none: break;
        }
    }

    std::uint64_t letter_cost() const { return letter_runs * kOne + long_letters * kLongLetter; }
    std::uint64_t punctuation_cost() const { return punctuation_runs * kOne + more_punctuation * kPunctuationMore; }
    std::uint64_t sum() const {
        return letter_cost() + punctuation_cost() + (digit_groups + newline_runs + long_blanks) * kOne + cjk * kCjk +
               others * kOther;
    }
    void add_to(TextFeatures& features) const {
        const auto cost = [&](Feature feature, std::uint64_t hundredths) {
            features.hundredths[static_cast<std::size_t>(feature)] += hundredths;
        };
        cost(Feature::letters, letter_cost());
        cost(Feature::digits, digit_groups * kOne);
        cost(Feature::punctuation, punctuation_cost());
        cost(Feature::newlines, newline_runs * kOne);
        cost(Feature::blanks, long_blanks * kOne);
        cost(Feature::cjk, cjk * kCjk);
        cost(Feature::other, others * kOther);
        features.chars += chars;
    }
};

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

#define AGENT_AUDIT_KERNEL "tokens/run_kernel.inc"
#include "support/each_width.inc"

Tally tally_at(SimdLevel level, RawText text) {
    return at_level(level, portable::tally_of, avx2::tally_of, wide::tally_of)(text);
}

}  // namespace

std::uint64_t estimate_tokens_at(SimdLevel level, RawText text) {
    return (tally_at(level, text).sum() + kOne - 1) / kOne;
}

TextFeatures features_at(SimdLevel level, RawText text, const TextFeatures& before) {
    TextFeatures out = before;
    tally_at(level, text).add_to(out);
    return out;
}

std::uint64_t estimate_tokens(RawText text) {
    static const SimdLevel level = best_simd();
    return estimate_tokens_at(level, text);
}

void TextFeatures::add(RawText text) {
    static const SimdLevel level = best_simd();
    tally_at(level, text).add_to(*this);
}

}  // namespace agent_audit
