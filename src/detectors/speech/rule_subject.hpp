#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Whom a rule is for. All texts in lower case.

/// Whether what stands before a prohibition leaves the agent as the one who must not: "please", "you must", "the fix
/// should". "The tool must not", "uploads should never" and "the tests don't" are about the product. `phrase` is the
/// prohibition: "must not ", "never ".
bool speaks_to_agent(std::string_view before, std::string_view phrase);

/// "If the tests fail, do not push": whether they do, nobody here can tell. "When you commit, …" and "while fixing
/// this, …" are about the whole of the work.
bool under_condition(std::string_view before);

}  // namespace agent_audit::detectors
