#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/owned.hpp"
#include "detectors/outcomes/answers.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/edit-region-churn";

constexpr std::string_view kDoc = R"(## What it finds
Small edits of the same few lines, each followed by a check (tests, a build, a command that fails) that fails exactly as it
did before. Also: the very same lines rewritten again and again without any check, or with one that says the same each time.

Two edits are at the same place when their line numbers are at most `lines-apart` apart, when the second changes what the
first one wrote, or when their unchanged neighbour lines are the same.

## Why it matters
The agent turns one screw and the failure does not move. What is wrong is somewhere else.

## Example
```
Edit `mill.py` line 41: grind(2) → grind(3)
Bash `make test`  → 1 failing: expected 4 to equal 5
Edit `mill.py` line 41: grind(3) → grind(3.0)
Bash `make test`  → 1 failing: expected 4 to equal 5
Edit `mill.py` line 42: return flour → return int(flour)
Bash `make test`  → 1 failing: expected 4 to equal 5
```

## What is not flagged
- a check whose failure changes, be it by one number: that is progress, or at least news
- a check that passes; a command whose answer moves with the edits (a benchmark); a picture looked at
- edits all over a file: a docstring for each function, a header for each section
- several small edits without a check in between: that is how code is written
- edits of more than `max-lines` lines; a write of the whole file starts afresh
- failed and rejected edits; checks of one response count once

## What to do
Ask what else could cause the failure, and let the agent read that part first.

## When it is wrong
The check fails for a reason that is known and waits for something else. Raise `warn` and `fail`, or
`--ignore loop/edit-region-churn`.
)";

struct Params {
    int warn = 3;
    int fail = 6;
    int rewrites = 6;
    int max_lines = 3;
    int lines_apart = 5;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "rounds of a small edit and an unchanged failing check before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"rewrites", &Params::rewrites, 3, 1000,
                       "rewrites of the very same lines, nothing new in between, before a warning"},
    Param<Params, int>{"max-lines", &Params::max_lines, 1, 100, "lines that a small edit takes away or adds at most"},
    Param<Params, int>{"lines-apart", &Params::lines_apart, 0, 100, "line numbers this far apart are the same place"},
    Param<Params, int>{"within", &Params::within, 0, 1'000'000,
                       "seconds of recorded time in which the warn count must happen; 0 = no limit"},
};

/// What a check said last; 0 = it passed. The same call failing alike is news to nobody.
struct Check {
    std::uint64_t call = 0;
    std::uint64_t error = 0;
};

/// What a finding needs, kept from the second round on.
struct Story {
    Episode episode;
    std::string edit, check;  // one of each in words
};

/// A few lines of one file that are edited again and again.
struct Region {
    static constexpr std::size_t kChecks = 4, kFirstSteps = 8;

    std::uint64_t file = 0;
    FileTouch touch;  // of the last edit
    std::uint64_t last_step = 0;
    std::uint32_t last_epoch = 0;
    std::uint64_t last_response = 0;  // of the check that ended the last round
    std::int64_t since_ms = kNoTime;  // of the first round that counts
    bool pending = false;             // edited since that check
    int rounds = 0;
    int rewrites = 0;           // in a row, neither news nor another change in between
    bool answered = false;      // between them something ran, and said what it had said before
    std::uint64_t answer = 0;   // what ran last between two edits, and what it said
    std::uint64_t running = 0;  // what a server was asked last, and what it said
    std::array<Check, kChecks> checks{};
    std::size_t check_count = 0;
    std::array<std::uint64_t, kFirstSteps> first_steps{};  // their ordinals, until they are worth a story
    std::size_t step_count = 0;
    Owned<Story> story;
};

