#include "detectors/all.hpp"
#include "detectors/drift/broken_rule.hpp"
#include "detectors/engine/copyable.hpp"

#include <fmt/format.h>

#include <array>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/instruction-violated";

constexpr std::string_view kDoc = R"(## What it finds
A step that breaks what a human said in so many words: a file changed that was not to be touched, a command run that was
forbidden, a tool used that was ruled out, an edit outside of the only files that were to be edited (also by `rm`, `mv`,
`sed -i` and `perl -i`, where their files are certain). The words are must
not, never, do not, don't, only, without touching, leave … alone, nothing outside …, 不要, 禁止, 不得, 只能, 只改 and their
like, with the path, command or tool they name; and so are "src/api is off limits", "`make deploy` must never be run",
"using docker is not allowed", "avoid git push", "use pnpm, not npm", "change README.md and nothing else", "lib/b.ts is
generated. Never edit it." and a list below "Do not edit:" or a bare "Don'ts:"; "no more pushes", "work without sudo", "prod.yml stays as it is", "a.py is read-only", "edit a.py only",
"schema.prisma: hands off", "nobody touches prod.yml but me",
"steer clear of a.py", "leave a.py exactly the way it is", "a.py should not be part of this change", "don't bypass the hooks",
"fix a.py and don't change anything else", "use a.py as a reference but don't
modify it", "only I run `terraform apply`", "leave pushing to me", "I'll do the commits myself" and, until the person
speaks again, "wait for my review before you commit". Some things need no name: "do not change any files" or "any code" (new
reports and scratch files are none), "do not delete any files" (what a build makes again is none), "do not
create new files" (where the outcome says that one was made), "do not touch the tests" (new tests are none), "don't modify existing migrations" (a new one is none), "do not
install any packages", "don't run the migrations", "do not start the dev server", "don't search the web", "no subagents", "do not create new branches", "leave the README alone",
"do not merge into main", "we can't use docker here", "draft it, but don't send it", "do not restart anything", "don't cancel
the order" (by tools that are called so: restart_service, cancel_order), "do not delete any mail" (delete_message, trash_thread),
"don't use the web", "do not change anything" (also scale_deployment and the like) and, until the person speaks again, "do not change
the temperature" (set_temperature), "do not change any data" (SQL that a tool runs), "never send it to Rosa Tran" (by who the mail
goes to) and "only touch AC-1204" (a tool that changes AC-1377).

A limit that a human stated for the work ("in at most 10 turns", "no more than 5 tool calls", "you have 20 minutes",
最多10轮) and that was passed is an info, at the record with which it was. It holds until the next human message.

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
- what is named as an exception within a folder: "don't touch src/api/ except src/api/types.ts"
- commands that only list or try (`pytest --collect-only`, `git stash list`, `git push -n`), `git rm --cached` under "do not
  delete any files", and the copy of src/a.py in tests/src/a.py, examples/src/a.py and the like
- a rule that is told to be over ("the rule that we don't touch a.py no longer applies") and a question ("should I never push?")
- a flag, a branch or a file is not the whole command: "do not use git reset --hard" leaves `git reset --soft` alone,
  "never push to main" is held against a push that names main, and "do not commit .env" against nothing
- "never force-push to main" is held against a push with `--force`, `-f` or `--force-with-lease` that names main, as all of
  them rewrite what others have; who says "--force" leaves `--force-with-lease` alone. Shared and protected branches are
  taken for main and master, whatever else they are
- of a list of names only what stands right behind "use", "call" or "run" is a tool: "don't use mocks, name the fields
  user_id and orderId" rules out neither name
- a file that only ends like the one that was named, once a file of that name was met in the folder of the session:
  packages/web/lib/core.js under "leave lib/core.js alone"
- `git merge main` in another branch under "do not merge into main": it counts where main is checked out
- what does not work: "we can't use docker here, it says permission denied", "config.yml stays as it is when I save"
- a file that the agent made after the rule was said, under "do not change the existing tests", "do not delete any files"
- beside the only files that may be changed, what is named with them: "only change a.py and its tests"; "… and related files"
  is no rule
- under "no new dependencies" a package that the human named, before or after: "ok, use zod for that"
- numbered options to choose from ("Two possibilities: 1. …")
- what a human took back later: "now bump node in the Dockerfile", "you may change the test now", "OK, you can touch them",
  "ship it" and, after "don't push", "open a PR". To speak of a thing takes nothing back: not "remember: no push", "I'll
  push later", "run the tests again" or "use array.push". Where it is open what was meant ("the tests are failing now") the
  finding is a warning. A question takes back no command, and a flag only an order or a permission that names it: "push it"
  does not allow `git push --force`. "do not change any files", and what was said for now or with "yet", hold until the
  person speaks again
- rules in other languages than English and Chinese, but for plain ones in German, French, Spanish, Portuguese, Italian, Russian,
  Japanese and Korean ("src/a.py nicht ändern", "ne touche pas aux tests", "no hagas commit", コミットしないで, "config.yml bleibt, wie
  sie ist", "giù le mani da schema.sql", "здесь нельзя использовать docker"): every word of the clause must be known
- limits of the thing that is worked on ("retry at most 3 times"), and rates ("one call per turn")
- calls that were refused or cancelled, looking at a file that was only not to be changed, scratch files
- quotes and code blocks, also within a sentence: the error says "do not edit package.json"

## What to do
Undo the step. Say the rule where it is not forgotten: in the project's instructions, or as a permission of the agent;
`constraint/*` checks it in every session.

## When it is wrong
When the sentence was about something else. `--ignore drift/instruction-violated`.
)";

