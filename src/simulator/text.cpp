#include <agent_audit/simulator/text.hpp>

#include <agent_audit/tokens/lengths.hpp>

#include "simulator/text_levels.hpp"
#include "simulator/weight.hpp"
#include "support/saturate.hpp"
#include "support/wide_block64.hpp"
#include "tokens/cjk_weight.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace agent_audit::simulator {
namespace {

/// What a text is made of. Worth nothing unless `sound`: lone surrogates and broken UTF-8 are for slower counts.
struct Counts {
    bool sound = true;
    std::uint64_t plain = 0;        // ASCII characters that no escape stands for
    std::uint64_t escaped = 0;      // quotes and backslashes among them
    std::uint64_t control = 0;      // those below a blank
    std::uint64_t named = 0;        // and of these the ones that JSON has a letter for
    std::uint64_t high = 0;         // bytes that are not ASCII
    std::uint64_t code_points = 0;  // of those bytes
    std::uint64_t pairs = 0;        // the ones that are two UTF-16 units
    std::uint64_t weight = 0;       // what characters weigh beyond their units
    std::uint64_t meant = 0;        // ASCII characters that escapes stand for
    std::uint64_t meant_json = 0;   // and the units of JSON that they are written as

    /// The escape at `at`: how long it is; 0 when it is none and stands for itself.
    std::size_t escape(std::string_view text, std::size_t at) {
        const char c = at + 1 < text.size() ? text[at + 1] : '\0';
        if (simple_escape(c) != '\0') {
            ++meant;
            meant_json += c == '/' ? 1 : 2;
            return 2;
        }
        const int unit = tokens::unit_escape(text, at);
        if (unit < 0) return 0;
        if (unit >= 0xD800 && unit < 0xDC00) {
            const int low = tokens::unit_escape(text, at + 6);
            sound = sound && low >= 0xDC00 && low < 0xE000;
            if (sound)
                put(0x10000 + (static_cast<char32_t>(unit - 0xD800) << 10) + static_cast<char32_t>(low - 0xDC00));
            return 12;
        }
        put(static_cast<char32_t>(unit));
        return 6;
    }

    /// A character beyond ASCII whose first byte stands at `at`.
    void look_at(std::string_view text, std::size_t at) {
        const auto lead = static_cast<unsigned char>(text[at]);
        const auto second = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : '\0');
        if (lead == 0xE2 && second < 0xBA) return;
        const tokens::CodePoint c = tokens::decode_wtf8(text, at);
        sound = sound && c.valid && !c.surrogate();
        weight += tokens::cjk_weight(c.value);
    }

    TextSizes sizes() const {
        const std::uint64_t ascii = plain + meant, points = ascii + code_points, units = points + pairs;
        const std::uint64_t json = units + escaped + 5 * control - 4 * named + meant_json - meant;
        return {saturated(ascii + high), saturated(units), saturated(points),
                saturated(ascii),        saturated(json),  units + weight};
    }

private:
    void put(char32_t c) {
        if (c >= 0xD800 && c < 0xE000) {
            sound = false;
        } else if (c >= 0x80) {
            high += c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            ++code_points;
            pairs += c >= 0x10000;
            weight += tokens::cjk_weight(c);
        } else {
            ++meant;
            const bool letter = (c >= '\b' && c <= '\n') || c == '\f' || c == '\r' || c == '"' || c == '\\';
            meant_json += letter ? 2 : c < 0x20 ? 6 : 1;
        }
    }
};

#define AGENT_AUDIT_KERNEL "simulator/measure_kernel.inc"
#include "support/each_width.inc"

Counts count_at(SimdLevel level, std::string_view text, bool escapes) {
    return at_level(level, portable::count, avx2::count, wide::count)(text, escapes);
}

}  // namespace

TextSizes measure(std::string_view wtf8) {
    static const SimdLevel level = best_simd();
    return measure_at(level, wtf8);
}

TextSizes measure_at(SimdLevel level, std::string_view wtf8) {
    const Counts counts = count_at(level, wtf8, false);
    if (counts.sound) return counts.sizes();
    const auto ascii = std::ranges::count_if(wtf8, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return {saturated(wtf8.size()),
            saturated(utf16_length(wtf8)),
            saturated(code_points(wtf8)),
            saturated(static_cast<std::uint64_t>(ascii)),
            saturated(json_string_length(wtf8) - 2),
            weigh(wtf8)};
}

std::optional<TextSizes> measure_json_string(std::string_view raw) {
    static const SimdLevel level = best_simd();
    return measure_json_string_at(level, raw);
}

std::optional<TextSizes> measure_json_string_at(SimdLevel level, std::string_view raw) {
    const Counts counts = count_at(level, raw, true);
    return counts.sound ? std::optional(counts.sizes()) : std::nullopt;
}

struct Text::Body {
    TextSizes sizes;
    std::string words;
    std::shared_ptr<const TextSource> source;
    std::uint64_t place = 0, length = 0;
    char first = '\0';
};

Text::Text(std::string wtf8) {
    if (wtf8.empty()) return;
    const TextSizes sizes = measure(wtf8);
    *this = Text(std::move(wtf8), sizes);
}

Text::Text(std::string wtf8, const TextSizes& sizes) {
    if (!wtf8.empty()) body_ = std::make_shared<const Body>(Body{sizes, std::move(wtf8), nullptr, 0, 0, '\0'});
}

Text::Text(std::shared_ptr<const TextSource> source, std::uint64_t place, std::uint64_t length, TextSizes sizes,
           char first)
    : body_(std::make_shared<const Body>(Body{sizes, {}, std::move(source), place, length, first})) {}

const TextSizes& Text::sizes() const {
    static const TextSizes nothing;
    return body_ ? body_->sizes : nothing;
}

std::string_view Text::front(std::size_t least, std::string& scratch) const {
    if (!body_) return {};
    if (!body_->source) return body_->words;
    return body_->source->read(body_->place, body_->length, least, scratch);
}

bool Text::may_begin_with(std::string_view characters) const {
    if (!body_) return false;
    const char first = body_->source || body_->words.empty() ? body_->first : body_->words.front();
    const bool seen = first > ' ' && first < '\x7F';
    return !seen || characters.find(first) != characters.npos;
}

std::string Text::copy() const {
    std::string out;
    const std::string_view words = read(out);
    if (!body_ || !body_->source) return std::string(words);
    out.resize(words.size());
    return out;
}

}  // namespace agent_audit::simulator
