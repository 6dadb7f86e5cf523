#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace agent_audit::readers {

/// Events that wait until those of another session are told, with the words that they hold.
class HeldEvents final : public EventSink {
public:
    void on_event(const Event& event) override;

    /// Bytes that it takes, roughly.
    std::size_t size() const { return size_; }
    std::size_t count() const { return events_.size(); }

    /// Hands out all of them, in their order, and forgets each. What was handed out is valid until the next one.
    template <class Take>
    void tell(Take&& take) {
        for (; !events_.empty(); events_.pop_front()) take(events_.front().event);
        size_ = 0;
    }

private:
    struct Held {
        Event event;
        std::string words;
    };
    std::deque<Held> events_;  // its elements stay where they are: views point into them
    std::size_t size_ = 0;
};

}  // namespace agent_audit::readers
