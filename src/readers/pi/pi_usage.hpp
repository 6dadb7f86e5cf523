#pragma once

#include "readers/pi/pi_entry.hpp"

#include <agent_audit/model/event.hpp>

#include <cstdint>
#include <optional>

// What an entry of pi or OpenClaw says was spent, and on which request.

namespace agent_audit::readers {

/// The time at which a message began, to the millisecond, and what it took: the same in all copies of it.
std::uint64_t pi_request_hash(const PiBody& message);

/// What the request of an answer took. Neither this nor the next gives anything where nothing was spent.
std::optional<Usage> pi_request_usage(const PiEntry& entry);

/// What a compaction, a summary of a branch, a tool's own request or a warm cache took: spent, but no prompt of this
/// conversation.
std::optional<Usage> pi_side_usage(const PiEntry& entry);

}  // namespace agent_audit::readers
