#pragma once

#include "support/ascii.hpp"

#include <agent_audit/model/text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// At most `most` bytes of a recorded text, decoded.
inline std::string decoded(RawText raw, std::size_t most) {
    if (raw.form == TextForm::plain) return std::string(cut_utf8(raw.bytes, most));
    return decode_json_string(raw.bytes.substr(0, most * 2), most);
}

template <class Phrases>
bool contains_any(std::string_view text, const Phrases& phrases) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

template <class Phrases>
bool starts_with_any(std::string_view text, const Phrases& phrases) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) {
        return !text.empty() && text[0] == phrase[0] && text.starts_with(phrase);
    });
}

/// Has a text a letter beyond ASCII?
inline bool has_wide_letter(std::string_view text) {
    constexpr std::uint64_t kHighBits = 0x8080808080808080;
    std::array<std::uint64_t, 8> words;
    while (text.size() >= sizeof words) {
        std::memcpy(words.data(), text.data(), sizeof words);
        std::uint64_t all = 0;
        for (const std::uint64_t word : words) all |= word;
        if ((all & kHighBits) != 0) return true;
        text.remove_prefix(sizeof words);
    }
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// Asks about each sentence of a text until the answer is true. Was it? Sentences end at a line's end, at 。！？；, and
/// at . ! ? ; before a blank. The dots in src/a.py and `git add .` end none.
template <class Is>
bool any_sentence(std::string_view text, Is&& is) {
    constexpr std::string_view kWideEnds[] = {"。", "！", "？", "；"};
    constexpr std::size_t kWide = 3;  // bytes of each
    std::size_t begin = 0;
    const auto ends = [&](std::size_t end, std::size_t next) {
        const std::string_view sentence = trimmed(text.substr(begin, end - begin));
        begin = next;
        return !sentence.empty() && is(sentence);
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto byte = static_cast<unsigned char>(c);
        if (byte > '?' && byte < 0x80) continue;  // letters
        const bool before_blank = i + 1 >= text.size() || text[i + 1] == ' ' || text[i + 1] == '\n';
        const bool is_argument = c == '.' && i > begin && text[i - 1] == ' ';
        if (c == '\n' || ((c == '.' || c == '!' || c == '?' || c == ';') && before_blank && !is_argument)) {
            if (ends(i, i + 1)) return true;
        } else if (byte >= 0x80 && starts_with_any(text.substr(i), kWideEnds)) {
            if (ends(i, i + kWide)) return true;
            i += kWide - 1;
        }
    }
    return begin < text.size() && ends(text.size(), text.size());
}

}  // namespace agent_audit::detectors
