#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// How strongly a human says that what was done was not what they wanted.
enum class Correction : std::uint8_t {
    none,
    doubt,  ///< "are you sure?": a correction where a claim stands before it
    weak,
    persists,  ///< "still the same error": a correction where the work before it was said to be done
    strong,
};
/// `asked` = the agent's last message ended with a question: "no, …" is an answer to it then.
Correction correction_in(std::string_view text, bool asked);

/// "No, 0.48", "hmm no, left was better", "nope, too old": few words that only say how it is to be instead. Whoever
/// says what was wrong with it means a fault.
bool says_instead(std::string_view text);
/// "Let's not make this change": said of a call that was refused.
bool declines(std::string_view text);
/// "ok now it works", "never mind", "my mistake": what was doubted before is no longer.
bool settles_doubt(std::string_view text);

}  // namespace agent_audit::detectors
