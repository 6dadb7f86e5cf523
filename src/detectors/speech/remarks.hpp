#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Words that only greet: "hi", "good morning!", 你好.
bool is_greeting(std::string_view text);

/// Words that ask for nothing new: "yes", "go on", "thanks", and greetings.
bool is_remark(std::string_view text);

/// A command of the program and nothing else: "/mode", or the beginning of one that slipped out ("/the"). No path.
bool is_command_word(std::string_view text);

/// "Continue to investigate and tell me how to fix this": it goes on with a request that stands before it. A longer
/// message says what it wants by itself.
bool goes_on(std::string_view text);

}  // namespace agent_audit::detectors
