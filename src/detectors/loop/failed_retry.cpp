#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/failed-retry";

constexpr std::string_view kDoc = R"(## What it finds
The same look at the same thing after every failed attempt: read, try, fail, read again, try, fail, read again. The look
is the same call with the same answer; the attempts may differ, as long as every one of them failed.

## Why it matters
Each attempt starts from the same knowledge as the one before it. Nothing that was read can explain why it failed, since
it was read before. The agent guesses, and pays for the reading each time.

## Example
```
Read `a.py`  → 40 lines
Edit `a.py`  → error: text not found
Read `a.py`  → the same 40 lines
Edit `a.py`  → error: text is not unique
Read `a.py`  → the same 40 lines
```

## What is not flagged
- an attempt that worked anywhere in between: then something changed
- another look or another successful call in between: then something was learnt
- a look whose answer changed
- failing tests and commands: they check an attempt, and other rules look at them
- one failure, one look, and a second attempt: that is how it should be

## What to do
Read the error, not the file again. Where the log keeps no outcomes, check that the change arrived at all.

## When it is wrong
A file that another program is rewriting while the agent waits for it. Raise `warn`, or `--ignore loop/failed-retry`.
)";

struct Params {
    int warn = 3;
    int fail = 5;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "equal looks with failed attempts between them before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

class FailedRetry final : public Detector {
public:
    explicit FailedRetry(Params params) : params_(params), window_(params.warn, params.within) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.failed) {
            if (!is_attempt(step)) return close();
            if (looks_ == 0 && !begin(lane.step(step.ordinal - 1), lane)) return;
            if (attempts_.size() == kMaxAttempts) return close();
            attempts_.push_back(step);
            return;
        }
        if (looks_ == 0) return;
        if (!is_look(step)) return close();
        const bool same = step.call == look_.call && step.out == look_.out && step.epoch == look_.epoch;
        if (same && attempts_.empty()) return;  // read twice in a row: not this rule's business
        if (!same) return close();
        grow(step);
    }

    std::uint16_t wakes() const override { return looks_ == 0 ? kOnFailure : kEveryStep; }
    void on_segment_end(const LaneTrack&) override { close(); }
    void finish(const LaneTrack*) override { close(); }

private:
    static constexpr std::size_t kMaxAttempts = 4;  // more failures in a row are a streak of errors

    // A red test is news about an attempt, not one.
    static bool is_attempt(const Step& step) {
        return step.tool_class == ToolClass::mutate || step.tool_class == ToolClass::other;
    }

    static bool is_look(const Step& step) {
        return !step.failed && !step.opaque &&
               (step.tool_class == ToolClass::read || step.tool_class == ToolClass::search);
    }

    // Looks are many, failures few: the first look is fetched when an attempt right after it has failed. Of the same
    // look several times in a row it is the first.
    bool begin(const Step* before, const LaneTrack& lane) {
        if (!before || before->ordinal < lane.segment_start() || !is_look(*before)) return false;
        for (const Step* s = lane.step(before->ordinal - 1); s && s->ordinal >= lane.segment_start();
             s = lane.step(s->ordinal - 1)) {
            if (!is_look(*s) || s->call != before->call || s->out != before->out || s->epoch != before->epoch) break;
            before = s;
        }
        grow(*before);
        return true;
    }

    // Failed attempts count once the look comes back: what follows the last look is another story.
    void grow(const Step& step) {
        for (const Step& attempt : attempts_) episode_.add(attempt);
        if (looks_ == 1) episode_.waste_from(step, &attempts_.back());
        failed_ += attempts_.size();
        attempts_.clear();
        episode_.add(step);
        window_.add(step);
        look_ = {step.call, step.out, step.epoch};
        ++looks_;
    }

    void close() {
        if (looks_ >= params_.warn && window_.met()) {
            const Step& last = episode_.last();
            const bool hard = looks_ >= params_.fail;
            report(episode_.draft(
                loop_failed_retry(),
                {.hard = hard,
                 .repeats = static_cast<std::uint64_t>(looks_),
                 .pattern = last.call,
                 .round = {step_words(last)},
                 .message = fmt::format("the same {} came {} times, with nothing but failed attempts between",
                                        last.text.tool(), looks_),
                 .action = "find out why the attempt fails before trying again: the file has not changed",
                 .because = {{"equal_looks", std::to_string(looks_)},
                             {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                             {"failed_attempts", std::to_string(failed_)}}}));
        }
        if (looks_ == 0) return;
        episode_.reset();
        window_.reset();
        attempts_.clear();
        looks_ = 0;
        failed_ = 0;
    }

    struct Look {
        std::uint64_t call = 0;
        std::uint64_t out = 0;
        std::uint32_t epoch = 0;
    };

    Params params_;
    Episode episode_;
    TimeWindow window_;
    Look look_;
    std::vector<Step> attempts_;
    int looks_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace

DetectorSpec loop_failed_retry() {
    return {kId,
            "AA122",
            "the same look after every failed attempt",
            Severity::error,
            0.85,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<FailedRetry>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
