#pragma once

#include <agent_audit/detectors/step.hpp>

namespace agent_audit::detectors {

/// True for a success of a tool of unknown kind that was asked in a sentence, as agents ask each other, and tells in
/// one that it found nothing: "I was unable to determine the licence of the font".
bool says_in_vain(const Step& step);

/// Of such an answer: "I'm on it, I'll get back to you." Whatever was asked for may have been begun.
bool promises(const Step& step);

/// True for a page that was read for somebody with a question, and does not answer it: "The page does not mention the
/// number of seats". Of such steps the page is the argument.
bool page_says_nothing(const Step& step);

/// Of two steps of the first kind of one tool: was the second one asked the same in other words, and did it say the
/// same in others? A word that is new in its question and stands in its answer as well names another thing.
bool in_vain_again(const Step& before, const Step& now);

}  // namespace agent_audit::detectors
