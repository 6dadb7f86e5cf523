#include "detectors/all.hpp"
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

constexpr std::string_view kId = "loop/file-sweep";

constexpr std::string_view kDoc = R"(## What it finds
One file read window by window, many times, while most of the windows show lines that were shown before. Measured is how
many lines were read again for each different line; where that is five times what a warning takes, two fifths of the windows
will do for one. Line ranges of read tools count, and commands such as
`sed -n 200,400p f`, `head -100 f` or `tail -n +200 f`.

## Why it matters
The file is paged through again, from another offset: all of it is in the context already, and the answer is not in it.
Each window differs a little, so nothing looks repeated.

## Example
```
Read `mill.log` lines 1-200, 201-400, …, 4801-5000
Read `mill.log` lines 51-250, 251-450, …
```

## What is not flagged
- a big file paged through once, also with some overlap
- fewer than `reads` windows of one file, unless each line was shown several times over
- reading on after a change: any new mutation starts afresh, for the file may be another one
- a file that changes under the reader: the same window answered differently starts afresh
- whole-file reads, and one window that is read over and over; see `loop/exact-repeat` and `loop/interleaved-repeat`
- what a human asked for again: a human message starts afresh

## What to do
Search for the words that are needed instead of paging, or tell the agent that the file holds no more.

## When it is wrong
A long review that jumps back and forth in one file. Raise `warn` and `fail`, or `--ignore loop/file-sweep`.
)";

struct Params {
    double warn = 0.5;
    double fail = 0.9;
    int reads = 20;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, double>{"warn", &Params::warn, 0.1, 1000.0,
                          "lines read again for each different line before a warning"},
    Param<Params, double>{"fail", &Params::fail, 0.1, 1000.0, "the same before an error"},
    Param<Params, int>{"reads", &Params::reads, 2, 100'000, "windows of one file before it is looked at"},
    Param<Params, int>{"within", &Params::within, 0, 1'000'000,
                       "seconds of recorded time in which they must be read; 0 = no limit"},
};

/// Lines that were seen, as sorted stretches that do not touch.
class LineSet {
public:
    /// Adds the lines [begin, end) and says how many of them were there. Bounded: a set in too many pieces takes no
    /// more.
    std::uint64_t add(std::uint64_t begin, std::uint64_t end) {
        const auto first = std::ranges::lower_bound(stretches_, begin, {}, &Stretch::end);
        auto last = first;
        std::uint64_t known = 0;
        Stretch all{begin, end};
        for (; last != stretches_.end() && last->begin <= end; ++last) {
            const std::uint64_t from = std::max(begin, last->begin), to = std::min(end, last->end);
            known += to > from ? to - from : 0;
            all = {std::min(all.begin, last->begin), std::max(all.end, last->end)};
        }
        if (first == last && stretches_.size() >= kStretches) return end - begin;
        lines_ += end - begin - known;
        if (first == last) {
            stretches_.insert(first, all);
        } else {
            *first = all;
            stretches_.erase(first + 1, last);
        }
        return known;
    }

    std::uint64_t lines() const { return lines_; }
    bool full() const { return stretches_.size() >= kStretches; }

private:
    static constexpr std::size_t kStretches = 512;

    struct Stretch {
        std::uint64_t begin = 0, end = 0;
    };

    std::vector<Stretch> stretches_;
    std::uint64_t lines_ = 0;
};

/// The windows of one file since the last change.
struct Sweep {
    static constexpr std::size_t kWindows = 64;

    struct Window {
        std::uint64_t call = 0, out = 0;
    };

