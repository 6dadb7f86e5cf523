#include "detectors/all.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/near-repeat";

constexpr std::string_view kDoc = R"(## What it finds
Calls, or rounds of up to 32 calls, that come back with only the numbers in their main argument changed, and with the
same outcome every time.

## Why it matters
An agent that turns a number in its command and gets the same answer five times does not depend on that number. Guards
that compare arguments byte by byte take every try for something new.

## Example
```
Bash `curl localhost:3000/health?try=1` → connection closed
Bash `curl localhost:3000/health?try=2` → connection closed
…
```

## What is not flagged
- any difference in the answer
- successful changes, and short answers that say only that a call was carried out: batch work gets those. A
  page that is as empty as the one before it is no such answer, nor what a server says that is started on the next port, because
  nobody answered on the one before
- a check at one revision of the repository after the other: the one that broke it is looked for
- the verdict of a solver that there is no solution with these numbers ("UNSAT", "infeasible")
- checks that pass, commands that do well with one numbered file or host after the other, and reads of such files; "loss nan"
  and "reward 0.0" is not well
- clicks at other places. Clicks a few pixels apart are one click, and what is looked at behind them tells what came of it:
  a screenshot that shows what the click was answered with is no step of its own
- calls that are equal in every part (`loop/exact-repeat`, `loop/cycle`), polls and pauses
- as more than an info, one thing after the other of a list that was read before, or that a person gave, each asked for once in the
  list's order: an answer to each, or that it is not there, is what such a walk brings. Not where names were made up, the list
  was gone through already, or all of them fail of what has nothing to do with the thing
- arguments too long to be compared

## What to do
The number is not what decides. Say what the answer means, or stop.

## When it is wrong
Probing a range on purpose, where nothing is an answer too. Raise `warn` and `fail`, or `--ignore loop/near-repeat`.
)";

struct Params {
    int warn = 5;
    int fail = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "rounds with equal outcomes before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

// Another numbered file, or another numbered name in a command.
bool is_other_thing(const Step& step, const Step& other) {
    const Elsewhere where = elsewhere(step, other);
    return where == Elsewhere::file || where == Elsewhere::thing;
}

/// Names steps so that those that differ only in the digits of their main argument get one name. The text is looked at
/// only when tool and outcome equal those of one of the last 32 steps.
class NearNames {
public:
    std::uint64_t name(const Step& step, const LaneTrack& lane) {
        const std::size_t at = next_++ % recent_.size();
        Named& slot = recent_[at];
        // One port after the other is asked and none answers: that waits for nothing, though each is a poll.
        const bool waits = step.tool_class == ToolClass::poll && !(step.failed && step.command_bytes > 0);
        if (step.opaque || waits) {
            slot = {};
            answers_[at] = 0;
            return mix_hash(step.ordinal, step.call);
        }
        Named made;
        made.answer = mix_hash(step.tool, step.failed ? step.error_key : step.out) | 1;
        made.ordinal = step.ordinal;
        made.name = mix_hash(made.answer, step.ordinal);
        if (meets(made.answer) && tells(step, lane)) made.name = name_of_like(made, step, lane);
        slot = made;
        answers_[at] = fold(made.answer);
        return made.name;
    }

    void clear() {
        recent_.fill({});
        answers_.fill(0);
    }

private:
    struct Named {
        std::uint64_t answer = 0;  // tool and outcome; 0 = equal to nothing
        std::uint64_t name = 0;
        std::uint64_t shape = 0;  // 0 = not looked at yet
        std::uint64_t ordinal = 0;
    };

    // Half of each answer in one row: the quick look that settles most steps.
    static std::uint32_t fold(std::uint64_t answer) { return static_cast<std::uint32_t>(answer >> 32) | 1; }
    bool meets(std::uint64_t answer) const {
        std::uint32_t any = 0;
        for (const std::uint32_t known : answers_) any |= known == fold(answer) ? 1u : 0u;
        return any != 0;
    }

