#include "detectors/all.hpp"
#include "detectors/commands/broken_words.hpp"
#include "detectors/commands/idle_command.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/made_names.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/interleaved-repeat";

constexpr std::string_view kDoc = R"(## What it finds
The same call with the same outcome again and again, with other steps in between, while nothing was changed that could
have made the outcome another one.

## Why it matters
One different call is enough to hide a repetition from a guard that compares neighbours. A test that is run again after
a look at yet another file, with no edit, tells what it told before.

## Example
```
Bash `npm test` (1 failing) → Read `a.ts` → Bash `npm test` (1 failing) → Read `b.ts` → Bash `npm test` (1 failing) → …
```

## What is not flagged
- a repeat after a real change: that is checking one's work
- a success after a command that ran for the first time and may have changed something: a deployment, a script, a tool
  whose name says so (`update_order`). What fails the same way after it is flagged, and what is
  refused (`Not sent: invalid number`, `"silenced": false`), also where the tool calls that a success, and what is asked
  again behind what says that it did nothing (`removed 0 files`), or behind one more letter to the same person; where most repeats have such a command
  before them, an error only from twice the warn count on
- what is asked behind one value of an option after the other (`gcc -march=haswell …`, `gcc -march=znver3 …`)
- one value after the other tried on purpose (`nvm install 18`, `nvm install 20`, each with the same failing test) is a warning at
  most, and only from twice the count on; a look at every third step or less often that does well while all in between is new, below twice the count
- a key, a click or another act on a screen whose answer only says that it was done, and what is looked at between such acts
- ways between deeds: go to the table, take a mug, go to the table, take the next one; "go hall" between one new room and the
  next. Where one tool does it all (`act`,
  `step`), the words of its argument say what is done
- what a tool of unknown kind only says to be done ("ok")
- a look at where one is (`pwd`, `git status`, a folder that is listed) between steps that each tell something new
- a text that is read, or a check that passes, before each new piece of work (a plan, then the next file) is a warning at
  most
- a silent command behind each new one of its program (`git cherry-pick --skip` behind one commit and the next)
- going to a folder, setting up the shell and clearing the screen (`cd src`, `source .venv/bin/activate`, `export A=1`,
  `clear`): nothing is asked
- handing over to another agent (`transfer_to_writer`): what that one does is the work
- a call that comes back now and then: fewer than one in five steps, or more than 30 steps apart
- repeats while another repeated call shows progress: its answers differ, and not only in the number that a change was given
- polls, and transient errors below twice the counts

## What to do
Tell the agent what the repeated call says; if nothing was changed, it will say it again.

## When it is wrong
The change was made outside of what is recorded. Raise `warn` and `fail`, or `--ignore loop/interleaved-repeat`.
)";

struct Params {
    int warn = 4;
    int fail = 6;
    int max_gap = 30;
    double density = 0.2;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 16, "equal outcomes of the same call before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 1000, "the same before an error"},
    Param<Params, int>{"max-gap", &Params::max_gap, 1, 100, "steps between two of them at most"},
    Param<Params, double>{"density", &Params::density, 0, 1, "share of the repeats among the steps from first to last"},
    within_param<Params>(),
};

class InterleavedRepeat final : public Detector {
public:
    explicit InterleavedRepeat(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (!repeats_.empty()) forget_answered_differently(step);
        if (!step.revisit || step.tool_class == ToolClass::poll || is_screen_act(step) || hands_over(step) ||
            says_only_done(step) || asks_nothing(step) || ends_each(step, lane))
            return;
        const auto known = std::ranges::find_if(repeats_, [&](const Repeat& r) { return r.call == step.call; });
        if (known != repeats_.end() && goes_on(*known, step, lane)) return grow(*known, step, lane);
        if (known != repeats_.end()) end(known);
        begin(step, lane);
    }

    std::uint16_t wakes() const override { return repeats_.empty() ? kOnRepeat : kEveryStep; }
    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static constexpr std::size_t kMaxRepeats = 16;
    static constexpr std::size_t kMaxPlaces = 64;
    static constexpr std::uint64_t kLookBack = 60;  // steps in which a command counts as one that ran before

