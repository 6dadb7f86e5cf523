#pragma once

#include "cli/commands/command.hpp"
#include "cli/terminal/terminal.hpp"
#include "report/json/json_writer.hpp"
#include "report/text/layout.hpp"

#include <agent_audit/support/result.hpp>

#include <functional>
#include <string>

namespace agent_audit::cli {

using DrawPage = std::function<void(report::Page&)>;
using WriteJson = std::function<void(report::JsonWriter&)>;

/// What is drawn on a page for standard output: as wide as the terminal, and harmless on a CI runner.
std::string page_text(const DrawPage& draw, int verbosity = 0, When color = When::automatic);
std::string json_text(const WriteJson& write);

/// Does -f, given as `flag`, ask for JSON? Without it text is written. An Error where it names anything else.
Result<bool> asks_for_json(const Arguments& arguments, std::size_t flag);

/// Prints what a command found as -f, given as `flag`, asks for it.
ExitStatus answer(const CommandSpec& self, const Arguments& arguments, std::size_t flag, const DrawPage& draw,
                  const WriteJson& write);

}  // namespace agent_audit::cli
