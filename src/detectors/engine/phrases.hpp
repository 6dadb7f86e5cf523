#pragma once

#include <agent_audit/model/text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// ASCII letters in lower case; everything else as it is, so that places in both texts are the same.
inline std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return out;
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
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
    return std::ranges::any_of(phrases, [&](std::string_view phrase) { return !text.empty() && text[0] == phrase[0] && text.starts_with(phrase); });
}

}  // namespace agent_audit::detectors
