#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/outcomes/measured_time.hpp"

#include <fmt/format.h>

#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/local-optimum";

constexpr std::string_view kDoc = R"(## What it finds
An agent that turns one screw: the same tool on the same file again and again within a few steps, each time a little
different, while the check in between keeps ending the same way.

## Why it matters
The cause is elsewhere. Nothing but stepping back helps, and that is what the agent does not do.

## Example
```
edit    retry.py (timeout 10 → 20)
check   test_retry → same failure
edit    retry.py (timeout 20 → 40)
check   test_retry → same failure
edit    retry.py (timeout 40 → 60)       …
```

## What is not flagged
- loops: where a `loop/*` rule describes the same steps, it speaks for this one
- edits of several files, or of one file with checks whose outcome changes. The time that something took is an outcome where
  it may not take so long
- a file that is written in many pieces without a failing check in between

## What to do
Go back to before the first of these edits and say what was already tried.

## When it is wrong
Tuning a number on purpose. Raise `warn`, or `--ignore drift/local-optimum`.
)";

struct Params {
    int window = 14;
    int warn = 5;
};

constexpr std::tuple kTable{
    Param<Params, int>{"window", &Params::window, 4, 1000, "steps among which the edits must lie"},
    Param<Params, int>{"warn", &Params::warn, 3, 1000,
                       "edits of one file between equal failing checks before a warning"},
};

class LocalOptimum final : public DriftDetector {
public:
    explicit LocalOptimum(Params params) : DriftDetector(DriftActs::calls), params_(params) {}

    void on_act(const DriftAct& act, const DriftView&) override {
        const Step& step = *act.step;
        if (edits_.open() && step.ordinal > last_edit_ + static_cast<std::uint64_t>(params_.window) / 2) close();
        // A command that only has to be tried again is no check that fails, unless it is the one that was tried.
        const bool transient =
            step.failed && step.tool_class == ToolClass::shell && step.error == ErrorClass::transient;
        if (transient && std::exchange(tried_, step.call) != step.call) return;
        if (step.failed && (step.tool_class == ToolClass::verify || step.tool_class == ToolClass::shell))
            return check(step);
        if (step.tool_class == ToolClass::verify) return close();  // it passed: the outcome changed
        if (step.tool_class != ToolClass::mutate || step.failed) return;
        const std::uint64_t file = step.touch.file;
        if (file == 0) return;
        if (edits_.open() && (file != file_ || step.tool != tool_)) close();
        file_ = file;
        tool_ = step.tool;
        last_edit_ = step.ordinal;
        edits_.add(step);
    }

    void on_human(const HumanTurn&, const DriftView&) override { close(); }
    void on_end(const DriftView&) override { close(); }

private:
    // An episode for places and cost, which counts edits apart. Most runs are of one edit, which is all that is kept of
    // them.
    struct Edits {
        Step first;
        Episode episode;
        std::uint64_t count = 0;
        bool open() const { return count > 0; }
        void add(const Step& step) {
            if (++count == 1) {
                first = step;
                return;
            }
            if (count == 2) episode.add(first);
            episode.add(step);
        }
        void reset() {
            if (count > 1) episode.reset();
            count = 0;
        }
    };

    void check(const Step& step) {
        if (!edits_.open()) {
            failure_ = step.error_key;
            return;
        }
        if (failure_ != 0 && (step.error_key != failure_ || best_time_.beaten_by(step.text.outcome().bytes))) close();
        failure_ = step.error_key;
        ++checks_;
    }

    void close() {
        failure_ = 0;
        if (!edits_.open() && checks_ == 0) return;
        if (edits_.count >= static_cast<std::uint64_t>(params_.warn) && checks_ + 1 >= edits_.count && checks_ >= 3) {
            DraftFinding draft = edits_.episode.draft(drift_local_optimum());
            Finding& f = draft.finding;
            f.severity = Severity::warning;
            f.repeats = edits_.count;
            f.message = fmt::format("one file was edited {} times ({}) while the check kept failing the same way",
                                    edits_.count, lines_words(f.first_line, f.last_line));
            f.action = "go back to before the first of these edits and say what was already tried";
            f.pattern_key = file_;
            f.because = {{"edits", std::to_string(edits_.count)}, {"equal_failures", std::to_string(checks_)}};
            report(std::move(draft));
        }
        edits_.reset();
        best_time_.reset();
        checks_ = 0;
    }

    Params params_;
    Edits edits_;
    BestTime best_time_;  // where the check is about time
    std::uint64_t file_ = 0, tool_ = 0, last_edit_ = 0, failure_ = 0, checks_ = 0;
    std::uint64_t tried_ = 0;  // the last command that only had to be tried again
};

}  // namespace

DetectorSpec drift_local_optimum() {
    return {kId,
            "AA308",
            "one file is edited again and again without a changed outcome",
            Severity::warning,
            0.7,
            Stage::stable,
            Scope::lane,
            kDrift | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<LocalOptimum>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
