#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/sessions/input_lists.hpp"
#include "cli/terminal/terminal.hpp"

#include <agent_audit/convert/converter.hpp>
#include <agent_audit/pipeline/stream.hpp>
#include <agent_audit/report/renderer.hpp>

#include <span>
#include <string>

namespace agent_audit::cli {

/// What `convert` was asked for, checked.
struct ConvertOptions {
    StreamPlan plan;
    const ConverterSpec* to = nullptr;
    std::string output = "-";
    Redact redact = Redact::none;
    bool strict_input = false;
    bool verbose = false;
    InputLists lists{};
    When progress = When::automatic;
};

std::span<const FlagSpec> convert_flags();
Result<ConvertOptions> convert_options(const Arguments& arguments);

}  // namespace agent_audit::cli
