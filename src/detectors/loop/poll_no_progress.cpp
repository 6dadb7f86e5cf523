#include "detectors/all.hpp"
#include "detectors/commands/command_state.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/loop/dead_waits.hpp"
#include "detectors/loop/longer_pauses.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome_words.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/poll-no-progress";

constexpr std::string_view kDoc = R"(## What it finds
The agent asks again and again how something is going (a background command, a CI run, a queue) and the answer never
changes. So does one that waits for a sub-agent, again and again, and is told each time that nothing has come. Looks in several
forms are a warning from eight on: a log that ends with the same line however much of it is read ("Killed"), a port where nobody
answers whichever way it is asked, a job that stands still in its short and in its long form.

## Why it matters
Waiting is legitimate, and most loop guards stop it too early. But each look costs a request with the whole context; a
poll that got the same answer 24 times is waiting for something that will not come, or should wait in one longer pause.

## Example
```
BashOutput `job 3` → still running, no new output   (26 times)
```

## What is not flagged
- any change in the answer, however small: the count starts again; so does a change of a file
- fewer than eight equal answers, and twice as many more as other steps lie between the looks, at most two at a time: who works
  while something runs is not waiting
- looks in several forms, fewer than an error takes, when what is waited for comes at last: another line of the log, an answer
- the pauses in between, however long they are
- looks each of which came after a pause half as long again as any before (10 s, 20 s, 40 s …): that is how one backs
  off. Only the others of the row count, and all do where the answer is an error that is not known to go away
- two dozen waits for a sub-agent, a message or a timer that all ended in the same way, and sixteen pauses in a row: only
  what follows counts, and of pauses twice as many are an error
