#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/post-compaction-loop";

constexpr std::string_view kDoc = R"(## What it finds
After its context was compacted, the agent does again what it had done before, with the same outcomes, or begins with
one call three times over.

## Why it matters
The summary lost what had been tried. Each compaction then starts the same work anew, and a guard that counts from there
never sees more than a few repeats.

## Example
```
Bash `npm test` (1 failing) → Edit (no match) → Bash `npx jest` (not found) → compaction
→ Bash `npm test` (1 failing) → Edit (no match) → Bash `npx jest` (not found)
```

## What is not flagged
- files that are read or searched once more: the compaction took them out of the context. When it happens a second time
  it counts
- repeats after a real change, polls and pauses
- edits that replace the same text by the same once more, and do: it stood in another place
- repeats that begin more than 30 steps after the compaction

## What to do
Write what was tried and what it said into the summary, or into a file that is read again at the start.

## When it is wrong
The harness asked for a fresh start. Raise `warn` and `fail`, or `--ignore loop/post-compaction-loop`.
)";

constexpr std::uint64_t kAfter = 30;   // steps looked at after a compaction
constexpr std::uint64_t kBefore = 90;  // and before it; together they are still kept by the lane

struct Params {
    int warn = 3;
    int fail = 6;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, kAfter, "steps done again after a compaction before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, kAfter, "the same before an error"},
    within_param<Params>(),
};

class PostCompactionLoop final : public Detector {
public:
    explicit PostCompactionLoop(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.compactions != compactions_) {
            close(lane);
            compactions_ = step.compactions;
            start_ = step.ordinal;
        }
        if (start_ == 0) return;
        if (step.ordinal >= start_ + kAfter) return close(lane);
        if (!step.revisit || step.tool_class == ToolClass::poll || replaced(step)) return;
        const bool tripled = step.ordinal == start_ + 2 && lane.runs().run(1) >= 2;
        if (tripled || done_before(step, lane)) note(step, tripled);
    }

    std::uint16_t wakes() const override { return kAfterCompaction; }
    void on_segment_end(const LaneTrack& lane) override { close(lane); }
    void finish(const LaneTrack* lane) override {
        if (lane) close(*lane);
    }

private:
    // An edit finds its old text once more where that stood in another place, too; what puts it back is an edit as
    // well, and another rule's.
    static bool replaced(const Step& step) {
        return step.tool_class == ToolClass::mutate && !step.failed && step.touch.before != 0 && !step.touch.whole_file;
    }

    // What only looks must have been asked for again before: the first time, the compaction is the reason.
    bool done_before(const Step& step, const LaneTrack& lane) const {
        const bool looks = !step.failed && (step.tool_class == ToolClass::read || step.tool_class == ToolClass::search);
        int times = 0;
        for (std::uint64_t at = oldest(lane); at < start_; ++at) times += equal(lane.step(at), step);
        return times >= (looks ? 2 : 1);
    }

    std::uint64_t oldest(const LaneTrack& lane) const {
        return std::max(lane.segment_start(), start_ > kBefore ? start_ - kBefore : 1);
    }

    static bool equal(const Step* a, const Step& b) { return a && !a->opaque && a->call == b.call && a->out == b.out; }

    void note(const Step& step, bool tripled) {
        if (tripled) {
            again_ = {start_, start_ + 1, start_ + 2};
        } else {
            again_.push_back(step.ordinal);
        }
    }

    void close(const LaneTrack& lane) {
        if (again_.size() >= static_cast<std::size_t>(params_.warn)) say(lane);
        again_.clear();
        start_ = 0;
    }

    void say(const LaneTrack& lane) {
        const Step* in_time = lane.step(again_[static_cast<std::size_t>(params_.warn) - 1]);
        const Step* first_again = lane.step(again_.front());
        if (!first_again || !in_time || !within(*first_again, *in_time, params_.within)) return;
        Episode episode;
        episode.waste_from(*first_again, lane.step(start_ - 1));
        std::uint64_t before = 0;
        for (std::uint64_t at = oldest(lane); at < start_; ++at) {
            const Step* known = lane.step(at);
            const bool comes_back = known && std::ranges::any_of(again_, [&](std::uint64_t later) {
                                        const Step* s = lane.step(later);
                                        return s && equal(known, *s);
                                    });
            if (!comes_back) continue;
            ++before;
            episode.add(*known);
        }
        std::vector<std::string> round;
        for (const std::uint64_t at : again_) {
            const Step* s = lane.step(at);
            if (!s) continue;
            episode.add(*s);
            if (round.size() < 8) round.push_back(step_words(*s));
        }
        const bool hard = again_.size() >= static_cast<std::size_t>(params_.fail);
        report(episode.draft(
            loop_post_compaction_loop(),
            {.hard = hard,
             .repeats = again_.size(),
             .pattern = mix_hash(first_again->call, 7),
             .round = std::move(round),
             .message =
                 fmt::format("after a compaction {} steps were done again with the same outcomes", again_.size()),
             .action = "keep what was tried in the summary, or in a file that is read after a compaction",
             .because = {{"steps_done_again", std::to_string(again_.size())},
                         {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                         {"equal_steps_before", std::to_string(before)},
                         {"steps_looked_at", std::to_string(kAfter)}}}));
    }

    Params params_;
    std::vector<std::uint64_t> again_;  // ordinals
    std::uint64_t start_ = 0;           // first step after the compaction; 0 = not looking
    std::uint32_t compactions_ = 0;
};

}  // namespace

DetectorSpec loop_post_compaction_loop() {
    return {kId,
            "AA118",
            "after a compaction the agent does again what it had done before",
            Severity::error,
            0.75,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results | signals(Signal::compaction),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<PostCompactionLoop>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