    // That it was done says nothing; but clicks at nearly the same place are the same one, and what is seen behind it
    // counts.
    static bool tells(const Step& step, const LaneTrack& lane) {
        if (!step.revisit && (is_passed_check(step) || word_of_no(step) == WordOfNo::verdict)) return false;
        return step.revisit || !only_acknowledges(step, lane) || is_empty_page(step) || is_act(step) ||
               comes_to_nothing(step);
    }

    // Apart from what comes of most steps.
    [[gnu::noinline]] static bool only_acknowledges(const Step& step, const LaneTrack& lane) {
        return is_acknowledgement(step) && !begins_after_failure(step, lane);
    }

    // A server is started on the next port, since nobody answered on the one before.
    static bool begins_after_failure(const Step& step, const LaneTrack& lane) {
        constexpr std::string_view kServers[] = {"://", "localhost", "127.0.0.1", "curl "};
        if (step.command_bytes == 0 || step.failed) return false;
        const Step* look = lane.step(step.ordinal - 1);
        if (!look || look->command_bytes == 0 || !contains_any(look->text.argument().bytes, kServers)) return false;
        if (names_port_of(look->text.argument().bytes, step.text.argument().bytes)) return false;
        return look->failed || is_no_result(look->text.outcome());
    }

    // `curl localhost:3000` in front of `PORT=3000 ./worker`: that the port was free is what was to be seen.
    static bool names_port_of(std::string_view look, std::string_view start) {
        constexpr std::size_t kShortest = 2;  // digits
        for (std::size_t at = look.find(':'); at != look.npos; at = look.find(':', at + 1)) {
            const std::string_view behind = look.substr(at + 1);
            const std::string_view port = behind.substr(0, behind.find_first_not_of("0123456789"));
            if (port.size() >= kShortest && start.find(port) != start.npos) return true;
        }
        return false;
    }

    static bool comes_to_nothing(const Step& step) {
        constexpr std::uint8_t kShortest = 8;  // bytes: "loss nan"
        const bool runs = step.tool_class == ToolClass::shell || step.tool_class == ToolClass::other;
        return runs && step.text.outcome_size >= kShortest && says_nothing_came(step.text.outcome().bytes);
    }

    // A command that did well with one numbered file or host after the other, and a read of one such file: the number
    // is that of the thing, not the question's.
    static bool is_next_thing(const Step& step, const Step& other) {
        // One day after the other; that there is nothing is an answer.
        const bool dated = holds_date(step.text.argument().bytes) && differ_in_date(step, other);
        if (dated && (step.failed ? is_no_result(step.text.outcome()) : !says_refusal(step.text.outcome().bytes)))
            return true;
        const bool reads_file =
            step.tool_class == ToolClass::read && step.text.argument().bytes.find("://") == std::string_view::npos;
        if (step.failed || (step.command_bytes == 0 && !reads_file)) return false;
        return is_other_thing(step, other) &&
               (reads_file || !(says_refusal(step.text.outcome().bytes) || comes_to_nothing(step)));
    }

    // No number more than a few pixels away from that of the other. One within a word is part of a name: field e12 is
    // not field e15.
    static bool are_near(std::string_view a, std::string_view b) {
        constexpr int kPixels = 12;
        char before = ' ';
        const auto digit = [](char c) { return c >= '0' && c <= '9'; };
        const auto take = [&](std::string_view& t) {
            int number = 0;
            for (; !t.empty() && digit(t.front()); t.remove_prefix(1))
                number = std::min(number * 10 + (t.front() - '0'), 1'000'000);
            return number;
        };
        while (!a.empty() && !b.empty()) {
            if (digit(a.front()) && digit(b.front())) {
                const bool named = is_letter(before) || before == '_';
                if (std::abs(take(a) - take(b)) > (named ? 0 : kPixels)) return false;
            } else {
                if (a.front() != b.front()) return false;
                before = a.front();
                a.remove_prefix(1);
                b.remove_prefix(1);
            }
        }
        return a.empty() && b.empty();
    }

