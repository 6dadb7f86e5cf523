#pragma once

#include <string>
#include <string_view>

namespace agent_audit::cli {

/// Text of ours in a cell of a table of Markdown: a | would end it.
inline std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
}

}  // namespace agent_audit::cli
