#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// Does a human say nothing but to go on: "continue", "Yes, go ahead."? It names no wish of its own.
bool only_says_go_on(RawText text);

}  // namespace agent_audit::detectors
