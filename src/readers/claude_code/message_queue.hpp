#pragma once

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// What was typed while the agent worked waits in a queue, and later versions tell of it again as a message when it is
/// sent. Earlier ones only note that it left the queue. A human who takes it back to change it empties the whole queue.
class MessageQueue {
public:
    struct Waiting {
        std::string text;  // with its escapes
        SourceSpan where;
        std::int64_t time_ms = kNoTime;
    };

    /// A text too long to be kept has its place in the queue all the same.
    void enqueue(std::string_view text, const SourceSpan& where, std::int64_t time_ms) {
        constexpr std::size_t kLongest = 32u << 10;
        if (waiting_.size() == kMost) waiting_.pop_front();
        waiting_.push_back({std::string(text.size() <= kLongest ? text : std::string_view()), where, time_ms});
    }
    /// Sent as a message that is recorded.
    void dequeue() {
        if (!waiting_.empty()) waiting_.pop_front();
    }
    /// Out of the queue: sent between two calls where `working`, else taken back.
    void remove(bool working) {
        if (waiting_.empty()) return;
        if (working && removed_.size() < kMost && !waiting_.front().text.empty())
            removed_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    void clear() { waiting_.clear(); }

    bool any_removed() const { return !removed_.empty(); }
    /// It is recorded as a message after all.
    void told(std::string_view text) {
        std::erase_if(removed_, [text](const Waiting& w) { return text.find(w.text) != text.npos; });
    }
    std::vector<Waiting> take_removed() { return std::exchange(removed_, {}); }

private:
    static constexpr std::size_t kMost = 16;
    std::deque<Waiting> waiting_;
    std::vector<Waiting> removed_;
};

}  // namespace agent_audit::readers
