#pragma once

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_audit {

/// One `key = value` of a stage, with its line. What it means is checked by whoever knows the stage.
struct StageSetting {
    std::string key;
    std::variant<bool, double, std::string, std::vector<std::string>> value;
    std::uint32_t line = 0;
};

/// One [[stage]] of the file.
struct StageEntry {
    std::string kind;
    std::uint32_t line = 0;
    std::vector<StageSetting> settings;  ///< in the order of the file
};

/// A context policy of the user's own: an ordered list of stages.
///
///   name = "mine"
///   [[stage]]
///   kind = "clear_results"
///   keep = 5
struct StageFile {
    std::string name, doc;
    std::vector<StageEntry> stages;
};

/// Errors name the source and the line.
Result<StageFile> parse_stage_file(std::string_view text, std::string_view source);

}  // namespace agent_audit
