#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// A set of the hashes that add_words makes, in the order in which they came. They are odd; 0 marks a free slot.
class WordSet {
public:
    bool has(std::uint32_t word) const { return !slots_.empty() && slots_[slot_of(word)] == word; }
    /// False when it was there already.
    bool add(std::uint32_t word) {
        if ((words_.size() + 1) * 2 > slots_.size()) grow();
        std::uint32_t& slot = slots_[slot_of(word)];
        if (slot == word) return false;
        slot = word;
        words_.push_back(word);
        return true;
    }
    /// Keeps memory for as many words as there were, not for the most that there ever were: few words lie near each
    /// other.
    void clear() {
        if (!slots_.empty())
            slots_.assign(std::min(slots_.size(), std::bit_ceil(std::max(kFirst, 2 * words_.size()))), 0U);
        words_.clear();
    }
    std::size_t size() const { return words_.size(); }
    const std::vector<std::uint32_t>& all() const { return words_; }

private:
    static constexpr std::size_t kFirst = 256;

    std::size_t slot_of(std::uint32_t word) const {
        std::size_t at = word >> 1 & (slots_.size() - 1);
        while (slots_[at] != 0 && slots_[at] != word) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    void grow() {
        slots_.assign(std::max(kFirst, slots_.size() * 2), 0U);
        for (const std::uint32_t word : words_) slots_[slot_of(word)] = word;
    }

    std::vector<std::uint32_t> words_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace agent_audit::detectors
