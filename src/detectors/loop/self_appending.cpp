#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/self-appending";

constexpr std::string_view kDoc = R"(## What it finds
Shell commands that grow by themselves: each begins with the whole of the one before it, and most of the words that are
added occur in it already. The agent copies its last command and appends another piece of it.

## Why it matters
No two of these calls are equal, so nothing that compares calls sees them. They grow until the command line is full, and
every one runs all that the ones before it ran.

## Example
```
Bash `cd build && make check`
Bash `cd build && make check && make check`
Bash `cd build && make check && make check && make check`
```

## What is not flagged
- a pipeline that is built up step by step: what is added are new words
- a list of files or names that gets longer: none of what is added stands there already
- short commands (`ls`, `git diff`), which begin many others
- a command that is only repeated (see `loop/exact-repeat`)

## What to do
Run the first of the commands by itself and look at its answer.

## When it is wrong
A list of like arguments that is extended one by one on purpose. Raise `warn` and `fail`, or
`--ignore loop/self-appending`.
)";

struct Params {
    int warn = 4;
    int fail = 8;
    int known = 60;
    int min_base = 20;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 3, 1000, "commands, the first included, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 3, 10'000, "the same before an error"},
    Param<Params, int>{"known", &Params::known, 1, 100,
                       "percent of the appended words that must occur in the command before"},
    Param<Params, int>{"min-base", &Params::min_base, 8, 10'000, "bytes that the command before must have"},
    Param<Params, int>{"within", &Params::within, 0, 10'000'000,
                       "seconds of recorded time within which they must lie; 0 = any time"},
};

class SelfAppending final : public Detector {
public:
    explicit SelfAppending(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.command_bytes == 0) return;
        if (!grows(step) || (episode_.is_open() && !within(episode_.first(), step, params_.within))) {
            close();
        } else {
            grow(step, lane);
        }
        before_ = step.ordinal;
    }

    std::uint16_t wakes() const override { return kOnCommand; }
    void on_segment_end(const LaneTrack&) override {
        close();
        before_ = 0;
    }
    void finish(const LaneTrack*) override { close(); }

private:
    bool grows(const Step& step) const {
        return step.grown_from >= static_cast<std::uint32_t>(params_.min_base) && step.known_words >= params_.known;
    }

    void grow(const Step& step, const LaneTrack& lane) {
        if (!episode_.is_open()) {
            // The command before may have been no evidence: rejected, or a pause.
            const Step* base = lane.step(before_);
            if (!base || base->command_bytes != step.grown_from) base = nullptr;
            if (base) count(*base);
            episode_.waste_from(step, base);
        }
        count(step);
    }

    // Commands of one response are one mistake.
    void count(const Step& step) {
        if (!episode_.is_open() || step.response != episode_.last().response) ++commands_;
        episode_.add(step);
    }

    void close() {
        if (commands_ >= params_.warn) tell();
        episode_.reset();
        commands_ = 0;
    }

    void tell() {
        DraftFinding draft = episode_.draft(loop_self_appending());
        Finding& f = draft.finding;
        const bool failing = commands_ >= params_.fail;
        f.severity = failing ? Severity::error : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(commands_);
        f.round = {step_words(episode_.first())};
        f.pattern_key = mix_hash(episode_.first().call, episode_.first().tool);
        f.message = fmt::format("{} commands in a row were each the one before with more of itself appended ({})",
                                commands_, lines_words(f.first_line, f.last_line));
        f.action = "run the first command by itself and read its answer";
        f.because = {{"commands", std::to_string(commands_)},
                     {"threshold", std::to_string(failing ? params_.fail : params_.warn)},
                     {"bytes_first", std::to_string(episode_.first().command_bytes)},
                     {"bytes_last", std::to_string(episode_.last().command_bytes)},
                     {"known_words_percent", std::to_string(episode_.last().known_words)}};
        report(std::move(draft));
    }

    Params params_;
    Episode episode_;
    std::uint64_t before_ = 0;
    int commands_ = 0;
};

}  // namespace

DetectorSpec loop_self_appending() {
    return {kId,
            "AA113",
            "a command that grows by more of itself each time",
            Severity::error,
            0.9,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signals{} | Signal::tool_calls,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<SelfAppending>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
