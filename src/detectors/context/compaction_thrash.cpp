#include "detectors/all.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/episodes.hpp"

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "context/compaction-thrash";

constexpr std::string_view kDoc = R"(## What it finds
Compactions in quick succession: three in a row by default, each within five requests of the one before.

## Why it matters
A compaction that is followed by the next one after a few requests bought nothing: the agent spends its requests on
summaries, and each summary loses something. It is mostly a threshold below what the system prompt and one tool result
take, or a summary that is as long as what it replaced.

## Example
```
compaction → 2 requests → compaction → 3 requests → compaction → …
```

## What is not flagged
- compactions that a human asked for
- compactions with work in between: more than `requests` requests

## What to do
Raise the threshold of the compaction, shorten what it keeps, or find out what fills the window again: the section
*Context* of the report says it.

## When it is wrong
A test of compactions. Raise `warn`, or `--ignore context/compaction-thrash`.
)";

struct Params {
    int warn = 3;
    int requests = 5;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "compactions in quick succession before a warning"},
    Param<Params, int>{"requests", &Params::requests, 1, 1000, "most requests between two of them"},
};

class CompactionThrash final : public Detector {
public:
    explicit CompactionThrash(Params params) : params_(params) {}

    void on_request(const ContextRequest& request, const LaneTrack&) override {
        if (request.compactions == compactions_) return;
        const std::uint64_t since = request.ordinal - last_;
        const bool soon = episode_.any() && since <= static_cast<std::uint64_t>(params_.requests);
        compactions_ = request.compactions;
        last_ = request.ordinal;
        if (!soon || request.compacted_by_hand) close();
        if (request.compacted_by_hand) return;
        episode_.add(
            request, "after a compaction",
            fmt::format("{} tokens, {} before it", grouped(request.figures.context), grouped(request.context_before)));
    }

    void finish(const LaneTrack*) override { close(); }

private:
    void close() {
        if (episode_.count() >= static_cast<std::uint64_t>(params_.warn)) {
            DraftFinding draft = episode_.draft(context_compaction_thrash());
            Finding& f = draft.finding;
            f.severity = Severity::warning;
            f.pattern_key = 1;
            f.message = fmt::format("{} compactions in quick succession, at most {} apart ({})", episode_.count(),
                                    params_.requests == 1 ? "1 request" : fmt::format("{} requests", params_.requests),
                                    lines_words(f.first_line, f.last_line));
            f.action = "raise the compaction threshold, or shorten what a compaction keeps";
            f.because = {{"compactions", std::to_string(episode_.count())},
                         {"threshold", std::to_string(params_.warn)},
                         {"requests_between", std::to_string(params_.requests)}};
            report(std::move(draft));
        }
        episode_.reset();
    }

    Params params_;
    WindowEpisode episode_;
    std::uint64_t last_ = 0;  // ordinal of the first request after the last compaction
    std::uint32_t compactions_ = 0;
};

}  // namespace

DetectorSpec context_compaction_thrash() {
    return {kId,
            "AA402",
            "compactions in quick succession",
            Severity::warning,
            0.9,
            Stage::stable,
            Scope::lane,
            kRequests,
            Signal::token_usage | Signal::compaction,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<CompactionThrash>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
