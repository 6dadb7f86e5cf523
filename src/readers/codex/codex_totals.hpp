#pragma once

#include "readers/codex/codex_payload.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/tokens.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::readers {

/// What a rollout spent, by its records of running totals (`token_count`). The recorded totals begin anew when a
/// session is resumed, fall back when it is rolled back, and hold what was spent before the recording began. So they
/// say whether a request was made, and the record of that request what it took.
class CodexTotals {
public:
    /// A session begins.
    void begin() { *this = {}; }

    /// What a record of totals tells, but for the model and the key. `copied`: the record is a copy.
    Usage told(const rollout::Payload& p, bool copied);

    /// What a request tells that has a record of its own, and that no record of totals tells.
    Usage told_alone(const rollout::Counters& request);

private:
    TokenCounts newly_spent(const rollout::Payload& p) const;

    TokenCounts spent_;           // since the recording began
    rollout::Counters recorded_;  // as the newest record has them
};

/// Tells requests apart (Usage::message_key) by the time at which the record was written and its figures. 0: without a
/// time it cannot be told.
std::uint64_t codex_usage_key(std::string_view timestamp, const TokenCounts& t);

}  // namespace agent_audit::readers