    // One empty page is the end; whoever asks for the next one learns nothing.
    static bool is_empty_page(const Step& step) {
        constexpr std::string_view kPages[] = {"page", "Page", "offset", "skip", "cursor"};
        const std::string_view asked = step.text.argument().bytes;
        const bool page =
            std::ranges::any_of(kPages, [&](std::string_view word) { return asked.find(word) != asked.npos; });
        return page && step.text.outcome().bytes.find("[]") != std::string_view::npos;
    }

    // A cut argument may go on in any way, and without one there is nothing to compare: equal calls only.
    static std::uint64_t shape_of(const Step& step) {
        const std::size_t size = step.text.argument_size;
        const bool known = size > 0 && size < StepText::kArgument;
        return (known ? shape_hash(step.text.argument()) : mix_hash(step.call, 1)) | 1;
    }

    std::uint64_t name_of_like(Named& made, const Step& step, const LaneTrack& lane) {
        made.shape = shape_of(step);
        const Named* like = nullptr;
        std::uint32_t hits = 0;
        for (std::size_t i = 0; i < answers_.size(); ++i) hits |= std::uint32_t{answers_[i] == fold(made.answer)} << i;
        for (; hits != 0; hits &= hits - 1) {
            Named& n = recent_[static_cast<std::size_t>(std::countr_zero(hits))];
            if (n.answer != made.answer || (like && like->ordinal > n.ordinal)) continue;
            const Step* other = lane.step(n.ordinal);
            if (!other) continue;
            if (n.shape == 0) n.shape = shape_of(*other);
            if (n.shape != made.shape || other->revision != step.revision) continue;
            // Equal main arguments of different calls: what differs is not at hand.
            const bool equal_text = other->text.argument().bytes == step.text.argument().bytes;
            const bool far = is_act(step) && !are_near(other->text.argument().bytes, step.text.argument().bytes);
            if (!far && !is_next_thing(step, *other) && (other->call == step.call || !equal_text)) like = &n;
        }
        return like ? like->name : made.name;
    }

    static_assert(PeriodRuns::kMaxPeriod <= 32);
    std::array<Named, PeriodRuns::kMaxPeriod> recent_{};
    std::array<std::uint32_t, PeriodRuns::kMaxPeriod> answers_{};
    std::size_t next_ = 0;
};

class NearRepeat final : public Detector {
public:
    explicit NearRepeat(Params params) : params_(params), time_(1, params.within) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (shows_what_was_shown(step, lane)) return;
        runs_.push(names_.name(step, lane));
        if (episode_.is_open()) {
            if (runs_.run(period_) > 0) return grow(step, lane);
            close();
        }
        const std::uint32_t period = runs_.period();
        // Rounds are many and long, and the lane forgets: collect from the third on, report from `warn` on.
        if (period != 0 && runs_.run(period) + period >= kCollectFrom * period) open(step, period, lane);
    }

    void on_segment_end(const LaneTrack&) override { reset(); }
    void finish(const LaneTrack*) override { close(); }

private:
    static constexpr std::uint32_t kCollectFrom = 3;

