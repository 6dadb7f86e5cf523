#pragma once

#include "detectors/engine/stated_rules.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// What a later message of the human does to a rule.
enum class Heard : std::uint8_t {
    nothing,    ///< it is about something else, or says the rule again
    speaks_of,  ///< it names the same thing, and whether that is allowed now nobody can tell
    frees,  ///< it orders or allows what was ruled out: "now bump node in the Dockerfile", "OK, you can touch them",
            ///< "ship it"
};

/// A mention alone frees nothing: no negation ("remember: no push"), no word of what the human does ("I'll push
/// later"), no question about a command, no order to look at a file or to run the tests, no other meaning of the word
/// ("push notifications", "array.push"). Where a flag was ruled out ("never force-push") only an order or a permission
/// that names it frees the command.
Heard heard(std::string_view message, const Constraint& rule);

/// Work in all places is ordered or allowed, or another task is set: "fix all modules", "change whatever you need",
/// "next task: …". Not "run all tests".
bool orders_widely(std::string_view message);

/// Some work is ordered by a sentence that names no file: "README.md is old. Also the app needs dark mode.", "Look at
/// round.ts, then make the server do the same". Not "make it strict", which goes on about the file, and no tests or
/// documents.
bool orders_elsewhere(std::string_view message);

/// The message places work in files that it names: "fix the rounding in round.ts", "in round.ts half is rounded down",
/// "round.ts should go up". Not "use the logger from log.ts", "our rounding is in round.ts" or "add tracing like in
/// round.ts".
bool works_in_files(std::string_view message);

/// What follows is ordered somewhere else, in however few words: "then the same in the server", "CI is red".
bool goes_elsewhere(std::string_view message);

/// The agent says what else it would do, and a human says yes to it.
bool proposes(std::string_view said);
bool agrees(std::string_view answer);

/// For who must not forget a rule: true only when the message allows or orders what the rule is about; to speak
/// of it is not enough.
bool takes_back(std::string_view message, const Constraint& rule);

/// "OK, do it" behind the agent's question "the bug is in core.py, may I change it?": what the question names is
/// allowed.
bool agrees_to(std::string_view answer, std::string_view question, const Constraint& rule);

/// The sentences of the agent that say what it needs or would do ("It needs a change in core.py."), to which "fine"
/// agrees as to a question.
std::string needs_in(std::string_view said);

}  // namespace agent_audit::detectors
