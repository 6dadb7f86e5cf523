#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// Does a message say nothing but thanks, good wishes and good-bye: "You too, Alice! Have a wonderful day ahead."?
/// Names and a few other words may stand between.
bool is_courtesy(RawText said);

}  // namespace agent_audit::detectors