    struct Repeat {
        std::uint64_t call = 0;
        std::uint64_t out = 0;
        std::uint32_t epoch = 0;
        std::vector<std::uint64_t> at;  // ordinals of the latest occurrences that lie densely enough
        std::uint64_t tried = 0;        // of them, failures behind something that may have changed what is asked
        std::uint64_t last_try = 0;     // the step that may have
        std::uint64_t gaps = 0;         // between its occurrences
        std::uint64_t learnt = 0;       // of them, those in which something new was told; of texts and passed checks
        std::uint64_t swept = 0;        // tries that differ from the one before in one word
        Episode episode;                // open from the warning on
    };

    void forget_answered_differently(const Step& step) {
        const auto other = std::ranges::find_if(
            repeats_, [&](const Repeat& r) { return r.call == step.call && (step.opaque || r.out != step.out); });
        if (other != repeats_.end()) end(other);
    }

    bool goes_on(const Repeat& r, const Step& step, const LaneTrack& lane) const {
        const std::uint64_t gap = step.ordinal - r.at.back();
        if (r.epoch != step.epoch || gap > static_cast<std::uint64_t>(params_.max_gap)) return false;
        if (!says_no(step) && may_have_changed(r.at.back(), step.ordinal, lane)) return false;
        if (follows_another_setting(step, lane)) return false;
        if (is_look_round(step) && learnt_between(r.at.back(), step, lane)) return false;
        return !r.episode.is_open() || !progress(r, r.at.back(), step.ordinal, lane);
    }

    // Did a command run in between, with success and for the first time, of which nobody knows what it does? A
    // deployment is checked, and the next one as well. What fails the same way after it was not helped by it.
    static const Step* change_between(std::uint64_t from, std::uint64_t to, const LaneTrack& lane) {
        for (std::uint64_t at = from + 1; at < to; ++at) {
            const Step* between = lane.step(at);
            if (!between || between->failed || between->opaque || between->revisit || did_nothing(*between)) continue;
            const bool command =
                between->tool_class == ToolClass::shell && work_effect(between->text.argument()) != WorkEffect::none;
            const bool unknown = command || mends(*between) ||
                                 (between->tool_class == ToolClass::other && names_a_change(deed_of(*between)));
            if (unknown && !made_before(*between, lane) && !writes_again(*between, lane)) return between;
            if (is_act(*between) || is_way(*between)) return between;
        }
        return nullptr;
    }
    // Another letter to the person who got the one before, in other words.
    static bool writes_again(const Step& step, const LaneTrack& lane) {
        const std::string_view to = step.text.argument().bytes;
        constexpr char kAt = '@';
        if (step.tool_class != ToolClass::other || step.command_bytes > 0 || to.find(kAt) == to.npos ||
            to.find(' ') != to.npos || !names_sending(snake_case(bare_tool_name(step.text.tool()))))
            return false;
        return any_before(step, lane, [&](const Step& before) {
            return before.tool == step.tool && before.text.argument().bytes == to &&
                   same_but_made_names(before.text.outcome().bytes, step.text.outcome().bytes);
        });
    }
    // "Removed 0 files, freed 0 B": whoever says so has changed nothing.
    static bool did_nothing(const Step& step) {
        constexpr std::uint32_t kLongest = 80;  // bytes
        constexpr std::string_view kDigits = "0123456789";
        constexpr std::string_view kOther[] = {"rror", "ail", "arning", "ode", "tatus", "xit", "ssue", "roblem"};
        if (step.tool_class != ToolClass::other || step.command_bytes > 0 || step.outcome_bytes > kLongest)
            return false;
        const std::string_view said = step.text.outcome().bytes;
        const std::size_t number = said.find_first_of(kDigits);
        if (number == said.npos || said.find_first_of("123456789") != said.npos) return false;
        return !contains_any(said, kOther) && (number == 0 || !is_letter(said[number - 1]));
    }
    // Of a world with one way in, the words say that one goes elsewhere: "go library", "north", "enter the cave".
    static bool is_way(const Step& step) {
        constexpr std::string_view kWays[] = {"go",   "walk", "move", "enter", "leave", "climb", "north", "south",
                                              "east", "west", "up",   "down",  "back",  "in",    "out",   "exit",
                                              "run",  "jump", "n",    "s",     "e",     "w",     "return"};
        constexpr std::size_t kLongest = 40;  // bytes
        const std::string_view said = step.text.argument().bytes;
        if (step.tool_class != ToolClass::other || step.command_bytes > 0 || said.size() > kLongest) return false;
        return std::ranges::find(kWays, said.substr(0, said.find(' '))) != std::end(kWays);
    }
    // Many a tool says no and calls that a success: "Submission failed: tax_id must have 9 digits".
    static bool says_no(const Step& step) { return step.failed || turns_down(step) || denies_by_field(step); }

