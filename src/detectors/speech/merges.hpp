#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// "merge into main", "merge this yet" behind a prohibition, in lower case: what would merge into the branch is ruled
/// out, whether by git or by a request that is merged. Without a branch, main and master are meant. "merge the two
/// tables" rules out nothing.
void forbid_merges(std::string_view clause, std::vector<Constraint>& rules);

}  // namespace agent_audit::detectors
