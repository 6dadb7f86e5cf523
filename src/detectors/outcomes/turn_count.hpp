#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// The short answer of a game or a world without the number of the turn in it: "Moves: 12" alone on its line, "step 17:
/// at (3,4)". Where one is counts; that one has gone on is no news. Empty = there is no such number, or the text is
/// long.
std::string without_turn_count(std::string_view answer);

}  // namespace agent_audit::detectors
