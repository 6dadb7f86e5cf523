#pragma once

#include <string>
#include <string_view>

namespace agent_audit::report {

/// Any bytes as text that XML 1.0 can hold: controls it forbids, U+FFFE, U+FFFF and what is not UTF-8 become U+FFFD,
/// and what reorders or hides text becomes a visible escape. Markup is left to the XML writer.
std::string xml_text(std::string_view text);

}  // namespace agent_audit::report
