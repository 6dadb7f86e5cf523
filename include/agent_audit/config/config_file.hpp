#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/config/suppression.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// How an option is written in a file.
enum class OptionType : std::uint8_t {
    text,
    number,
    flag,
    list,  ///< a text, or a list of texts
    path,  ///< a text; relative to the folder of the file
    size,  ///< a text such as "64M"
};

/// An option of the command line that a file may give too: `fail-on = "warning"`.
struct ConfigOption {
    std::string_view key;
    OptionType type = OptionType::text;
};

/// What a file says about one option. Flags are "1" or "0".
struct ConfigValue {
    std::string key;
    std::vector<std::string> texts;
    std::string origin;  ///< "agent-audit.toml:4: fail-on"
};

/// What a configuration file says, with types checked and lines remembered. Names of rules and tools, ranges and
/// regular expressions are checked where they are known.
struct ConfigFile {
    std::string source;  ///< as origins name it
    std::vector<ConfigValue> options;
    std::vector<Setting> extends;  ///< name of a policy or of another file; at most one
    Settings settings;  ///< "rule.parameter", "rule.severity", "rule.per-tool.<tool>.<parameter>", "errors.transient"
    std::vector<Setting> rules;  ///< each rule that has a table
    std::vector<Suppression> suppressions;
    std::vector<ToolClassRule> tool_classes;
};

/// What a reader of such files must be told: config does not know which options, rules and tables there are.
struct ConfigWords {
    std::span<const ConfigOption> options;
    std::span<const std::string_view> groups;  ///< tables of the run: "engine", "tools", "calls", "errors"
    std::span<const std::string_view> tool_classes =
        {};  ///< what [[tool-class]] takes for class; none: checked elsewhere
};

/// A share of the context window as it may be written, in percent: up to 1 it is a share, above that it is percent.
constexpr double window_percent(double written) { return written <= 1 ? written * 100 : written; }

/// One key of [budget] and the parameter of budget/limits it sets.
struct BudgetKey {
    std::string_view key;
    std::string_view param;
    std::string_view doc;
    double max = 0;
    bool whole = true;
};
/// All of them, in the order of the reference page.
std::span<const BudgetKey> budget_keys();

/// Reads agent-audit.toml. Strict: unknown keys, values of a wrong type and entries that lack something needed are
/// errors that name `source` and the line. The first of them is the error.
Result<ConfigFile> parse_config_file(std::string_view text, std::string_view source, const ConfigWords& words);

/// The same with all errors, added to `problems` in the order of the file, and what could be read in spite of them.
ConfigFile parse_config_file(std::string_view text, std::string_view source, const ConfigWords& words,
                             std::vector<Error>& problems);

}  // namespace agent_audit
