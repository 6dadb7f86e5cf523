#pragma once

#include "cli/arguments/command_spec.hpp"
#include "cli/terminal/print.hpp"

#include <string>
#include <string_view>
#include <vector>

// What a command is written with, and their list; registry.cpp puts them into the table.

namespace agent_audit::cli {

CommandSpec scan_command();
CommandSpec watch_command();
CommandSpec hook_command();
CommandSpec init_command();
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

/// Runs the command the words ask for; the words are argv without the program's name.
ExitStatus run(const std::vector<std::string>& words);

/// Complains, points at the help, and gives the exit code for wrong usage.
ExitStatus usage_error(const CommandSpec& command, std::string_view message);
/// The same for what may be a mistake in a file of settings: then all that are in the files are told.
ExitStatus settings_error(const CommandSpec& command, const Arguments& arguments, const Error& problem);

}  // namespace agent_audit::cli
