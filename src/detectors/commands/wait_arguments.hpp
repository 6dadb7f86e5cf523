#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// The arguments of a tool that waits, without how long it waits: `{"ids":["a1"],"timeout_ms":60000}` and the same with
/// 120000 wait for one thing. `args`: JSON as recorded. Empty = they name no time, or are long.
std::string without_wait_times(std::string_view args);

}  // namespace agent_audit::detectors
