#pragma once

#include "readers/messages/held_events.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace agent_audit::readers {

/// Many agents share a gateway, and its log of requests. While one of them is at work, what the others do is held back,
/// so that each session is told in one piece; when it has come to its end, the next one is told. What is held is
/// bounded: beyond that all of it is told, and from then on each session in as many pieces as it comes.
class SessionTurns {
public:
    /// Each session has to be begun again when another one was told.
    bool in_pieces() const { return in_pieces_; }

    /// May more be told of this session without another having been told in between?
    bool is_open(std::uint64_t session) const {
        return session == told_ || waiting_.contains(session) || (told_ == 0 && session == last_told_);
    }

    /// Where the events of a record of this session go; null: they are told as they come.
    HeldEvents* begin(std::uint64_t session, bool may_hold) {
        if (in_pieces_ || holding_ != nullptr) return nullptr;
        if (told_ == 0 || !may_hold) told_ = session;
        last_told_ = told_;
        if (session == told_) return nullptr;
        holding_ = &waiting_[session];
        count_ = holding_->count();
        bytes_ -= holding_->size();
        return holding_;
    }

    /// The record is over: so many of its events were held.
    std::size_t end() {
        const std::size_t held = holding_->count() - count_;
        bytes_ += holding_->size();
        holding_ = nullptr;
        return held;
    }

    /// Tells what need not be held any longer: `waits(session)` says whether one goes on in later records.
    template <class Waits, class Take>
    void tell_on(Waits&& waits, Take&& take) {
        if (bytes_ > kMostHeld) {
            tell_all(take);
            in_pieces_ = true;
        }
        while (!waiting_.empty() && !waits(told_)) tell_first(take);
        if (waiting_.empty() && told_ != 0 && !waits(told_)) told_ = 0;
    }

    template <class Take>
    void tell_all(Take&& take) {
        while (!waiting_.empty()) tell_first(take);
    }

private:
    static constexpr std::size_t kMostHeld = 32u << 20;

    template <class Take>
    void tell_first(Take&& take) {
        auto first = waiting_.extract(waiting_.begin());
        told_ = last_told_ = first.key();
        bytes_ -= first.mapped().size();
        first.mapped().tell(take);
    }

    std::map<std::uint64_t, HeldEvents> waiting_;  // by session, in the order in which they began
    std::uint64_t told_ = 0, last_told_ = 0;       // the session that is told as it comes; 0 = none
    HeldEvents* holding_ = nullptr;
    std::size_t count_ = 0, bytes_ = 0;  // before the record; of all that is held
    bool in_pieces_ = false;
};

}  // namespace agent_audit::readers
