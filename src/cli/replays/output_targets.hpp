#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/exit_status.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"

#include <agent_audit/report/renderer.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// Where one rendering of a replay goes.
struct Target {
    std::string format, path;  ///< path "-" is standard output
};

/// As scan has it: -o FILE takes the place of standard output, -o FORMAT=FILE stands besides what -f says. An error
/// where they name no format of these, or a file twice.
Result<std::vector<Target>> output_targets(std::span<const FlagValue> format, std::span<const FlagValue> outputs,
                                           std::span<const std::string_view> formats);

/// How a text is drawn: as the terminal can show it, or as a file is to look.
RenderOptions drawing_of(const Target& target, When color);

/// The end of an output: what went wrong with it is told.
ExitStatus written(Output& out);

/// Writes `text` to where it goes. What is empty takes the place of no file.
ExitStatus write_output(const Target& target, const std::string& text);

/// Renders for each target, files first: when the reader of standard output goes away, they are complete. The first
/// status that is not clean.
template <class Render>
ExitStatus write_outputs(std::span<const Target> targets, Render&& render) {
    ExitStatus first = ExitStatus::clean;
    for (const bool to_stdout : {false, true}) {
        for (const Target& target : targets) {
            if ((target.path == "-") != to_stdout) continue;
            const ExitStatus status = write_output(target, render(target));
            if (first == ExitStatus::clean) first = status;
        }
    }
    return first;
}

}  // namespace agent_audit::cli
