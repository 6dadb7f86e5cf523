#include "detectors/all.hpp"
#include "detectors/commands/command_state.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/owned.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/edit-oscillation";

constexpr std::string_view kDoc = R"(## What it finds
A place in a file that is changed, changed back, and changed again: edits of which each restores a text that stood there
before, or writes that bring back an earlier content of the whole file. Counted are the edits that restore something.

## Why it matters
The agent goes back and forth between texts it has already tried. Each of them was judged before; none of them will work
better the second time.

## Example
```
Edit `mill.py`   grind(2) → grind(3)
Bash `make test` → 1 failing
Edit `mill.py`   grind(3) → grind(2)      restores: 1
Bash `make test` → 1 failing
Edit `mill.py`   grind(2) → grind(3)      restores: 2, a warning
```

## What is not flagged
- an edit that is undone once
- a change that is taken back to try a *different* one: only edits that restore something, one after the other, count
- going back and forth around a check that passes, as when one shows that a test fails without the fix, or around a
  benchmark
- as more than an info, a setting that a person wants toggled and measured ("on and off a few times, and compare"), while nothing fails
- failed and rejected edits; several edits of one response count once
- text that was cut out of the recording
- what a human asked for again: a human message starts afresh

## What to do
Say what both texts have in common, and that neither is the answer; or reset to the suggested line.

## When it is wrong
A switch is turned on and off on purpose, for an experiment without a recorded check. Raise `warn` and `fail`, or
`--ignore loop/edit-oscillation`.
)";

struct Params {
    int warn = 2;
    int fail = 3;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "edits in a row that restore an earlier text before a warning; one is an undo"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"within", &Params::within, 0, 1'000'000,
                       "seconds of recorded time in which they must happen; 0 = no limit"},
};

/// A text that stood at some place: as the edit gave it, and only the lines that differed.
struct Version {
    std::uint64_t text = 0;
    std::uint64_t core = 0;
};

/// One place of a file (or a file as a whole) and the texts that stood there.
struct Spot {
    static constexpr std::size_t kVersions = 8;

    std::uint64_t file = 0;
    bool whole_file = false;
    std::uint64_t above = 0, below = 0;
    std::array<Version, kVersions> versions{};
    std::size_t count = 0;  // versions ever seen
    Version now;
    std::uint64_t last_step = 0;  // ordinal of the last edit here
    std::uint64_t last_response = 0;
    int restores = 0, most = 0;
    std::int64_t since_ms = kNoTime;  // recorded time of the first restore that counts
    Owned<Episode> episode;           // from the first restore on
};

class EditOscillation final : public Detector {
public:
    explicit EditOscillation(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        const bool measured = step.tool_class == ToolClass::shell && measures(step.text.argument());
        if ((step.tool_class == ToolClass::verify || measured) && !step.failed) {
            if (!spots_.empty()) close_all();
            return;
        }
        const FileTouch& t = step.touch;
        if (t.file == 0 || step.tool_class != ToolClass::mutate || step.failed || step.opaque) return;
        whole_file(step, lane);
        if (!t.whole_file && t.before != 0 && t.after != 0 && t.before != t.after) edit(step, lane);
    }

    std::uint16_t wakes() const override { return kOnMutation | kOnCheck; }
    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static constexpr std::size_t kSpots = 32;
    static constexpr std::uint64_t kMaxGap = 64;  // steps between two edits of one oscillation

    // ---- edits of a part --------------------------------------------------------------------------------

    void edit(const Step& step, const LaneTrack& lane) {
        const FileTouch& t = step.touch;
        const Version before{t.before, t.removed}, after{t.after, t.added};
        Spot* found = nullptr;  // the one edited last
        for (Spot& spot : spots_) {
            if (spot.file != t.file || spot.whole_file || !same(spot, spot.now, before, t)) continue;
            if (!found || spot.last_step > found->last_step) found = &spot;
        }
        if (found) {
            change(*found, after, t, step, lane);
            found->above = t.above;
            found->below = t.below;
            return;
        }
        Spot& spot = add(t.file, false);
        spot.above = t.above;
        spot.below = t.below;
        remember(spot, before);
        remember(spot, after);
        begin(spot, step);
    }

    // Lines alone are telling only where their neighbours are the same.
    static bool same(const Spot& spot, const Version& a, const Version& b, const FileTouch& t) {
        if (a.text == b.text) return true;
        const bool neighbours = (t.above != 0 && t.above == spot.above) || (t.below != 0 && t.below == spot.below);
        return neighbours && a.core != 0 && a.core == b.core;
    }

    // ---- the file as a whole ----------------------------------------------------------------------------

