#pragma once

#include <cstddef>
#include <string_view>

namespace agent_audit {

/// A tool's name without the server or extension that a client puts in front: read_file of mcp__fs__read_file, shell of
/// developer__shell.
constexpr std::string_view bare_tool_name(std::string_view name) {
    const std::size_t mark = name.rfind("__");
    return mark == name.npos || mark == 0 || mark + 2 >= name.size() ? name : name.substr(mark + 2);
}

}  // namespace agent_audit
