#include "detectors/all.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/screen.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/cycle";

constexpr std::string_view kDoc = R"(## What it finds
A round of two to 32 steps that comes back step by step, each call with the same outcome as the round before.

## Why it matters
Real wedges are rarely one call: read, edit that is rejected, test that fails, and again. Guards that compare only
neighbouring calls never see them.

## Example
```
Read `src/app.ts` → Edit `src/app.ts` (no match) → Bash `npm test` (1 failing) → Read `src/app.ts` → …
```

## What is not flagged
- a round in which any outcome changed: the failure count shrinks, the file's content moved on; another random seed,
  port or process id in a failing test is no change, nor is the number of the turn in a game ("Moves: 12") where one tool goes
  there and back
- fewer than three rounds, or fewer than six steps
- rounds that only poll, below the counts of `loop/poll-no-progress`
- rounds of moves and presses whose answers only say that they were done, below the counts for them; there and back with one
  tool, each time with another number that tells where that led, says more
- agents that hand over to each other (`transfer_to_writer`) and call nothing else are a warning at most: what they say may be the work
- pauses, notes and plan updates: they belong to no round

Where three rounds came back step by step, a step too many in a round before or behind them does not part the cycle.

## What to do
Break the round where its outcome comes from: the rejected edit, the unchanged test. Or reset to the suggested line.

## When it is wrong
A scripted round whose answers cannot change is intended. Raise `warn` and `fail`, or `--ignore loop/cycle`.
)";