class EditRegionChurn final : public Detector {
public:
    explicit EditRegionChurn(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.opaque) return;
        if (step.tool_class == ToolClass::mutate) {
            if (step.touch.file != 0 && !step.failed) edit(step, lane);
        } else if (!regions_.empty() && (step.tool_class == ToolClass::verify || step.tool_class == ToolClass::shell)) {
            check(step, lane);
        }
    }

    std::uint16_t wakes() const override { return kOnMutation | kOnCheck; }
    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static constexpr std::size_t kRegions = 16;
    static constexpr std::uint64_t kMaxGap = 40;  // steps between two edits of one churn

    // ---- edits ------------------------------------------------------------------------------------------

    void edit(const Step& step, const LaneTrack& lane) {
        const FileTouch& t = step.touch;
        std::erase_if(regions_,
                      [&](const Region& r) { return r.file == t.file && ended_by(r, step) && (close(r), true); });
        Region* known = find(t);
        if (!is_small(t)) {
            if (known) pass_over(*known, step, lane);
            return;
        }
        Region& region = known ? *known : add(t.file);
        const bool rewrite = t.removed != 0 && t.removed == region.touch.added && step.epoch <= region.last_epoch + 1;
        const bool again = rewrite && !told_news(region, step, lane);
        if (!again && region.rewrites >= params_.rewrites) {
            close(region);
            region = Region{};
            region.file = t.file;
        }
        if (again)
            ++region.rewrites;
        else
            begin_rewriting(region);
        region.pending = true;
        moved(region, step);
        note_step(region, step, lane);
    }

    static void begin_rewriting(Region& r) {
        r.rewrites = 0;
        r.answered = false;
        if (r.rounds > 0) return;  // what was edited before belongs to these
        r.step_count = 0;
        r.story.reset();
    }

    // Did something say, since the last edit, what these lines do now: a check that passes, another answer, or one that
    // is not in the recording (a picture)?
    static bool told_news(Region& r, const Step& edit, const LaneTrack& lane) {
        bool news = false;
        for (std::uint64_t at = r.last_step + 1; at < edit.ordinal; ++at) {
            const Step* step = lane.step(at);
            if (!step) continue;
            news = news || step->opaque || (step->tool_class == ToolClass::verify && !step->failed);
            if (step->tool_class == ToolClass::poll) news = asked_running(r, *step) || news;
            const std::uint64_t answer = answer_of(*step);
            if (answer == 0) continue;
            if (answer == r.answer)
                r.answered = true;
            else
                news = true;
            r.answer = answer;
        }
        return news;
    }

    // A server was started anew and asked. Does it say anything else than the last time?
    static bool asked_running(Region& r, const Step& step) {
        const std::uint64_t answer = mix_hash(step.call, step.failed ? step.error_key : step.out) | 1;
        return std::exchange(r.running, answer) != answer;
    }

    // 0 = it says nothing about the lines. To read or find them again is no check of them.
    static std::uint64_t answer_of(const Step& step) {
        const bool runs = step.tool_class == ToolClass::verify || step.tool_class == ToolClass::shell ||
                          step.tool_class == ToolClass::other;
        if (step.opaque || !runs || is_no_result(step.text.outcome())) return 0;
        return mix_hash(step.call, step.failed ? step.error_key : step.out) | 1;
    }

    static void moved(Region& r, const Step& step) {
        r.touch = step.touch;
        r.last_step = step.ordinal;
        r.last_epoch = step.epoch;
    }

    // A large edit of the place is no turn of the screw: what the next check says is not counted.
    static void pass_over(Region& r, const Step& step, const LaneTrack& lane) {
        r.pending = false;
        r.rewrites = 0;
        moved(r, step);
        if (r.story) note_step(r, step, lane);
    }

    // After a whole write no line is where it was.
    bool ended_by(const Region& r, const Step& step) const {
        const FileTouch& t = step.touch;
        return t.whole_file || t.pieces == 0 || (same_place(r.touch, t) && step.ordinal - r.last_step > kMaxGap);
    }

    bool is_small(const FileTouch& t) const {
        const auto most = static_cast<std::uint32_t>(params_.max_lines);
        return !t.whole_file && t.pieces == 1 && t.before != 0 && t.before != t.after && t.before_lines <= most &&
               t.after_lines <= most;
    }

    bool same_place(const FileTouch& a, const FileTouch& b) const {
        if ((a.added != 0 && a.added == b.removed) || a.after == b.before) return true;
        if (a.first_line != 0 && b.first_line != 0) {
            const std::uint32_t apart =
                a.first_line > b.first_line ? a.first_line - b.first_line : b.first_line - a.first_line;
            return apart <= static_cast<std::uint32_t>(params_.lines_apart);
        }
        return (a.above != 0 && a.above == b.above) || (a.below != 0 && a.below == b.below);
    }

    Region* find(const FileTouch& t) {
        Region* found = nullptr;  // the one edited last
        for (Region& r : regions_) {
            if (r.file == t.file && same_place(r.touch, t) && (!found || r.last_step > found->last_step)) found = &r;
        }
        return found;
    }

    // ---- checks -----------------------------------------------------------------------------------------

    void check(const Step& step, const LaneTrack& lane) {
        std::erase_if(regions_, [&](Region& r) { return news(r, step, lane) && (close(r), true); });
    }

    // True when the check says something else than it did before. Commands that are not known as checks count when
    // they fail.
    bool news(Region& r, const Step& step, const LaneTrack& lane) const {
        const std::uint64_t error = step.failed ? step.error_key : 0;
        const Check* known = find_check(r, step.call);
        if (known && known->error != error) return true;
        if (!known) {
            if (!step.failed && step.tool_class != ToolClass::verify) return false;
            r.checks[r.check_count++ % Region::kChecks] = {step.call, error};
        }
        // The first failure says where things stand; that of a stranger in a later round says nothing about change.
        if (step.failed && r.pending && (known || r.rounds == 0) && step.response != r.last_response)
            round(r, step, lane);
        return false;
    }

    static const Check* find_check(const Region& r, std::uint64_t call) {
        const auto end = r.checks.begin() + static_cast<std::ptrdiff_t>(std::min(r.check_count, Region::kChecks));
        const auto found = std::find_if(r.checks.begin(), end, [&](const Check& c) { return c.call == call; });
        return found == end ? nullptr : &*found;
    }

    void round(Region& r, const Step& step, const LaneTrack& lane) const {
        const bool timed = params_.within > 0 && r.since_ms != kNoTime && step.time_ms != kNoTime;
        if (timed && r.rounds < params_.warn && step.time_ms - r.since_ms > std::int64_t{params_.within} * 1000) {
            r.rounds = 0;
            r.step_count = 0;
            r.story.reset();
        }
        if (r.rounds++ == 0) r.since_ms = step.time_ms;
        r.pending = false;
        r.rewrites = 0;
        r.last_response = step.response;
        note_step(r, step, lane);
    }

    // ---- both -------------------------------------------------------------------------------------------

    static void note_step(Region& r, const Step& step, const LaneTrack& lane) {
        if (!r.story) {
            if (r.step_count < Region::kFirstSteps) r.first_steps[r.step_count] = step.ordinal;
            ++r.step_count;
            if (r.rounds < 2 && r.rewrites < 2) return;
            begin_story(r, step, lane);
            return;
        }
        add_to(*r.story, step);
    }

    static void begin_story(Region& r, const Step& step, const LaneTrack& lane) {
        r.story = std::make_unique<Story>();
        Episode& episode = r.story->episode;
        const std::size_t kept = std::min(r.step_count, Region::kFirstSteps);
        bool wasting = false;
        for (std::size_t i = 0; i < kept; ++i) {
            const Step* s = lane.step(r.first_steps[i]);
            if (!s) continue;
            // The first edit and its check were worth trying.
            if (!wasting && episode.is_open() && s->tool_class == ToolClass::mutate) {
                episode.waste_from(*s, lane.step(s->ordinal - 1));
                wasting = true;
            }
            add_to(*r.story, *s);
        }
        if (kept < r.step_count) add_to(*r.story, step);
    }

    static void add_to(Story& story, const Step& step) {
        story.episode.add(step);
        std::string& words = step.tool_class == ToolClass::mutate ? story.edit : story.check;
        if (words.empty()) words = step_words(step);
    }

    Region& add(std::uint64_t file) {
        if (regions_.size() >= kRegions) {
            const auto oldest = std::ranges::min_element(regions_, {}, &Region::last_step);
            close(*oldest);
            regions_.erase(oldest);
        }
        Region& r = regions_.emplace_back();
        r.file = file;
        return r;
    }

    void close_all() {
        for (const Region& r : regions_) close(r);
        regions_.clear();
    }

    void close(const Region& r) {
        const bool churned = r.rounds >= params_.warn;
        if (!r.story || (!churned && r.rewrites < params_.rewrites)) return;
        const Episode& e = r.story->episode;
        DraftFinding draft = e.draft(loop_edit_region_churn());
        Finding& f = draft.finding;
        const bool failing = r.rounds >= params_.fail;
        f.severity = failing ? Severity::error : Severity::warning;
        f.period = churned ? 2 : 1;
        f.repeats = static_cast<std::uint64_t>(churned ? r.rounds : r.rewrites);
        f.round = {r.story->edit};
        if (churned) f.round.push_back(r.story->check);
        f.pattern_key = mix_hash(r.file, churned ? 2 : 1);
        f.message = churned
                        ? fmt::format("the same few lines were edited {} times and the check failed as before ({}): {}",
                                      f.repeats, lines_words(f.first_line, f.last_line), r.story->edit)
                        : fmt::format("the same few lines were rewritten {} times {} ({}): {}", f.repeats,
                                      r.answered ? "and what ran in between said the same" : "without a check",
                                      lines_words(f.first_line, f.last_line), r.story->edit);
        f.action = churned      ? "look for another cause: the failure does not depend on these lines"
                   : r.answered ? "look for another cause: the answer does not depend on these lines"
                                : "check what these lines do before they are rewritten once more";
        f.because = {{churned      ? "rounds_with_an_unchanged_failure"
                      : r.answered ? "rewrites_with_an_unchanged_answer"
                                   : "rewrites_without_a_check",
                      std::to_string(f.repeats)},
                     {"threshold", std::to_string(failing   ? params_.fail
                                                  : churned ? params_.warn
                                                            : params_.rewrites)},
                     {"lines_of_the_last_edit", std::to_string(std::max(r.touch.before_lines, r.touch.after_lines))},
                     {"line_known", r.touch.first_line != 0 ? "yes" : "no"}};
        report(std::move(draft));
    }

    Params params_;
    std::vector<Region> regions_;
};

}  // namespace

DetectorSpec loop_edit_region_churn() {
    return {kId,
            "AA111",
            "small edits in the same lines while the check keeps failing alike",
            Severity::error,
            0.75,  // every edit is another attempt
            Stage::stable,
            Scope::lane,
            kSteps | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<EditRegionChurn>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
