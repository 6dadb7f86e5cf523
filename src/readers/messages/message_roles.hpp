#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_audit::readers {

/// Roles that the chat APIs know; any other is the name of an agent.
inline bool is_api_role(std::string_view role) {
    constexpr std::array<std::string_view, 6> kRoles{"system", "user", "assistant", "tool", "developer", "function"};
    return std::ranges::find(kRoles, role) != kRoles.end();
}

/// Names that frameworks give to the human among the agents.
inline bool is_human_name(std::string_view name) {
    constexpr std::array<std::string_view, 5> kNames{"user", "human", "user_proxy", "Human", "User"};
    return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace agent_audit::readers
