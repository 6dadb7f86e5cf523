#pragma once

#include <algorithm>
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

template <class Phrases>
bool contains_any(std::string_view text, const Phrases& phrases) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

template <class Phrases>
bool starts_with_any(std::string_view text, const Phrases& phrases) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) { return !text.empty() && text[0] == phrase[0] && text.starts_with(phrase); });
}

}  // namespace agent_audit::detectors
