#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>

namespace agent_audit::detectors {

/// How two runs of one check stand to each other.
enum class Rerun : std::uint8_t {
    undisturbed,  ///< nothing was done in between: numbers that name a run do not matter either
    changed,      ///< something was: where an error stands does not matter as far as edits can have moved it
    passed,       ///< both went well
};

/// Whether two runs of a check say the same in another order. Runners of tests work on several at once, so who is done
/// first is told first; marks of progress ("..*..") and what the program under test logs below a warning say nothing of
/// the outcome. `moved`: lines by which edits can have moved what stands below them.
bool same_in_any_order(RawText before, RawText now, Rerun rerun, std::uint64_t moved = 0);

/// What a check says without the lines of tests that passed, and without what says nothing of the outcome: of a long
/// text what is kept would be mostly these. As it is spelt; its last lines, which sum up, stay.
/// Empty = it is too long to be worth the look.
std::string without_passes(RawText text);

}  // namespace agent_audit::detectors
