#pragma once

#include "cli/arguments/arguments.hpp"

#include <agent_audit/report/renderer.hpp>
#include <agent_audit/support/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {

/// Where one rendering goes.
struct OutputTarget {
    const RendererSpec* format = nullptr;
    std::string path;  ///< "-" is standard output
};

/// The name of a format of reports.
std::optional<Error> format_value(const FlagValue& value, const RendererSpec*& out);

/// FILE or FORMAT=FILE. What stands before the = is a format when it is a plain word; ./a=b is a file.
std::optional<Error> output_value(const FlagValue& value, std::vector<OutputTarget>& out);

/// For the `format` of an -f that was typed: -f says what goes to standard output unless an -o FILE takes it; an -o
/// FORMAT=- beside it says it a second time.
std::optional<Error> two_formats(std::span<const OutputTarget> outputs, const RendererSpec& format);

/// -o FILE takes the place of standard output. -o FORMAT=FILE does not where -f says what goes there.
/// `format` is what -f says; null: nothing was said, and text is written.
void settle_outputs(std::vector<OutputTarget>& outputs, const RendererSpec* format);

}  // namespace agent_audit::cli
