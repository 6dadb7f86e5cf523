#include "detectors/words/word_credits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace agent_audit::detectors {

void WordCredits::clear() {
    const std::size_t enough = std::bit_ceil(std::max(kFirst, 2 * taken_.size()));
    if (enough < slots_.size()) {
        slots_.assign(enough, Slot{});
        mask_ = enough - 1;
    } else {
        for (const std::uint16_t at : taken_) slots_[at] = Slot{};
    }
    taken_.clear();
    known_ = 0;
    turn_ = 0;
    of_turn_ = unplaced_ = 0;
}

WordCredits::Met WordCredits::meet(std::span<const std::uint32_t> words) {
    Met met;
    if (slots_.empty()) grow();
    std::size_t noted = of_turn_, mask = mask_;
    Slot* slots = slots_.data();
    const std::uint32_t turn = turn_;
    for (const std::uint32_t word : words) {
        std::size_t at = (word >> 1) & mask;
        while (slots[at].word != word && slots[at].word != 0) at = (at + 1) & mask;
        if (slots[at].word != word) {
            of_turn_ = noted;
            at = put(word, at);
            if (at == kNowhere) {
                ++unplaced_;
                continue;
            }
            slots = slots_.data();
            mask = mask_;
        }
        Slot& slot = slots[at];
        if (slot.met != turn && noted < kMostOfTurn) {
            slot.met = turn;
            turn_words_[noted++] = static_cast<std::uint16_t>(at);
        }
        met.of_goal += slot.state >= kGoalState ? 1u : 0u;
        met.known += (slot.state & kTurns) - 1 < turn ? 1u : 0u;  // of an unknown one the difference is huge
    }
    of_turn_ = noted;
    return met;
}

double WordCredits::best_of_turn() const {
    std::array<std::uint32_t, 3> best{};
    for (const std::uint16_t at : std::span(turn_words_).first(of_turn_)) {
        const std::uint32_t credit = slots_[at].credit();
        if (credit <= best[2]) continue;
        best[2] = credit;
        if (best[2] > best[1]) std::swap(best[1], best[2]);
        if (best[1] > best[0]) std::swap(best[0], best[1]);
        if (best[2] == kGoal) break;
    }
    return (best[0] + best[1] + best[2]) / (3.0 * kGoal);
}

void WordCredits::raise_turn(std::uint8_t credit, std::uint64_t turn) {
    const std::uint32_t least = std::uint32_t{credit} << 24;
    for (const std::uint16_t at : std::span(turn_words_).first(of_turn_)) {
        // Most words are known, and have as much.
        const std::uint32_t state = slots_[at].state;
        if (state < least || (state & kTurns) == 0) raise_at(at, credit, turn);
    }
}

std::size_t WordCredits::put(std::uint32_t word, std::size_t at) {
    if ((taken_.size() + 1) * 2 > slots_.size()) {
        if (slots_.size() == kLargest) return kNowhere;
        grow();
        at = find(word);
    }
    slots_[at].word = word;
    taken_.push_back(static_cast<std::uint16_t>(at));
    return at;
}

void WordCredits::grow() {
    std::vector<Slot> former(std::min(kLargest, std::max(kFirst, slots_.size() * 2)));
    former.swap(slots_);
    mask_ = slots_.size() - 1;
    for (std::uint16_t& at : taken_) {
        const Slot slot = former[at];
        at = static_cast<std::uint16_t>(find(slot.word));
        slots_[at] = slot;
    }
    for (std::uint16_t& at : std::span(turn_words_).first(of_turn_))
        at = static_cast<std::uint16_t>(find(former[at].word));
}

}  // namespace agent_audit::detectors
