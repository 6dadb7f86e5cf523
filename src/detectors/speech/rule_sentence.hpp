#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A quick look that settles most texts: nothing in them rules anything out.
bool tells_rule(std::string_view text);
/// Has a text one of the phrases with which it may say what stays as it is, or cannot be used?
bool tells_state(std::string_view text);

/// The rules of one sentence; the first phrase that makes one decides.
std::vector<Constraint> rules_of(std::string_view sentence);

}  // namespace agent_audit::detectors
