#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <array>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/repeated-state";

constexpr std::string_view kDoc = R"(## What it finds
The agent comes back to a state in which it was before, again and again: same directory, same content in the files it
edits, same last two outcomes. In between it did change files or go elsewhere, and undid that.

## Why it matters
Rules that take every edit for progress are blind to work that is done and undone. Where the whole state is one that was
met before, the edits in between led nowhere.

## Example
```
Edit 3 → 4 · test (2 failing) · Edit 4 → 3 · test (1 failing) · Edit 3 → 4 · test (2 failing) · …
```

## What is not flagged
- a single new state in between: the count starts again
- states without a change of files or directory in between (`loop/cycle`, `loop/interleaved-repeat`)
- trying several different changes from one starting point: each of them is a new state

## What to do
Name the two states and what speaks for each; let the user decide.

## When it is wrong
Changes made by commands leave no trace in the state. Raise `warn` and `fail`, or `--ignore loop/repeated-state`.
)";

struct Params {
    int warn = 3;
    int fail = 5;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 60, "visits to one state before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 60, "the same before an error"},
    within_param<Params>(),
};

class RepeatedState final : public Detector {
public:
    explicit RepeatedState(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        const bool moved = lane.place() != place_;
        place_ = lane.place();
        was_moved_ = was_moved_ || (moved && last_ != 0);
        // States differ as long as nothing moved only by what loop/cycle and its like look at.
        const bool known = was_moved_ && !step.opaque && met(step.state);
        last_ = step.ordinal % ring_.size();
        ring_[last_] = step.opaque ? 0 : step.state;
        if (!known) return close();
        if (!episode_.is_open() && !open(step, lane)) return;
        changes_ += moved;
        episode_.add(step);
        // The state the stretch of known states began with is the one whose visits are counted.
        if (step.state == anchor_) {
            ++visits_;
            if (visits_ == params_.warn) in_time_ = within(episode_.first(), step, params_.within);
        }
    }

    void on_segment_end(const LaneTrack&) override {
        close();
        ring_.fill(0);
        was_moved_ = false;
    }
    void finish(const LaneTrack*) override { close(); }

private:
    bool met(std::uint64_t state) const {
        bool any = false;
        for (const std::uint64_t known : ring_) any |= known == state;
        return any;
    }

    bool open(const Step& step, const LaneTrack& lane) {
        for (std::uint64_t at = step.ordinal - 1; at > 0; --at) {
            const Step* s = lane.step(at);
            if (!s) return false;
            if (s->state != step.state || s->opaque) continue;
            episode_.waste_from(step, lane.step(step.ordinal - 1));
            episode_.add(*s);
            anchor_ = step.state;
            visits_ = 1;
            changes_ = 0;
            return true;
        }
        return false;
    }

    void close() {
        if (!episode_.is_open()) return;
        // There and back for every visit after the first.
        if (visits_ >= params_.warn && changes_ >= 2 * (visits_ - 2) && changes_ >= 2 && in_time_) say();
        episode_.reset();
        in_time_ = false;
    }

    void say() {
        const bool hard = visits_ >= params_.fail;
        report(episode_.draft(
            loop_repeated_state(),
            {.hard = hard,
             .repeats = static_cast<std::uint64_t>(visits_),
             .pattern = 8,
             .round = {step_words(episode_.first())},
             .message = fmt::format("the same state of files and outcomes was reached {} times", visits_),
             .action = "decide between the states instead of going back and forth",
             .because = {{"visits", std::to_string(visits_)},
                         {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                         {"changes_in_between", std::to_string(changes_)}}}));
    }

    Params params_;
    Episode episode_;
    std::array<std::uint64_t, LaneTrack::kHistory> ring_{};  // states of the last steps
    std::size_t last_ = 0;
    std::uint64_t place_ = 0;
    bool was_moved_ = false;
    std::uint64_t anchor_ = 0;
    int visits_ = 0;
    int changes_ = 0;
    bool in_time_ = false;
};

}  // namespace

DetectorSpec loop_repeated_state() {
    return {kId,
            "AA119",
            "the same state of files and outcomes, reached again and again",
            Severity::error,
            0.7,
            Stage::preview,
            Scope::lane,
            kSteps | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<RepeatedState>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
