#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// One setting that belongs to no rule: a table of the engine, laid over with what a run knows better.
struct RunSettingDoc {
    std::string key;       ///< "engine.segment"; "tools.class.<tool>" stands for one key a tool
    std::string value;     ///< what it takes, in words
    std::string standard;  ///< the default, as it could be written
    std::string doc;
};

/// All of them, in the order of the reference page.
std::vector<RunSettingDoc> run_settings();

/// The first words of those keys ("engine", "tools", "calls", "errors", "goal", "constraints").
std::span<const std::string_view> run_setting_groups();
bool is_run_setting(std::string_view key);

/// What the settings say of the run as a whole.
struct RunOptions {
    EngineOptions engine;
    std::optional<CallIdentity> calls;  ///< nothing = the readers' defaults
};

/// Reads the keys that belong to no rule. Unknown keys and bad values are errors that name their origin.
Result<RunOptions> bind_run_settings(const Settings& settings);

}  // namespace agent_audit
