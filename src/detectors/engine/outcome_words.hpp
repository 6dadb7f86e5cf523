#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// What the words of an answer make of its volatile parts. Asked only where a call came back with another answer.

/// The time in it is what was asked for: "replica lag 62 s", "ETA 40 min", "p95=340ms", "took 9.4 s, must be below 1 s".
bool tells_measure(std::string_view answer);

/// It did something to one thing: "deleted session 3f2a…", "archived mail 17". The next one is another thing.
bool tells_deed(std::string_view answer);

/// A word of refusal or failure stands in it.
bool tells_refusal(std::string_view answer);

}  // namespace agent_audit::detectors
