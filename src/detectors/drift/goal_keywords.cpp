#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"

#include <fmt/format.h>

#include <array>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/goal-keywords";

constexpr std::string_view kDoc = R"(## What it finds
The published rule, for comparison: over the last five responses, fewer than 0.3 words of the goal for each action.

## Why it matters
It is what simple drift monitors do. It cries wolf: agents read, search and edit for long stretches in words that the
goal does not have. It is off unless it is selected, and never more than an info.

## Example
`agent-audit scan --select drift/goal-keywords session.jsonl`

## What is not flagged
- the first five responses, and goals without words

## What to do
Nothing for its sake alone.

## When it is wrong
Mostly: it gave 246 findings for each 1,000 steps of healthy sessions. See `drift/topic-switch` for what words can tell.
)";

struct Params {
    int turns = 5;
    double below = 0.3;
};

constexpr std::tuple kTable{
    Param<Params, int>{"turns", &Params::turns, 1, 32, "responses that are looked at together"},
    Param<Params, double>{"below", &Params::below, 0.0, 100.0,
                          "words of the goal for each action, below which it speaks"},
};

class GoalKeywords final : public DriftDetector {
public:
    explicit GoalKeywords(Params params) : params_(params) {}

    void on_act(const DriftAct& act, const DriftView& view) override {
        if (view.goal.words() == 0) return;
        if (act.turn != turn_) {
            turn_ = act.turn;
            ++turns_;
            ring_[turns_ % kRing] = {};
        }
        Turn& now = ring_[turns_ % kRing];
        ++now.actions;
        now.hits += act.goal_hits;
        const auto window = static_cast<std::uint64_t>(params_.turns);
        if (turns_ < window) return;
        std::uint64_t actions = 0, hits = 0;
        for (std::uint64_t i = 0; i < window; ++i) {
            actions += ring_[(turns_ - i) % kRing].actions;
            hits += ring_[(turns_ - i) % kRing].hits;
        }
        if (static_cast<double>(hits) < params_.below * static_cast<double>(actions)) {
            away_.add(act);
        } else {
            close();
        }
    }

    void on_human(const HumanTurn&, const DriftView&) override {
        close();
        turns_ = 0;
    }
    void on_end(const DriftView&) override { close(); }

private:
    static constexpr std::uint64_t kRing = 32;
    struct Turn {
        std::uint32_t actions = 0, hits = 0;
    };

    void close() {
        if (away_.open()) {
            DraftFinding draft = away_.draft(drift_goal_keywords(), Severity::info, 0.2);
            const std::uint64_t acts = away_.acts();
            draft.finding.message =
                fmt::format("few words of the goal for {} action{} ({})", acts, acts == 1 ? "" : "s",
                            lines_words(draft.finding.first_line, draft.finding.last_line));
            draft.finding.action = "look whether the work is still about the goal";
            draft.finding.pattern_key = 1;
            report(std::move(draft));
        }
        away_.reset();
    }

    Params params_;
    Departure away_;
    std::array<Turn, kRing> ring_{};
    std::uint64_t turn_ = 0, turns_ = 0;
};

}  // namespace

DetectorSpec drift_goal_keywords() {
    return {kId,
            "AA310",
            "few words of the goal in the last responses (published rule)",
            Severity::info,
            0.2,
            Stage::preview,
            Scope::lane,
            kDrift,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<GoalKeywords>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
