#pragma once

#include "cli/arguments/arguments.hpp"

#include <agent_audit/config/config_file.hpp>
#include <agent_audit/pipeline/audit.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

inline constexpr std::string_view kConfigName = "agent-audit.toml";

/// The flags that choose configuration files and the baseline; scan, baseline and config share them.
inline constexpr FlagSpec kConfigFlag{
    "--config", "FILE", "settings from this file alone; default: agent-audit.toml here or above, over the user's own",
    true, kOfferFile};
inline constexpr FlagSpec kNoConfigFlag{"--no-config", "", "no settings from files"};
inline constexpr FlagSpec kBaselineFlag{
    "--baseline", "FILE",
    "findings known from this file do not count; default: .agent-audit-baseline.json here or above", true, kOfferFile};
inline constexpr FlagSpec kNoBaselineFlag{"--no-baseline", "", "no baseline, though there is one"};

/// An option of scan that a file may set, as `config show` and the schema tell it.
struct ConfigKey {
    ConfigOption option;
    std::string_view standard;  ///< default, as it would be written; empty = none
};
std::span<const ConfigKey> config_keys();

/// What files say, weakest first: the user's, the project's; what one extends comes before it.
struct Config {
    std::vector<ConfigFile> files;

    /// The strongest word on an option; null when no file says anything.
    const ConfigValue* find(std::string_view key) const;
    /// The same as a flag takes it; true when a file has the key, be it with an empty list.
    bool values(std::string_view key, std::vector<FlagValue>& into) const;
};

/// Which files to read: one named, none, or what is found.
struct ConfigChoice {
    std::optional<std::string> file;
    bool none = false;
};
/// From --config and --no-config, of which the one on the command line wins over the environment.
Result<ConfigChoice> config_choice(std::span<const FlagValue> config, std::span<const FlagValue> no_config);

/// Reads them. A file that is found or named and cannot be read is an error, as is one with a mistake in it.
Result<Config> load_config(const ConfigChoice& choice);
/// The same with all mistakes, added to `problems`, and what could be read in spite of them.
Config load_config(const ConfigChoice& choice, std::vector<Error>& problems);

/// Rule settings, suppressions and classes of tools go into the plan, before what flags say. Names of rules are
/// checked.
std::optional<Error> apply_config(const Config& config, AuditPlan& plan);
/// Names of rules that no rule has, each with its place.
std::vector<Error> unknown_rules(const ConfigFile& file);

/// The nearest file of this name from the working directory upwards to the root of the repository; empty = none.
/// Relative, as a person would write it.
std::string find_upwards(std::string_view name);

}  // namespace agent_audit::cli
