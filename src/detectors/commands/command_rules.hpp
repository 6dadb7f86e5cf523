#pragma once

#include "config/pattern.hpp"

#include <agent_audit/config/suppression.hpp>
#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>
#include <agent_audit/support/result.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// What a run says of calls by what their command holds ([[tool-class]] with a command).
class CommandRules {
public:
    /// Rules without a command are not for here. Errors name the origin of the rule.
    static Result<std::shared_ptr<const CommandRules>> make(std::span<const ToolClassRule> rules);

    /// False: no rule can be about a tool of this name, whatever the command.
    bool about(std::string_view tool) const;
    /// The class that the first matching rule gives. Only the first 4 KiB of the command are looked at.
    std::optional<ToolClass> classify(std::string_view tool, RawText command) const;

private:
    struct Rule {
        std::string tool;  // snake_case; empty = any
        Pattern command;
        ToolClass tool_class;
    };
    CommandRules() = default;
    static bool fits(const Rule& rule, std::string_view tool);

    std::vector<Rule> rules_;
};

}  // namespace agent_audit

namespace agent_audit::detectors {

/// The class a user's word stands for: a name of the table of classes, or "polling".
std::optional<ToolClass> tool_class_named(std::string_view word);

/// True when both are the same tool: in snake_case, the second with or without its mcp__server__ prefix. `known` may be
/// a copy cut at StepText::kTool bytes.
bool same_tool(std::string_view wanted, std::string_view known);

}  // namespace agent_audit::detectors
