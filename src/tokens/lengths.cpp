#include <agent_audit/tokens/lengths.hpp>

#include "support/block64.hpp"
#include "tokens/wtf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

namespace agent_audit {
namespace {

using tokens::CodePoint;

constexpr char32_t kHighFirst = 0xD800, kLowFirst = 0xDC00, kLowLast = 0xDFFF;

constexpr bool is_high(char32_t c) { return c >= kHighFirst && c < kLowFirst; }
constexpr bool is_low(char32_t c) { return c >= kLowFirst && c <= kLowLast; }
constexpr char32_t join(char32_t high, char32_t low) {
    return 0x10000 + ((high - kHighFirst) << 10) + (low - kLowFirst);
}
constexpr char32_t high_half(char32_t c) { return kHighFirst + ((c - 0x10000) >> 10); }
constexpr char32_t low_half(char32_t c) { return kLowFirst + ((c - 0x10000) & 0x3FF); }

// Appends a code unit; a low half completes a high half that stands at the end.
void put_unit(std::string& out, char32_t unit) {
    if (is_low(unit) && out.size() >= 3) {
        const CodePoint last = tokens::decode_wtf8(out, out.size() - 3);
        if (last.valid && last.length == 3 && is_high(last.value)) {
            out.resize(out.size() - 3);
            unit = join(last.value, unit);
        }
    }
    tokens::put_wtf8(out, unit);
}

constexpr std::size_t kCopied = 32;

// Copies so many bytes, however many of them turn out to be wanted: those before a backslash.
inline std::size_t copy_plain(const char* at, char* to) {
#if AGENT_AUDIT_X86
    const auto copy_half = [at, to](std::size_t from) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + from));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + from), bytes);
        return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    };
    const std::uint64_t low = copy_half(0), found = low | copy_half(kCopied / 2) << kCopied / 2;
    return static_cast<std::size_t>(std::countr_zero(found | std::uint64_t{1} << kCopied));
#else
    std::memcpy(to, at, kCopied);
    const void* const found = std::memchr(at, '\\', kCopied);
    return found ? static_cast<std::size_t>(static_cast<const char*>(found) - at) : kCopied;
#endif
}

// Writes what the front of `raw` says to `to`, which has room for raw.size() bytes, as long as its escapes have two
// characters: nothing of that can be half of a pair. Returns how much was read and how much was written.
struct Plain {
    std::size_t read = 0, written = 0;
};
Plain decode_plain(std::string_view raw, char* to) {
    const char* const begin = raw.data();
    const char* const end = begin + raw.size();
    const char* const first = to;
    const char* at = begin;
    while (at != end) {
        std::size_t run = 0;
        if (static_cast<std::size_t>(end - at) >= kCopied) {
            run = copy_plain(at, to);
        } else {
            if (*at != '\\') *to = *at;
            run = *at != '\\' ? 1 : 0;
        }
        at += run;
        to += run;
        if (at == end || *at != '\\') continue;
        const char plain = end - at >= 2 ? simple_escape(at[1]) : '\0';
        if (plain == '\0') break;
        *to++ = plain;
        at += 2;
    }
    return {static_cast<std::size_t>(at - begin), static_cast<std::size_t>(to - first)};
}

// Behind what stands in `out` already: what `raw` says from `i` on.
void decode_rest(std::string& out, std::string_view raw, std::size_t i) {
    while (i < raw.size()) {
        const std::size_t escape = std::min(raw.find('\\', i), raw.size());
        append_wtf8(out, raw.substr(i, escape - i));
        i = escape;
        if (i == raw.size()) break;
        if (const int unit = tokens::unit_escape(raw, i); unit >= 0) {
            put_unit(out, static_cast<char32_t>(unit));
            i += 6;
        } else if (const char plain = i + 1 < raw.size() ? simple_escape(raw[i + 1]) : '\0'; plain != '\0') {
            out += plain;
            i += 2;
        } else {
            out += raw[i++];  // an escape JSON does not know: kept as it stands
        }
    }
}

// Units that JSON.stringify writes for an ASCII character inside a string.
constexpr std::size_t escaped_units(unsigned char c) {
    if (c == '"' || c == '\\') return 2;
    if (c >= 0x20) return 1;
    return c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r' ? 2 : 6;
}

void put_escaped(std::string& out, char32_t c) {
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\b': out += "\\b"; return;
        case '\t': out += "\\t"; return;
        case '\n': out += "\\n"; return;
        case '\f': out += "\\f"; return;
        case '\r': out += "\\r"; return;
        default: out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
}

}  // namespace

std::size_t utf16_length(std::string_view wtf8) {
    std::size_t units = 0;
    for (std::size_t i = 0; i < wtf8.size();) {
        std::size_t run = 0;
        while (wtf8.size() - i - run >= Block64::kSize && Block64(wtf8.data() + i + run).high() == 0)
            run += Block64::kSize;
        run += tokens::ascii_run(wtf8, i + run);
        units += run;
        i += run;
        while (i < wtf8.size() && static_cast<unsigned char>(wtf8[i]) >= 0x80) {
            const CodePoint c = tokens::decode_wtf8(wtf8, i);
            units += c.units();
            i += c.length;
        }
    }
    return units;
}

