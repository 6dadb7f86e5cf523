#include "detectors/all.hpp"
#include "detectors/drift/broken_rule.hpp"
#include "detectors/engine/copyable.hpp"

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/goal-forgotten";

constexpr std::string_view kDoc = R"(## What it finds
A rule that was said before the context was compacted, that the summary does not name any more, and that a later step
breaks.

## Why it matters
The agent cannot keep to what it cannot see. The same step would have been avoided, or asked about, before the
compaction.

## Example
```
human        Clean up the tests. Never run `git push`.
             …
compaction   summary: cleaned up three test files, two left
command      git push origin main             ← found
```

## What is not flagged
- a rule that the summary still names: breaking it is `drift/instruction-violated`
- compactions whose summary was not recorded: what is left is unknown then
- a rule that nothing later breaks

## What to do
Put rules into the project's instructions, which are sent with every request, and goals into the prompt of the
compaction.

## When it is wrong
When the summary says the rule in other words. `--ignore drift/goal-forgotten`.
)";

class GoalForgotten final : public BrokenRule {
public:
    GoalForgotten() : BrokenRule(true) {}

private:
    DraftFinding describe_case(const Case& broken) const override {
        DraftFinding draft = broken.what.draft(drift_goal_forgotten(), Severity::error, 0.8);
        Finding& f = draft.finding;
        f.message = fmt::format(
            "line {} breaks the rule about {} said at line {}: the compaction before it had dropped the rule",
            f.first_line, broken.target, broken.said);
        f.action = "undo it; keep the rule in the project's instructions, which no compaction drops";
        return draft;
    }
};

}  // namespace

DetectorSpec drift_goal_forgotten() {
    return {kId,
            "AA304",
            "a rule that was lost in a compaction is broken",
            Severity::error,
            0.8,
            Stage::stable,
            Scope::lane,
            kDrift,
            Signal::tool_calls | Signal::compaction,
            [] { return std::vector<ParamDoc>{}; },
            kDoc,
            [](const Settings&) {
                return Result<DetectorFactory>(DetectorFactory([] { return copyable<GoalForgotten>(); }));
            }};
}

}  // namespace agent_audit::detectors
