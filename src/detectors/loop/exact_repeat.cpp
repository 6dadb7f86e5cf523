#include "detectors/all.hpp"
#include "detectors/commands/activity.hpp"
#include "detectors/commands/failed_deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/exact-repeat";

constexpr std::string_view kDoc = R"(## What it finds
The same tool called with the same arguments, with the same outcome, again and again with nothing else in between. Once
that was seen, another step that changes nothing does not end it. Arguments are compared in canonical form (key order,
number spelling and fields such as `description` or `request_id` do not count, nor how far a page is scrolled); outcomes
without their volatile parts (times, durations, process ids, temporary paths). Of calls that make or send something
(create_ticket, send_email, `curl -X POST`) the name that the new thing got does not count either. A thought that is noted
down (`think`, `sequentialthinking`) is told by what it says, not by its number: one that says nothing new, nearly in the
words of an earlier one, is the same.

## Why it matters
Every repeat pays for the whole context once more and brings back what is already in it. An agent that asks the same
question three times and gets the same answer three times has stopped learning.

## Example
```
line 31  call    Bash `npm test`
line 32  result  Exit code 1: 1 failing
line 34  call    Bash `npm test`
…
line 63  result  Exit code 1: 1 failing
```

## What is not flagged
- the same call with a *different* outcome: reading a log that grows, a date picker, a cursor-less reader
- what has another answer when it is asked once more, at once or after a pause, below the count for an error: it was
  waited for
- a command that fails again but came further: fewer rows left, the next chunk, the next conflict of a rebase
- a command that works on so many at most, and did so: "UPDATE 1000" of `… limit 1000`, and the next thousand
- equal answers below the count for an error, of a call that had three others just before or since: dice, samples, a price
- polling (see `loop/poll-no-progress`) and pauses, also of tools that are told nothing but for how long (`listen` for 60
  seconds)
- a check that failed a few steps before and passes now, below twice the counts: is it so each time? So of any command
  that failed itself and does well now
