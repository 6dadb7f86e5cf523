#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit {

/// Where another agent's own loop detector would have spoken up.
struct PeerReaction {
    std::string rule;        ///< which of its rules, in a few words
    std::uint64_t line = 0;  ///< record number, from 1
    std::uint64_t seq = 0;   ///< event position
    std::uint64_t step = 0;  ///< tool calls in the lane up to there
    std::uint32_t lane = 0;  ///< 0 = main conversation
};

/// What our own findings say about that. A reaction is right when one of them (a loop, at least a warning) covers its
/// line; silence is right when there is none.
enum class PeerVerdict : std::uint8_t { silent_right, right, missed, false_alarm };

constexpr const char* name(PeerVerdict v) {
    switch (v) {
        case PeerVerdict::silent_right: return "silent_right";
        case PeerVerdict::right: return "right";
        case PeerVerdict::missed: return "missed";
        case PeerVerdict::false_alarm: return "false_alarm";
    }
    return "?";
}

/// One emulation profile over one session. The stop is what is judged, and the warning where nothing was stopped.
struct PeerOutcome {
    std::string profile;
    std::optional<PeerReaction> warned;   ///< the first note or nudge
    std::optional<PeerReaction> stopped;  ///< the first block, halt or abort
    PeerVerdict verdict = PeerVerdict::silent_right;

    const PeerReaction* reaction() const { return stopped ? &*stopped : warned ? &*warned : nullptr; }
};

/// One emulation profile over all sessions of a run.
struct PeerTotals {
    std::string profile;
    std::uint64_t sessions = 0;
    std::uint64_t warned = 0;   ///< sessions with a warning
    std::uint64_t stopped = 0;  ///< sessions with a stop
    std::uint64_t right = 0, false_alarms = 0, missed = 0, silent_right = 0;
};

}  // namespace agent_audit
