#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A quick look that settles most texts: nothing in them rules anything out.
bool tells_rule(std::string_view text);

/// The rules of one sentence; the first phrase that makes one decides.
std::vector<Constraint> rules_of(std::string_view sentence);

}  // namespace agent_audit::detectors
