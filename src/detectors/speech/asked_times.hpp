#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// How often a person wants something done, as far as the words say it: "run it ten times in a row", "repeat this 5
/// times", 跑10次, zehnmal, 10 fois. 0 when they do not. What happened so often ("it failed 5 times") is no wish.
std::uint32_t asked_times(std::string_view text);

/// The same of a raw text, escaped or not.
std::uint32_t asked_times(RawText text);

}  // namespace agent_audit::detectors
