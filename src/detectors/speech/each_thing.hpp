#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Does a person want each of many things looked at, or one after the other tried until one is the right one: "try them
/// all", "check these 18 links", "is it free in all these registers? I need each one checked", "go to the next row
/// until four are free"? `text` in lower case. Not where all tests are to pass, and not what was done already.
bool wants_each(std::string_view text);

}  // namespace agent_audit::detectors
