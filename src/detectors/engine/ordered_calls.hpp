#pragma once

#include "detectors/speech/times_order.hpp"

#include <agent_audit/detectors/detector.hpp>

namespace agent_audit::detectors {

/// May the calls of a repetition be what a person wants done so many times? "Start 8 workers" is carried out by eight
/// starts, not by eight installations that fail, nor by eight looks at one file. When in doubt they are.
bool may_carry_out(const DraftFinding& draft, const TimesOrder& order);

}  // namespace agent_audit::detectors
