#pragma once

#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"

// What readers share whose records are whole messages, one session after the other.

namespace agent_audit::readers {

class ConversationReader : public JsonReader {
protected:
    void begin_session(const SessionStart& start, std::int64_t time_ms) {
        open_ = true;
        turn_ = 0;
        new_head().time_ms = time_ms;
        emit(start);
    }

    /// The place of a message; a log that begins in the middle still has a session.
    EventHeader& begin_message(bool by_model, std::int64_t time_ms, std::string_view id) {
        if (!open_) begin_session({}, time_ms);
        begun_ = false;
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_ms;
        h.record_id = id;
        if (by_model) h.response = id.empty() ? ++responses_ | std::uint64_t{1} << 63 : id_hash(id);
        return h;
    }

    /// A text of a human; the first of a message opens a turn.
    void human(RawText text) {
        if (text.empty()) return;
        begin_turn();
        emit(Message{Role::user, Origin::human, text, 0});
    }

    /// Before the first of what a program adds to a human's text; once a message.
    void begin_turn() {
        if (std::exchange(begun_, true)) return;
        head().turn = ++turn_;
        emit(TurnStart{});
    }

    void answer(RawText text) {
        if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, 0});
    }

    void injected(Role role, RawText text, std::uint32_t media = 0) {
        if (!text.empty() || media > 0) emit(Message{role, Origin::injected, text, media});
    }

private:
    bool open_ = false, begun_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

}  // namespace agent_audit::readers
