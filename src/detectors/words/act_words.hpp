#pragma once

#include <agent_audit/model/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace agent_audit::detectors {

/// The telling words of one action, as hashes: what a text is about and not how it is said. A fixed array, because it
/// is filled for every action.
class ActWords {
public:
    static constexpr std::size_t kMost = 48;

    void clear() {
        size_ = 0;
        met_ = {};
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == kMost; }
    std::span<const std::uint32_t> all() const { return {words_.data(), size_}; }
    bool has(std::uint32_t word) const { return may_have(word) && holds(word, size_); }
    /// Each word once; what does not fit is left out. Was it taken?
    bool add(std::uint32_t word) {
        if (size_ == kMost || has(word)) return false;
        met_[slot(word)] |= bit(word);
        words_[size_++] = word;
        return true;
    }

    void add(std::span<const std::uint32_t> words) {
        std::size_t size = size_;
        for (const std::uint32_t word : words) {
            if (may_have(word) && holds(word, size)) continue;
            if (size == kMost) break;
            met_[slot(word)] |= bit(word);
            words_[size++] = word;
        }
        size_ = size;
    }

private:
    // Most words that are asked for are new. A bit of 256 tells so; hashes of words are odd, their lowest bit says
    // nothing.
    static std::size_t slot(std::uint32_t word) { return word >> 7 & 3; }
    static std::uint64_t bit(std::uint32_t word) { return std::uint64_t{1} << (word >> 1 & 63); }
    bool may_have(std::uint32_t word) const { return (met_[slot(word)] & bit(word)) != 0; }
    bool holds(std::uint32_t word, std::size_t size) const {
        std::size_t i = 0;
        while (i < size && words_[i] != word) ++i;
        return i < size;
    }

    std::array<std::uint32_t, kMost> words_;
    std::size_t size_ = 0;
    std::array<std::uint64_t, 4> met_{};
};

/// Adds the words of the first `limit` bytes of a text. A word is its first six letters in lower case, so that "test",
/// "tests" and "testing" are near and mostly one; names are taken apart at underscores and capitals; Chinese counts by
/// pairs of characters. Left out: words of one or two letters, numbers, identifiers made of digits, and those that any
/// task uses (the, search, file, please, …). Other scripts give no words, so that whoever counts them stays silent.
void add_words(RawText text, std::size_t limit, ActWords& words);

/// The hash that add_words makes of one word in lower case.
std::uint32_t act_word(std::string_view word);

}  // namespace agent_audit::detectors
