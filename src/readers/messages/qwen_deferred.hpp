#pragma once

#include "readers/json/json_util.hpp"

#include <optional>
#include <string_view>

namespace agent_audit::readers {

/// The tool of Qwen Code (0.24) that calls others: those of MCP servers of which the model is told when it searches for
/// them only.
///
///   {"name":"tool_call","args":{"name":"mcp__kit__lookup","arguments":{"key":"alpha"}}}
inline constexpr std::string_view kQwenDeferredCall = "tool_call";

/// The call that was meant.
struct QwenDeferred {
    std::string_view name;
    CallArgs args;
};

/// Of the arguments of such a call as they stand in the record, whose padding has to lie behind them; nothing when they
/// are of another form. Digested with the name of the tool where `named`, else with none.
std::optional<QwenDeferred> qwen_deferred(const CallArgs& args, ArgsDigester& digester, bool named);

/// Makes a call, whatever has its `name` and `args`, the one that was meant.
template <class Call>
void see_through(Call& call, ArgsDigester& digester, bool named) {
    if (call.name != kQwenDeferredCall) return;
    if (const std::optional<QwenDeferred> meant = qwen_deferred(call.args, digester, named)) {
        call.name = meant->name;
        call.args = meant->args;
    }
}

}  // namespace agent_audit::readers
