#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Do two short messages name one long number: "It is 48213." and "48213, for the third time!"? Who has to tell it
/// again was not heard.
bool tells_again(std::string_view before, std::string_view now);

}  // namespace agent_audit::detectors
