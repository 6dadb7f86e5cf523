#include "detectors/all.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/screen.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/revisit-ratio";

constexpr std::string_view kDoc = R"(## What it finds
A stretch of 40 steps of which nearly half brought back what was already known: the same call with the same outcome,
with nothing changed since.

## Why it matters
Long or irregular rounds never repeat cleanly: an extra look here, a step left out there. The share of known answers
shows them all the same.

## Example
```
40 steps, 25 of which gave an answer that an equal call had given before, with no edit in between
```

## What is not flagged
- a repeat after a real change, and anything a human asked for again
- polls and pauses, and errors of the class `transient` (timeouts, rate limits, nobody answers yet)
- what is done behind each new thing and did well, every sixth step or more often: `pwd`, `git add`, the messages of a page
- the same way gone again between new deeds (pick up a block, go to the bin)
- an answer that was another one the last time: a game goes on
- keys, scrolls and other acts on a screen whose answer only says that they were done
- fewer than 14 repeats in the stretch

## What to do
Look at what was asked more than once. Often the context is too small for what the task needs, and the agent reads the
same files again and again.

## When it is wrong
Read-only work that goes over the same ground on purpose. Raise `warn` and `fail`, or `--ignore loop/revisit-ratio`.
)";

constexpr int kWindow = 40;

struct Params {
    double warn = 0.45;
    double fail = 0.6;
    int min_warn = 14;
    int min_fail = 24;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, double>{"warn", &Params::warn, 0.05, 1, "share of repeats in the last 40 steps before a warning"},
    Param<Params, double>{"fail", &Params::fail, 0.05, 1, "the same before an error"},
    Param<Params, int>{"min-warn", &Params::min_warn, 2, kWindow, "repeats that must be among them for a warning"},
    Param<Params, int>{"min-fail", &Params::min_fail, 2, kWindow, "the same for an error"},
    within_param<Params>(),
};

class RevisitRatio final : public Detector {
public:
    explicit RevisitRatio(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.tool_class == ToolClass::poll) return;
        known_ = (known_ << 1 | (is_repeat(step, lane) ? 1U : 0U)) & kAll;
        if (size_ < kWindow) ++size_;
        if (known_ == 0 && !episode_.is_open()) return;
        const int repeats = std::popcount(known_);
        const double share = static_cast<double>(repeats) / size_;
        if (episode_.is_open() && share < params_.warn) return close();
        if ((known_ & 1) == 0 || repeats < params_.min_warn || share < params_.warn) return;
        if (!episode_.is_open() && !within(lane, step, static_cast<std::uint64_t>(size_), params_.within)) return;
        if (episode_.is_open())
            episode_.add(step);
        else
            open(step, lane);
        if (share > worst_) worst_ = share;
        if (share >= params_.fail && repeats >= params_.min_fail) hard_ = true;
        ++repeats_;
    }

    void on_segment_end(const LaneTrack&) override { reset(); }
    void finish(const LaneTrack*) override { close(); }

