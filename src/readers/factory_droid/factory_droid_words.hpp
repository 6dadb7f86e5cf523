#pragma once

#include "readers/json/format_util.hpp"

#include <agent_audit/model/event.hpp>

#include <optional>
#include <string_view>

namespace agent_audit::readers {

/// A result with the exit code that stands behind what a command printed: "[Process exited with code 1]".
inline ToolResult droid_result(ToolResult result) {
    constexpr std::string_view kEnded = "[Process exited with code ";
    constexpr std::size_t kLongest = kEnded.size() + 12;  // bytes
    std::string_view end = result.text.bytes;
    if (!end.ends_with(']') && !end.ends_with("]\"")) return result;
    if (end.size() > kLongest) end.remove_prefix(end.size() - kLongest);
    result.exit_code = number_after(end, kEnded);
    return result;
}

}  // namespace agent_audit::readers
