#pragma once

#include "detectors/commands/call_target.hpp"
#include "detectors/speech/stated_rules.hpp"

#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Does a constraint name the only places where files may be changed?
bool names_only_places(const std::vector<Constraint>& constraints);
/// The first file that a command changes outside of these places; empty = none.
std::string_view changed_outside(const std::vector<Constraint>& constraints, const CallTarget& call);

/// The constraint that a call breaks, or null.
const Constraint* broken_by(const std::vector<Constraint>& constraints, const CallTarget& call);

}  // namespace agent_audit::detectors
