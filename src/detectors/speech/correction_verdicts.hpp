#pragma once

#include <string_view>

/// Verdicts about the work with which a message begins, in English and as plainly() gives them.
namespace agent_audit::detectors {

/// "No, the footer", and not "no problem".
bool is_no(std::string_view lower);
/// "Stop changing the header", and not "stop the server".
bool is_stop(std::string_view lower);
/// "That's not what I meant", "wrong file", "the harness is too much".
bool is_wrong(std::string_view lower);
/// "What I expected from the library": somebody else's work did not come up to it.
bool is_of_another(std::string_view lower);
/// "Not the header, the footer", "not like that".
bool is_not_this(std::string_view lower);
/// "Undo that", "put it back"; `bare` = nothing polite stood before it.
bool is_taking_back(std::string_view lower, bool bare);

}  // namespace agent_audit::detectors
