#pragma once

#include <string>
#include <string_view>

/// Rules that stand in lists, as sentences that can be read by themselves. `tells` = the line rules something out.
namespace agent_audit::detectors {

/// The text, in which each item below a bare "Do not:", "Don'ts:" or "Never:" says "do not" itself.
std::string with_bans_spelled(std::string_view text, bool (*tells)(std::string_view));

/// The text, in which the items below a line such as "Do not edit:" stand behind it, in one sentence.
std::string with_lists_joined(std::string_view text, bool (*tells)(std::string_view));

}  // namespace agent_audit::detectors