    // After a write the whole content is known; an edit turns it into another one that is known as well.
    void whole_file(const Step& step, const LaneTrack& lane) {
        const FileTouch& t = step.touch;
        const auto spot = std::ranges::find_if(spots_, [&](const Spot& p) { return p.whole_file && p.file == t.file; });
        if (t.whole_file && t.after != 0) {
            const Version content{t.after, 0};
            if (spot == spots_.end()) {
                Spot& made = add(t.file, true);
                remember(made, content);
                begin(made, step);
                return;
            }
            if (content.text != spot->now.text) change(*spot, content, t, step, lane);
            return;
        }
        if (spot == spots_.end()) return;
        const bool told = t.before != 0 && t.after != 0;
        const std::uint64_t edit = told ? mix_hash(t.before, t.after) : mix_hash(step.call, step.ordinal);
        change(*spot, {mix_hash(spot->now.text, edit), 0}, t, step, lane);
    }

    // ---- both -------------------------------------------------------------------------------------------

    void change(Spot& spot, const Version& after, const FileTouch& t, const Step& step, const LaneTrack& lane) {
        const std::size_t kept = std::min(spot.count, Spot::kVersions);
        const bool known = std::any_of(
            spot.versions.begin(), spot.versions.begin() + static_cast<std::ptrdiff_t>(kept),
            [&](const Version& v) { return spot.whole_file ? v.text == after.text : same(spot, v, after, t); });
        if (known && step.ordinal - spot.last_step <= kMaxGap)
            restore(spot, step, lane);
        else
            forget_restores(spot);
        if (!known) remember(spot, after);
        spot.now = after;
        begin(spot, step);
    }

    void restore(Spot& spot, const Step& step, const LaneTrack& lane) {
        if (spot.restores > 0 && step.response == spot.last_response) return;  // one response is one piece of evidence
        const bool late = spot.restores > 0 && params_.within > 0 && spot.since_ms != kNoTime &&
                          step.time_ms != kNoTime && step.time_ms - spot.since_ms > std::int64_t{params_.within} * 1000;
        if (late && spot.most < params_.warn) forget_restores(spot);
        if (spot.restores++ == 0) {
            spot.since_ms = step.time_ms;
            spot.episode = std::make_unique<Episode>();
            spot.episode->waste_from(step, lane.step(step.ordinal - 1));
        }
        spot.most = std::max(spot.most, spot.restores);
        // The edit before it, and the checks between, belong to the round.
        const std::uint64_t from = spot.episode->is_open() ? spot.episode->last().ordinal + 1 : spot.last_step;
        for (std::uint64_t ordinal = from; ordinal <= step.ordinal; ++ordinal) {
            const Step* kept = lane.step(ordinal);
            if (kept && (belongs(*kept, spot) || ordinal == step.ordinal)) spot.episode->add(*kept);
        }
    }

    static bool belongs(const Step& step, const Spot& spot) {
        return step.touch.file == spot.file || step.tool_class == ToolClass::verify || step.failed;
    }

    void forget_restores(Spot& spot) {
        close(spot);
        spot.restores = spot.most = 0;
        spot.episode.reset();
    }

    static void remember(Spot& spot, const Version& version) {
        spot.versions[spot.count++ % Spot::kVersions] = version;
        spot.now = version;
    }

    static void begin(Spot& spot, const Step& step) {
        spot.last_step = step.ordinal;
        spot.last_response = step.response;
    }

    Spot& add(std::uint64_t file, bool whole_file) {
        if (spots_.size() >= kSpots) {
            const auto oldest = std::ranges::min_element(spots_, {}, &Spot::last_step);
            close(*oldest);
            spots_.erase(oldest);
        }
        Spot& spot = spots_.emplace_back();
        spot.file = file;
        spot.whole_file = whole_file;
        return spot;
    }

    void close_all() {
        for (Spot& spot : spots_) close(spot);
        spots_.clear();
    }

    void close(const Spot& spot) {
        if (spot.most < params_.warn || !spot.episode) return;
        const Episode& e = *spot.episode;
        DraftFinding draft = e.draft(loop_edit_oscillation());
        Finding& f = draft.finding;
        const bool failing = spot.most >= params_.fail;
        f.severity = failing ? Severity::error : Severity::warning;
        f.repeats = static_cast<std::uint64_t>(spot.most);
        f.period = 2;
        f.round = {step_words(e.last()), "the same place, changed back"};
        f.pattern_key = mix_hash(spot.file, spot.whole_file ? 2 : 1);
        f.message = fmt::format("{} brought back an earlier {} {} times in a row ({})", step_words(e.last()),
                                spot.whole_file ? "content of the file" : "text of the same place", spot.most,
                                lines_words(f.first_line, f.last_line));
        f.action = "stop going back and forth: name what both versions miss, and try a third one or ask";
        f.because = {{"restores_in_a_row", std::to_string(spot.most)},
                     {"threshold", std::to_string(failing ? params_.fail : params_.warn)},
                     {"whole_file", spot.whole_file ? "yes" : "no"},
                     {"versions", std::to_string(std::min(spot.count, Spot::kVersions))}};
        report(std::move(draft));
    }

    Params params_;
    std::vector<Spot> spots_;
};

}  // namespace

DetectorSpec loop_edit_oscillation() {
    return {kId,
            "AA110",
            "edits that bring back what stood there before",
            Severity::error,
            0.9,
            Stage::stable,
            Scope::lane,
            kSteps | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<EditOscillation>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
