#include "report/escape/sanitize.hpp"

#include "report/escape/utf8.hpp"
#include "support/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace agent_audit::report {
namespace {

constexpr std::string_view kZeroWidthSpace = "\xE2\x80\x8B";

bool is_harmless_ascii(char c) { return c >= 0x20 && c < 0x7F; }

void append_escape(std::string& out, char32_t c) {
    const auto value = static_cast<unsigned>(c);
    switch (c) {
        case U'\n': out += "\\n"; return;
        case U'\r': out += "\\r"; return;
        case U'\t': out += "\\t"; return;
        default: break;
    }
    if (c < 0x80) {
        out += fmt::format("\\x{:02x}", value);
    } else if (c < 0x10000) {
        out += fmt::format("\\u{:04x}", value);
    } else {
        out += fmt::format("\\U{:08x}", value);
    }
}

// What the runner trims before it looks for "::": white space in the Unicode sense.
bool is_trimmed(char32_t c) {
    return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::size_t after_blanks(std::string_view line) {
    std::size_t pos = 0;
    while (pos < line.size()) {
        const CodePoint next = decode_at(line, pos);
        if (!next.valid || !is_trimmed(next.value)) break;
        pos += next.length;
    }
    return pos;
}

// The [ of the next command from `at` on: "##[", "##vso[", "##teamcity[". Or npos.
std::size_t command_bracket(std::string_view text, std::size_t at) {
    for (at = text.find("##", at); at != text.npos; at = text.find("##", at + 1)) {
        std::size_t end = at + 2;
        while (end < text.size() && is_letter(text[end])) ++end;
        if (end < text.size() && text[end] == '[') return end;
    }
    return at;
}

}  // namespace

bool is_treacherous(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) ||        // C0, DEL, C1
           c == 0x061C || c == 0x200E || c == 0x200F ||  // direction marks
           (c >= 0x202A && c <= 0x202E) ||               // embeddings and overrides
           (c >= 0x2066 && c <= 0x2069) ||               // isolates
           c == 0x2028 || c == 0x2029 || c == 0xFEFF ||  // separators, byte order mark
           c == 0xFFFE || c == 0xFFFF ||                 // no characters: neither YAML nor XML can hold them
           (c >= 0xE0000 && c <= 0xE007F);               // tags: text nobody sees
}

void append_visible(std::string& out, std::string_view text) {
    if (std::all_of(text.begin(), text.end(), is_harmless_ascii)) {
        out += text;
        return;
    }
    for (std::size_t pos = 0; pos < text.size();) {
        const CodePoint next = decode_at(text, pos);
        if (!next.valid) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(next.value));
        } else if (is_treacherous(next.value)) {
            append_escape(out, next.value);
        } else {
            out += text.substr(pos, next.length);
        }
        pos += next.length;
    }
}

std::string visible(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_visible(out, text);
    return out;
}

std::size_t find_ci_command(std::string_view text) {
    const std::size_t bracket = command_bracket(text, 0);
    return bracket == text.npos ? bracket : text.rfind('#', bracket) - 1;
}

std::string without_ci_commands(std::string_view line) {
    std::string out(line);
    for (std::size_t at = command_bracket(out, 0); at != out.npos; at = command_bracket(out, at)) {
        out.insert(out.rfind('#', at), kZeroWidthSpace);
    }
    const std::size_t start = after_blanks(out);
    if (std::string_view(out).substr(start).starts_with("::")) out.insert(start + 1, kZeroWidthSpace);
    return out;
}

std::string lines_without_ci_commands(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += without_ci_commands(text.substr(at, end - at));
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

std::string with_escaped_ci_commands(std::string_view document) {
    std::string out(document);
    for (std::size_t at = command_bracket(out, 0); at != out.npos; at = command_bracket(out, at))
        out.replace(at, 1, "\\u005b");
    return out;
}

std::size_t before_unfinished_command(std::string_view text) {
    constexpr std::size_t kLongest = 64;  // of its word: no runner's is longer
    std::size_t word = text.size();
    while (word > 0 && text.size() - word <= kLongest && is_letter(text[word - 1])) --word;
    std::size_t begin = word;
    while (begin > 0 && text[begin - 1] == '#') --begin;
    return begin < word ? begin : text.size();
}

}  // namespace agent_audit::report
