#pragma once

#include "cli/arguments/arguments.hpp"

#include <optional>
#include <string_view>

namespace agent_audit::cli {

/// What is wrong with one value of an option of scan, as a file may give it.
std::optional<Error> option_problem(std::string_view key, const FlagValue& value);

}  // namespace agent_audit::cli
