#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/loop/plan_files.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/replanning";

constexpr std::string_view kDoc = R"(## What it finds
A plan or to-do list that is written again and again, in ever other words or orders, with no work in between and nothing
of it done. So is a file that holds a plan by its name (`PLAN.md`, `docs/roadmap.md`), where it is written as a whole.

## Why it matters
A plan costs a response each time and moves nothing. An agent that polishes its plan does not know how to begin.

## Example
```
TodoWrite  ☐ analyse the code  ☐ design the cache  ☐ write tests
TodoWrite  ☐ check the docs  ☐ analyse the code  ☐ design the cache
TodoWrite  ☐ refine the plan  ☐ check the docs  ☐ design the cache
…
```

## What is not flagged
- a plan in which more is done than in the one before it, or whose first item is gone: somebody works through it, be it in
  words
- any other call in between, a pause left out
- a plan file that is edited part by part, or written after anything else was read or done, and a plan file for each of
  many things
- a plan that a person has asked to be changed: a human message starts afresh
- the same plan to the letter, time after time (`loop/exact-repeat`)

## What to do
Ask for the first action: one file, one command. If the task is too vague for that, ask the person.

## When it is wrong
A session whose only task is to plan. Raise `warn` and `fail`, or `--ignore loop/replanning`.
)";

struct Params {
    int warn = 6;
    int fail = 10;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "plans in a row, without work in between and nothing more done, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
};

class Replanning final : public DriftDetector {
public:
    explicit Replanning(Params params) : DriftDetector(DriftActs::planned), params_(params) {}

    void on_act(const DriftAct& act, const DriftView&) override {
        if (!act.step || act.step->tool_class == ToolClass::wait) return;
        if (act.step->tool_class != ToolClass::note) return close(act.step->good_steps);
        repeats_ += act.step->revisit;
    }

    void on_plan(const PlanUpdate& plan, const DriftView&) override {
        if (advances(plan.items)) close(kNeverLeft);
        items_ = plan.items;
        if (!plans_.open()) first_item_ = items_.empty() ? 0 : items_.front().id;
        count_ += !plans_.open() || plan.turn != turn_;  // several of one response are one
        turn_ = plan.turn;
        plans_.add_place(plan.at, "plan", plan.items.empty() ? std::string("an empty plan") : plan.items.front().text);
    }

    // Beside the list that a tool keeps, a plan may stand in a file.
    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.failed || step.tool_class != ToolClass::mutate) return;
        files_.changed(step, lane, [this](const auto& row) { tell(row); });
    }
    std::uint16_t wakes() const override { return kOnMutation; }

    void on_human(const HumanTurn&, const DriftView&) override {
        files_.end([this](const auto& row) { tell(row); });
        close(kNeverLeft);
        items_.clear();
    }
    void on_end(const DriftView&) override {
        files_.end([this](const auto& row) { tell(row); });
        close(kNeverLeft);
    }

private:
    // So many steps that got somewhere lie behind no plan.
    static constexpr std::uint64_t kNeverLeft = std::uint64_t{1} << 62;

    static auto in_state(const std::vector<PlanItem>& items, PlanItem::State state) {
        return std::ranges::count(items, state, &PlanItem::state);
    }

    // More is done than before, or the first item was taken off the list.
    bool advances(const std::vector<PlanItem>& items) const {
        if (in_state(items, PlanItem::State::done) > in_state(items_, PlanItem::State::done)) return true;
        return items.size() < items_.size() &&
               std::ranges::equal(items, std::span(items_).last(items.size()), {}, &PlanItem::id, &PlanItem::id);
    }

    /// `good_steps`: of the lane where work begins at last.
    void close(std::uint64_t good_steps) {
        // What is written to the letter, time after time, is a repeated call.
        if (count_ >= params_.warn && 2 * repeats_ < count_) tell(good_steps);
        count_ = repeats_ = 0;
        plans_.reset();
    }

    void tell(std::uint64_t good_steps) {
        const bool hard = count_ >= params_.fail;
        DraftFinding draft =
            plans_.draft(loop_replanning(), hard ? Severity::error : Severity::warning, loop_replanning().confidence);
        Finding& f = draft.finding;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(count_);
        f.round = {"writes a plan"};
        f.pattern_key = mix_hash(stable_hash(kId), first_item_);
        f.message = fmt::format("a plan was written {} times with no work in between and nothing more done ({})",
                                count_, lines_words(f.first_line, f.last_line));
        f.action = "ask for the first action instead of another plan";
        f.because = {{"plans_in_a_row", std::to_string(count_)},
                     {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                     {"items_done", std::to_string(in_state(items_, PlanItem::State::done))}};
        draft.good_steps_at_end = good_steps;
        report(std::move(draft));
    }

    void tell(const PlanFiles::Row& row) {
        if (row.writes < params_.warn) return;
        const Episode& e = row.episode;
        report(e.draft(loop_replanning(),
                       {.doubtful = true,
                        .repeats = static_cast<std::uint64_t>(row.writes),
                        .pattern = mix_hash(stable_hash(kId), e.last().touch.file),
                        .round = {step_words(e.last())},
                        .message = fmt::format(
                            "files that hold a plan were written {} times with nothing done in between", row.writes),
                        .action = "ask for the first action instead of another plan",
                        .because = {{"plans_in_a_row", std::to_string(row.writes)},
                                    {"threshold", std::to_string(params_.warn)}}}));
    }

    Params params_;
    PlanFiles files_;
    int count_ = 0;
    int repeats_ = 0;              // of them, those that repeat one to the letter
    std::vector<PlanItem> items_;  // of the latest plan
    std::uint64_t turn_ = 0, first_item_ = 0;
    Departure plans_;
};

}  // namespace

DetectorSpec loop_replanning() {
    return {kId,
            "AA125",
            "a plan that is written again and again, with nothing done",
            Severity::error,
            0.75,
            Stage::stable,
            Scope::lane,
            kDrift | kSteps | kFiles,
            signals(Signal::tool_calls),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Replanning>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
