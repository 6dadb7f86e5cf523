#pragma once

#include "detectors/commands/edit_echo.hpp"
#include "detectors/outcomes/outcome_memory.hpp"

#include <agent_audit/detectors/step.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// What tells the failure of a step from other failures. Commands fail in as many ways as there are programs: for them
/// the whole outcome is the identity, whatever the arguments were. Other tools repeat a message with changing details,
/// and refused edits what they were to replace.
std::uint64_t error_identity(const Step& step, RawText text, OutcomeMemory& outcomes, const EditOrders& edits);

/// The same for a command that needs a network, and there is none: whatever program says so. 0 = it says another thing.
std::uint64_t identity_of_outage(const Step& step, RawText text);

/// The same for a command that died because the machine has too little memory or disk: other figures are no other
/// failure, another command is (the next batch size). 0 = it died of another thing.
std::uint64_t identity_of_shortage(const Step& step, RawText text);

/// The same for a script that was written a moment ago: the last line of its traceback of Python, which the next draft
/// may end in as well, whatever it is called. 0 = there is none, or it says no more than its kind.
std::uint64_t identity_of_draft(const Step& step, RawText text);

/// True for the identity of a failed command whose error is that a module, which it names, is not installed: the same
/// for each program that wants it, whatever else it prints.
bool is_missing_module(std::uint64_t error_key);

/// The same for a call that a rule refused: what the answer repeats of the call does not count, for it is the rule that
/// is run into.
std::uint64_t refusal_identity(const Step& step, RawText text);

}  // namespace agent_audit::detectors
