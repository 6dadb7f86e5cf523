#pragma once

#include "detectors/speech/times_order.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// May the calls of a repetition be what a person wants done so many times? "Start 8 workers" is carried out by eight
/// starts, not by eight installations that fail, nor by eight looks at one file. When in doubt they are.
bool may_carry_out(const DraftFinding& draft, const TimesOrder& order);

/// Is a deed that goes well each time done once for each of a number of things that a person named, in lower case: "one
/// dispense() for each of the 24 wells", "volume up by 15 steps", "14 questions, answer y to all"? As far as the rows
/// of the finding reach; a look that is repeated so often is none.
bool counts_off(const DraftFinding& draft, std::string_view request);

}  // namespace agent_audit::detectors
