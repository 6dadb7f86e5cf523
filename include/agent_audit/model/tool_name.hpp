#pragma once

#include <string_view>

namespace agent_audit {

/// A tool's name without the server an MCP client puts in front: read_file of mcp__fs__read_file.
constexpr std::string_view bare_tool_name(std::string_view name) {
    if (!name.starts_with("mcp__")) return name;
    return name.substr(name.rfind("__") + 2);
}

}  // namespace agent_audit
