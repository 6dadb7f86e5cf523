#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// Does a command line merge something while this branch is checked out: `git checkout main && git merge x`? `current`
/// is the branch that is checked out before it; empty = not known.
bool merges_onto(std::string_view line, std::string_view branch, std::string_view current);

/// The branch that is checked out behind a command line, as far as it says; `current` where it says nothing.
std::string branch_behind(std::string_view line, std::string_view current);

}  // namespace agent_audit::detectors
