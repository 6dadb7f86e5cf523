#pragma once

#include "detectors/engine/tool_stats.hpp"
#include "detectors/outcomes/finds.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/support/hash.hpp>

#include <vector>

namespace agent_audit::detectors {

/// A call waiting for its result and for the end of its response.
struct PendingStep {
    PendingStep() {}

    Step step;
    IdHash id = 0;
    ToolTable::Index tool = 0;
    bool answered = false;
    bool left_out = false;  ///< cascade, a person's denial, interrupt: no evidence of anything
    bool copied = false;    ///< made in another session, or before a fork: it counts there
    bool transparent = false;
    bool on_screen = false;  ///< of a tool that looks at a screen, or acts on it
    bool pictured = false;   ///< shows a screen
    bool typed = false;      ///< a command line that was typed into a terminal, whose screen is the result
    bool keys = false;       ///< typed into a terminal, whose screen is the result
    bool waits = false;      ///< a pause in which something else may have gone on
    bool timed = false;      ///< a pause of which only the length is told
    bool dated = false;      ///< its arguments, which the step keeps whole, name a day
    bool piped = false;      ///< a check whose exit code is another command's
    bool stops = false;      ///< ends what runs, which then tells an exit code
    bool in_git = false;     ///< changes files only as git keeps them
    bool asks = false;       ///< its result is what a person answered
    bool plans = false;      ///< a note that is a list of entries with their states, which is all that it is
    bool thinks = false;     ///< a note that is a thought, whose words name the call
    bool script = false;     ///< a program of the model's, which may make calls
    bool of_script = false;  ///< a call that such a program made
    bool told = false;       ///< what the program did is told by its calls
    Finds finds = Finds::nothing;
};

/// Calls of one response, ordered so that equal fan-outs compare equal; parallel copies of one become one step.
void fold_copies(std::vector<PendingStep>& group);

}  // namespace agent_audit::detectors
