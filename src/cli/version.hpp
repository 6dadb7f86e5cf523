#pragma once

#include <string_view>

// Set by the build from the project's version.
#ifndef AGENT_AUDIT_VERSION
#define AGENT_AUDIT_VERSION "0.1.0"
#endif

#ifndef AGENT_AUDIT_HOMEPAGE
#define AGENT_AUDIT_HOMEPAGE ""
#endif

namespace agent_audit::cli {

inline constexpr std::string_view kVersion = AGENT_AUDIT_VERSION;
inline constexpr std::string_view kHomepage = AGENT_AUDIT_HOMEPAGE;

}  // namespace agent_audit::cli
