#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace agent_audit::detectors {

/// How much each word that was met has to do with the goal: 255 = a word of the goal, 0 = never met. A table that grows
/// up to a bound; when it is full it says so, and rules that live on new words fall silent.
///
/// The words of the turn at hand are kept apart: they are known once the turn was weighed (raise_turn). Each word is
/// looked for once, where it is met; what is asked of it later finds it by its place.
class WordCredits {
public:
    static constexpr std::size_t kMost = 6000;      ///< words kept; beyond it nothing is learnt
    static constexpr std::size_t kMostOfTurn = 48;  ///< words of one turn; beyond it nothing is noted

    /// Forgets everything. The next session is like this one more often than like the largest of all: the table gets
    /// the size that this one needed, so that its words lie near each other.
    void clear();
    bool full() const { return known_ >= kMost; }
    /// Words that are known.
    std::size_t size() const { return known_; }

    static constexpr std::uint8_t kGoal = 255;

    struct Look {
        bool known = false;
        std::uint8_t credit = 0;
        std::uint32_t first_turn = 0;
    };
    Look look(std::uint32_t word) const { return slots_.empty() ? Look{} : slots_[find(word)].look(); }
    std::uint8_t of(std::uint32_t word) const { return look(word).credit; }
    /// Was the word met before this turn?
    bool known_before(std::uint32_t word, std::uint64_t turn) const {
        const Look found = look(word);
        return found.known && found.first_turn < turn;
    }

    /// Credits rise and never fall.
    void raise(std::uint32_t word, std::uint8_t credit, std::uint64_t turn) {
        if (const std::size_t at = place(word); at != kNowhere) raise_at(at, credit, turn);
    }

    /// A turn begins; turns count from 1.
    void begin_turn(std::uint64_t turn) {
        turn_ = static_cast<std::uint32_t>(turn);
        of_turn_ = unplaced_ = 0;
    }
    /// A word of the turn: how it stood before the turn was weighed.
    Look meet(std::uint32_t word) {
        const std::size_t at = place(word);
        if (at == kNowhere) {
            ++unplaced_;
            return {};
        }
        note(at);
        return slots_[at].look();
    }
    /// How many of an act's words, which are words of the turn, are of the goal, and how many were known before the
    /// turn.
    struct Met {
        std::uint32_t of_goal = 0, known = 0;
    };
    Met meet(std::span<const std::uint32_t> words);
    /// Different words of the turn.
    std::size_t met() const { return of_turn_ + unplaced_; }
    /// The credits of the three best words of the turn, from 0 to 1.
    double best_of_turn() const;
    /// raise() of all words of the turn.
    void raise_turn(std::uint8_t credit, std::uint64_t turn);

private:
    // Most sessions use few words: their table is small, and near.
    static constexpr std::size_t kFirst = 512, kLargest = 16'384;  // powers of two
    static_assert(kMost * 2 < kLargest && kLargest <= 32'768);
    static constexpr std::size_t kNowhere = ~std::size_t{0};
    static constexpr std::uint32_t kTurns = 0xffffff, kGoalState = std::uint32_t{kGoal} << 24;

    struct Slot {
        std::uint32_t word = 0;   // 0 = free; hashes of words are odd
        std::uint32_t met = 0;    // the last turn that had it
        std::uint32_t state = 0;  // the turn in which it became known, and one; 0 = unknown. Above 24 bits its credit

        bool known() const { return (state & kTurns) != 0; }
        std::uint32_t credit() const { return state >> 24; }
        Look look() const { return {known(), static_cast<std::uint8_t>(credit()), known() ? (state & kTurns) - 1 : 0}; }
    };

    // Of the turn at hand is what stands in this slot.
    void note(std::size_t at) {
        Slot& slot = slots_[at];
        if (slot.met == turn_ || of_turn_ == kMostOfTurn) return;
        slot.met = turn_;
        turn_words_[of_turn_++] = static_cast<std::uint16_t>(at);
    }

    // Where a word stands, or is put now. Half of the largest table stays free.
    std::size_t place(std::uint32_t word) {
        if (slots_.empty()) grow();
        const std::size_t at = find(word);
        return slots_[at].word != 0 ? at : put(word, at);
    }
    // The same for a word that is none of the table's; `at`: the free place that it would have.
    std::size_t put(std::uint32_t word, std::size_t at);

    void raise_at(std::size_t at, std::uint8_t credit, std::uint64_t turn) {
        std::uint32_t& state = slots_[at].state;
        if ((state & kTurns) == 0) {
            if (full()) return;
            ++known_;
            state |= std::min<std::uint32_t>(static_cast<std::uint32_t>(turn), kTurns - 1) + 1;
        }
        state = std::max(state, std::uint32_t{credit} << 24 | (state & kTurns));
    }

    std::size_t find(std::uint32_t word) const {
        std::size_t at = (word >> 1) & mask_;
        while (slots_[at].word != 0 && slots_[at].word != word) at = (at + 1) & mask_;
        return at;
    }

    void grow();

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;              // of places
    std::vector<std::uint16_t> taken_;  // slots in use
    std::size_t known_ = 0;
    std::uint32_t turn_ = 0;
    std::array<std::uint16_t, kMostOfTurn> turn_words_{};  // slots of the words of the turn
    std::size_t of_turn_ = 0;
    std::size_t unplaced_ = 0;  // words of the turn that the table has no room for
};

}  // namespace agent_audit::detectors
