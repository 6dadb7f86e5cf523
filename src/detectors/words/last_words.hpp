#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// A fixed list of English words, one of which may be the last word of a text, whatever its case. For a first look: of
/// words of more than eight letters only the last eight are compared, and words with other characters are not looked
/// for.
template <std::size_t N>
class LastWords {
public:
    constexpr explicit LastWords(const std::array<std::string_view, N>& words) {
        std::ranges::transform(words, packed_.begin(), packed_end);
    }

    bool may_end(std::string_view text) const {
        const std::uint64_t last = packed_end(text);
        return last != 0 && std::ranges::find(packed_, last) != packed_.end();
    }

private:
    static constexpr std::uint64_t packed_end(std::string_view text) {
        std::uint64_t packed = 0;
        for (std::size_t letters = 0; letters < 8 && letters < text.size(); ++letters) {
            const auto c = static_cast<unsigned char>(text[text.size() - 1 - letters] | 0x20);
            if (c < 'a' || c > 'z') break;
            packed = packed << 8 | c;
        }
        return packed;
    }

    std::array<std::uint64_t, N> packed_{};
};

}  // namespace agent_audit::detectors
