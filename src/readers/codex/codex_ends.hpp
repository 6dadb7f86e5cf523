#pragma once

#include "readers/codex/codex_payload.hpp"
#include "readers/messages/recent.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <cstdint>
#include <optional>

namespace agent_audit::readers {

/// How calls ended, as events of a rollout say it. They come before or after the output of the same call, which has the
/// text.
class CodexEnds {
public:
    /// An event says how the call ended. False: its output was told already, and has to be brought up to date.
    bool waits_for_output(IdHash call, const rollout::Payload& p) {
        if (answered_.contains(call)) return false;
        ended_.put(call, {p.end_status, p.exit_code, p.duration_ms});
        return true;
    }

    /// The output of a call comes. What the end event said is a field; the text was only a guess.
    void complete(IdHash call, ToolResult& result) {
        const bool cancelled = result.status == ResultStatus::cancelled;  // with the turn, whatever its end then was
        if (const auto end = ended_.take(call); end && !cancelled) {
            if (end->status != ResultStatus::unknown) result.status = end->status;
            if (end->exit_code) result.exit_code = end->exit_code;
            result.duration_ms = end->duration_ms;
        }
        if (call != 0 && !cancelled) answered_.put(call, 0);
    }

private:
    // What an *_end event said about a call.
    struct End {
        ResultStatus status = ResultStatus::unknown;
        std::optional<int> exit_code;
        std::int64_t duration_ms = -1;
    };

    Recent<End, 16> ended_;  // at most 8 calls were open at once in real rollouts
    Recent<std::uint8_t, 64> answered_;
};

}  // namespace agent_audit::readers
