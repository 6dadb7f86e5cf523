#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// How often a person wants something done, as far as the words say it: "run it ten times in a row", "repeat this 5
/// times", 跑10次. 0 when they do not. What happened so often ("it failed 5 times") is no wish. Raw text, escaped or not.
std::uint32_t asked_times(std::string_view text);

}  // namespace agent_audit::detectors
