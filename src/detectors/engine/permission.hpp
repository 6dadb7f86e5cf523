#pragma once

#include "detectors/engine/stated_rules.hpp"

#include <string_view>

namespace agent_audit::detectors {

/// Whether a later message of the human frees what a rule had ruled out: it names the same thing, or allows it in other
/// words ("you may change the test now", "OK, you can touch them", "ship it"). What it forbids anew is stated again. A question
/// frees no command, and where a flag was ruled out ("never force-push") only an order or a permission that names it does.
bool frees(std::string_view message, const Constraint& rule);

/// The same for who must not forget a rule: true only when the message allows or orders what the rule is about; to speak
/// of it is not enough.
bool takes_back(std::string_view message, const Constraint& rule);

/// "OK, do it" behind the agent's question "the bug is in core.py, may I change it?": what the question names is allowed.
bool agrees_to(std::string_view answer, std::string_view question, const Constraint& rule);

}  // namespace agent_audit::detectors
