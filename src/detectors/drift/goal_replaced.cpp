#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/goal-replaced";

constexpr std::string_view kDoc = R"(## What it finds
A sub-goal that swallows the rest of the session: from some step on nothing that is done, said or touched has a word of
the goal, to the very end, and the last message does not speak of the goal either.

## Why it matters
Repairing a tool in order to run the tests is work. When the session ends with the tool, the task was exchanged for it.

## Example
```
human   Add a CSV export to the invoice page.
edit    invoices/export.ts
check   npm test → wrong node version
…       30 steps about nvm, caches and the shell profile
agent   nvm is configured properly now.           ← the export was never touched again
```

## What is not flagged
- detours that come back to the goal, or end with a message about it
- whatever a human asked for
- goals of few words, which cannot be told from others

## What to do
Go back to the onset; get the obstacle out of the way in a session of its own.

## When it is wrong
When the work has other names than the goal. Say the goal with `--goal`, or `--ignore drift/goal-replaced`.
)";

struct Params {
    int steps = 12;
    double share = 0.5;
};

constexpr std::tuple kTable{
    Param<Params, int>{"steps", &Params::steps, 4, 10'000,
                       "calls without a word of the goal, up to the end, before a warning"},
    Param<Params, double>{"share", &Params::share, 0.1, 1.0,
                          "of the calls since the human message, these must be at least this share"},
};

class GoalReplaced final : public DriftDetector {
public:
    explicit GoalReplaced(Params params) : params_(params) {}

    void on_act(const DriftAct& act, const DriftView& view) override {
        if (act.step) ++calls_;
        if (act.words->size() == 0) return;
        if (act.goal_hits > 0) {
            ++on_goal_;
            away_.reset();
            changed_ = 0;
            return;
        }
        if (on_goal_ < kOnGoal || view.goal.words() < kGoalWords) return;
        away_.add(act);
        if (act.step && !act.step->failed &&
            (act.step->tool_class == ToolClass::mutate || act.step->tool_class == ToolClass::shell))
            ++changed_;
    }

    void on_human(const HumanTurn& turn, const DriftView& view) override {
        // A human who goes on as if nothing had happened saw the end and was content.
        if (turn.correction == Correction::strong) judge(view);
        restart();
    }
    void on_end(const DriftView& view) override { judge(view); }

private:
    static constexpr std::uint64_t kOnGoal = 2;  // acts about the goal: it was understood and begun
    static constexpr std::size_t kGoalWords = 4;
    static constexpr std::size_t kTelling = 3;  // words of a message that says what it is about

    void restart() {
        away_.reset();
        calls_ = on_goal_ = changed_ = 0;
    }

    // "pyenv works now": few words, and all of them came up since the goal was left.
    bool speaks_of_departure(const ActWords& end, const DriftView& view) const {
        return end.size() > 0 && std::ranges::all_of(end.all(), [&](std::uint32_t word) {
                   const WordCredits::Look look = view.credits.look(word);
                   return look.known && look.first_turn >= away_.turn();
               });
    }

    // The last message must be there and speak of something else: a session that was cut off says nothing about its
    // end.
    void judge(const DriftView& view) {
        if (!view.text_is_last || away_.calls() < static_cast<std::uint64_t>(params_.steps) || changed_ < 3) return;
        if (static_cast<double>(away_.calls()) < params_.share * static_cast<double>(calls_)) return;
        ActWords end;
        const std::string text = view.last_text();
        add_words({text, TextForm::plain}, text.size(), end);
        if (view.goal.hits(end) > 0 || (end.size() < kTelling && !speaks_of_departure(end, view))) return;
        DraftFinding draft = away_.draft(drift_goal_replaced(), Severity::warning, 0.6);
        Finding& f = draft.finding;
        f.evidence.push_back({view.last_text_at.line, view.last_text_at.seq, "last", one_line(view.last_text())});
        f.message = fmt::format("the last {} calls, and the closing message, have nothing of the goal ({})",
                                away_.calls(), lines_words(f.first_line, f.last_line));
        f.action = "go back to the onset, and get the obstacle out of the way in a session of its own";
        f.pattern_key = 1;
        f.because = {{"calls_away", std::to_string(away_.calls())},
                     {"calls", std::to_string(calls_)},
                     {"changes_away", std::to_string(changed_)},
                     {"goal_line", std::to_string(view.goal.line())}};
        report(std::move(draft));
    }

    Params params_;
    Departure away_;
    std::uint64_t calls_ = 0, on_goal_ = 0, changed_ = 0;
};

}  // namespace

DetectorSpec drift_goal_replaced() {
    return {kId,
            "AA309",
            "a sub-goal takes the place of the goal",
            Severity::warning,
            0.6,
            Stage::stable,
            Scope::lane,
            kDrift,
            signals(Signal::tool_calls),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<GoalReplaced>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
