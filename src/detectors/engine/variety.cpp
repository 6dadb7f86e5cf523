#include "detectors/engine/variety.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_audit::detectors {

void Variety::add(const Step& step) {
    if (again_) return;
    again_ = calls_.size() == kMost || std::ranges::find(calls_, step.call) != calls_.end();
    if (again_) return;
    calls_.push_back(step.call);
    named_ += names_something_new(step);
}

void Variety::reset() {
    calls_.clear();
    words_.clear();
    named_ = 0;
    again_ = false;
}

// Another flag names nothing. A word whose bit is taken counts as known: what is doubtful is no list.
bool Variety::names_something_new(const Step& step) {
    constexpr auto kWordBytes = [] {
        std::array<bool, 256> bytes{};
        for (unsigned byte = 0; byte < 256; ++byte) {
            const unsigned letter = byte | 0x20U;
            bytes[byte] = (byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z') || byte == '_' ||
                          byte == '-' || byte >= 0x80;
        }
        return bytes;
    }();
    const auto is_word = [&kWordBytes](char c) { return kWordBytes[static_cast<unsigned char>(c)]; };
    if (words_.empty()) words_.resize(kBits / 64);
    bool any = false;
    for (std::string_view rest = step.text.argument().bytes;;) {
        const auto begin = static_cast<std::size_t>(std::ranges::find_if(rest, is_word) - rest.begin());
        rest.remove_prefix(begin);
        const std::string_view word =
            rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin()));
        if (word.empty()) return any;
        rest.remove_prefix(word.size());
        if (word.front() == '-' || word.size() < 2) continue;
        const std::uint64_t bit = stable_hash(word) % kBits;
        std::uint64_t& kept = words_[bit / 64];
        any = any || (kept >> (bit % 64) & 1) == 0;
        kept |= std::uint64_t{1} << (bit % 64);
    }
}

}  // namespace agent_audit::detectors
