#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// What the clause behind "do not" rules out. `said` = the clause, `lower` = the same in lower case.
namespace agent_audit::detectors {

/// What is forbidden to be done with what is named.
enum class Verb : std::uint8_t { none, change, access, run };
Verb verb_of(std::string_view lower);

/// From a place to the end of its clause: a comma followed by a new thought, a bracket, or the end.
std::string_view clause(std::string_view lower, std::size_t from);

/// "commit and do not push": one prohibition after the other.
std::vector<Constraint> all_prohibitions(std::string_view said, std::string_view lower);

/// "change anything outside src/parser": nothing but what is named there. Says whether the clause is of that kind.
bool keeps_inside(std::string_view said, std::string_view lower, std::vector<Constraint>& rules);

/// What is named without a verb: "(stay out of) src/api", "src/api (must not be changed)".
std::vector<Constraint> kept_off(std::string_view said, std::string_view lower);

}  // namespace agent_audit::detectors