std::size_t code_points(std::string_view wtf8) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < wtf8.size(); ++count) i += tokens::decode_wtf8(wtf8, i).length;
    return count;
}

Utf16Place utf16_place(std::string_view wtf8, std::size_t units) {
    std::size_t i = 0;
    while (units > 0 && i < wtf8.size()) {
        const std::size_t run =
            std::min(tokens::ascii_run(wtf8.substr(0, i + std::min(units, wtf8.size() - i)), i), units);
        i += run;
        units -= run;
        if (units == 0 || i == wtf8.size()) break;
        const CodePoint c = tokens::decode_wtf8(wtf8, i);
        if (c.units() > units) return {i, true};
        units -= c.units();
        i += c.length;
    }
    return {i, false};
}

std::string utf16_slice(std::string_view wtf8, std::size_t from, std::size_t to) {
    if (to <= from) return {};
    const Utf16Place begin = utf16_place(wtf8, from);
    const std::string_view rest = wtf8.substr(begin.byte);
    std::string out;
    std::size_t start = 0;
    std::size_t skipped = 0;  // units between the start of `rest` and `from`
    if (begin.inside_pair) {
        const CodePoint pair = tokens::decode_wtf8(rest, 0);
        tokens::put_wtf8(out, low_half(pair.value));
        start = pair.length;
        skipped = 1;
    }
    if (to == std::string_view::npos) return out += rest.substr(start);
    const Utf16Place end = utf16_place(rest, to - from + skipped);
    out += rest.substr(start, end.byte - start);
    if (end.inside_pair) tokens::put_wtf8(out, high_half(tokens::decode_wtf8(rest, end.byte).value));
    return out;
}

void append_wtf8(std::string& out, std::string_view more) {
    if (more.size() >= 3 && static_cast<unsigned char>(more[0]) == 0xED) {
        const CodePoint first = tokens::decode_wtf8(more, 0);
        if (first.surrogate()) {
            put_unit(out, first.value);
            more.remove_prefix(3);
        }
    }
    out += more;
}

std::string utf8_of_wtf8(std::string_view wtf8) {
    std::string out;
    out.reserve(wtf8.size());
    for (std::size_t i = 0; i < wtf8.size();) {
        const CodePoint c = tokens::decode_wtf8(wtf8, i);
        if (c.valid && !c.surrogate()) {
            out += wtf8.substr(i, c.length);
        } else {
            tokens::put_wtf8(out, tokens::kReplacementChar);
        }
        i += c.length;
    }
    return out;
}

std::string wtf8_of(RawText text) {
    if (text.form != TextForm::json_string || text.bytes.find('\\') == text.bytes.npos) return std::string(text.bytes);
    std::string out(text.size(), '\0');
    const Plain front = decode_plain(text.bytes, out.data());
    out.resize(front.written);
    decode_rest(out, text.bytes, front.read);
    return out;
}

std::string_view wtf8_into(RawText text, std::string& scratch) {
    if (scratch.size() < text.size()) scratch = std::string(std::max(text.size(), 2 * scratch.size()), '\0');
    if (text.form != TextForm::json_string) {
        std::ranges::copy(text.bytes, scratch.begin());
        return std::string_view(scratch).substr(0, text.size());
    }
    const Plain front = decode_plain(text.bytes, scratch.data());
    if (front.read == text.size()) return std::string_view(scratch).substr(0, front.written);
    scratch.resize(front.written);
    decode_rest(scratch, text.bytes, front.read);
    return scratch;
}

namespace {

// End of the run of characters from `i` on that stand in JSON as they are, and are ASCII.
std::size_t plain_end(std::string_view wtf8, std::size_t i) {
    for (; wtf8.size() - i >= Block64::kSize; i += Block64::kSize) {
        const Block64 bytes(wtf8.data() + i);
        const std::uint64_t other = bytes.between('\0', '\x1f') | bytes.equal('"') | bytes.equal('\\') | bytes.high();
        if (other != 0) return i + static_cast<std::size_t>(std::countr_zero(other));
    }
    while (i < wtf8.size() && static_cast<unsigned char>(wtf8[i]) < 0x80 &&
           escaped_units(static_cast<unsigned char>(wtf8[i])) == 1) {
        ++i;
    }
    return i;
}

}  // namespace

void append_json_string(std::string& out, std::string_view wtf8) {
    out += '"';
    for (std::size_t i = 0; i < wtf8.size();) {
        const std::size_t plain = plain_end(wtf8, i);
        out += wtf8.substr(i, plain - i);
        i = plain;
        if (i == wtf8.size()) break;
        const CodePoint c = tokens::decode_wtf8(wtf8, i);
        if (c.value < 0x80 || c.surrogate()) {
            put_escaped(out, c.value);
        } else {
            tokens::put_wtf8(out, c.value);
        }
        i += c.length;
    }
    out += '"';
}

std::size_t json_string_length(std::string_view wtf8) {
    std::size_t units = 2;
    tokens::each_code_point(wtf8, [&units](CodePoint c) {
        units += c.value < 0x80 ? escaped_units(static_cast<unsigned char>(c.value)) : c.surrogate() ? 6 : c.units();
    });
    return units;
}

}  // namespace agent_audit