private:
    static constexpr std::uint64_t kRound = 6;  // steps in which a habit comes back
    static constexpr std::uint64_t kAll = (1ULL << kWindow) - 1;

    static bool is_repeat(const Step& step, const LaneTrack& lane) {
        return step.revisit && !moves_on(step, lane) && !is_screen_act(step) && !is_way_back(step, lane) &&
               !is_habit(step, lane) && !follows_another_setting(step, lane);
    }

    // What is done behind each new thing, and did well: a page is looked at and its messages are read, a conflict is
    // solved and the file is added. Whether that is too much of one call is for loop/interleaved-repeat to say. What is
    // read again was forgotten, and is no habit.
    static bool is_habit(const Step& step, const LaneTrack& lane) {
        if (step.failed) return false;
        const bool looks = is_look_round(step);
        const bool reads = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
        if ((reads && !looks) || !follows_news(step, looks, lane)) return false;
        for (std::uint64_t back = 2; back <= kRound && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            if (before && before->call == step.call) return true;
        }
        return false;
    }

    // Looks at where one is come several in a row, or behind a plan that is read again.
    static bool follows_news(const Step& step, bool looks, const LaneTrack& lane) {
        constexpr std::uint64_t kLooks = 3;
        for (std::uint64_t back = 1; back <= kLooks && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            if (!before || before->opaque) return false;
            if (!before->revisit) return true;
            if (!looks || before->failed) return false;
        }
        return false;
    }

    // The last time the same call had another answer: the cards are dealt anew. What goes away by itself is tried until
    // it does.
    static bool moves_on(const Step& step, const LaneTrack& lane) {
        if (step.failed && step.error == ErrorClass::transient) return true;
        for (std::uint64_t back = 1; back <= kWindow && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            if (!before) return false;
            if (before->call == step.call) return before->out != step.out;
        }
        return false;
    }

    // The repeats of the window and the steps that they repeat, which may lie before it.
    void open(const Step& step, const LaneTrack& lane) {
        const std::uint64_t reach = std::min<std::uint64_t>(step.ordinal, 2 * kWindow);
        const std::uint64_t oldest = std::max(lane.segment_start(), step.ordinal + 1 - reach);
        const std::uint64_t window = step.ordinal + 1 - std::min<std::uint64_t>(step.ordinal, kWindow);
        std::vector<std::uint64_t> places;
        repeats_ = -1;  // this step is counted by the caller
        std::uint64_t first_repeat = 0;
        for (std::uint64_t at = oldest; at <= step.ordinal; ++at) {
            const Step* s = lane.step(at);
            if (!s) continue;
            const bool repeat = at >= window && s->tool_class != ToolClass::poll && is_repeat(*s, lane);
            if (repeat && first_repeat == 0) first_repeat = at;
            repeats_ += repeat;
            const bool original = first_repeat == 0 && comes_back(*s, step.ordinal, std::max(at + 1, window), lane);
            if (repeat || original) places.push_back(at);
        }
        if (const Step* first = lane.step(first_repeat)) episode_.waste_from(*first, lane.step(first_repeat - 1));
        for (const std::uint64_t at : places) episode_.add(*lane.step(at));
    }

    static bool comes_back(const Step& s, std::uint64_t to, std::uint64_t from, const LaneTrack& lane) {
        for (std::uint64_t at = from; at <= to; ++at) {
            const Step* later = lane.step(at);
            if (later && later->revisit && later->call == s.call && later->out == s.out) return true;
        }
        return false;
    }

    void close() {
        if (!episode_.is_open()) return;
        report(episode_.draft(
            loop_revisit_ratio(),
            {.hard = hard_,
             .repeats = static_cast<std::uint64_t>(repeats_),
             .pattern = 6,
             .message = fmt::format("{} steps gave an answer that was known already, at worst {:.0f} % of a stretch",
                                    repeats_, worst_ * 100),
             .action = "find out what is asked for again and again, and keep the answer where the agent sees it",
             .because = {{"repeats", std::to_string(repeats_)},
                         {"share", fmt::format("{:.2f}", worst_)},
                         {"threshold", fmt::format("{:.2f}", hard_ ? params_.fail : params_.warn)}}}));
        episode_.reset();
        hard_ = false;
        worst_ = 0;
        repeats_ = 0;
    }

    void reset() {
        close();
        known_ = 0;
        size_ = 0;
    }

    Params params_;
    Episode episode_;
    std::uint64_t known_ = 0;  // one bit for each of the last 40 steps
    int size_ = 0;
    std::int64_t repeats_ = 0;
    double worst_ = 0;
    bool hard_ = false;
};

}  // namespace

DetectorSpec loop_revisit_ratio() {
    return {kId,
            "AA114",
            "a stretch in which too many answers were known already",
            Severity::error,
            0.6,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<RevisitRatio>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
