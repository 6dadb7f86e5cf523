#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_audit {

/// Formats of what a program prints while it runs, and stores besides in another format under the same session id.
constexpr std::array<std::string_view, 7> kPrintedFormats{"claude-code-stream", "cline-stream",         "codex-exec",
                                                          "cursor-stream",      "factory-droid-stream", "gemini-stream",
                                                          "letta-code-stream"};

constexpr bool is_printed(std::string_view format) {
    return std::ranges::find(kPrintedFormats, format) != kPrintedFormats.end();
}

}  // namespace agent_audit
