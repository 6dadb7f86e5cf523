#include <agent_audit/tokens/estimate.hpp>
#include <agent_audit/tokens/text_tally.hpp>

#include "support/saturate.hpp"
#include "support/wide_block64.hpp"
#include "tokens/cjk_weight.hpp"
#include "tokens/run_estimate.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

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

// A character of a class, and how many of its run stand before it.
void count(TextTally& tally, Run run, std::uint64_t before) {
    ++tally.chars;
    switch (run) {
        case Run::lower:
        case Run::upper:
            tally.letter_runs += before == 0 ? 1 : 0;
            tally.long_letters += before >= 7 ? 1 : 0;
            break;
        case Run::digit: tally.digit_groups += before % 3 == 0 ? 1 : 0; break;
        case Run::punctuation:
            tally.punctuation_runs += before == 0 ? 1 : 0;
            tally.more_punctuation += before >= 2 ? 1 : 0;
            break;
        case Run::newline: tally.newline_runs += before == 0 ? 1 : 0; break;
        case Run::blank: tally.long_blanks += before == 1 ? 1 : 0; break;
        case Run::cjk: ++tally.cjk; break;
        case Run::other: ++tally.others; break;
        case Run::none: break;
    }
}

std::uint64_t letter_cost(const TextTally& tally) {
    return tally.letter_runs * kOne + tally.long_letters * kLongLetter;
}
std::uint64_t punctuation_cost(const TextTally& tally) {
    return tally.punctuation_runs * kOne + tally.more_punctuation * kPunctuationMore;
}

// What lengths take note of in a character beyond ASCII.
void measure(TextTally& tally, std::string_view text, std::size_t at) {
    const tokens::CodePoint c = tokens::decode_wtf8(text, at);
    tally.sound = tally.sound && c.valid && !c.surrogate();
    tally.pairs += c.value >= 0x10000 ? 1 : 0;
    tally.weight += tokens::cjk_weight(c.value);
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
            return static_cast<std::uint32_t>(hex(text[at]) << 12 | hex(text[at + 1]) << 8 | hex(text[at + 2]) << 4 |
                                              hex(text[at + 3]));
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

}  // namespace

TextTally tally_at(SimdLevel level, RawText text) {
    return at_level(level, portable::tally_of, avx2::tally_of, wide::tally_of)(text);
}

std::uint64_t estimate_tokens_at(SimdLevel level, RawText text) { return tally_at(level, text).tokens(); }

TextFeatures features_at(SimdLevel level, RawText text, const TextFeatures& before) {
    TextFeatures out = before;
    tally_at(level, text).add_to(out);
    return out;
}

TextTally tally(RawText text) {
    static const SimdLevel level = best_simd();
    return tally_at(level, text);
}

std::uint64_t estimate_tokens(RawText text) { return tally(text).tokens(); }

void TextFeatures::add(RawText text) { tally(text).add_to(*this); }

std::uint64_t TextTally::hundredths() const {
    return letter_cost(*this) + punctuation_cost(*this) + (digit_groups + newline_runs + long_blanks) * kOne +
           cjk * kCjk + others * kOther;
}

std::uint64_t TextTally::tokens() const { return (hundredths() + kOne - 1) / kOne; }

void TextTally::add_to(TextFeatures& features) const {
    const auto cost = [&](Feature feature, std::uint64_t hundredths) {
        features.hundredths[static_cast<std::size_t>(feature)] += hundredths;
    };
    cost(Feature::letters, letter_cost(*this));
    cost(Feature::digits, digit_groups * kOne);
    cost(Feature::punctuation, punctuation_cost(*this));
    cost(Feature::newlines, newline_runs * kOne);
    cost(Feature::blanks, long_blanks * kOne);
    cost(Feature::cjk, cjk * kCjk);
    cost(Feature::other, others * kOther);
    features.chars += chars;
}

std::optional<TextSizes> TextTally::sizes() const {
    if (!sound) return std::nullopt;
    const std::uint64_t units = chars + pairs;
    return TextSizes{
        saturated(bytes - escapes),         saturated(units), saturated(chars), saturated(chars - cjk - others),
        saturated(units + marks + escapes), units + weight};
}

std::optional<TextSizes> TextTally::sizes_as_written() const {
    if (!sound) return std::nullopt;
    const std::uint64_t points = chars + escapes, units = points + pairs;
    return TextSizes{saturated(bytes),
                     saturated(units),
                     saturated(points),
                     saturated(points - cjk - others),
                     saturated(units + marks + escapes + marks_escaped),
                     units + weight};
}

}  // namespace agent_audit
