#pragma once

#include <string>
#include <string_view>

/// What of a message its writer says, and does not only show, quote or weigh.
namespace agent_audit::detectors {

/// The text without what is quoted line by line, fenced, to be written or printed by a program: that is data.
std::string unfenced(std::string_view text);

/// The text without lists of possibilities ("Two possibilities come to mind: 1. …"): what is weighed is no rule yet.
std::string without_options(std::string_view text);

/// The text without quotes that state a rule, which are somebody else's words. Names in quotes stay. `tells` = the
/// words rule something out.
std::string unquoted(std::string text, bool (*tells)(std::string_view));

}  // namespace agent_audit::detectors
