#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The table `[constraints]`: what a run allows its sessions. 0 and empty = not constrained.
struct RunConstraints {
    std::uint64_t max_tool_calls = 0;
    std::uint64_t max_message_chars = 0;  ///< bytes of messages and results as recorded, all together
    std::uint64_t max_wall_time_s = 0;    ///< from the first recorded time to the last
    std::uint64_t max_turns = 0;          ///< human turns
    std::uint64_t max_tokens = 0;         ///< billed, prompt and output
    double max_cost_usd = 0;              ///< by list price
    std::vector<std::string> allowed_tools, forbidden_tools;        ///< names; * for any part
    std::vector<std::string> allowed_paths, forbidden_paths;        ///< files, directories, globs
    std::vector<std::string> allowed_commands, forbidden_commands;  ///< first words of a command

    bool limits() const {
        return max_tool_calls > 0 || max_message_chars > 0 || max_wall_time_s > 0 || max_turns > 0 || max_tokens > 0 ||
               max_cost_usd > 0;
    }
};

struct ConstraintKey {
    std::string_view name;   ///< behind "constraints."
    std::string_view value;  ///< what it takes, in words
    std::string_view doc;
};
/// All keys, in the order of the reference page.
const std::vector<ConstraintKey>& constraint_keys();

/// Reads the keys "constraints.*" of the settings. Errors name origin, key and what was expected.
Result<RunConstraints> constraints_of(const Settings& settings);

/// `name` is `pattern`, where * stands for any part; case does not count, and names are compared in snake_case too.
bool tool_matches(std::string_view name, std::string_view pattern);

}  // namespace agent_audit::detectors
