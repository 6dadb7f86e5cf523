#include "report/json_writer.hpp"

#include "report/sanitize.hpp"
#include "report/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

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

}  // namespace

char* JsonWriter::room(std::size_t size) {
    const std::size_t used = buffer_.size();
    buffer_.resize(used + size);
    return buffer_.data() + used;
}

void JsonWriter::append(std::string_view bytes) { std::copy(bytes.begin(), bytes.end(), room(bytes.size())); }

void JsonWriter::separate() {
    if (comma_) buffer_.push_back(',');
    comma_ = true;
}

void JsonWriter::open(char bracket) {
    separate();
    buffer_.push_back(bracket);
    comma_ = false;
}

void JsonWriter::close(char bracket) {
    buffer_.push_back(bracket);
    comma_ = true;
    if (buffer_.size() >= kPiece) flush();
}

JsonWriter& JsonWriter::key(std::string_view name) {
    const std::size_t comma = comma_ ? 1 : 0;
    char* at = room(comma + name.size() + 3);
    *at = ',';
    at += comma;
    *at++ = '"';
    at = std::copy(name.begin(), name.end(), at);
    *at++ = '"';
    *at = ':';
    comma_ = false;
    return *this;
}

void JsonWriter::number(std::uint64_t value) {
    separate();
    const fmt::format_int digits(value);
    append({digits.data(), digits.size()});
}

// Most figures have four decimals at most: theirs are the fewest digits that tell the number, as fmt would find them.
bool JsonWriter::short_real(double value) {
    constexpr double kScale = 1e4, kMost = 1e9;
    const double scaled = std::nearbyint(value * kScale);
    if (!(std::abs(value) < kMost) || scaled / kScale != value || (scaled == 0 && std::signbit(value))) return false;
    const auto digits = static_cast<std::uint64_t>(std::abs(scaled));
    const fmt::format_int whole(digits / 10'000);
    if (value < 0) buffer_.push_back('-');
    append({whole.data(), whole.size()});
    std::uint64_t rest = digits % 10'000;
    for (std::uint64_t unit = 1000; rest != 0; unit /= 10) {
        if (unit == 1000) buffer_.push_back('.');
        buffer_.push_back(static_cast<char>('0' + rest / unit));
        rest %= unit;
    }
    return true;
}

void JsonWriter::real(double value) {
    separate();
    if (short_real(value)) return;
    if (std::isfinite(value)) {
        fmt::format_to(std::back_inserter(buffer_), "{}", value);
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
    buffer_.push_back('"');
    append_escaped(value);
    buffer_.push_back('"');
    if (buffer_.size() >= kPiece) flush();
}

void JsonWriter::append_escaped(std::string_view value) {
    for (std::size_t pos = 0; pos < value.size();) {
        std::size_t end = pos;
        while (end < value.size() && kPlain[static_cast<unsigned char>(value[end])]) ++end;
        if (guard_ci_ && end > pos) {
            const std::size_t command = value.substr(pos, end - pos).find("##[");
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

bool JsonWriter::flush() {
    if (!failed_ && buffer_.size() > 0) failed_ = !out_({buffer_.data(), buffer_.size()});
    buffer_.clear();
    return !failed_;
}

}  // namespace agent_audit::report
