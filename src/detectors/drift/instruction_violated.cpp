#include "detectors/all.hpp"
#include "detectors/drift/broken_rule.hpp"
#include "detectors/engine/copyable.hpp"

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/instruction-violated";

constexpr std::string_view kDoc = R"(## What it finds
A step that breaks what a human said in so many words: a file changed that was not to be touched, a command run that was
forbidden, a tool used that was ruled out, an edit outside of the only files that were to be edited. The words are must
not, never, do not, don't, only, 不要, 禁止, 不得, 只能, 只改 and their like, with the path, command or tool they name.

## Why it matters
Rules are said because breaking them costs more than the task is worth.

## Example
```
human   Fix the parser. Do not touch `src/api/`.
edit    src/parser.cpp
edit    src/api/client.cpp                    ← found
```

## What is not flagged
- rules with a condition: "do not commit until the tests pass" cannot be checked from outside
- rules that name nothing that a call could be held against: "do not be verbose"
- what a human took back later: a message that names the same thing without forbidding it allows it
- calls that were refused or cancelled, looking at a file that was only not to be changed, scratch files
- quotes and code blocks

## What to do
Undo the step. Say the rule where it is not forgotten: in the project's instructions, or as a permission of the agent;
`constraint/*` checks it in every session.

## When it is wrong
When the sentence was about something else. `--ignore drift/instruction-violated`.
)";

class InstructionViolated final : public BrokenRule {
public:
    InstructionViolated() : BrokenRule(false) {}

private:
    DraftFinding describe_case(const Case& broken) const override {
        const bool scope = broken.kind == Constraint::Kind::only_path;
        DraftFinding draft = broken.what.draft(drift_instruction_violated(),
                                               scope ? Severity::warning : Severity::error, scope ? 0.75 : 0.85);
        Finding& f = draft.finding;
        switch (broken.kind) {
            case Constraint::Kind::forbid_path:
                f.message =
                    fmt::format("line {} changes {}, ruled out by {}", f.first_line, broken.target, speaker(broken));
                break;
            case Constraint::Kind::forbid_command:
                f.message =
                    fmt::format("line {} runs {}, ruled out by {}", f.first_line, broken.target, speaker(broken));
                break;
            case Constraint::Kind::forbid_tool:
                f.message =
                    fmt::format("line {} uses {}, ruled out by {}", f.first_line, broken.target, speaker(broken));
                break;
            case Constraint::Kind::only_path:
                f.message = fmt::format("line {} changes a file outside of {}, the only place allowed by {}",
                                        f.first_line, broken.target, speaker(broken));
                break;
        }
        f.action = "undo it, and say the rule where it cannot be forgotten";
        return draft;
    }
};

}  // namespace

DetectorSpec drift_instruction_violated() {
    return {kId,
            "AA303",
            "a step does what a human ruled out",
            Severity::error,
            0.85,
            Stage::stable,
            Scope::lane,
            kDrift,
            signals(Signal::tool_calls),
            [] { return std::vector<ParamDoc>{}; },
            kDoc,
            [](const Settings&) {
                return Result<DetectorFactory>(DetectorFactory([] { return copyable<InstructionViolated>(); }));
            }};
}

}  // namespace agent_audit::detectors
