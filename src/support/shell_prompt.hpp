#pragma once

#include <string_view>

namespace agent_audit {

/// Does what stands before a command on a terminal end as prompts do: `root@box:/app# `, `$ `, `>>> `?
inline bool ends_with_prompt(std::string_view before) {
    constexpr std::string_view kMarks = "$#%>";
    return before.size() > 1 && before.back() == ' ' && kMarks.find(before[before.size() - 2]) != kMarks.npos;
}

}  // namespace agent_audit
