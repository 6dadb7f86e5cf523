#pragma once

#include <agent_audit/model/event.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// Who was asked whether a call may run.
enum class Refusal : unsigned char {
    by_person,  ///< somebody read it and said no; also where the text does not tell
    by_rule,    ///< a permission rule, a hook, a mode, or that there was nobody to ask: it will say no again
};

/// Who refused a call, by what its result says. `said`: raw text of the result.
Refusal refusal_of(std::string_view said);

/// Who refused a call: as the recording tells it in a field, else by what the result says.
Refusal refusal_of(const ToolResult& result);

/// Does a result stand in the place of a call that somebody refused: "User rejected the tool call."? For recordings
/// that have no field for it. What is said of somebody's order or offer is data.
bool refuses_call(RawText said);

}  // namespace agent_audit::detectors
