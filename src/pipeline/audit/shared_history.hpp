#pragma once

#include "pipeline/audit/session_audit.hpp"

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace agent_audit {

/// Hands the events of an input on once more, those of history that other sessions have, too, as copies: what they
/// tell counts there. `shared`: of each session of the input, how many of its requests stand in others.
class HistoryMarker final : public EventSink {
public:
    HistoryMarker(SessionAudit& to, std::span<const std::size_t> shared) : to_(to), shared_(shared) {
        ends_.resize(shared.size());
    }

    void on_event(const Event& event) override;
    struct End {
        std::uint64_t seq = 0;  // Event::head.seq; 0 = there is no such event
        std::uint64_t line = 0;
    };
    /// Of each session, its first event after the shared history.
    const std::vector<End>& ends() const { return ends_; }

private:
    bool ends_history(const Event& event) const;

    SessionAudit& to_;
    std::span<const std::size_t> shared_;
    std::vector<End> ends_;
    bool over_ = false;
    std::uint64_t request_ = 0;  // newest one that was handed on: its message
    IdHash response_ = 0;        // and its response
};

/// Makes a session's part in a run what it is without the history that it shares: its counts, tools, context and
/// outcomes of other agents' detectors. `own`: the same session, read with that history marked.
void keep_own(SessionPart& part, SessionPart& own);
/// Another session has all of it.
void keep_nothing(SessionPart& part);

}  // namespace agent_audit
