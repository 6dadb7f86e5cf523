#pragma once

#include "readers/messages/conversations.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Which recorded conversation a request goes on with, where agents may have edited what it repeats.
namespace agent_audit::readers {

/// What a message is known by in Conversation::hashes: its last bit is set for an answer of the model.
constexpr std::uint64_t known_as(std::uint64_t hash, bool answer) {
    return (hash & ~std::uint64_t{1}) | (answer ? 1u : 0u);
}
constexpr bool is_answer(std::uint64_t known) { return (known & 1) != 0; }

/// `One` says by `replied` whether the answer to its last request was recorded with it.
template <std::derived_from<Conversation> One>
struct Continuation {
    One* history = nullptr;  ///< null: none
    std::size_t edits = 0;   ///< messages that are not as they were
    std::size_t known = 0;   ///< messages at the front that were read before
    std::size_t skip = 0;    ///< the same, and the copy of the recorded answer
};

/// Compares the messages of a request, one after the other, with all conversations at once. The longest wins, and one
/// that was not edited before all others. Agents make room by cutting short what stands between the answers of the
/// model (old outputs, reminders); no other conversation has all of its answers. The words before the first one tell
/// conversations apart.
template <std::derived_from<Conversation> One>
class HistorySearch {
public:
    void begin() {
        count_ = 0;
        best_ = {};
        compared_.clear();
    }
    void add(One& history) { open_[count_++] = {&history}; }

    /// None is left that could win: what follows need not be looked at.
    bool is_over() const { return count_ == 0; }
    void next(std::uint64_t known) {
        step(known, false, false);
        compared_.push_back(known);
    }
    /// `cut`: the request was cut off, perhaps before it came to anything new.
    Continuation<One> end(bool cut) {
        step(0, true, cut);
        if (best_.edits > 0)
            std::ranges::copy_n(compared_.begin(), static_cast<std::ptrdiff_t>(best_.known),
                                best_.history->hashes.begin());
        return best_;
    }

private:
    // One that a request may be going on with, as far as it was compared.
    struct Candidate {
        One* history = nullptr;
        std::size_t answers = 0;  // of the model, word for word
        std::size_t kept = 0;     // messages behind the first of them that are as they were
        std::size_t edits = 0;    // and that are not
    };

    void step(std::uint64_t known, bool end, bool cut) {
        const std::size_t i = compared_.size();
        for (std::size_t c = 0; c < count_;) {
            Candidate& one = open_[c];
            One& h = *one.history;
            const bool done = i == h.hashes.size();
            if (done && is_better(one, i)) best_ = {&h, one.edits, i, i + (h.replied && is_answer(known) ? 1u : 0u)};
            if (!done && end && cut && one.edits == 0 && i > best_.known) best_ = {&h, 0, i, i};
            if (done || end || !goes_on(one, h.hashes[i], known))
                open_[c] = open_[--count_];
            else
                ++c;
        }
    }

    static bool goes_on(Candidate& one, std::uint64_t before, std::uint64_t now) {
        if (before == now) {
            one.kept += !is_answer(now) && one.answers > 0 ? 1u : 0u;
            one.answers += is_answer(now) ? 1u : 0u;
            return true;
        }
        ++one.edits;
        return one.answers > 0 && !is_answer(before) && !is_answer(now);
    }

    bool is_better(const Candidate& one, std::size_t length) const {
        constexpr std::size_t kSureAnswers = 2;
        if (one.edits > 0 && (one.answers < kSureAnswers || one.kept == 0)) return false;
        if (best_.history == nullptr || one.edits == best_.edits) return length >= best_.known;
        return one.edits < best_.edits;
    }

    std::array<Candidate, Conversations<One>::kMost> open_{};
    std::size_t count_ = 0;
    Continuation<One> best_;
    std::vector<std::uint64_t> compared_;  // the messages of the request, as far as they were looked at
};

}  // namespace agent_audit::readers
