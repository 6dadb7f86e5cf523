#pragma once

#include <agent_audit/simulator/message.hpp>

#include <string_view>

namespace agent_audit::simulator::openclaw {

/// A result, also by the names that older sessions and other programs give one.
inline bool is_result(const Msg& message) {
    if (message.role != Role::other || !message.json) return message.role == Role::tool_result;
    const auto named = [&message](std::string_view key, std::string_view name) {
        const auto* value = (*message.json)[key].string();
        return value && *value == name;
    };
    return named("role", "tool") || named("type", "toolResult");
}

}  // namespace agent_audit::simulator::openclaw
