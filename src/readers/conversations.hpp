#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

/// What readers of request logs have in common: logs in which every request repeats its conversation.
namespace agent_audit::readers {

/// Conversations of one log that are told apart at a time: requests for titles and of sub-agents run between those of the
/// main one.
inline constexpr std::size_t kConversations = 16;

/// Which conversation makes room: the one that is least by this. Most requests beside a conversation come once, so those
/// without open calls go before the agent that waits. `number` 0: the place is free.
inline std::pair<bool, std::uint64_t> order_of_leaving(std::uint64_t number, std::uint32_t lane, bool calling, std::uint64_t last_use) {
    return {number != 0 && (lane == 0 || calling), last_use};
}

/// Whether the id of a call tells it from all others: short ids are counters. Agents clear old results to make room; by
/// such an id it is the same result, whatever is left of it.
inline bool is_unique_id(std::string_view id) {
    constexpr std::size_t kUnique = 16;
    return id.size() >= kUnique;
}

}  // namespace agent_audit::readers
