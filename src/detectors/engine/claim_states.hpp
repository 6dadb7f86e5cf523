#pragma once

#include "detectors/commands/check_kind.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A check and the state that is said of it: "ruff is clean", "the tests are all green again", "they're passing now".
struct SaidState {
    std::size_t at = 0, size = 0;  ///< of these words in the text
    CheckKinds kinds = 0;          ///< none: "they", whichever checks those are
};
std::vector<SaidState> states_said(std::string_view text);
/// Without one of these a text says no such thing, and of what follows nothing.
inline constexpr std::string_view kStateHints[] = {"green",    "clean",       "passing", "happy",
                                                   "no more ", "no further ", "zero ",   "not a single "};

/// "No more type errors" as "no type errors"; empty = nothing in the text is counted down so.
std::string without_more(std::string_view text);

}  // namespace agent_audit::detectors
