#pragma once

#include <string_view>

/// What a person wants waited for, repeated or compared, in words that asked_again() does not know: that one is also
/// asked of messages that are to be forgotten, for which these are too many. Ask only where something was found that
/// repeats. Texts are the beginnings of messages, in lower case.
namespace agent_audit::detectors {

/// Is something to be waited for: "wait up to 15 minutes for it", "tell me when the shares are back", "don't submit
/// before you see it", "it takes a while"?
bool says_to_wait(std::string_view words);

/// Is one thing to be done again until it works or nothing is left: "keep trying until it installs", "just re-run until
/// it is through", "again and again till it is empty", "one by one, stop when the queue is empty"?
bool says_to_repeat(std::string_view words);

/// Is it to be made sure that there is nothing of a kind: "make sure nothing still uses the old client in any
/// spelling"? Not that nothing breaks or fails.
bool says_to_find_none(std::string_view words);

/// Are two ways to be measured in turn: "toggle it on and off a few times and measure", "compare both settings"?
bool says_to_compare(std::string_view words);

/// Is the work to be done a part at a time: "in batches of 5000", "in Blöcken"?
bool says_to_batch(std::string_view words);

/// Is it to be seen that too many tries are turned away: "check that the login locks an account after 5 wrong
/// passwords", "verify the rate limit"?
bool says_to_provoke(std::string_view words);

}  // namespace agent_audit::detectors
