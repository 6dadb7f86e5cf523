#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// The arguments of a tool that waits, without how long it waits: `{"ids":["a1"],"timeout_ms":60000}` and the same with
/// 120000 wait for one thing. `args`: JSON as recorded. Empty = they name no time, or are long.
std::string without_wait_times(std::string_view args);

/// The arguments of a look at something that is under way, without times of day:
/// `{"job":"j7","asof":"2026-04-07T09:10:07Z"}` asks for the same a minute later. A day without a time stays. `args`:
/// JSON as recorded. Empty = there is none.
std::string without_moments(std::string_view args);

/// Do the arguments of a tool that waits say nothing but how long: `{"seconds": 30}`? A timeout is for something that
/// is awaited. `args`: JSON as recorded.
bool names_only_pause(std::string_view args);

}  // namespace agent_audit::detectors
