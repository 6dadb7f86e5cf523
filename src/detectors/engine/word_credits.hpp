#pragma once

#include <agent_audit/model/drift.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit::detectors {

/// How much each word that was met has to do with the goal: 255 = a word of the goal, 0 = never met. A table that grows
/// up to a bound; when it is full it says so, and rules that live on new words fall silent.
class WordCredits {
public:
    static constexpr std::size_t kMost = 6000;  ///< words kept; beyond it nothing is learnt

    void clear() {
        for (const std::uint16_t at : taken_) slots_[at] = Slot{};
        taken_.clear();
    }
    bool full() const { return taken_.size() >= kMost; }
    std::size_t size() const { return taken_.size(); }

    static constexpr std::uint8_t kGoal = 255;

    struct Look {
        bool known = false;
        std::uint8_t credit = 0;
        std::uint32_t first_turn = 0;
    };
    Look look(std::uint32_t word) const { return slots_.empty() ? Look{} : look_at(find(word), word); }
    /// Where a word stands or would come to stand, for whoever asks for it again before clear().
    using Hint = std::uint32_t;
    Look look(std::uint32_t word, Hint& hint) const {
        if (slots_.empty()) return {};
        const std::size_t at = find(word, hint);
        hint = static_cast<Hint>(slots_.size() << 16 | at);
        return look_at(at, word);
    }
    std::uint8_t of(std::uint32_t word) const { return look(word).credit; }
    /// Was the word met before this turn?
    bool known_before(std::uint32_t word, std::uint64_t turn) const {
        const Look found = look(word);
        return found.known && found.first_turn < turn;
    }

    /// Credits rise and never fall.
    void raise(std::uint32_t word, std::uint8_t credit, std::uint64_t turn, Hint hint = 0) {
        if ((taken_.size() + 1) * 2 > slots_.size()) grow();
        const std::size_t at = find(word, hint);
        Slot& slot = slots_[at];
        if (slot.word == 0) {
            if (full()) return;
            slot.word = word;
            slot.first_turn = static_cast<std::uint32_t>(turn) & 0xffffffU;
            taken_.push_back(static_cast<std::uint16_t>(at));
        }
        slot.credit = std::max<std::uint32_t>(slot.credit, credit) & 0xffU;
    }

private:
    // Most sessions use few words: their table is small, and near.
    static constexpr std::size_t kFirst = 512, kLargest = 16'384;  // powers of two
    static_assert(kMost * 2 < kLargest && kLargest <= 32'768);

    struct Slot {
        std::uint32_t word = 0;  // 0 = free; hashes of words are odd
        std::uint32_t first_turn : 24 = 0;
        std::uint32_t credit : 8 = 0;
    };

    Look look_at(std::size_t at, std::uint32_t word) const {
        const Slot& slot = slots_[at];
        return {slot.word == word, static_cast<std::uint8_t>(slot.credit), slot.first_turn};
    }

    // A hint is good while the table has the size it had then: no word ever moves or goes, so what was the first free
    // slot for a word still is, if it is free.
    std::size_t find(std::uint32_t word, Hint hint) const {
        const std::size_t at = hint & 0xffff;
        return hint >> 16 == slots_.size() && (slots_[at].word == word || slots_[at].word == 0) ? at : find(word);
    }

    std::size_t find(std::uint32_t word) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (word >> 1) & mask;
        while (slots_[at].word != 0 && slots_[at].word != word) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Slot> former(std::min(kLargest, std::max(kFirst, slots_.size() * 2)));
        former.swap(slots_);
        for (std::uint16_t& at : taken_) {
            const Slot slot = former[at];
            const std::size_t place = find(slot.word);
            slots_[place] = slot;
            at = static_cast<std::uint16_t>(place);
        }
    }

    std::vector<Slot> slots_;
    std::vector<std::uint16_t> taken_;  // slots in use
};

/// The drift score as a series of at most DriftSeries::kMostPoints: when it is full, neighbours are joined.
class ScoreTrack {
public:
    void clear();
    /// `relevance` of one turn, 0 to 1.
    void add(std::uint64_t turn, std::uint64_t line, double relevance);
    /// A human spoke: what is done now was asked for.
    void forgive() { score_ = 0; }
    double score() const { return score_; }
    void reflect_every(std::uint32_t turns) { reflect_every_ = turns; }
    /// What was done in the turn at hand, for the reflection points; cut.
    void did(const std::string& words);
    bool wants_words() const { return reflect_every_ > 0; }
    void end_turn(std::uint64_t turn, std::uint64_t line, const std::string& goal);

    DriftSeries take();

private:
    static constexpr double kAlpha = 0.25;
    static constexpr std::size_t kRecent = 3;

    void push(const DriftPoint& point);

    DriftSeries series_;
    double score_ = 0, peak_ = 0;
    std::uint32_t stride_ = 1;  // turns of one point
    DriftPoint open_;
    std::uint32_t in_open_ = 0;
    std::uint32_t reflect_every_ = 0;
    std::vector<std::string> recent_;
    std::string now_;
};

}  // namespace agent_audit::detectors
