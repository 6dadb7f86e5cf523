#pragma once

#include "readers/codex/codex_payload.hpp"

#include <agent_audit/model/event.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::readers {

/// Milliseconds in the first 48 bits of a UUID of version 7, or -1. Codex makes thread and turn ids of them.
inline std::int64_t uuid7_ms(std::string_view id) {
    if (id.size() != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7') return -1;
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 13; ++i) {
        const char c = id[i];
        if (i == 8) continue;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) return -1;
        ms = ms * 16 + digit;
    }
    return ms;
}

/// Which records of a rollout file are copies. A fork or a sub-agent's file opens with the parent's records, all
/// written within a second, or in one go where they are many. Own work starts with the first record that is later, or
/// with a turn whose id was made after the file's own id; newer files say which record is their first own.
class CodexCopies {
public:
    static constexpr std::uint64_t kNoOrdinal = ~std::uint64_t{0};

    /// Where a record stands.
    struct At {
        std::string_view type;  ///< of the record
        std::uint64_t ordinal = kNoOrdinal;
        std::int64_t now = kNoTime;
    };

    /// Of the record that was seen last.
    bool copied() const { return replay_ == Replay::certain; }

    void see(const rollout::Payload& p, const At& at) {
        if (at.type != "session_meta") only_heads_ = false;
        if (replay_ == Replay::no) return;
        if (own_from_ > 0 && at.ordinal != kNoOrdinal)
            replay_ = at.ordinal < own_from_ ? Replay::certain : Replay::no;
        else
            follow(p, at);
    }

    /// A session begins with this record.
    void begin(const rollout::Payload& p, const At& at) {
        start_ms_ = at.now;
        newest_ms_ = kNoTime;
        own_made_ms_ = uuid7_ms(p.id);
        own_from_ = p.history_start;
        replay_ = Replay::no;
        only_heads_ = true;
        // Without times there would be no way to tell where the copy ends.
        if (p.history_elsewhere) return;
        if (own_from_ > 0 && at.ordinal != kNoOrdinal)
            replay_ = Replay::certain;
        else if (at.now != kNoTime && !p.forked_from.empty())
            replay_ = Replay::certain;
        else if (at.now != kNoTime && p.sub_agent)
            replay_ = Replay::suspected;
    }

    /// Another session's first record: is it the parent's own? Then its history follows. What stands behind a whole
    /// session is none: two recordings in one pipe, and the second may be the older one.
    bool begins_parent(std::int64_t now) {
        const bool at_once = only_heads_ && start_ms_ != kNoTime && now != kNoTime && now <= start_ms_ + kReplayMs;
        if (!at_once && replay_ != Replay::certain) return false;
        replay_ = Replay::certain;
        return true;
    }

private:
    enum class Replay : std::uint8_t { no, suspected, certain };

    // Parents are copied within the second in which the file is made.
    static constexpr std::int64_t kReplayMs = 1000;
    static constexpr std::int64_t kReplayPauseMs = 250;  // between two of the records that are copied

    void follow(const rollout::Payload& p, const At& at) {
        const bool later = at.now != kNoTime && at.now > start_ms_ + kReplayMs && at.now > newest_ms_ + kReplayPauseMs;
        if (at.now != kNoTime) newest_ms_ = std::max(newest_ms_, at.now);
        const std::int64_t turn_made = own_made_ms_ < 0 ? -1 : uuid7_ms(p.turn_id);
        const bool own_turn = turn_made > own_made_ms_ && is_turn_start(p, at.type);
        if (later || own_turn)
            replay_ = Replay::no;
        else if (replay_ == Replay::suspected && is_model_output(p, at.type))
            replay_ = Replay::certain;
    }

    static bool is_turn_start(const rollout::Payload& p, std::string_view type) {
        return type == "turn_context" ||
               (type == "event_msg" && (p.type == "task_started" || p.type == "turn_started"));
    }

    // No model answers within a second of the birth of its session: whatever says so was copied.
    static bool is_model_output(const rollout::Payload& p, std::string_view type) {
        if (type == "compacted") return true;
        if (type == "event_msg") return p.type == "token_count" ? p.total.seen : p.type == "task_complete";
        return type == "response_item" && !(p.type == "message" && p.role != "assistant");
    }

    Replay replay_ = Replay::no;
    bool only_heads_ = false;  // nothing but first records so far: its own, its parent's, that of the parent's parent
    std::int64_t start_ms_ = kNoTime;
    std::int64_t newest_ms_ = kNoTime;  // of the records at its beginning
    std::int64_t own_made_ms_ = -1;
    std::uint64_t own_from_ = 0;  // number of its first own record, where the file says it
};

}  // namespace agent_audit::readers