    std::uint64_t file = 0;
    LineSet seen;
    std::uint64_t again = 0;
    int reads = 0;
    int elsewhere = 0;  // of them, those of another window than the first
    bool wasting = false, warned = false, failing = false;
    std::array<Window, kWindows> windows{};  // the last ones, to notice when the file changes
    Episode episode;
};

class FileSweep final : public Detector {
public:
    explicit FileSweep(Params params) : params_(params) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.epoch != epoch_) {
            close_all();
            epoch_ = step.epoch;
        }
        const FileTouch& t = step.touch;
        if (t.file == 0 || t.first_line == 0 || t.line_count == 0 || step.tool_class != ToolClass::read ||
            step.failed || step.opaque)
            return;
        if (Sweep* sweep = sweep_of(t.file)) return read(*sweep, step, lane);
        const std::uint64_t before = first_read(t.file, step);
        if (before == 0) return;
        Sweep& made = make_sweep(t.file);
        if (const Step* first = lane.step(before)) read(made, *first, lane);
        read(made, step, lane);
    }

    std::uint16_t wakes() const override { return kOnPart; }
    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static constexpr std::size_t kFiles = 8;

    struct Once {
        std::uint64_t file = 0;
        std::uint64_t ordinal = 0;
        std::uint32_t epoch = 0;
    };

    void read(Sweep& sweep, const Step& step, const LaneTrack& lane) {
        const bool late =
            sweep.episode.is_open() && !sweep.warned && !within(sweep.episode.first(), step, params_.within);
        if (late || changed(sweep, step)) begin_again(sweep);
        if (sweep.seen.full()) return;
        const FileTouch& t = step.touch;
        const std::uint64_t known = sweep.seen.add(t.first_line, std::uint64_t{t.first_line} + t.line_count);
        sweep.again += known;
        if (!sweep.wasting && sweep.episode.is_open() && known * 2 >= t.line_count) {
            sweep.episode.waste_from(step, lane.step(step.ordinal - 1));
            sweep.wasting = true;
        }
        sweep.elsewhere += sweep.episode.is_open() && step.call != sweep.episode.first().call;
        sweep.episode.add(step);
        ++sweep.reads;
        if (!pages(sweep)) return;
        const bool many = sweep.reads >= params_.reads;
        sweep.warned = sweep.warned || (many && ratio(sweep) >= params_.warn) || is_read_to_pieces(sweep);
        sweep.failing = sweep.failing || (many && ratio(sweep) >= params_.fail);
    }

    // Fewer windows will do where all that they show was shown several times over.
    bool is_read_to_pieces(const Sweep& sweep) const {
        constexpr int kShareOfReads = 2, kOfReads = 5;
        constexpr double kTimesWarn = 5;
        return sweep.reads * kOfReads >= params_.reads * kShareOfReads && ratio(sweep) >= params_.warn * kTimesWarn;
    }

    // The same window with another answer: the file is not what it was.
    static bool changed(Sweep& sweep, const Step& step) {
        Sweep::Window& window = sweep.windows[step.call % Sweep::kWindows];
        const bool other = window.call == step.call && window.out != step.out;
        window = {step.call, step.out};
        return other;
    }

    // A plan that is read from line 1 to 200 before each piece of work is not paged through.
    static bool pages(const Sweep& sweep) { return sweep.elsewhere * 4 >= sweep.reads; }

    static double ratio(const Sweep& sweep) {
        return sweep.seen.lines() == 0 ? 0 : static_cast<double>(sweep.again) / static_cast<double>(sweep.seen.lines());
    }

    // The file read last stands last, so that the first is the one to forget.
    Sweep* sweep_of(std::uint64_t file) {
        const auto known = std::ranges::find(sweeps_, file, [](const auto& s) { return s->file; });
        if (known == sweeps_.end()) return nullptr;
        std::rotate(known, known + 1, sweeps_.end());
        return sweeps_.back().get();
    }

    // Most files are looked into once: only the second part of one is worth an entry of its own. Returns the step that
    // read the first part, 0 when this is it.
    std::uint64_t first_read(std::uint64_t file, const Step& step) {
        const auto known = std::ranges::find(once_, file, &Once::file);
        if (known != once_.end() && known->epoch == step.epoch) return known->ordinal;
        once_[once_next_++ % once_.size()] = {file, step.ordinal, step.epoch};
        return 0;
    }

    Sweep& make_sweep(std::uint64_t file) {
        if (sweeps_.size() >= kFiles) {
            close(*sweeps_.front());
            sweeps_.erase(sweeps_.begin());
        }
        Sweep& made = *sweeps_.emplace_back(std::make_unique<Sweep>());
        made.file = file;
        return made;
    }

    void begin_again(Sweep& sweep) {
        close(sweep);
        const std::uint64_t file = sweep.file;
        sweep = Sweep{};
        sweep.file = file;
    }

    void close_all() {
        for (const auto& sweep : sweeps_) close(*sweep);
        sweeps_.clear();
        once_.fill({});
    }

    void close(const Sweep& sweep) {
        if (!sweep.warned) return;
        const Episode& e = sweep.episode;
        DraftFinding draft = e.draft(loop_file_sweep());
        Finding& f = draft.finding;
        f.severity = sweep.failing ? Severity::error : Severity::warning;
        f.repeats = static_cast<std::uint64_t>(sweep.reads);
        f.round = {step_words(e.last())};
        f.pattern_key = mix_hash(sweep.file, e.last().tool);
        f.message =
            fmt::format("one file was read in {} pieces, {} of its {} lines again ({}): {}", sweep.reads, sweep.again,
                        sweep.seen.lines(), lines_words(f.first_line, f.last_line), step_words(e.last()));
        f.action = "search the file for what is needed: all of it is in the context already";
        f.because = {{"reads", std::to_string(sweep.reads)},
                     {"lines_read_again", std::to_string(sweep.again)},
                     {"different_lines", std::to_string(sweep.seen.lines())},
                     {"again_for_each_line", fmt::format("{:.2f}", ratio(sweep))},
                     {"threshold", fmt::format("{}", sweep.failing ? params_.fail : params_.warn)}};
        report(std::move(draft));
    }

    Params params_;
    std::array<Once, 2 * kFiles> once_{};
    std::size_t once_next_ = 0;
    std::vector<Owned<Sweep>> sweeps_;
    std::uint32_t epoch_ = 0;
};

}  // namespace

DetectorSpec loop_file_sweep() {
    return {kId,
            "AA112",
            "one file paged through again and again",
            Severity::error,
            0.85,
            Stage::stable,
            Scope::lane,
            kSteps | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<FileSweep>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
