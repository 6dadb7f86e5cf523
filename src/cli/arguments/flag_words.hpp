#pragma once

#include "cli/arguments/arguments.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// The last value that a flag was given; `otherwise` when there is none.
inline std::string last_value(const std::vector<FlagValue>& values, std::string_view otherwise = "") {
    return values.empty() ? std::string(otherwise) : values.back().text;
}

/// All values of a flag that takes lists: "a,b" and "a" "b" are the same.
inline std::vector<std::string> listed_values(const std::vector<FlagValue>& values) {
    std::vector<std::string> out;
    for (const FlagValue& value : values) {
        std::string_view rest = value.text;
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            if (comma > 0) out.emplace_back(rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return out;
}

}  // namespace agent_audit::cli