- as more than an info, fewer looks than an error takes where a person said to wait for it ("wait until Noor approves it", "tell
  me when the shares are back", "don't submit before you see it", "it may take 20 minutes") or to try until it works
- as more than an info, a program that asks as often as a person said, and is given the same key each time ("14 questions, answer
  y to all")
- fewer than twice as many looks where the same look said something else before, and both did well: a job that was queued and runs now
- as an error, what came at last: the same look had another answer. With pauses of ten seconds and more it is an info, below twice
  the count for an error (below that count where no times are recorded); not where it was given up: "killed", "timed out"

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
    explicit PollNoProgress(Params params) : params_(params), waits_(TimeWindow(params.warn, params.within)) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        see_look(step, lane);
        if (!step.opaque) waits_.looked(step, lane, [this](const auto& row, bool came) { say(row, came); });
    }

    std::uint16_t wakes() const override { return episode_.is_open() || waits_.is_open() ? kEveryStep : kOnPoll; }
    void on_segment_end(const LaneTrack&) override { end(); }
    void finish(const LaneTrack*) override { end(); }

private:
    void see_look(const Step& step, const LaneTrack& lane) {
        if (step.tool_class != ToolClass::poll || step.opaque) {
            if (!episode_.is_open()) return;
            if (step.call != call_ && step.ordinal - last_ <= kStrays) return;
            close(&step);
            looks_ = 0;  // what comes is another wait: these are told
            return;
        }
        const std::uint64_t strays = looks_ > 0 ? step.ordinal - last_ - 1 : 0;
        const bool goes_on = continues(step, strays, lane);
        if (!goes_on) begin(step, lane);
        const Step* before = goes_on ? lane.step(last_) : nullptr;
        ++looks_;
        strays_ += goes_on ? strays : 0;
        last_ = step.ordinal;
        if (before) longer_ = pauses_.see(*before, step, looks_);
        const auto warn = static_cast<std::uint64_t>(counts_for(step).warn) * (moved_ ? 2 : 1);
        if (looks_ < warn || (before && looks_ < warn + longer_) || !mostly_looks(warn)) return;
        if (episode_.is_open())
            add_looks(episode_.last().ordinal + 1, step, lane);
        else if (within(lane, step, warn, params_.within))
            open(step, lane);
    }

    static constexpr std::uint64_t kStrays = 2;  // other steps between two looks

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

    // The same look says something else, and no failure: it was waited for, and it came.
    bool came_with(const Step* next) const { return next && next->call == call_ && !next->failed && !next->opaque; }

    // It never said that before, nor that it was given up: a job that hung was killed.
    static bool is_news(const Step& step) { return !step.revisit && !says_given_up(step.text.outcome().bytes); }

    // From one look to the next on the average, as the command says or as recorded; none = nobody knows.
    static std::optional<std::int64_t> pause_between(const Step& first, const Step& last, std::uint64_t looks) {
        if (const std::int64_t named = named_pause_ms(last.text.argument()); named > 0) return named;
        if (first.time_ms == kNoTime || last.time_ms == kNoTime || looks < 2) return std::nullopt;
        return (last.time_ms - first.time_ms) / static_cast<std::int64_t>(looks - 1);
    }

    // That it came shows that there was something to wait for: with a pause between them, which is longer than an agent
    // takes for its next step, twice as many looks as an error takes are none too many.
    bool was_worth_it(const Step* next, std::uint64_t polls, Counts counts) const {
        constexpr std::int64_t kPause = 10'000;  // ms
        if (!came_with(next) || !is_news(*next)) return false;
        const std::optional<std::int64_t> pause = pause_between(episode_.first(), episode_.last(), polls);
        const std::uint64_t most = static_cast<std::uint64_t>(counts.fail) * (pause ? 2 : 1);
        return polls < most && pause.value_or(kPause) >= kPause;
    }

    // A glance at something else does not end a wait, a change does.
    bool continues(const Step& step, std::uint64_t strays, const LaneTrack& lane) const {
        const bool same = looks_ > 0 && step.out == out_ && strays <= kStrays &&
                          (step.call == call_ || in_other_words(step, lane.step(last_)));
        return same && (strays == 0 || step.epoch == epoch_);
    }

    // `tail -3 import.log` and `tail -n 5 import.log`, which say the same at length.
    static bool in_other_words(const Step& step, const Step* last) {
        constexpr std::uint32_t kTelling = 32;  // bytes of an answer that few others give
        return last && step.command_bytes > 0 && step.tool == last->tool && step.outcome_bytes >= kTelling &&
               elsewhere(*last, step) == Elsewhere::no;
    }

    // Who works while he waits looks at other things as often.
    bool mostly_looks(std::uint64_t warn) const {
        return strays_ == 0 || (looks_ >= warn + 2 * strays_ && looks_ >= 4 * strays_);
    }

    // The first looks may have been no polls yet: that one waits shows when one looks again.
    void begin(const Step& step, const LaneTrack& lane) {
        moved_ = looks_ > 0 && step.call == call_ && !step.failed && went_well_;
        close(&step);
        looks_ = lane.runs().run(1);
        strays_ = 0;
        pauses_ = {};
        longer_ = 0;
        call_ = step.call;
        out_ = step.out;
        epoch_ = step.epoch;
        went_well_ = !step.failed;
        first_ = step.ordinal - looks_;
    }

    void open(const Step& step, const LaneTrack& lane) {
        if (strays_ == 0) return episode_.open_rounds(lane, step, looks_, 1);
        add_looks(first_, step, lane);
    }

    // Those too of which it was not clear yet that they are no glances from other work.
    void add_looks(std::uint64_t from, const Step& last, const LaneTrack& lane) {
        for (std::uint64_t at = from; at <= last.ordinal; ++at) {
            const Step* kept = lane.step(at);
            if (!kept || (kept->call != call_ && (kept->tool_class != ToolClass::poll || kept->out != out_))) continue;
            if (episode_.steps() == 1) episode_.waste_from(*kept, lane.step(at - 1));
            episode_.add(*kept);
        }
    }

    void end() {
        close(nullptr);
        looks_ = 0;
        waits_.end([this](const auto& row, bool came) { say(row, came); }, false);
    }

    // In several forms. What came was worth the wait.
    void say(const DeadWaits::Row& row, bool came) {
        const int warn = came ? params_.fail : params_.warn;
        if (row.looks < warn || !row.time.met()) return;
        const Episode& e = row.episode;
        report(
            e.draft(loop_poll_no_progress(),
                    {.doubtful = true,
                     .repeats = static_cast<std::uint64_t>(row.looks),
                     .pattern = mix_hash(e.first().call, 3),
                     .round = {step_words(e.last())},
                     .message = fmt::format("{} looks in several forms found what is waited for as it was", row.looks),
                     .action = "check whether what is waited for still runs: its process, its log, its error output",
                     .because = {{"looks_without_a_change", std::to_string(row.looks)},
                                 {"threshold", std::to_string(warn)},
                                 {"outcome", outcome_words(e.last())}}}));
    }

    // `next`: what was done behind the row; null = nothing.
    void close(const Step* next) {
        if (!episode_.is_open()) return;
        const Step& last = episode_.last();
        const std::uint64_t polls = episode_.steps();
        const Counts counts = counts_for(last);
        const bool hard = polls >= static_cast<std::uint64_t>(counts.fail) + longer_ && !came_with(next);
        DraftFinding draft =
            episode_.draft(loop_poll_no_progress(),
                           {.hard = hard,
                            .period = 1,
                            .repeats = polls,
                            .pattern = mix_hash(last.call, 2),
                            .round = {step_words(last)},
                            .message = fmt::format("{} was polled {} times{} without any change", last.text.tool(),
                                                   polls, episode_.contiguous() ? " in a row" : ""),
                            .action = "wait once with a timeout instead of polling, and check whether the job is stuck",
                            .because = {{"equal_answers_in_a_row", std::to_string(polls)},
                                        {"threshold", std::to_string(hard ? counts.fail : counts.warn)},
                                        {"outcome", outcome_words(last)}}});
        if (was_worth_it(next, polls, counts)) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"came", "yes"});
        }
        waits_.told();
        report(std::move(draft));
        episode_.reset();
    }

    Params params_;
    LongerPauses pauses_;
    std::uint64_t longer_ = 0;  // of the row, looks after a longer pause
    std::uint64_t call_ = 0, out_ = 0;
    std::uint64_t looks_ = 0, strays_ = 0;  // in the row, and other steps between them
    std::uint64_t first_ = 0, last_ = 0;    // look
    std::uint32_t epoch_ = 0;
    bool went_well_ = false;  // the looks of the row
    DeadWaits waits_;
    bool moved_ = false;  // so did those of the row before it, which said something else
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
