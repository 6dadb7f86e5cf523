#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The tools that the clause of a prohibition rules out: what stands right behind "use", "call" or "run", and the list
/// that begins there. A tool has a name with humps or underscores (WebSearch, web_search), or stands before the word
/// "tool". `lower` is what was said, in lower case.
std::vector<std::string> ruled_out_tools(std::string_view said, std::string_view lower);

/// Of the clause of a prohibition in lower case: how much of it is ruled out. Behind a comma something else may begin:
/// "never force-push, name the fields `user_id`".
std::size_t length_of_ban(std::string_view lower);

}  // namespace agent_audit::detectors
