#pragma once

#include <agent_audit/advice/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::advice {

/// A message in the user's role.
struct UserMessage {
    Quote quote;
    bool human = false;    ///< a person wrote it; otherwise another agent or the program around the agent
    bool program = false;  ///< the latter
};

/// The goal of a session from its messages, in order, all but the summary. The one place that decides what the goal
/// is: a better model of it replaces this function.
Goal goal_of(std::span<const UserMessage> messages);

/// A request in few words: its beginning, and the error that was pasted into it or its end.
std::string folded_request(std::string_view text, std::size_t max_chars);

/// True for a message that asks for something by itself: neither a remark nor a "go on", nor praise.
bool is_request(const UserMessage& message);
/// True for words that ask for nothing new: "yes", "go on", "thanks".
bool is_remark(std::string_view text);
/// True for short words of praise without reserve: the person has looked, and it is right.
bool is_approval(std::string_view text);

/// True for words that say no more than that the work is right, or thank for it: nothing is asked for.
bool is_content(std::string_view text);

/// What a message takes back of the one before it: "Wrong chat, ignore my last message."
enum class Withdrawal : std::uint8_t {
    no,
    and_more,  ///< and it says something else as well
    alone,
};
/// Of the decoded text of a whole message; `no` for a question, and for one beyond 400 bytes.
Withdrawal withdrawal(std::string_view text);

}  // namespace agent_audit::advice
