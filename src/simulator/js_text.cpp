#include "simulator/js_text.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include "support/block64.hpp"
#include "tokens/cjk_weight.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>

namespace agent_audit::simulator {
namespace {

using tokens::CodePoint;

constexpr bool is_blank(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
           c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

constexpr char32_t lower(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
    if ((c >= 0x391 && c <= 0x3A9 && c != 0x3A2) || (c >= 0x410 && c <= 0x42F)) return c + 32;
    if (c >= 0x400 && c <= 0x40F) return c + 80;
    if (c == 0x212A) return 'k';
    return c;
}

/// Where the code point that ends before `end` begins.
std::size_t step_back(std::string_view text, std::size_t end) {
    const std::size_t lowest = end > 4 ? end - 4 : 0;
    for (std::size_t at = end; at-- > lowest;) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
        return at + tokens::decode_wtf8(text, at).length == end ? at : end - 1;
    }
    return end - 1;
}

/// How many of the bytes before `end` are ASCII, up to so many.
std::size_t ascii_before(std::string_view text, std::size_t end, std::uint64_t most) {
    const std::size_t lowest = end - std::min<std::uint64_t>(most, end);
    std::size_t at = end;
    while (at >= lowest + Block64::kSize && Block64(text.data() + at - Block64::kSize).high() == 0)
        at -= Block64::kSize;
    while (at > lowest && static_cast<unsigned char>(text[at - 1]) < 0x80) --at;
    return end - at;
}

std::uint64_t weight_of(const CodePoint& c) { return c.units() + tokens::cjk_weight(c.value); }

}  // namespace

std::string_view js_trim(std::string_view text) {
    while (!text.empty()) {
        const CodePoint c = tokens::decode_wtf8(text, 0);
        if (!is_blank(c.value)) break;
        text.remove_prefix(c.length);
    }
    while (!text.empty()) {
        const std::size_t at = step_back(text, text.size());
        if (!is_blank(tokens::decode_wtf8(text, at).value)) break;
        text.remove_suffix(text.size() - at);
    }
    return text;
}

std::string js_lower(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    tokens::each_code_point(text, [&out](CodePoint c) {
        constexpr char32_t kDottedI = 0x130;  // becomes two: an i, which may end a word, and its dot
        tokens::put_wtf8(out, c.value == kDottedI ? U'i' : lower(c.value));
        if (c.value == kDottedI) tokens::put_wtf8(out, 0x307);
    });
    return out;
}

std::string_view head_safe(std::string_view text, std::size_t units) {
    return text.substr(0, utf16_place(text, units).byte);
}

std::string_view tail_safe(std::string_view text, std::size_t units) {
    std::size_t begin = text.size();
    while (true) {
        const std::size_t run = ascii_before(text, begin, units);
        begin -= run;
        units -= run;
        if (begin == 0 || units == 0) break;
        const std::size_t at = step_back(text, begin);
        const std::size_t size = tokens::decode_wtf8(text, at).units();
        if (size > units) break;
        units -= size;
        begin = at;
    }
    return text.substr(begin);
}

std::string head_raw(std::string_view text, std::size_t units) { return utf16_slice(text, 0, units); }

std::string tail_raw(std::string_view text, std::size_t units, std::size_t all) {
    if (units == 0) return {};
    return units >= all ? std::string(text) : utf16_slice(text, all - units);
}

std::size_t last_newline(std::string_view text, std::size_t unit) {
    const Utf16Place place = utf16_place(text, unit);
    const std::size_t found = text.substr(0, std::min(text.size(), place.byte + 1)).rfind('\n');
    return found == text.npos ? text.npos : utf16_length(text.substr(0, found));
}

Weighed weighed(std::string_view text) {
    const TextSizes sizes = measure(text);
    return {text, sizes.units, sizes.weighted};
}

Weighed Weighed::front(std::uint64_t budget) const { return weight <= budget ? *this : weighted_front(words, budget); }

Weighed Weighed::first(std::size_t bytes) const {
    const Weighed gone = weighed(words.substr(bytes));
    return {words.substr(0, bytes), units - gone.units, weight - gone.weight};
}

Weighed Weighed::behind(std::size_t bytes) const {
    const Weighed gone = weighed(words.substr(0, bytes));
    return {words.substr(bytes), units - gone.units, weight - gone.weight};
}

namespace {

// Whatever stands in so many bytes, no more than this many times as much comes of it: that much of a budget may be
// spent without looking at characters one by one.
constexpr std::uint64_t kMostWeight = 4;
constexpr std::size_t kWorthIt = 256;

constexpr bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Weighed weighted_front(std::string_view text, std::uint64_t budget) {
    Weighed out;
    std::size_t end = 0;
    const auto left = [&] { return budget - out.weight; };
    const auto take = [&](std::size_t bytes, std::uint64_t units, std::uint64_t weight) {
        end += bytes;
        out.units += units;
        out.weight += weight;
    };
    while (true) {
        std::size_t to = end + std::min<std::uint64_t>(text.size() - end, left() / kMostWeight);
        while (to > end && to < text.size() && goes_on(text[to])) --to;
        if (to - end < kWorthIt) break;
        const TextSizes sizes = measure(text.substr(end, to - end));
        take(sizes.bytes, sizes.units, sizes.weighted);
    }
    while (true) {
        const std::size_t most = std::min<std::uint64_t>(left(), text.size() - end);
        const std::size_t run = tokens::ascii_run(text.substr(0, end + most), end);
        take(run, run, run);
        if (end == text.size() || left() == 0) break;
        const CodePoint c = tokens::decode_wtf8(text, end);
        const std::uint64_t weight = weight_of(c);
        if (weight > left()) break;
        take(c.length, c.units(), weight);
    }
    out.words = text.substr(0, end);
    return out;
}

Weighed weighted_end(std::string_view text, std::uint64_t budget) {
    Weighed out;
    std::size_t begin = text.size();
    const auto left = [&] { return budget - out.weight; };
    const auto take = [&](std::size_t bytes, std::uint64_t units, std::uint64_t weight) {
        begin -= bytes;
        out.units += units;
        out.weight += weight;
    };
    while (true) {
        std::size_t from = begin - std::min<std::uint64_t>(begin, left() / kMostWeight);
        while (from > 0 && from < begin && goes_on(text[from])) ++from;
        if (begin - from < kWorthIt) break;
        const TextSizes sizes = measure(text.substr(from, begin - from));
        take(sizes.bytes, sizes.units, sizes.weighted);
    }
    while (true) {
        const std::size_t run = ascii_before(text, begin, left());
        take(run, run, run);
        if (begin == 0 || left() == 0) break;
        const std::size_t at = step_back(text, begin);
        const CodePoint c = tokens::decode_wtf8(text, at);
        const std::uint64_t weight = weight_of(c);
        if (weight > left()) break;
        take(begin - at, c.units(), weight);
    }
    out.words = text.substr(begin);
    return out;
}

std::string grouped(std::uint64_t value) {
    std::string out = std::to_string(value);
    for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
    return out;
}

}  // namespace agent_audit::simulator
