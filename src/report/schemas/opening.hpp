#pragma once

#include <string>
#include <string_view>

namespace agent_audit::report {

/// How every schema begins, up to and with its title.
inline std::string opening(std::string_view id, std::string_view title) {
    std::string out = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"$id\": \"";
    return out.append(id).append("\",\n  \"title\": \"").append(title).append("\",\n");
}

}  // namespace agent_audit::report
