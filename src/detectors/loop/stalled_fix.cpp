#include "detectors/all.hpp"
#include "detectors/engine/answers.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/stalled-fix";

constexpr std::string_view kDoc = R"(## What it finds
A test, a build, a lint or any other command that fails with the same outcome after one real change after the other.

## Why it matters
The edits change files and nothing that can be observed: they are made in the wrong place, in code that is not run, or
against a cause that is elsewhere.

## Example
```
Edit `retry.ts` → Bash `npm test` (1 failing) → Edit `retry.ts` → Bash `npm test` (1 failing) → …
```

## What is not flagged
- a failure that says anything else than before: fewer failing tests are progress; how far the build came, what it
  compiled and what it took from its cache says nothing of the failure
- the same error further down in its file than the edits can have moved it: it is the next one of its kind
- a run without a real change before it (`loop/exact-repeat`, `loop/interleaved-repeat`)
- fewer than four equal failures, and successes however often they come
- commands that are no check and say nothing of a failure: a search without a hit, a server that is not up yet

## What to do
Find out first whether the changed code is run at all. Then one change with a prediction of what the test will say.

## When it is wrong
A long change that can only pass at its end. Raise `warn` and `fail`, or `--ignore loop/stalled-fix`.
)";

struct Params {
    int warn = 4;
    int fail = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "equal failures, each after another change, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

class StalledFix final : public Detector {
public:
    explicit StalledFix(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.opaque || (step.tool_class != ToolClass::verify && !judges(step))) return;
        const auto known = std::ranges::find(checks_, step.call, &Check::call);
        if (known != checks_.end() && step.failed && known->out == step.out) return grow(*known, step, lane);
        if (known != checks_.end()) end(known);
        if (step.failed) begin(step);
    }

    std::uint16_t wakes() const override { return kOnCheck; }
    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static constexpr std::size_t kMaxChecks = 16;

    // A command of any kind that says what is wrong. That nothing was found, or nobody answers yet, is no verdict.
    static bool judges(const Step& step) {
        if (step.tool_class != ToolClass::shell) return false;
        if (!step.failed) return true;
        const std::string_view said = step.text.outcome().bytes;
        const bool crashed = said.find("Traceback (most recent call last)") != said.npos;  // what went wrong stands at its end
        return step.error != ErrorClass::transient && (crashed || says_refusal(said)) && said.find("o such") == said.npos;
    }

    struct Check {
        explicit Check(const Params& params) : time(params.warn, params.within) {}

        std::uint64_t call = 0;
        std::uint64_t out = 0;
        int failures = 1;  // each after another change
        Episode episode;
        TimeWindow time;
    };

    void begin(const Step& step) {
        if (checks_.size() >= kMaxChecks) end(checks_.begin());
        Check& check = checks_.emplace_back(params_);
        check.call = step.call;
        check.out = step.out;
        check.time.add(step);
        check.episode.add(step);
    }

    static void grow(Check& check, const Step& step, const LaneTrack& lane) {
        if (step.epoch != check.episode.last().epoch) {
            if (++check.failures == 2) check.episode.waste_from(step, lane.step(step.ordinal - 1));
            check.time.add(step);
        }
        check.episode.add(step);
    }

    void end(std::vector<Check>::iterator check) {
        close(*check);
        checks_.erase(check);
    }

    void close_all() {
        for (const Check& check : checks_) close(check);
        checks_.clear();
    }

    void close(const Check& check) {
        if (check.failures < params_.warn || !check.time.met()) return;
        const Episode& e = check.episode;
        const bool hard = check.failures >= params_.fail;
        report(e.draft(loop_stalled_fix(),
                       {.hard = hard,
                        .repeats = static_cast<std::uint64_t>(check.failures),
                        .pattern = mix_hash(check.call, 5),
                        .round = {step_words(e.last())},
                        .message = fmt::format("a {} with {} failed alike {} times, each time after another change",
                                               e.last().tool_class == ToolClass::verify ? "check" : "command",
                                               e.last().text.tool(), check.failures),
                        .action = "check that the changed code is run at all before the next edit",
                        .because = {{"equal_failures_after_a_change", std::to_string(check.failures)},
                                    {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                                    {"new_mutations_in_between", std::to_string(e.last().epoch - e.first().epoch)},
                                    {"outcome", outcome_words(e.last())}}}));
    }

    Params params_;
    std::vector<Check> checks_;
};

}  // namespace

DetectorSpec loop_stalled_fix() {
    return {kId,
            "AA109",
            "a check that fails alike after one change after the other",
            Severity::error,
            0.75,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<StalledFix>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
