#include <agent_audit/support/unescape.hpp>

#include "support/json_escape.hpp"
#include "support/simd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#if AGENT_AUDIT_X86
#include <emmintrin.h>
#endif

namespace agent_audit {

void append_utf8(std::string& out, std::uint32_t cp) {
    const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (cp < 0x80) {
        put(cp);
    } else if (cp < 0x800) {
        put(0xC0 | cp >> 6);
        put(0x80 | (cp & 0x3F));
    } else if (cp < 0x10000) {
        put(0xE0 | cp >> 12);
        put(0x80 | (cp >> 6 & 0x3F));
        put(0x80 | (cp & 0x3F));
    } else {
        put(0xF0 | cp >> 18);
        put(0x80 | (cp >> 12 & 0x3F));
        put(0x80 | (cp >> 6 & 0x3F));
        put(0x80 | (cp & 0x3F));
    }
}

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Decodes \uXXXX (and its low surrogate) whose 'u' stands at `at`. Returns the bytes consumed from `at`, 0 = not an
// escape.
std::size_t append_unicode(std::string_view raw, std::size_t at, std::string& out) {
    const int unit = hex4(raw, at + 1);
    if (unit < 0) return 0;
    if (unit >= 0xD800 && unit < 0xDC00 && at + 6 < raw.size() && raw[at + 5] == '\\' && raw[at + 6] == 'u') {
        const int low = hex4(raw, at + 7);
        if (low >= 0xDC00 && low < 0xE000) {
            append_utf8(out, 0x10000u + (static_cast<std::uint32_t>(unit - 0xD800) << 10) +
                                 static_cast<std::uint32_t>(low - 0xDC00));
            return 11;
        }
    }
    if (unit >= 0xD800 && unit < 0xE000) {
        out += kReplacement;
    } else {
        append_utf8(out, static_cast<std::uint32_t>(unit));
    }
    return 5;
}

}  // namespace

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end);
}

std::string_view without_torn_escape(std::string_view raw) {
    constexpr std::size_t kUnit = 6;  // bytes of \u and its four digits
    const std::size_t at = raw.rfind('\\');
    if (at == std::string_view::npos || raw.size() - at > kUnit) return raw;
    std::size_t slashes = 1;
    while (slashes <= at && raw[at - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return raw;  // the last of them is escaped itself
    const bool torn = at + 1 == raw.size() || (raw[at + 1] == 'u' && raw.size() - at < kUnit);
    if (torn) return without_torn_escape(raw.substr(0, at));
    if (raw[at + 1] != 'u') return raw;
    const int unit = hex4(raw, at + 2);
    return unit >= 0xD800 && unit < 0xDC00 ? raw.substr(0, at) : raw;
}

namespace {

// Decodes as long as 16 bytes are left to read and to write, and says where it stopped. Code in JSON has an escape
// every forty bytes: they are collected near, and not appended piece by piece.
std::size_t decode_blocks(std::string_view raw, std::size_t max_bytes, std::string& out) {
    std::size_t i = 0;
#if AGENT_AUDIT_X86
    constexpr std::size_t kBlock = 16;
    std::array<char, 1024> near;
    std::size_t n = 0;
    const __m128i escape = _mm_set1_epi8('\\');
    while (i + kBlock <= raw.size() && out.size() + n + kBlock <= max_bytes) {
        if (n + kBlock > near.size()) {
            out.append(near.data(), n);
            n = 0;
        }
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(raw.data() + i));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(near.data() + n), bytes);
        const auto escapes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, escape)));
        const std::size_t plain = escapes == 0 ? kBlock : static_cast<std::size_t>(std::countr_zero(escapes));
        i += plain;
        n += plain;
        if (escapes == 0) continue;
        if (i + 1 == raw.size()) break;
        if (const char meant = simple_escape(raw[i + 1]); meant != '\0') {
            near[n++] = meant;
            i += 2;
            continue;
        }
        out.append(near.data(), n);
        n = 0;
        const std::size_t used = raw[i + 1] == 'u' ? append_unicode(raw, i + 1, out) : 0;
        if (used == 0) out += raw[i];  // an escape JSON does not know: keep it as it stands
        i += 1 + used;
    }
    out.append(near.data(), n);
#endif
    return i;
}

}  // namespace

std::string decode_json_string(std::string_view raw, std::size_t max_bytes) {
    std::string out;
    out.reserve(raw.size() < max_bytes ? raw.size() : max_bytes);
    std::size_t i = decode_blocks(raw, max_bytes, out);
    while (i < raw.size() && out.size() < max_bytes) {
        const std::size_t plain = std::min(raw.find('\\', i), raw.size()) - i;
        if (plain > 0) {
            const std::size_t taken = std::min(plain, max_bytes - out.size());
            out.append(raw.substr(i, taken));
            i += taken;
            continue;
        }
        if (i + 1 == raw.size()) {
            out += raw[i++];
            continue;
        }
        const char c = raw[i + 1];
        if (c == 'u') {
            const std::size_t used = append_unicode(raw, i + 1, out);
            if (used > 0) {
                i += 1 + used;
                continue;
            }
        } else if (const char meant = simple_escape(c); meant != '\0') {
            out += meant;
            i += 2;
            continue;
        }
        out += raw[i++];  // an escape JSON does not know: keep it as it stands
    }
    if (out.size() > max_bytes) out.resize(cut_utf8(out, max_bytes).size());
    // A cut in the middle of a raw multi-byte sequence leaves a torn code point behind: drop it.
    std::size_t tail = out.size();
    std::size_t back = 0;
    while (tail > 0 && back < 3 && (static_cast<unsigned char>(out[tail - 1]) & 0xC0) == 0x80) {
        --tail;
        ++back;
    }
    if (tail > 0 && raw.size() > out.size()) {
        const auto lead = static_cast<unsigned char>(out[tail - 1]);
        const std::size_t need = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
        if (need > back) out.resize(tail - 1);
    }
    return out;
}

}  // namespace agent_audit
