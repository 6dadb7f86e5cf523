#pragma once

#include "readers/pi/pi_entry.hpp"
#include "readers/pi/pi_usage.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::readers {

/// Which entries of a session were told before. OpenClaw rewrites a conversation (a result was too long, for example)
/// by going back to the first entry that changes, and writing all that follows once more: as new entries, around the
/// messages with their old times.
class PiCopies {
public:
    /// A session begins, or goes on.
    void begin(bool resumed) {
        replaying_ = false;
        if (!resumed) known_.clear();
    }

    /// An entry hangs elsewhere than on the one before it: those that follow may be copies.
    void branched() { replaying_ = true; }

    bool told_before(const PiEntry& entry) {
        const PiBody& m = entry.body;
        std::uint64_t what = 0;
        if (entry.has_message && m.time_ms != kNoTime) {
            const std::string_view whose = m.role == "toolResult" ? m.call_id : m.response_id;
            what = mix_hash(pi_request_hash(m), mix_hash(stable_hash(m.role), stable_hash(whose)));
        } else if ((entry.type == "compaction" || entry.type == "branch_summary") && !entry.summary.empty()) {
            what = mix_hash(stable_hash(entry.summary.bytes), entry.tokens_before);
        } else {
            return false;
        }
        if (known_.contains(what)) return replaying_;
        if (known_.size() < kMostKnown) known_.try_emplace(what);
        replaying_ = false;
        return false;
    }

private:
    // Messages of a session that are remembered; those beyond are taken for new.
    static constexpr std::size_t kMostKnown = 49'152;

    HashMap<bool> known_;     // messages of the session, by time and figures
    bool replaying_ = false;  // on a branch that has said nothing new yet
};

}  // namespace agent_audit::readers
