#pragma once

#include <agent_audit/simulator/message.hpp>

#include <string>
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

/// A result block within a message. To a summary it is what it says.
inline bool nested_result(const Block& block) {
    if (block.kind != BlockKind::other || !block.json) return false;
    const auto* type = (*block.json)["type"].string();
    return type && (*type == "toolResult" || *type == "tool_result");
}

inline std::string nested_text(const Block& block) {
    const auto* text = (*block.json)["text"].string();
    if (text && !text->empty()) return *text;
    const auto* content = (*block.json)["content"].string();
    return content ? *content : std::string();
}

}  // namespace agent_audit::simulator::openclaw