constexpr std::size_t kLongestFile = 120;  // bytes of a path that are told
constexpr std::uint64_t kLimitKey = 16;    // beyond the kinds of rules

class InstructionViolated final : public BrokenRule {
public:
    InstructionViolated() : BrokenRule(false) {}

    void on_human(const HumanTurn& turn, const DriftView& view) override {
        limits(view);
        BrokenRule::on_human(turn, view);
    }
    void on_end(const DriftView& view) override {
        limits(view);
        BrokenRule::on_end(view);
    }

private:
    void limits(const DriftView& view) {
        for (const GoalTerms::Passed& passed : view.terms.passed()) {
            const StatedLimit& limit = passed.limit;
            Departure what;
            what.add_place(passed.at, "crossing", fmt::format("more than {}", amount(limit)));
            DraftFinding draft = what.draft(drift_instruction_violated(), Severity::info, 0.6);
            Finding& f = draft.finding;
            f.message = fmt::format("line {} goes beyond {}, the most that {} allowed", f.first_line, amount(limit),
                                    limit.line > 0 ? "a human at line " + std::to_string(limit.line)
                                                   : std::string("the goal given for this run"));
            f.action = "stop at a stated limit and say what is left, or have it raised";
            f.pattern_key = kLimitKey + static_cast<std::uint64_t>(limit.what);
            if (limit.line > 0)
                f.evidence.insert(f.evidence.begin(), {limit.line, 0, "instruction", one_line(limit.sentence, 160)});
            f.because = {{"instruction_line", std::to_string(limit.line)},
                         {"limit", std::to_string(limit.most)},
                         {"of", std::string(name(limit.what))}};
            report(std::move(draft));
        }
    }

    static std::string amount(const StatedLimit& limit) {
        constexpr std::array<std::string_view, 3> kWords{"turn", "tool call", "second"};
        return fmt::format("{} {}{}", limit.most, kWords[static_cast<std::size_t>(limit.what)],
                           limit.most == 1 ? "" : "s");
    }

    // The file, and the rule's own words where they are others.
    static std::string path_message(std::uint64_t line, const Case& broken) {
        const bool tests = broken.target == "the tests", any = tests || broken.target.starts_with("any ");
        const std::string_view takes = any ? "deletes" : "removes or moves",
                               taking = any ? "deleting" : "removing or moving";
        if (broken.makes)
            return fmt::format("line {} makes {}; making {} was ruled out by {}", line,
                               broken.file.empty() ? "a file" : one_line(broken.file, kLongestFile),
                               broken.target == "new files" ? broken.target : "files in " + broken.target,
                               speaker(broken));
        const std::string_view does = broken.reads   ? "reads"
                                      : broken.takes ? takes
                                                     : "changes",
                               doing = broken.reads   ? "reading"
                                       : broken.takes ? taking
                                                      : "changing";
        // By a command, whose file is not named here.
        if (broken.other_tool)
            return fmt::format("line {} changes something; {} ruled that out", line, speaker(broken));
        if (broken.file.empty() && any)
            return fmt::format("line {} {} {}; {} {} was ruled out by {}", line, does,
                               broken.target == "any code" ? "code"
                               : tests                     ? "a test"
                                                           : "a file",
                               doing, broken.target, speaker(broken));
        if (broken.file.empty() || broken.file == broken.target)
            return fmt::format("line {} {} {}, ruled out by {}", line, does, broken.target, speaker(broken));
        return fmt::format("line {} {} {}; {} {} was ruled out by {}", line, does, one_line(broken.file, kLongestFile),
                           doing, broken.target, speaker(broken));
    }

    DraftFinding describe_case(const Case& broken) const override {
        // Of neither it is certain that the human did not want the step.
        const bool doubtful = broken.kind == Constraint::Kind::only_path || broken.spoken_of > 0;
        DraftFinding draft = broken.what.draft(drift_instruction_violated(),
                                               doubtful ? Severity::warning : Severity::error, doubtful ? 0.75 : 0.85);
        Finding& f = draft.finding;
        switch (broken.kind) {
            case Constraint::Kind::forbid_path: f.message = path_message(f.first_line, broken); break;
            case Constraint::Kind::forbid_command:
                f.message =
                    fmt::format("line {} runs {}, ruled out by {}", f.first_line, broken.target, speaker(broken));
                break;
            case Constraint::Kind::forbid_tool:
                // "writes to Rosa Tran": no name of a tool has a blank.
                f.message =
                    broken.target.find(' ') != broken.target.npos
                        ? fmt::format("line {} {}, ruled out by {}", f.first_line, broken.target, speaker(broken))
                        : fmt::format("line {} uses {}, ruled out by {}", f.first_line, broken.target, speaker(broken));
                break;
            case Constraint::Kind::only_path:
                f.message =
                    fmt::format("line {} changes {}, outside of {}, the only place{} allowed by {}", f.first_line,
                                broken.file.empty() ? "a file" : one_line(broken.file, kLongestFile), broken.places,
                                broken.places == broken.target ? "" : "s", speaker(broken));
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
