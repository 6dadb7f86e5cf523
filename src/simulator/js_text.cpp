#include "simulator/js_text.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include "simulator/weight.hpp"
#include "support/block64.hpp"
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
    while (at >= lowest + Block64::kSize && Block64(text.data() + at - Block64::kSize).high() == 0) at -= Block64::kSize;
    while (at > lowest && static_cast<unsigned char>(text[at - 1]) < 0x80) --at;
    return end - at;
}

std::uint64_t weight_at(std::string_view text, std::size_t at, const CodePoint& c) {
    return c.value < 0x80 ? 1 : weigh(text.substr(at, c.length));
}

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
    tokens::each_code_point(text, [&out](CodePoint c) { tokens::put_wtf8(out, lower(c.value)); });
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

std::string_view weighted_head(std::string_view text, std::uint64_t budget) {
    std::size_t end = 0;
    while (true) {
        const std::size_t most = std::min<std::uint64_t>(budget, text.size() - end);
        const std::size_t run = tokens::ascii_run(text.substr(0, end + most), end);
        end += run;
        budget -= run;
        if (end == text.size() || budget == 0) break;
        const CodePoint c = tokens::decode_wtf8(text, end);
        const std::uint64_t weight = weight_at(text, end, c);
        if (weight > budget) break;
        budget -= weight;
        end += c.length;
    }
    return text.substr(0, end);
}

std::string_view weighted_tail(std::string_view text, std::uint64_t budget) {
    std::size_t begin = text.size();
    while (true) {
        const std::size_t run = ascii_before(text, begin, budget);
        begin -= run;
        budget -= run;
        if (begin == 0 || budget == 0) break;
        const std::size_t at = step_back(text, begin);
        const std::uint64_t weight = weight_at(text, at, tokens::decode_wtf8(text, at));
        if (weight > budget) break;
        budget -= weight;
        begin = at;
    }
    return text.substr(begin);
}

std::string grouped(std::uint64_t value) {
    std::string out = std::to_string(value);
    for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
    return out;
}

}  // namespace agent_audit::simulator