struct Params {
    int warn = 3;
    int fail = 4;
    int min_steps = 6;
    int poll_warn = 8;
    int poll_fail = 24;
    int screen_warn = 12;
    int screen_fail = 30;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "equal rounds before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "equal rounds before an error"},
    Param<Params, int>{"min-steps", &Params::min_steps, 4, 1000, "steps a repetition must have in all"},
    Param<Params, int>{"poll-warn", &Params::poll_warn, 2, 10'000,
                       "steps before a warning when the round is waiting for something"},
    Param<Params, int>{"poll-fail", &Params::poll_fail, 2, 100'000, "the same before an error"},
    Param<Params, int>{"screen-warn", &Params::screen_warn, 2, 1000,
                       "rounds before a warning when the round only moves or presses something and the answers only "
                       "say that it was done"},
    Param<Params, int>{"screen-fail", &Params::screen_fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

class Cycle final : public Detector {
public:
    explicit Cycle(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (episode_.is_open()) {
            if (lane.runs().run(period_) > 0 && step.ordinal == episode_.last().ordinal + 1) {
                episode_.add(step);
                return;
            }
            if (goes_on_somehow(step, lane)) return;
            close(lane);
        }
        const std::uint32_t p = lane.runs().period();
        if (p < 2) return;
        const std::uint64_t steps = lane.runs().run(p) + p;
        const std::uint64_t needed = std::max<std::uint64_t>(static_cast<std::uint64_t>(params_.warn) * p,
                                                             static_cast<std::uint64_t>(params_.min_steps));
        if (steps < needed) return;
        if (waiting(step, p, lane) && steps < static_cast<std::uint64_t>(params_.poll_warn)) return;
        if (only_acts(step, p, lane) && steps < static_cast<std::uint64_t>(params_.screen_warn) * p) return;
        if (!within(lane, step, needed, params_.within)) return;
        open(step, p, steps, lane);
    }

    std::uint16_t wakes() const override { return episode_.is_open() ? kEveryStep : kOnRepeat; }
    void on_segment_end(const LaneTrack& lane) override { close(lane); }
    void finish(const LaneTrack* lane) override {
        if (lane) close(*lane);
    }

private:
    static constexpr std::uint32_t kLongestDone = 64;  // bytes
    static constexpr std::uint64_t kStrangers = 1;     // other steps in a row that do not end a cycle

    bool is_of_round(const Step& step) const {
        return !step.opaque &&
               std::ranges::any_of(symbols_, [&](const Symbol& s) { return s.call == step.call && s.out == step.out; });
    }

    // Once rounds came back without a flaw, a step more or less does not make the next one another thing. It counts
    // when it is whole: a single step of it may be made again for any reason.
    bool goes_on_somehow(const Step& step, const LaneTrack& lane) {
        const Step* before = lane.step(step.ordinal - 1);
        const std::uint64_t last = held_.empty() ? episode_.last().ordinal : held_.back();
        if (step.epoch != episode_.last().epoch || step.ordinal - last > kStrangers + 1) return false;
        const bool stays = before && before->call == step.call && before->out == step.out;
        if (stays || !is_of_round(step)) return step.ordinal - last <= kStrangers;
        held_.push_back(step.ordinal);
        if (held_.size() < period_) return true;
        for (const std::uint64_t at : held_) {
            if (const Step* kept = lane.step(at)) episode_.add(*kept);
        }
        held_.clear();
        return true;
    }

    // Where the round begins that ends before this step, if there is a whole one with few strangers in it.
    std::optional<std::uint64_t> round_before(std::uint64_t start, const LaneTrack& lane) const {
        const Step* first = lane.step(start);
        std::vector<Symbol> missing = symbols_;
        std::uint64_t last = start;
        const std::uint64_t oldest = std::max(told_until_ + 1, lane.segment_start());
        for (std::uint64_t at = start;
             first && at-- > oldest && start - at <= symbols_.size() + (symbols_.size() + 1) / 2;) {
            const Step* step = lane.step(at);
            if (!step || step->epoch != first->epoch || last - at > kStrangers + 1) break;
            const auto found = step->opaque ? missing.end() : std::ranges::find(missing, Symbol{step->call, step->out});
            if (found == missing.end()) continue;
            missing.erase(found);
            last = at;
            if (missing.empty()) return at;
        }
        return std::nullopt;
    }

    // The first step of the rounds that lead up to the flawless ones, and of the part of a round right before them.
    std::uint64_t first_of(std::uint64_t start, const LaneTrack& lane) const {
        std::uint64_t first = start;
        while (const auto earlier = round_before(first, lane)) first = *earlier;
        const Step* whole = lane.step(first);
        for (std::uint64_t part = 1;
             first < start && part < symbols_.size() && first > std::max(told_until_ + 1, lane.segment_start());
             ++part) {
            const Step *step = lane.step(first - 1), *next = lane.step(first);
            if (!step || step->epoch != whole->epoch || !is_of_round(*step) ||
                (step->call == next->call && step->out == next->out))
                break;
            --first;
        }
        return first;
    }

    // A round that polls and otherwise only looks waits for something.
    static bool waiting(const Step& step, std::uint32_t period, const LaneTrack& lane) {
        bool polls = false;
        for (std::uint32_t back = 0; back < period; ++back) {
            const Step* s = lane.step(step.ordinal - back);
            if (!s) return false;
            polls = polls || s->tool_class == ToolClass::poll;
            if (s->tool_class != ToolClass::poll && s->tool_class != ToolClass::read &&
                s->tool_class != ToolClass::search)
                return false;
        }
        return polls;
    }

    // The answer has a number in it that the call has not: the month that a calendar shows, the floor of a lift.
    static bool shows_number(const Step& step) {
        constexpr std::string_view kDigits = "0123456789";
        const std::string_view said = step.text.outcome().bytes, asked = step.text.argument().bytes;
        const std::size_t begin = said.find_first_of(kDigits);
        if (begin == said.npos) return false;
        const std::size_t end = std::min(said.find_first_not_of(kDigits, begin), said.size());
        return asked.find(said.substr(begin, end - begin)) == asked.npos;
    }

    // Forward and back with one tool, and each time it says where that led: it is more than that it was done.
    static bool shows_where(const Step& step, const LaneTrack& lane) {
        const Step* before = lane.step(step.ordinal - 1);
        return before && before->tool == step.tool && before->out != step.out && shows_number(step) &&
               shows_number(*before);
    }

    // A round of nothing but "done": one step forward, one turn. What came of it nobody looked at.
    static bool only_acts(const Step& step, std::uint32_t period, const LaneTrack& lane) {
        bool acts = false;
        if (period == 2 && shows_where(step, lane)) return false;
        for (std::uint32_t back = 0; back < period; ++back) {
            const Step* s = lane.step(step.ordinal - back);
            if (!s || s->tool_class != ToolClass::other || s->outcome_bytes > kLongestDone ||
                has_lines(s->text.outcome().bytes))
                return false;
            if (!does_something(*s) || !is_acknowledgement(*s)) return false;
            acts = acts || is_act(*s);
        }
        return acts;
    }

    // What the agents said to each other in between may be the work.
    static bool only_hands_over(const Step& step, std::uint32_t period, const LaneTrack& lane) {
        for (std::uint32_t back = 0; back < period; ++back) {
            const Step* s = lane.step(step.ordinal - back);
            if (!s || !hands_over(*s)) return false;
        }
        return true;
    }

    void open(const Step& step, std::uint32_t period, std::uint64_t steps, const LaneTrack& lane) {
        period_ = period;
        only_acts_ = only_acts(step, period, lane);
        waiting_ = waiting(step, period, lane);
        only_hands_over_ = only_hands_over(step, period, lane);
        const std::uint64_t start = step.ordinal + 1 - steps;
        for (std::uint64_t ordinal = start; ordinal < start + period; ++ordinal) {
            const Step* kept = lane.step(ordinal);
            if (!kept) continue;
            round_.push_back(step_words(*kept));
            symbols_.push_back({kept->call, kept->out});
            pattern_ += mix_hash(kept->call, kept->failed);  // a sum: where the round begins does not matter
        }
        const std::uint64_t first = first_of(start, lane);
        if (first == start) return episode_.open_rounds(lane, step, steps, period);
        add_flawed(first, start, lane);
        episode_.add_range(lane, start, step.ordinal);
    }

    // The rounds before `start`, of which some have a step too many. The second one begins when a whole one is there.
    void add_flawed(std::uint64_t first, std::uint64_t start, const LaneTrack& lane) {
        for (std::uint64_t at = first; at < start; ++at) {
            const Step* step = lane.step(at);
            if (!step || !is_of_round(*step)) continue;
            if (episode_.steps() == period_) episode_.waste_from(*step, lane.step(at - 1));
            episode_.add(*step);
        }
        const Step* second = episode_.steps() == period_ ? lane.step(start) : nullptr;
        if (second) episode_.waste_from(*second, lane.step(start - 1));
    }

    int threshold(bool hard) const {
        if (only_acts_) return hard ? params_.screen_fail : params_.screen_warn;
        return hard ? params_.fail : params_.warn;
    }

    void close(const LaneTrack&) {
        if (!episode_.is_open()) return;
        const std::uint64_t steps = episode_.steps(), rounds = steps / period_;
        const bool hard = rounds >= static_cast<std::uint64_t>(only_acts_ ? params_.screen_fail : params_.fail) &&
                          !only_hands_over_ && (!waiting_ || steps >= static_cast<std::uint64_t>(params_.poll_fail));
        report(episode_.draft(
            loop_cycle(),
            {.hard = hard,
             .period = period_,
             .repeats = rounds,
             .pattern = pattern_,
             .round = std::move(round_),
             .message = fmt::format("a round of {} steps came back {} times with the same outcomes", period_, rounds),
             .action = "break the round: change the step whose outcome never changes, or ask the user",
             .because = {
                 {"period", std::to_string(period_)},
                 {"rounds", std::to_string(rounds)},
                 {"threshold", std::to_string(threshold(hard))},
                 {"new_mutations_in_between", std::to_string(episode_.last().epoch - episode_.first().epoch)}}}));
        told_until_ = episode_.last().ordinal;
        episode_.reset();
        round_.clear();
        symbols_.clear();
        held_.clear();
        pattern_ = 0;
    }

    Params params_;
    Episode episode_;
    struct Symbol {
        std::uint64_t call = 0, out = 0;

        bool operator==(const Symbol&) const = default;
    };
    std::vector<std::string> round_;
    std::vector<Symbol> symbols_;      // of one round
    std::vector<std::uint64_t> held_;  // steps of a round that is not whole yet
    std::uint64_t told_until_ = 0;     // the last step of the cycle before
    std::uint64_t pattern_ = 0;
    std::uint32_t period_ = 0;
    bool waiting_ = false, only_acts_ = false, only_hands_over_ = false;
};

}  // namespace

DetectorSpec loop_cycle() {
    return {kId,
            "AA102",
            "a round of several steps that comes back with the same outcomes",
            Severity::error,
            0.9,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Cycle>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