    // `git cherry-pick --skip` behind `git cherry-pick 3f9a1c2`, and behind that of the next commit: silent, and the
    // work goes on.
    static bool ends_each(const Step& step, const LaneTrack& lane) {
        if (step.failed || step.command_bytes == 0 || !is_no_result(step.text.outcome())) return false;
        if (step.tool_class != ToolClass::shell && step.tool_class != ToolClass::mutate) return false;
        const Step* before = lane.step(step.ordinal - 1);
        if (!before || before->revisit || before->command_bytes == 0 || before->tool != step.tool) return false;
        const std::string_view now = step.text.argument().bytes, then = before->text.argument().bytes;
        return now.substr(0, now.find(' ')) == then.substr(0, then.find(' ')) && !made_before(*before, lane);
    }

    // A command that only goes to a folder, or sets up the shell: its answer is the prompt.
    static bool asks_nothing(const Step& step) {
        return step.tool_class != ToolClass::verify && !step.failed && step.command_bytes > 0 &&
               only_prepares(step.text.argument());
    }

    // Did a step since `from` tell what nobody knew? Then a look at where one is before the next one is no repetition.
    static bool learnt_between(std::uint64_t from, const Step& look, const LaneTrack& lane) {
        for (std::uint64_t at = from + 1; at < look.ordinal; ++at) {
            const Step* between = lane.step(at);
            if (between && between->call != look.call && tells_news(*between, lane)) return true;
        }
        return false;
    }

    // Was as much of it new as was known? In a round of several calls that comes back with noise in it it is not.
    static bool mostly_learnt_between(std::uint64_t from, const Step& again, const LaneTrack& lane) {
        int news = 0, known = 0;
        for (std::uint64_t at = from + 1; at < again.ordinal; ++at) {
            const Step* between = lane.step(at);
            if (!between) continue;
            if (tells_news(*between, lane))
                ++news;
            else if (between->revisit && !is_look_round(*between))
                ++known;
        }
        return news > 0 && news >= known;
    }

    // Each check of something else tells something, also where it fails or passes as others do.
    static bool tells_news(const Step& step, const LaneTrack& lane) {
        const ToolClass kind = step.tool_class;
        if (step.opaque || step.revisit || kind == ToolClass::poll || kind == ToolClass::wait ||
            kind == ToolClass::note)
            return false;
        if (kind == ToolClass::verify) return !made_before(step, lane);
        return !step.failed && !is_no_result(step.text.outcome()) && !answered_before(step, lane);
    }

    // Was the same answer given to another call not long ago: "no such order", the page that stands for all others?
    static bool answered_before(const Step& step, const LaneTrack& lane) {
        return any_before(step, lane, [&](const Step& before) { return before.out == step.out; });
    }

    static bool may_have_changed(std::uint64_t from, std::uint64_t to, const LaneTrack& lane) {
        return change_between(from, to, lane) != nullptr;
    }

    // `nvm install 18`, `nvm install 20`: one value after the other is tried on purpose.
    static bool is_next_value(const Step& step, const Step& before) {
        if (step.command_bytes == 0 || step.tool != before.tool || step.call == before.call) return false;
        const std::string_view now = step.text.argument().bytes, then = before.text.argument().bytes;
        if (now.substr(0, now.find(' ')) != then.substr(0, then.find(' '))) return false;
        return (now != then && same_but_numbers(now, then)) || elsewhere(step, before) != Elsewhere::no;
    }

    static bool reads_well(const Step& step) {
        const ToolClass kind = step.tool_class;
        return !step.failed && (kind == ToolClass::read || kind == ToolClass::search || is_passed_check(step));
    }

