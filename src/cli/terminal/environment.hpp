#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// The value of a variable of the environment; empty also when it is not set.
inline std::string environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value ? value : "";
}

}  // namespace agent_audit::cli
