#include "detectors/all.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/episodes.hpp"

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "context/reread";

constexpr std::string_view kDoc = R"(## What it finds
The same content read again though it was in the window already, unchanged: the same call, the same text, no compaction
in between. By default when that came to 20,000 tokens or more, in three readings or more.

## Why it matters
The window now holds the same text twice, and every later request pays for both. The agent has either lost sight of what
it read, or was told to read before every edit.

## Example
```
Read `src/engine.cpp` (24 kB) → … → Read `src/engine.cpp` (the same 24 kB) → …
```

## What is not flagged
- a file that changed in between, by whom ever
- other ranges of the same file
- a reading after a compaction: the text was gone
- answers of less than 2,000 bytes, as clients give them that say "unchanged since it was read"

## What to do
Let the client answer a repeated reading with "unchanged", or tell the agent which files it has read.

## When it is wrong
Somebody else works on the same files and the agent has to look. Raise `tokens` or `warn`, or `--ignore context/reread`.
)";

struct Params {
    int warn = 3;
    int tokens = 20'000;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 1, 100'000, "readings of what the window holds before it is said"},
    Param<Params, int>{"tokens", &Params::tokens, 0, 100'000'000, "tokens they must come to, about"},
};

class Reread final : public Detector {
public:
    explicit Reread(Params params) : params_(params) {}

    std::uint16_t wakes() const override { return kOnReread; }

    void on_step(const Step& step, const LaneTrack&) override {
        episode_.add(step, "read again");
        tokens_ += step.outcome_bytes / 4;
        if (first_ == 0) first_ = step.reread_line;
        if (pattern_ == 0) pattern_ = step.call;  // the first: a finding that grows stays the same pattern
    }

    void finish(const LaneTrack*) override {
        if (episode_.count() < static_cast<std::uint64_t>(params_.warn) ||
            tokens_ < static_cast<std::uint64_t>(params_.tokens))
            return;
        DraftFinding draft = episode_.draft(context_reread());
        Finding& f = draft.finding;
        f.pattern_key = pattern_;
        f.message = fmt::format("{} readings brought what the window held already, about {} tokens ({})",
                                episode_.count(), about_tokens(tokens_), lines_words(f.first_line, f.last_line));
        f.action = "answer repeated readings with \"unchanged\", or tell the agent what it has read";
        f.evidence.insert(f.evidence.begin(),
                          {first_, f.first_seq, "first", "where the first of them had been read before"});
        f.because = {{"readings", std::to_string(episode_.count())},
                     {"threshold", std::to_string(params_.warn)},
                     {"tokens", std::to_string(tokens_)},
                     {"tokens_threshold", std::to_string(params_.tokens)}};
        report(std::move(draft));
    }

private:
    Params params_;
    WindowEpisode episode_;
    std::uint64_t tokens_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t pattern_ = 0;
};

}  // namespace

DetectorSpec context_reread() {
    return {kId,
            "AA404",
            "the same content read again while the window still held it",
            Severity::info,
            0.8,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Reread>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