    // A plan that is read before each piece of work: more than one needs, but one gets on.
    static bool gets_on(const Repeat& r) { return 10 * r.learnt >= 9 * r.gaps; }

    static bool is_sweep(const Repeat& r) { return r.swept + 2 >= r.at.size(); }

    // A look now and then that did well while everything in between was new: who asks for the state of things in
    // between has not got stuck.
    static bool looks_in_between(const Repeat& r, const LaneTrack& lane) {
        if (3 * (r.at.size() - 1) > r.at.back() - r.at.front()) return false;
        for (std::uint64_t at = r.at.front(); at <= r.at.back(); ++at) {
            const Step* s = lane.step(at);
            if (!s || s->failed || (s->call != r.call && s->revisit)) return false;
        }
        return true;
    }

    // How many equal outcomes are worth a word.
    std::size_t wanted(const Repeat& r, const Step& step, const LaneTrack& lane) const {
        const int transient = step.error == ErrorClass::transient ? 2 : 1;
        const int patience = is_sweep(r) || looks_in_between(r, lane) ? 2 : 1;
        return static_cast<std::size_t>(params_.warn * transient * patience);
    }

    // A check that mends what it finds: ruff check --fix, prettier --write.
    static bool mends(const Step& step) {
        if (step.tool_class != ToolClass::verify) return false;
        const std::string_view command = step.text.argument().bytes;
        return command.find("--fix") != command.npos || command.find("--write") != command.npos;
    }

    static bool made_before(const Step& step, const LaneTrack& lane) {
        return any_before(step, lane, [&](const Step& before) { return before.call == step.call; });
    }

    static bool any_before(const Step& step, const LaneTrack& lane, auto wanted) {
        const std::uint64_t oldest =
            std::max(lane.segment_start(), step.ordinal - std::min<std::uint64_t>(step.ordinal, kLookBack));
        for (std::uint64_t at = step.ordinal - 1; at >= oldest && at > 0; --at) {
            const Step* before = lane.step(at);
            if (!before) return false;
            if (wanted(*before)) return true;
        }
        return false;
    }

    // The step is a revisit: the first occurrence is not far, or this is not for us.
    void begin(const Step& step, const LaneTrack& lane) {
        const std::uint64_t oldest =
            std::max(lane.segment_start(),
                     step.ordinal - std::min<std::uint64_t>(step.ordinal, static_cast<std::uint64_t>(params_.max_gap)));
        for (std::uint64_t at = step.ordinal - 1; at >= oldest && at > 0; --at) {
            const Step* before = lane.step(at);
            if (!before || before->epoch != step.epoch) return;
            if (before->call != step.call) continue;
            if (before->out != step.out || before->opaque) return;
            if (!says_no(step) && may_have_changed(at, step.ordinal, lane)) return;
            if (is_look_round(step) && learnt_between(at, step, lane)) return;
            if (follows_another_setting(step, lane)) return;
            if (repeats_.size() >= kMaxRepeats) end(repeats_.begin());
            Repeat& r = repeats_.emplace_back();
            r.call = step.call;
            r.out = step.out;
            r.epoch = step.epoch;
            r.at.push_back(at);
            return grow(r, step, lane);
        }
    }

    void grow(Repeat& r, const Step& step, const LaneTrack& lane) {
        if (const Step* change = says_no(step) ? change_between(r.at.back(), step.ordinal, lane) : nullptr) {
            const Step* before = lane.step(r.last_try);
            r.swept += before && is_next_value(*change, *before);
            r.last_try = change->ordinal;
            ++r.tried;
        }
        ++r.gaps;
        r.learnt += reads_well(step) && mostly_learnt_between(r.at.back(), step, lane);
        r.at.push_back(step.ordinal);
        thin_out(r);
        if (r.at.size() < static_cast<std::size_t>(params_.warn)) {
            if (r.episode.is_open()) close(r);
            r.episode.reset();
        } else if (r.episode.is_open()) {
            r.episode.add(step);
        } else {
            open(r, step, lane);
        }
    }