- parallel copies within one model response: they are one piece of evidence
- calls a human rejected, and calls cancelled because a sibling failed
- as more than an info, batches and lockouts that a person wants ("in batches of 5000", "check that the login locks an
  account after 5 wrong passwords")
- anything a human asked for again: a human message starts afresh, and so does a timer (a heartbeat, a job of cron) that
  wakes the agent five minutes or more after it was done
- keys, scrolls and other acts on a screen whose answer only says that they were done, below the counts for them; below
  the count for an error they are an info where they led on: the date picker shows the month that was wanted
- as more than an info, what is done once for each of a number of things that a person named ("24 wells, one dispense()
  each"), and work that is done in parts whose answer tells how much ("replayed 50, failed 0", "moved 25 messages"), up to
  fifty parts
- as more than an info, looks at what a person said to wait for, and what was to be tried until it works, as often as a
  poll may ask
- the same thing made or sent again, with another id each time, below the counts for it: blank tickets may be wanted. So may
  several sub-agents that are started with one and the same task: reviewers, votes
- errors of the class `transient`, which go away by themselves (timeouts, rate limits, HTTP 5xx; see
  `agent-audit explain settings`), below the higher transient counts

## What to do
Look at what the repeated outcome says and tell the agent, or reset the context to the suggested line: everything after
the first round is waste.

## When it is wrong
A tool whose answer really cannot change is called on purpose. Raise `warn` and `fail`, or `--ignore loop/exact-repeat`.
)";

struct Params {
    int warn = 3;
    int fail = 5;
    int transient_warn = 5;
    int transient_fail = 10;
    int screen_warn = 12;
    int screen_fail = 30;
    int made_warn = 6;
    int made_fail = 12;
    int max_gap = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "equal calls with equal outcomes in a row before a warning; two is a retry, three is a habit"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"transient-warn", &Params::transient_warn, 2, 1000,
                       "warn when the outcome is a transient error"},
    Param<Params, int>{"transient-fail", &Params::transient_fail, 2, 10'000,
                       "fail when the outcome is a transient error"},
    Param<Params, int>{"screen-warn", &Params::screen_warn, 2, 1000,
                       "warn when the call acts on a screen and the answer only says that it was done"},
    Param<Params, int>{"screen-fail", &Params::screen_fail, 2, 10'000, "fail in that case"},
    Param<Params, int>{"made-warn", &Params::made_warn, 2, 1000,
                       "warn when the call makes or sends something and the answer differs only in its new name"},
    Param<Params, int>{"made-fail", &Params::made_fail, 2, 10'000, "fail in that case"},
    Param<Params, int>{
        "max-gap", &Params::max_gap, 0, 64,
        "calls with a new outcome that may lie between two frozen stretches of the same call and still be one episode"},
    within_param<Params>(),
};

class ExactRepeat final : public Detector {
public:
    explicit ExactRepeat(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (episode_.is_open() && step.call != episode_.first().call) {
            const Step& last = episode_.last();
            if (step.epoch == last.epoch && step.ordinal - last.ordinal <= kStrangers) return;
            close();
        }
        if (step.tool_class == ToolClass::poll || step.opaque) return;
        const std::uint32_t run = lane.runs().run(1) + 1;
        // Once frozen, an answer that was given before in the same stretch is nothing new either.
        const bool known_answer = episode_.is_open() && step.revisit;
        const Counts counts = counts_for(step, run, lane);
        if (!step.failed && run >= static_cast<std::uint32_t>(params_.warn) &&
            filled_batch(step.text.argument().bytes, step.text.outcome().bytes))
            return;
        if (!known_answer && !reached(step, run, counts, lane)) {
            // Whoever asked once more got another answer: it was waited for.
            answered_ = answered_ || (episode_.is_open() && follows_last(step, lane));
            if (episode_.is_open() && !step.revisit && ++others_ >= kMany) varied_ = true;
            return;
        }
        if (!episode_.is_open()) varied_ = answers_before(step, run, lane);
        extend(step, run, lane);
        answered_ = false;
        counts_ = counts;
        if (run > longest_) longest_ = run;
        if (run >= static_cast<std::uint32_t>(counts_.fail)) failing_ = true;
    }

    std::uint16_t wakes() const override { return episode_.is_open() ? kEveryStep : kOnRepeat; }
    void on_segment_end(const LaneTrack&) override { close(); }
    void finish(const LaneTrack*) override { close(); }

private:
    static constexpr std::uint64_t kStrangers = 1;  // other steps in a row that do not end what was frozen

    static constexpr std::size_t kMany = 3;  // other answers of a call that has a new one each time

    struct Counts {
        int warn = 0, fail = 0;
    };

    // Right behind the last of the repeats, or after a pause.
    bool follows_last(const Step& step, const LaneTrack& lane) const {
        const std::uint64_t last = episode_.last().ordinal;
        if (step.ordinal == last + 1) return true;
        const Step* const between = step.ordinal == last + 2 ? lane.step(last + 1) : nullptr;
        return between && between->tool_class == ToolClass::poll;
    }

    // What the call is, is asked only of those that repeat enough for anything.
    Counts counts_for(const Step& step, std::uint32_t run, const LaneTrack& lane) const {
        if (step.error == ErrorClass::transient) return {params_.transient_warn, params_.transient_fail};
        if (step.made_anew) return {params_.made_warn, params_.made_fail};
        const bool many = run >= static_cast<std::uint32_t>(params_.warn);
        if (many && sets_going(step)) return {params_.made_warn, params_.made_fail};
        if (many && does_well(step) && was_red(step, run, lane)) return {2 * params_.warn, 2 * params_.fail};
        const bool screen = many && is_screen_act(step);
        return screen ? Counts{params_.screen_warn, params_.screen_fail} : Counts{params_.warn, params_.fail};
    }

    // A sub-agent that is at work now; what one came back with is an answer like any other.
    static bool sets_going(const Step& step) {
        constexpr std::string_view kGoing[] = {"started", "launched", "spawned", "queued", "running", "background"};
        return !step.failed && delegates(step.text.tool()) && step.outcome_bytes <= StepText::kOutcome &&
               contains_any(lowered(step.text.outcome().bytes), kGoing);
    }

    static bool does_well(const Step& step) {
        const bool runs = step.tool_class == ToolClass::shell && step.command_bytes > 0;
        return is_passed_check(step) || (runs && !step.failed && !says_refusal(step.text.outcome().bytes));
    }

    // What was red a few steps before is green: is it so each time? Of a command that is no check it was the same one.
    static bool was_red(const Step& step, std::uint32_t run, const LaneTrack& lane) {
        constexpr std::uint64_t kNear = 12;  // steps: of a change in several files, and looks at it
        if (!lane.failed_deeds().never_again(deeds_of(step), step.ordinal)) return false;
        for (std::uint64_t back = run; back < run + kNear && back < step.ordinal; ++back) {
            const Step* const before = lane.step(step.ordinal - back);
            if (!before || !before->failed) continue;
            if (step.tool_class == ToolClass::verify ? before->tool_class == step.tool_class
                                                     : before->call == step.call)
                return true;
        }
        return false;
    }

    bool reached(const Step& step, std::uint32_t run, Counts counts, const LaneTrack& lane) const {
        const auto warn = static_cast<std::uint32_t>(counts.warn);
        return run >= warn && (episode_.is_open() || within(lane, step, warn, params_.within));
    }

    // Of a call that was answered in so many ways just before, three equal answers in a row are chance: dice, samples.
    static bool answers_before(const Step& step, std::uint32_t run, const LaneTrack& lane) {
        constexpr std::uint64_t kNear = 12;  // steps
        std::array<std::uint64_t, kMany> others{};
        std::size_t known = 0;
        for (std::uint64_t back = run; known < kMany && back < run + kNear && back < step.ordinal; ++back) {
            const Step* const before = lane.step(step.ordinal - back);
            if (!before || before->call != step.call || before->failed || before->out == step.out) continue;
            const auto end = others.begin() + static_cast<std::ptrdiff_t>(known);
            if (std::find(others.begin(), end, before->out) == end) others[known++] = before->out;
        }
        return known == kMany;
    }

    void extend(const Step& step, std::uint32_t run, const LaneTrack& lane) {
        const std::uint64_t run_start = step.ordinal + 1 - run;
        if (episode_.is_open() && run_start > episode_.last().ordinal + 1 + static_cast<std::uint64_t>(params_.max_gap))
            close();
        if (!episode_.is_open()) return episode_.open_rounds(lane, step, run, 1);
        for (std::uint64_t at = episode_.last().ordinal + 1; at <= step.ordinal; ++at) {
            if (const Step* kept = lane.step(at); kept && kept->call == step.call) episode_.add(*kept);
        }
    }

    void close() {
        if (!episode_.is_open()) return;
        if ((!answered_ && !varied_) || failing_) say();
        episode_.reset();
        longest_ = 0;
        failing_ = answered_ = varied_ = false;
        others_ = 0;
    }

    void say() {
        const Step& last = episode_.last();
        DraftFinding draft = episode_.draft(
            loop_exact_repeat(),
            {.hard = failing_,
             .period = 1,
             .repeats = episode_.steps(),
             .pattern = mix_hash(last.call, last.failed),
             .round = {step_words(last)},
             .message = fmt::format("{} was called {} times{} with the same arguments and learnt nothing new",
                                    last.text.tool(), episode_.steps(), episode_.contiguous() ? " in a row" : ""),
             .action = last.failed ? "stop repeating the call; read the error and change the approach, or ask the user"
                                   : "stop repeating the call: its answer is already in the context",
             .because = {{"longest_run_of_equal_outcomes", std::to_string(longest_)},
                         {"threshold", std::to_string(failing_ ? counts_.fail : counts_.warn)},
                         {"outcome", outcome_words(last)},
                         {"failed", last.failed ? "yes" : "no"},
                         {"new_mutations_in_between", std::to_string(last.epoch - episode_.first().epoch)}}});
        if (is_screen_act(last)) draft.finding.because.push_back({"screen_act", "yes"});
        report(std::move(draft));
    }

    Params params_;
    Episode episode_;
    std::uint32_t longest_ = 0;
    bool failing_ = false;
    std::size_t others_ = 0;  // new answers since the first of the repeats
    bool varied_ = false;     // the same call had many, before them or since
    bool answered_ = false;   // the same call right after the last repeat had another answer
    Counts counts_;
};

}  // namespace

DetectorSpec loop_exact_repeat() {
    return {kId,
            "AA101",
            "the same call with the same outcome, again and again",
            Severity::error,
            0.95,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<ExactRepeat>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
