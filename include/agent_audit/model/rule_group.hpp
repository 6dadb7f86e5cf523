#pragma once

#include <string_view>

namespace agent_audit {

/// Is the rule of this id about an agent that is stuck? Limits, drift and contexts are not: they tell of agents that
/// get on.
constexpr bool is_about_loops(std::string_view rule) {
    return rule.starts_with("loop/") || rule.starts_with("progress/");
}

constexpr bool is_about_drift(std::string_view rule) { return rule.starts_with("drift/"); }

}  // namespace agent_audit
