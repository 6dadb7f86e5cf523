#pragma once

#include "detectors/speech/heard_command.hpp"
#include "detectors/speech/stated_rules.hpp"

#include <string_view>

namespace agent_audit::detectors {

/// A mention alone frees nothing: no negation ("remember: no push"), no word of what the human does ("I'll push
/// later"), no question about a command, no order to look at a file or to run the tests, no other meaning of the word
/// ("push notifications", "array.push"). Where a flag was ruled out ("never force-push") only an order or a permission
/// that names it frees the command.
Heard heard(std::string_view message, const Constraint& rule);

/// of it is not enough.
bool takes_back(std::string_view message, const Constraint& rule);

/// "OK, do it" behind the agent's question "the bug is in core.py, may I change it?": what the question names is
/// allowed.
bool agrees_to(std::string_view answer, std::string_view question, const Constraint& rule);

}  // namespace agent_audit::detectors