    void open(const Step& step, std::uint32_t period, const LaneTrack& lane) {
        const std::uint64_t steps = runs_.run(period) + period;
        period_ = period;
        time_ = TimeWindow(
            static_cast<int>(std::min<std::uint64_t>(100'000, static_cast<std::uint64_t>(params_.warn) * period)),
            params_.within);
        episode_.open_rounds(lane, step, steps, period);
        for (std::uint64_t at = step.ordinal + 1 - steps; at <= step.ordinal; ++at) {
            const Step* kept = lane.step(at);
            if (!kept) continue;
            time_.add(*kept);
            if (at >= step.ordinal + 1 - steps + period)
                look(*kept, lane);
            else
                round_.push_back(step_words(*kept));
        }
    }

    void grow(const Step& step, const LaneTrack& lane) {
        episode_.add(step);
        time_.add(step);
        look(step, lane);
    }

    // A screenshot behind a click that was answered with the same: it is no step of its own, wherever it is taken.
    static bool shows_what_was_shown(const Step& step, const LaneTrack& lane) {
        const Step* before = step.ordinal > 1 ? lane.step(step.ordinal - 1) : nullptr;
        return before && before->out == step.out && before->call != step.call && is_act(*before) &&
               shows_screen(*before) && !shows_screen(step);
    }

    // A click at a place of the screen that is answered with more than that it was done.
    static bool shows_screen(const Step& step) {
        return step.text.argument().bytes.find("coordinate") != std::string_view::npos && !is_screen_act(step);
    }

    // Between clicks at nearly the same place the same look at the screen, which is as it was.
    bool looks_again(const Step& step, const Step& before) const {
        return period_ > 1 && step.call == before.call && step.revisit && has_lines(step.text.outcome().bytes) &&
               !is_screen_act(step);
    }

    // User 17 is not there, and neither is user 18.
    static bool is_other_missing(const Step& step, const Step& before) {
        return step.call != before.call && !does_something(step) && says_missing(step.text.outcome());
    }

    void look(const Step& step, const LaneTrack& lane) {
        const Step* before = lane.step(step.ordinal - period_);
        varied_ += before && before->call != step.call;
        walked_ += before && (step.command_bytes > 0 ? is_other_thing(step, *before) : is_other_missing(step, *before));
        told_ +=
            !(is_act(step) && is_acknowledgement(step)) || shows_screen(step) || (before && looks_again(step, *before));
    }

    void close() {
        if (!episode_.is_open()) return;
        const std::uint64_t rounds = episode_.steps() / period_;
        const Step& last = episode_.last();
        const int scale = last.error == ErrorClass::transient ? 2 : 1;
        // Mostly equal calls are what loop/exact-repeat and loop/cycle describe.
        const bool varied = varied_ * 2 * period_ >= episode_.steps();
        if (varied && told_ > 0 && rounds >= static_cast<std::uint64_t>(params_.warn * scale) && time_.met())
            say(rounds, scale);
        episode_.reset();
        round_.clear();
        varied_ = told_ = walked_ = 0;
    }

    void say(std::uint64_t rounds, int scale) {
        const Step& last = episode_.last();
        const RawText said = last.text.outcome();
        const bool nothing = !last.failed && (is_no_result(said) || says_nothing_came(said.bytes));
        const bool hard = rounds >= static_cast<std::uint64_t>(params_.fail * scale) && !nothing &&
                          walked_ + period_ < episode_.steps();
        const std::string what = period_ == 1 ? fmt::format("{} was called", last.text.tool())
                                              : fmt::format("a round of {} steps was made", period_);
        report(episode_.draft(
            loop_near_repeat(),
            {.hard = hard,
             .period = period_,
             .repeats = rounds,
             .pattern = mix_hash(mix_hash(last.tool, shape_hash(last.text.argument())), last.failed),
             .round = std::move(round_),
             .message = fmt::format("{} {} times with only numbers changed and the same outcomes", what, rounds),
             .action = "stop turning the number: the outcome does not depend on it",
             .because = {{"rounds", std::to_string(rounds)},
                         {"threshold", std::to_string((hard ? params_.fail : params_.warn) * scale)},
                         {"period", std::to_string(period_)},
                         {"outcome", outcome_words(last)}}}));
    }

    void reset() {
        close();
        runs_.reset();
        names_.clear();
    }

    Params params_;
    NearNames names_;
    PeriodRuns runs_;
    Episode episode_;
    TimeWindow time_;
    std::vector<std::string> round_;
    std::uint32_t period_ = 0;
    std::uint64_t varied_ = 0;
    std::uint64_t walked_ =
        0;                    // steps that only take the next file or name, or ask for the next thing that is not there
    std::uint64_t told_ = 0;  // steps whose answer says more than that it was done
};

}  // namespace

DetectorSpec loop_near_repeat() {
    return {kId,
            "AA107",
            "calls that differ only in numbers, with the same outcome every time",
            Severity::error,
            0.8,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<NearRepeat>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
