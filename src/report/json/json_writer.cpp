#include "report/json/json_writer.hpp"

#include "report/escape/sanitize.hpp"
#include "report/escape/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace agent_audit::report {
namespace {

constexpr std::array<bool, 256> plain_bytes() {
    std::array<bool, 256> plain{};
    for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
    return plain;
}
constexpr std::array<bool, 256> kPlain = plain_bytes();

std::string escape_of(char32_t c) {
    switch (c) {
        case U'"': return "\\\"";
        case U'\\': return "\\\\";
        case U'\n': return "\\n";
        case U'\r': return "\\r";
        case U'\t': return "\\t";
        default: break;
    }
    if (c < 0x10000) return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    const auto rest = static_cast<unsigned>(c - 0x10000);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

// Names and figures are a few bytes long: calling for a copy would take longer than making it. The last piece may
// overlap the one before.
char* copied(std::string_view bytes, char* to) {
    const char* const from = bytes.data();
    const std::size_t n = bytes.size();
    if (n >= 8) {
        for (std::size_t i = 0; i + 8 <= n; i += 8) std::memcpy(to + i, from + i, 8);
        std::memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        std::memcpy(to, from, 4);
        std::memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    }
    return to + n;
}

}  // namespace

void JsonWriter::append(std::string_view bytes) {
    if (bytes.size() <= kShort) {
        copied(bytes, room(bytes.size()));
        return;
    }
    if (bytes.size() <= kPiece) {
        std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
        return;
    }
    flush();
    hand_over(bytes);
}

void JsonWriter::separate() {
    if (comma_) append(',');
    comma_ = true;
}

void JsonWriter::open(char bracket) {
    separate();
    append(bracket);
    comma_ = false;
}

void JsonWriter::close(char bracket) {
    append(bracket);
    comma_ = true;
}

char* JsonWriter::write_key(char* at, std::string_view name) {
    *at = ',';
    at += comma_ ? 1 : 0;
    *at++ = '"';
    at = copied(name, at);
    *at++ = '"';
    *at++ = ':';
    return at;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    write_key(room(name.size() + (comma_ ? 4 : 3)), name);
    comma_ = false;
    return *this;
}

void JsonWriter::number(std::uint64_t value) {
    separate();
    const fmt::format_int digits(value);
    append({digits.data(), digits.size()});
}

// Most of a report are figures with a name: they take one look at the buffer.
void JsonWriter::number(std::string_view name, std::uint64_t value) {
    const fmt::format_int digits(value);
    char* const at = room(name.size() + (comma_ ? 4 : 3) + digits.size());
    copied({digits.data(), digits.size()}, write_key(at, name));
    comma_ = true;
}

// Most figures have four decimals at most: theirs are the fewest digits that tell the number, as fmt would find them.
bool JsonWriter::short_real(double value) {
    constexpr double kScale = 1e4, kMost = 1e9;
    const double scaled = std::nearbyint(value * kScale);
    if (!(std::abs(value) < kMost) || scaled / kScale != value || (scaled == 0 && std::signbit(value))) return false;
    const auto digits = static_cast<std::uint64_t>(std::abs(scaled));
    const fmt::format_int whole(digits / 10'000);
    if (value < 0) append('-');
    append({whole.data(), whole.size()});
    std::uint64_t rest = digits % 10'000;
    for (std::uint64_t unit = 1000; rest != 0; unit /= 10) {
        if (unit == 1000) append('.');
        append(static_cast<char>('0' + rest / unit));
        rest %= unit;
    }
    return true;
}

void JsonWriter::real(double value) {
    separate();
    if (short_real(value)) return;
    if (std::isfinite(value)) {
        append(fmt::format("{}", value));
    } else {
        append("null");
    }
}

void JsonWriter::flag(bool value) {
    separate();
    append(value ? "true" : "false");
}

void JsonWriter::text(std::string_view value) {
    separate();
    append('"');
    append_escaped(value);
    append('"');
}

void JsonWriter::append_escaped(std::string_view value) {
    for (std::size_t pos = 0; pos < value.size();) {
        std::size_t end = pos;
        while (end < value.size() && kPlain[static_cast<unsigned char>(value[end])]) ++end;
        if (guard_ci_ && end > pos) {
            const std::size_t command = find_ci_command(value.substr(pos, end - pos));
            if (command != value.npos) end = pos + command;
        }
        append(value.substr(pos, end - pos));
        if (end == value.size()) return;

        const CodePoint next = decode_at(value, end);

        if (!next.valid) {
            append("\xEF\xBF\xBD");
        } else if (next.value < 0x80 || is_treacherous(next.value)) {
            append(escape_of(next.value));
        } else {
            append(value.substr(end, next.length));
        }
        pos = end + next.length;
    }
}

void JsonWriter::hand_over(std::string_view bytes) {
    if (!failed_) failed_ = !out_(bytes);
}

bool JsonWriter::flush() {
    if (used_ > 0) hand_over({piece_.get(), used_});
    used_ = 0;
    return !failed_;
}

}  // namespace agent_audit::report
