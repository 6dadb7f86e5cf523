#pragma once

#include "detectors/commands/command_rules.hpp"

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/model/finding.hpp>

#include <algorithm>
#include <string_view>

namespace agent_audit::detectors {

inline bool all_calls_of(const Finding& f, std::string_view tool) {
    return !f.calls.empty() &&
           std::ranges::all_of(f.calls, [&](const FindingCall& call) { return same_tool(tool, call.tool); });
}

/// A tool with parameters of its own has a row of its own, which alone speaks of it.
inline bool belongs(const Finding& f, const BoundDetector& row) {
    if (!row.only_tool.empty()) return all_calls_of(f, row.only_tool);
    return std::ranges::none_of(row.other_tools, [&](const std::string& tool) { return all_calls_of(f, tool); });
}

}  // namespace agent_audit::detectors
