#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/tokens.hpp>

#include <functional>
#include <string_view>

namespace agent_audit::readers {

/// Calls `take` with each model that was asked within a request, at its own price, and what it took. `parts`: the JSON
/// array of a usage among whose elements they are, with what follows it in the record. Broken JSON ends it.
void each_claude_code_advice(json::parser& parser, std::string_view parts,
                             const std::function<void(std::string_view model, const TokenCounts& tokens)>& take);

}  // namespace agent_audit::readers
