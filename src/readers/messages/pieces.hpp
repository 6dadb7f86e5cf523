#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <string>

namespace agent_audit::readers {

/// A text that a stream prints in pieces, and where the first of them stands. Joined with their escapes the pieces are
/// a JSON string again.
class Pieces {
public:
    bool empty() const { return text_.empty(); }
    /// Whether one more is to be joined to them: of a text that does not end every four MiB are told by themselves.
    bool has_room_for(RawText piece) const { return text_.size() + piece.size() <= kLongest; }
    /// The next piece is the first one, of an event with this header. What is joined has no record id of its own.
    void begin(const EventHeader& head) {
        text_.clear();
        head_ = head;
        head_.record_id = {};
    }
    void add(RawText piece) { text_ += piece.bytes; }
    void clear() { text_.clear(); }

    /// Valid until the pieces change.
    RawText text() const { return {text_, TextForm::json_string}; }
    const EventHeader& head() const { return head_; }

private:
    static constexpr std::size_t kLongest = 4u << 20;  // bytes

    std::string text_;
    EventHeader head_;
};

}  // namespace agent_audit::readers
