#include "detectors/all.hpp"
#include "detectors/constraint/call_rule.hpp"

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "constraint/tool";

constexpr std::string_view kDoc = R"(## What it finds
A call of a tool that `constraints.forbidden-tools` names, or that is not among `constraints.allowed-tools`.

## Why it matters
What an agent may use is decided before it runs. Here it is checked afterwards, in every session.

## Example
`agent-audit scan --set constraints.forbidden-tools=WebFetch,mcp__mail__* session.jsonl`

## What is not flagged
- nothing unless one of the two lists is set
- calls that a human refused, or that were cancelled; calls carried over from another session

Names are compared without regard to case, in snake_case, with or without the `mcp__server__` in front. `*` stands for any
part of a name.

## What to do
Take the permission away where the agent runs.

## When it is wrong
The list is too strict. Change it, or `--ignore constraint/tool`.
)";

class ToolRule final : public CallRule {
public:
    using CallRule::CallRule;
    static bool wanted(const RunConstraints& a) { return !a.allowed_tools.empty() || !a.forbidden_tools.empty(); }

private:
    bool breaks(const CallTarget& call, Breach& breach) const override {
        breach.subject = call.tool;
        for (const std::string& entry : allowed_.forbidden_tools) {
            if (!tool_matches(call.tool, entry) && !tool_matches(call.full_tool, entry)) continue;
            breach.entry = entry;
            return true;
        }
        return !allowed_.allowed_tools.empty() &&
               std::ranges::none_of(allowed_.allowed_tools, [&](const std::string& entry) {
                   return tool_matches(call.tool, entry) || tool_matches(call.full_tool, entry);
               });
    }

    DetectorSpec spec() const override { return constraint_tool(); }
    std::string_view key(bool forbidden) const override { return forbidden ? "forbidden-tools" : "allowed-tools"; }
};

}  // namespace

DetectorSpec constraint_tool() {
    return call_rule<ToolRule>(kId, "AA804", "a tool is called that [constraints] rules out", kDoc);
}

}  // namespace agent_audit::detectors
