#pragma once

#include "cli/commands/command.hpp"
#include "report/json/json_writer.hpp"
#include "report/text/layout.hpp"

#include <agent_audit/model/signals.hpp>

namespace agent_audit::cli {

/// -f text|json and -v, for commands that list one of the program's own tables.
std::span<const FlagSpec> listing_flags();
bool is_verbose(const Arguments& arguments);

/// Draws the list as asked for: as text on a page as wide as the terminal, or as JSON.
ExitStatus list(const CommandSpec& self, const Arguments& arguments, void (*text)(report::Page&),
                void (*json)(report::JsonWriter&));

/// A label with a text beside it, or below it where the page is too narrow for both.
void row(report::Page& page, int label_width, std::string_view label, std::string_view text);

void write_signals(report::JsonWriter& json, std::string_view field, Signals set);

}  // namespace agent_audit::cli
