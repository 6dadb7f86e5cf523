#pragma once

#include <agent_audit/advice/checkpoint.hpp>

#include <span>

namespace agent_audit::advice {

/// A message in the user's role.
struct UserMessage {
    Quote quote;
    bool human = false;  ///< a person wrote it; otherwise another agent or the program around the agent
};

/// The goal of a session from its first message and its last ones, in order. The one place that decides what the goal
/// is: a better model of it replaces this function.
Goal goal_of(std::span<const UserMessage> messages);

/// True for words that ask for nothing new: "yes", "go on", "thanks".
bool is_remark(std::string_view text);
/// True for short words of praise without reserve: the person has looked, and it is right.
bool is_approval(std::string_view text);

}  // namespace agent_audit::advice
