#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/exit_status.hpp"

#include <span>
#include <string_view>

namespace agent_audit::cli {

struct Example {
    std::string_view line;
    std::string_view doc;
};

/// One command: help, dispatch and the reference page come from here.
struct CommandSpec {
    std::string_view name;
    std::string_view operands;  ///< as in the usage line
    std::string_view summary;
    std::string_view details;  ///< a paragraph for --help
    std::span<const Example> examples;
    std::span<const FlagSpec> flags;
    ExitStatus (*run)(const CommandSpec& self, const Arguments& arguments);
    bool hidden = false;
    Offer first = kOfferFile;  ///< what the first operand can be
    Offer others = kOfferFile;
    ExitStatus misused = ExitStatus::usage;  ///< of a command line that cannot be read
};

/// All commands, in the order of help.
std::span<const CommandSpec> all_commands();

}  // namespace agent_audit::cli
