#pragma once

#include <string_view>

/// What a person says of what was said and done, in English and as plainly() gives it.
namespace agent_audit::detectors {

/// "I asked for the header", "I told you so".
bool is_reminder(std::string_view lower);
/// What the agent did that it should not have done: "you broke the build", "why did you delete it?"
bool is_blame(std::string_view lower);
/// "I see the plan. You are overengineering this.", "a good start, but you're overcomplicating it": the verdict may
/// stand behind another sentence where it can mean nothing else.
bool is_blame_later(std::string_view lower);
/// "The footer again. You edited the wrong file.": behind another sentence the verb must say that the agent did it.
bool is_wrong_place_later(std::string_view lower);

}  // namespace agent_audit::detectors
