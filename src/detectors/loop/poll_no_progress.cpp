#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/loop/longer_pauses.hpp"
#include "detectors/outcomes/answers.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/poll-no-progress";

constexpr std::string_view kDoc = R"(## What it finds
The agent asks again and again how something is going (a background command, a CI run, a queue) and the answer never
changes. So does one that waits for a sub-agent, again and again, and is told each time that nothing has come.

## Why it matters
Waiting is legitimate, and most loop guards stop it too early. But each look costs a request with the whole context; a
poll that got the same answer 24 times is waiting for something that will not come, or should wait in one longer pause.

## Example
```
BashOutput `job 3` → still running, no new output   (26 times)
```

## What is not flagged
- any change in the answer, however small: the count starts again
- fewer than eight equal answers
- the pauses in between, however long they are
- looks each of which came after a pause half as long again as any before (10 s, 20 s, 40 s …): that is how one backs
  off. Only the others of the row count, and all do where the answer is an error that is not known to go away
- two dozen waits for a sub-agent, a message or a timer that all ended in the same way, and sixteen pauses in a row: only
  what follows counts, and of pauses twice as many are an error
- as more than an info, fewer looks than an error takes where a person said to wait for it ("wait until Noor approves it")
- as an error, what came at last: the same look had another answer

## What to do
Let the agent wait once with a timeout instead of polling, or check why the job is stuck.

## When it is wrong
Jobs that are silent for long. Raise `warn` and `fail`, or `--ignore loop/poll-no-progress`.
)";

struct Params {
    int warn = 8;
    int fail = 24;
    int lasting_warn = 8;
    int lasting_fail = 12;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 10'000, "equal answers in a row before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 100'000, "equal answers in a row before an error"},
    Param<Params, int>{"lasting-warn", &Params::lasting_warn, 2, 10'000,
                       "warn when the answer is an error that no wait helps against: no access, bad arguments"},
    Param<Params, int>{"lasting-fail", &Params::lasting_fail, 2, 100'000, "fail in that case"},
    within_param<Params>(),
};

class PollNoProgress final : public Detector {
public:
    explicit PollNoProgress(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        const std::uint64_t run = lane.runs().run(1) + 1;
        if (episode_.is_open() && run == 1) {
            // It was waited for, and it came.
            came_ = step.call == episode_.last().call && !step.failed && !step.opaque;
            close();
        }
        if (step.tool_class != ToolClass::poll || step.opaque) return;
        const auto warn = static_cast<std::uint64_t>(counts_for(step).warn);
        const Step* before = run > 1 ? lane.step(step.ordinal - 1) : nullptr;
        if (before) longer_ = pauses_.see(*before, step, run);
        if (run < warn || (before && run < warn + longer_)) return;
        if (episode_.is_open())
            episode_.add(step);
        else if (within(lane, step, warn, params_.within))
            episode_.open_rounds(lane, step, run, 1);
    }

    std::uint16_t wakes() const override { return episode_.is_open() ? kEveryStep : kOnPoll; }
    void on_segment_end(const LaneTrack&) override { close(); }
    void finish(const LaneTrack*) override { close(); }

private:
    struct Counts {
        int warn = 0, fail = 0;
    };

    // What is not there may come; that one may not do something stays so, however long one sleeps in between.
    // Who only sleeps may have been told to: twice as many are an error.
    Counts counts_for(const Step& step) const {
        if (step.work_class == ToolClass::wait) return {params_.warn, 2 * params_.fail};
        const bool lasts = step.error == ErrorClass::persistent || step.error == ErrorClass::user_denied;
        if (!step.failed || !lasts || says_missing(step.text.outcome())) return {params_.warn, params_.fail};
        return {params_.lasting_warn, params_.lasting_fail};
    }

    void close() {
        if (!episode_.is_open()) return;
        const Step& last = episode_.last();
        const std::uint64_t polls = episode_.steps();
        const Counts counts = counts_for(last);
        const bool hard = polls >= static_cast<std::uint64_t>(counts.fail) + longer_ && !came_;
        report(episode_.draft(
            loop_poll_no_progress(),
            {.hard = hard,
             .period = 1,
             .repeats = polls,
             .pattern = mix_hash(last.call, 2),
             .round = {step_words(last)},
             .message = fmt::format("{} was polled {} times in a row without any change", last.text.tool(), polls),
             .action = "wait once with a timeout instead of polling, and check whether the job is stuck",
             .because = {{"equal_answers_in_a_row", std::to_string(polls)},
                         {"threshold", std::to_string(hard ? counts.fail : counts.warn)},
                         {"outcome", outcome_words(last)}}}));
        episode_.reset();
        came_ = false;
    }

    Params params_;
    LongerPauses pauses_;
    std::uint64_t longer_ = 0;  // of the row, looks after a longer pause
    bool came_ = false;         // the same look had another answer at last
    Episode episode_;
};

}  // namespace

DetectorSpec loop_poll_no_progress() {
    return {kId,
            "AA103",
            "waiting for something whose state never changes",
            Severity::error,
            0.8,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<PollNoProgress>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
