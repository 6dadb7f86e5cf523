#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a later message of the human does to a rule.
enum class Heard : std::uint8_t {
    nothing,    ///< it is about something else, or says the rule again
    speaks_of,  ///< it names the same thing, and whether that is allowed now nobody can tell
    frees,  ///< it orders or allows what was ruled out: "now bump node in the Dockerfile", "OK, you can touch them",
            ///< "ship it"
};

// What a later message says about a command that was ruled out. Texts and targets are in lower case.

/// The command is ruled out only with a flag: "git push --force".
bool has_flag(const Constraint& rule);

/// Such a command is named with its flag: "force-push", "--no-verify".
bool names_flagged(std::string_view lower, std::string_view target);

/// A sentence orders the command with its flag.
bool orders_flagged(std::string_view lower, std::string_view target);

/// A clause about a command without flags.
Heard heard_in_clause(std::string_view clause, std::string_view target);

/// What is pushed is committed, and what is to be published or reviewed is pushed. Requests for a merge are ordered by
/// their name.
bool implies(std::string_view clause, std::string_view target);

}  // namespace agent_audit::detectors
