#pragma once

#include <agent_audit/detectors/step.hpp>

namespace agent_audit::detectors {

/// True for a success of a tool of unknown kind that was asked in a sentence, as agents ask each other, and tells in
/// one that it found nothing: "I was unable to determine the licence of the font".
bool says_in_vain(const Step& step);

/// Of two such steps of one tool: was the second one asked the same in other words, and did it say the same in others?
/// A word that is new in its question and stands in its answer as well names another thing.
bool in_vain_again(const Step& before, const Step& now);

}  // namespace agent_audit::detectors
