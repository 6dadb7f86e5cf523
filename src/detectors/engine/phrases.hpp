#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::detectors {

/// ASCII letters in lower case; everything else as it is, so that places in both texts are the same.
inline std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return out;
}

/// A text in lower case that many phrases are looked for in. It knows which pairs of bytes occur in it, so most phrases
/// are settled by three looks at a small table.
class PhraseText {
public:
    explicit PhraseText(std::string_view text) : lower_(lowered(text)) {
        for (std::size_t i = 0; i + 1 < lower_.size(); ++i) set(pair(lower_[i], lower_[i + 1]));
    }

    const std::string& lower() const { return lower_; }

    /// The place of a phrase, or npos.
    std::size_t find(std::string_view phrase, std::size_t from = 0) const {
        if (!may_hold(phrase)) return std::string::npos;
        return lower_.find(phrase, from);
    }
    template <class Phrases>
    bool contains_any(const Phrases& phrases) const {
        return std::ranges::any_of(phrases, [&](std::string_view phrase) { return find(phrase) != std::string::npos; });
    }
    /// The same, but a phrase must not begin within an English word: "small " does not say "all ".
    template <class Phrases>
    bool says_any(const Phrases& phrases) const {
        const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
        return std::ranges::any_of(phrases, [&](std::string_view phrase) {
            if (!may_hold(phrase)) return false;
            for (std::size_t at = lower_.find(phrase); at != std::string::npos; at = lower_.find(phrase, at + 1)) {
                if (at == 0 || !letter(lower_[at - 1]) || !letter(phrase.front())) return true;
            }
            return false;
        });
    }

private:
    static constexpr std::size_t kPairs = 4096;

    static std::size_t pair(char a, char b) {
        return (static_cast<unsigned char>(a) * 31U + static_cast<unsigned char>(b) * 151U) % kPairs;
    }
    void set(std::size_t at) { pairs_[at / 64] |= std::uint64_t{1} << (at % 64); }
    bool has(std::size_t at) const { return (pairs_[at / 64] >> (at % 64) & 1) != 0; }
    bool may_hold(std::string_view phrase) const {
        const std::size_t last = std::min<std::size_t>(phrase.size(), 4);
        for (std::size_t i = 0; i + 1 < last; ++i) {
            if (!has(pair(phrase[i], phrase[i + 1]))) return false;
        }
        return true;
    }

    std::string lower_;
    std::array<std::uint64_t, kPairs / 64> pairs_{};
};

template <class Phrases>
bool contains_any(std::string_view text, const Phrases& phrases) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

template <class Phrases>
bool starts_with_any(std::string_view text, const Phrases& phrases) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) { return !text.empty() && text[0] == phrase[0] && text.starts_with(phrase); });
}

}  // namespace agent_audit::detectors
