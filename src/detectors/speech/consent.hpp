#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What the agent proposes, and a human allows or says yes to.
namespace agent_audit::detectors {

/// Where the permission of a sentence in lower case ends; npos = it allows nothing.
std::size_t permission_in(std::string_view lower);

/// The agent says what else it would do, and a human says yes to it.
bool proposes(std::string_view said);
bool agrees(std::string_view answer);

/// The sentences of the agent that say what it needs or would do ("It needs a change in core.py."), to which "fine"
/// agrees as to a question.
std::string needs_in(std::string_view said);

}  // namespace agent_audit::detectors
