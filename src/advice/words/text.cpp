#include "advice/words/text.hpp"

#include "support/ascii.hpp"

#include <agent_audit/simulator/session.hpp>
#include <agent_audit/support/unescape.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>

namespace agent_audit::advice {
namespace {

struct CodePoint {
    char32_t value = 0;
    std::size_t length = 1;
    bool valid = false;
};

// UTF-8 as utf8_of_wtf8 leaves it: broken bytes are gone, but one byte at a time costs nothing.
CodePoint decode_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
    if (length == 1 || at + length > text.size()) return {first, 1, false};
    char32_t value = first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {first, 1, false};
        value = (value << 6) | (byte(i) & 0x3F);
    }
    return {value, length, true};
}

// Moves the cursor, reorders or hides text, or is no character at all.
bool is_unseen(char32_t c) {
    return (c < 0x20 && c != '\n') || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x061C || c == 0x180E ||
           (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE0FFF);
}

std::size_t start_of_char(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

// Bytes of the first `chars` code points.
std::size_t bytes_of(std::string_view text, std::size_t chars) {
    std::size_t at = 0;
    for (; chars > 0 && at < text.size(); --chars) at += decode_at(text, at).length;
    return at;
}

std::string_view trimmed(std::string_view s) {
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && blank(s.back())) s.remove_suffix(1);
    return s;
}

// "。", "！" and "？" end a sentence wherever they stand.
std::size_t wide_stop(std::string_view s, std::size_t i) {
    for (const std::string_view stop : {"\u3002", "\uFF01", "\uFF1F"}) {
        if (s.compare(i, stop.size(), stop) == 0) return stop.size();
    }
    return 0;
}

void split_line(std::string_view line, std::vector<std::string_view>& out) {
    // Marks of lists and headings are no part of a sentence.
    while (!line.empty() && (line[0] == '-' || line[0] == '#' || line[0] == ' ' || line.starts_with("* ")))
        line.remove_prefix(1);
    std::size_t begin = 0;
    const auto take = [&](std::size_t end) {
        if (const std::string_view piece = trimmed(line.substr(begin, end - begin)); piece.size() > 1)
            out.push_back(piece);
        begin = end;
    };
    for (std::size_t i = 0; i < line.size();) {
        const char c = line[i];
        if (const std::size_t wide = wide_stop(line, i); wide > 0) {
            i += wide;
            take(i);
            continue;
        }
        ++i;
        if ((c == '.' || c == '!' || c == '?') && (i == line.size() || line[i] == ' ')) take(i);
    }
    take(line.size());
}

}  // namespace

std::string words_of(RawText raw, std::size_t max_bytes) {
    // A JSON value that is cut is no JSON any more; those are short, or it does not matter what we make of them.
    if (raw.form == TextForm::json_value && raw.size() > 4 * max_bytes) raw.form = TextForm::plain;
    if (raw.form != TextForm::json_value) raw.bytes = cut_utf8(raw.bytes, max_bytes);
    return clean(utf8_of_wtf8(simulator::words_of(raw, simulator::WordsAs::content)));
}

std::string clean(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c >= 0x20 && c < 0x7F) {
            out += c;
            ++at;
            continue;
        }
        // Colours and cursor movements go as a whole: their letters and digits would stay behind.
        if (c == 0x1B && at + 1 < text.size() && text[at + 1] == '[') {
            at += 2;
            while (at < text.size() && (text[at] < 0x40 || text[at] > 0x7E) && text[at] >= 0x20) ++at;
            if (at < text.size() && text[at] >= 0x40) ++at;
            continue;
        }
        const CodePoint next = decode_at(text, at);
        if (next.value == '\t') {
            out += ' ';
        } else if (next.valid && !is_unseen(next.value)) {
            out += text.substr(at, next.length);
        }
        at += next.length;
    }
    return out;
}

std::string one_line(std::string_view text, std::size_t max_chars) {
    std::string out;
    std::size_t chars = 0;
    bool blank = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = decode_at(text, at).length;
        if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
            blank = !out.empty();
            at += length;
            continue;
        }
        chars += blank ? 2 : 1;
        if (chars > max_chars) {
            while (!out.empty() && out.back() == ' ') out.pop_back();
            return out + "\u2026";
        }
        if (blank) out += ' ';
        blank = false;
        out += text.substr(at, length);
        at += length;
    }
    return out;
}

std::string head_and_tail(std::string_view text, std::size_t max_chars) {
    constexpr std::string_view kMark = " [\u2026] ";
    constexpr std::size_t kMarkChars = 5;
    text = trimmed(text);
    const std::size_t chars = code_points(text);
    if (chars <= max_chars || max_chars < 4 * kMarkChars) return std::string(text.substr(0, bytes_of(text, max_chars)));
    const std::size_t head = (max_chars - kMarkChars) * 5 / 8, tail = max_chars - kMarkChars - head;
    const std::size_t tail_at = bytes_of(text, chars - tail);
    std::string out(trimmed(text.substr(0, bytes_of(text, head))));
    out += kMark;
    return out.append(trimmed(text.substr(start_of_char(text, tail_at))));
}

std::vector<std::string_view> sentences(std::string_view text) {
    std::vector<std::string_view> out;
    bool fenced = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with("```") || line.starts_with("~~~")) {
            fenced = !fenced;
        } else if (!fenced && !line.empty() && line[0] != '<' && line[0] != '>' && line[0] != '|') {
            split_line(line, out);
        }
    }
    return out;
}

std::string without_program_tags(std::string text) {
    constexpr std::string_view kTags[] = {"system-reminder", "system_reminder",        "ide_opened_file",
                                          "ide_selection",   "environment_details",    "current_datetime",
                                          "reminder",        "user-prompt-submit-hook"};
    if (text.find("</") == text.npos) return text;
    for (const std::string_view tag : kTags) {
        const std::string open = "<" + std::string(tag) + ">", close = "</" + std::string(tag) + ">";
        std::string kept;
        std::size_t from = 0;
        for (std::size_t at = text.find(open); at != text.npos; at = text.find(open, from)) {
            const std::size_t end = text.find(close, at);
            if (end == text.npos) break;
            kept.append(text, from, at - from);
            from = end + close.size();
        }
        if (from > 0) text = kept.append(text, from);
    }
    return text;
}

std::optional<simulator::JsValue> arguments_of(RawText raw, std::size_t max_bytes) {
    if (raw.size() > max_bytes) return std::nullopt;
    return simulator::JsValue::parse(simulator::words_of(raw, simulator::WordsAs::arguments));
}

std::string plain_key(std::string_view key) {
    std::string out = lowered(key);
    std::erase_if(out, [](char c) { return c == '_' || c == '-'; });
    return out;
}

bool has_word(std::string_view text, std::string_view word) {
    const bool ascii = static_cast<unsigned char>(word[0]) < 0x80;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        if (!ascii) return true;
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

}  // namespace agent_audit::advice
