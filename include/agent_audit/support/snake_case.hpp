#pragma once

#include <string>
#include <string_view>

namespace agent_audit {

/// CamelCase, kebab-case, dots and blanks to snake_case; ASCII only, at most 128 bytes of it.
std::string snake_case(std::string_view name);

}  // namespace agent_audit
