#pragma once

#include <agent_audit/model/report.hpp>

#include <string_view>

namespace agent_audit::report {

/// What another agent's detector came to in a session, as people read it.
constexpr std::string_view verdict_words(PeerVerdict verdict) {
    switch (verdict) {
        case PeerVerdict::right: return "right";
        case PeerVerdict::false_alarm: return "false alarm";
        case PeerVerdict::missed: return "missed";
        case PeerVerdict::silent_right: return "silent, right";
    }
    return "?";
}

}  // namespace agent_audit::report
