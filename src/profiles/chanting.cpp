#include "profiles/chanting.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>

namespace agent_audit::profiles {
namespace {

bool is_line_end(char16_t c) { return c == u'\n' || c == u'\r' || c == 0x2028 || c == 0x2029; }
bool is_digit(char16_t c) { return c >= u'0' && c <= u'9'; }
bool is_box(char16_t c) { return c >= 0x2500 && c <= 0x257f; }

char16_t at(std::u16string_view text, std::size_t i) { return i < text.size() ? text[i] : u'\0'; }
bool space_at(std::u16string_view text, std::size_t i) { return i < text.size() && is_js_space(text[i]); }

// A line that begins here, blanks skipped, with a closed cell or with three rule characters.
bool table_at(std::u16string_view text) {
    if (at(text, 0) == u'|') {
        for (std::size_t i = 1; i < text.size() && !is_line_end(text[i]); ++i) {
            if (text[i] == u'|') return true;
        }
    }
    const auto rule = [&](std::size_t i) { return at(text, i) == u'|' || at(text, i) == u'+' || at(text, i) == u'-'; };
    return rule(0) && rule(1) && rule(2);
}

bool item_at(std::u16string_view text, bool dash_is_bullet) {
    const char16_t c = at(text, 0);
    if ((c == u'*' || c == u'+' || (c == u'-' && dash_is_bullet)) && space_at(text, 1)) return true;
    std::size_t digits = 0;
    while (is_digit(at(text, digits))) ++digits;
    return digits > 0 && at(text, digits) == u'.' && space_at(text, digits + 1);
}

bool heading_at(std::u16string_view text) {
    std::size_t marks = 0;
    while (at(text, marks) == u'#') ++marks;
    return marks > 0 && space_at(text, marks);
}

bool structure_at(std::u16string_view line, bool dash_is_bullet) {
    if (heading_at(line) || (at(line, 0) == u'>' && space_at(line, 1))) return true;
    std::size_t blanks = 0;  // what follows an empty line is looked at when its own line comes
    while (space_at(line, blanks) && line[blanks] != u'\n') ++blanks;
    const std::u16string_view body = line.substr(blanks);
    return table_at(body) || item_at(body, dash_is_bullet);
}

bool is_divider(std::u16string_view text, bool wide) {
    return !text.empty() && std::ranges::all_of(text, [wide](char16_t c) {
        if (is_box(c) || c == u'=' || c == u'*' || c == u'+' || c == u'_') return true;
        return wide ? c >= u'+' && c <= u'_' : c == u'-';
    });
}

std::size_t count_fences(std::u16string_view text) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(u"```", at)) != text.npos; at += 3) ++n;
    return n;
}

}  // namespace

std::u16string utf16(std::string_view utf8) {
    std::u16string out;
    out.reserve(utf8.size());
    for (std::size_t i = 0; i < utf8.size();) {
        const auto lead = static_cast<unsigned char>(utf8[i]);
        const std::size_t length = lead < 0x80                   ? 1
                                   : lead >= 0xf0 && lead < 0xf8 ? 4
                                   : lead >= 0xe0                ? 3
                                   : lead >= 0xc0                ? 2
                                                                 : 0;
        std::uint32_t code = length == 1   ? lead
                             : length == 2 ? lead & 0x1fu
                             : length == 3 ? lead & 0x0fu
                                           : lead & 0x07u;
        bool good = length != 0 && i + length <= utf8.size();
        for (std::size_t k = 1; good && k < length; ++k) {
            const auto next = static_cast<unsigned char>(utf8[i + k]);
            good = (next & 0xc0u) == 0x80;
            code = code << 6 | (next & 0x3fu);
        }
        if (!good || code > 0x10ffff) {
            out += u'\xfffd';
            ++i;
            continue;
        }
        i += length;
        if (code < 0x10000) {
            out += static_cast<char16_t>(code);
        } else {
            out += static_cast<char16_t>(0xd800 + ((code - 0x10000) >> 10));
            out += static_cast<char16_t>(0xdc00 + ((code - 0x10000) & 0x3ff));
        }
    }
    return out;
}

bool is_js_space(char16_t c) {
    return c == u' ' || (c >= 9 && c <= 13) || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

std::u16string_view js_trim(std::u16string_view text) {
    while (!text.empty() && is_js_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_js_space(text.back())) text.remove_suffix(1);
    return text;
}

Markdown look_at_markdown(std::u16string_view text, MarkdownHabits habits) {
    Markdown seen{count_fences(text), false, is_divider(text, habits.wide_divider)};
    for (std::size_t line = 0; line <= text.size() && !seen.structure;) {
        seen.structure = structure_at(text.substr(line), habits.dash_is_bullet);
        const std::size_t end = text.find(u'\n', line);
        if (end == text.npos) break;
        line = end + 1;
    }
    return seen;
}

void ChunkHistory::clear() {
    text_.clear();
    places_.clear();
    next_ = 0;
}

void ChunkHistory::keep_last(std::size_t keep) {
    if (text_.size() <= keep) return;
    const auto gone = static_cast<std::uint32_t>(text_.size() - keep);
    text_.erase(0, gone);
    next_ = next_ > gone ? next_ - gone : 0;
    for (auto entry = places_.begin(); entry != places_.end();) {
        auto& at = entry->second;
        std::erase_if(at, [gone](std::uint32_t place) { return place < gone; });
        for (std::uint32_t& place : at) place -= gone;
        entry = at.empty() ? places_.erase(entry) : std::next(entry);
    }
}

std::vector<std::uint32_t>& ChunkHistory::places() {
    const char* bytes = reinterpret_cast<const char*>(text_.data() + next_);
    return places_[stable_hash({bytes, kChunk * sizeof(char16_t)})];
}

bool ChunkHistory::is_periodic(std::size_t from, std::size_t to, std::size_t distance) const {
    for (std::size_t i = from; i + distance < to; ++i) {
        if (text_[i] != text_[i + distance]) return false;
    }
    return true;
}

}  // namespace agent_audit::profiles