    // Drops the oldest occurrences until the rest is dense enough.
    void thin_out(Repeat& r) const {
        std::size_t drop = r.at.size() > kMaxPlaces ? 1 : 0;
        const auto sparse = [&](std::size_t from) {
            const double steps = static_cast<double>(r.at.back() - r.at[from] + 1);
            return static_cast<double>(r.at.size() - from) < params_.density * steps;
        };
        while (drop + 1 < r.at.size() && sparse(drop)) ++drop;
        r.at.erase(r.at.begin(), r.at.begin() + static_cast<std::ptrdiff_t>(drop));
    }

    void open(Repeat& r, const Step& step, const LaneTrack& lane) {
        const std::uint64_t first = r.at.front();
        if (step.ordinal - first + 1 == r.at.size()) return;  // nothing in between: loop/exact-repeat
        const std::size_t warn = wanted(r, step, lane);
        if (r.at.size() < warn || progress(r, first, step.ordinal, lane)) return;
        const Step* in_time = lane.step(r.at[r.at.size() - warn]);
        if (in_time && !within(*in_time, step, params_.within)) return;
        if (const Step* second = lane.step(r.at[1])) r.episode.waste_from(*second, lane.step(r.at[1] - 1));
        for (const std::uint64_t at : r.at) {
            if (const Step* kept = lane.step(at)) r.episode.add(*kept);
        }
    }

    // {"ok":true,"rev":505} and {"ok":true,"rev":507}: the same was done once more.
    static bool only_receipts(const Step& a, const Step& b) {
        if (a.failed || b.failed || a.command_bytes > 0 || !names_a_change(a.text.tool())) return false;
        return same_but_made_names(a.text.outcome().bytes, b.text.outcome().bytes);
    }

    // Another call in between came back with another answer: something moves, and this one is looked at meanwhile.
    static bool progress(const Repeat& r, std::uint64_t from, std::uint64_t to, const LaneTrack& lane) {
        for (std::uint64_t later = from + 1; later < to; ++later) {
            const Step* b = lane.step(later);
            if (!b || b->opaque || b->call == r.call) continue;
            for (std::uint64_t earlier = from; earlier < later; ++earlier) {
                const Step* a = lane.step(earlier);
                if (a && a->call == b->call && a->out != b->out && !a->opaque && !only_receipts(*a, *b)) return true;
            }
        }
        return false;
    }

    void end(std::vector<Repeat>::iterator r) {
        close(*r);
        repeats_.erase(r);
    }

    void close_all() {
        for (const Repeat& r : repeats_) close(r);
        repeats_.clear();
    }

    void close(const Repeat& r) {
        if (!r.episode.is_open()) return;
        const Step& last = r.episode.last();
        const std::uint64_t times = r.episode.steps();
        const std::uint64_t span = last.ordinal - r.episode.first().ordinal + 1;
        const int scale = last.error == ErrorClass::transient ? 2 : 1;
        const bool mostly_tried = 2 * r.tried >= times;
        const int fail = (mostly_tried ? std::max(params_.fail, 2 * params_.warn) : params_.fail) * scale;
        const bool hard = times >= static_cast<std::uint64_t>(fail) && !is_sweep(r) && !gets_on(r);
        report(r.episode.draft(
            loop_interleaved_repeat(),
            {.hard = hard,
             .repeats = times,
             .pattern = mix_hash(r.call, 3 + last.failed),
             .round = {step_words(last)},
             .message =
                 fmt::format("{} gave the same answer {} times within {} steps {}", last.text.tool(), times, span,
                             r.tried > 0 ? "whatever was done in between" : "although nothing was changed"),
             .action = r.tried > 0   ? "what is done in between does not help: say what it was to change, or tell the "
                                       "user what is missing"
                       : last.failed ? "read the error before the next try: nothing that it speaks of was changed"
                                     : "stop asking again: change something first, or tell the user what is missing",
             .because = {{"equal_outcomes", std::to_string(times)},
                         {"threshold", std::to_string(hard ? fail : params_.warn * scale)},
                         {"steps_from_first_to_last", std::to_string(span)},
                         {"outcome", outcome_words(last)},
                         {"new_mutations_in_between", "0"}}}));
    }

    Params params_;
    std::vector<Repeat> repeats_;
};

}  // namespace

DetectorSpec loop_interleaved_repeat() {
    return {kId,
            "AA106",
            "the same call with the same outcome, with other steps in between",
            Severity::error,
            0.85,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<InterleavedRepeat>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
