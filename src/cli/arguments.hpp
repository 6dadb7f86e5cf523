#pragma once

#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// One flag, said once: the parser, the help, the reference page and the environment all read this.
struct FlagSpec {
    std::string_view names;  ///< "-f,--format" or "--exit-zero"
    std::string_view value;  ///< what stands for the value in help; empty = a switch
    std::string_view doc;
    bool environment = true;  ///< may be given as AGENT_AUDIT_<NAME>

    std::string_view long_name() const { return names.substr(names.find("--")); }
    bool is_switch() const { return value.empty(); }
    /// "[N]": the flag also stands alone, and takes the next word only when that is a number.
    bool value_is_optional() const { return value.starts_with('['); }
};

/// The variable that gives a flag its value: --fail-on is AGENT_AUDIT_FAIL_ON.
std::string environment_name(const FlagSpec& flag);

struct FlagValue {
    std::string text;
    std::string origin;  ///< "--fail-on" or "AGENT_AUDIT_FAIL_ON"
};

struct Arguments {
    std::vector<std::vector<FlagValue>> flags;  ///< by position in the table; a switch has one entry each time
    std::vector<std::string> operands;
    bool help = false;
    bool version = false;
};

/// Reads what follows the command. GNU rules: options anywhere, --name=value, -- ends options. A flag that is
/// not on the command line is looked up in the environment.
Result<Arguments> parse_arguments(std::span<const FlagSpec> flags, std::vector<std::string> words);

}  // namespace agent_audit::cli
