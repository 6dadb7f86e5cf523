#pragma once

#include "cli/arguments.hpp"
#include "cli/exit_status.hpp"

#include <cstdint>
#include <span>
#include <string>
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
};

CommandSpec scan_command();
CommandSpec report_command();
CommandSpec convert_command();
CommandSpec discover_command();
CommandSpec rules_command();
CommandSpec explain_command();
CommandSpec formats_command();
CommandSpec tokens_command();
CommandSpec replay_command();
CommandSpec policy_command();
CommandSpec diff_command();
CommandSpec baseline_command();
CommandSpec config_command();
CommandSpec reset_command();
CommandSpec checkpoint_command();
CommandSpec schema_command();
CommandSpec completions_command();
CommandSpec man_command();
CommandSpec doctor_command();
CommandSpec reference_command();

/// All commands, in the order of help.
std::span<const CommandSpec> all_commands();

/// What --help prints, without colour: the page of a command, or of the program.
std::string command_help(const CommandSpec& command, int width);
std::string program_help(int width);

/// Runs the command the words ask for; the words are argv without the program's name.
ExitStatus run(const std::vector<std::string>& words);

/// Complains, points at the help, and gives the exit code for wrong usage.
ExitStatus usage_error(const CommandSpec& command, std::string_view message);

/// What a finished text is made of: lines to be read, or a document (JSON, TOML) that another program reads.
enum class Printed : std::uint8_t { lines, document };

/// Writes a finished text to standard output. On a CI runner nothing in it can be taken for a command, whatever it
/// quotes.
ExitStatus print(std::string_view text, Printed what = Printed::lines);

}  // namespace agent_audit::cli
