#include "detectors/all.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/episodes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "context/oversized-result";

constexpr std::string_view kDoc = R"(## What it finds
One tool result that took up a large part of the context window: 15 % of it or more by default, and at least 20,000
tokens.

## Why it matters
The result is sent again with every later request until the history is compacted, and brings that day nearer. Mostly a
few lines of it were wanted.

## Example
```
Bash `cat build.log` → 180 kB → the prompt grew from 41,000 to 96,000 tokens (window 200,000)
```

## What is not flagged
- a large result that the agent did not get: the recorded prompt did not grow by half of what the result weighs
- results in recordings without token figures: whether they reached the model cannot be seen there

## What to do
Ask for less: a range of lines, a filter, `head` or `tail`, or a file that is searched instead of printed.

## When it is wrong
The task is to read that one thing. Raise `share` or `least`, or `--ignore context/oversized-result`.
)";

struct Params {
    int share = 15;
    int least = 20'000;
};

constexpr std::tuple kTable{
    Param<Params, int>{"share", &Params::share, 1, 100, "percent of the window that one result may fill"},
    Param<Params, int>{"least", &Params::least, 1000, 10'000'000, "tokens below which no result is too large"},
};

class OversizedResult final : public Detector {
public:
    explicit OversizedResult(Params params) : params_(params) {}

    std::uint16_t wakes() const override { return kOnLargeOutcome; }

    // Of several large results in one request, the largest speaks for them.
    void on_step(const Step& step, const LaneTrack&) override {
        if (step.opaque) return;
        if (waiting_ && step.outcome_bytes <= largest_.outcome_bytes) return;
        largest_ = step;
        waiting_ = true;
    }

    // The next request shows what it weighed: a client that cuts results shows it by a prompt that did not grow.
    void on_request(const ContextRequest& request, const LaneTrack&) override {
        if (!waiting_) return;
        waiting_ = false;
        const std::uint64_t context = request.figures.context;
        if (request.context_before == 0 || context <= request.context_before || request.figures.window == 0) return;
        const std::uint64_t grown = context - request.context_before;
        const auto weight = static_cast<std::uint64_t>(request.tokens_per_byte * largest_.outcome_bytes);
        if (grown < weight / 2) return;
        const std::uint64_t tokens = std::min(grown, weight);
        const std::uint64_t share = tokens * 100 / request.figures.window;
        if (tokens < static_cast<std::uint64_t>(params_.least) || share < static_cast<std::uint64_t>(params_.share))
            return;
        say(request, tokens, share);
    }

private:
    void say(const ContextRequest& request, std::uint64_t tokens, std::uint64_t share) {
        WindowEpisode episode;
        episode.add(largest_, "call");
        DraftFinding draft = episode.draft(context_oversized_result());
        Finding& f = draft.finding;
        f.pattern_key = largest_.call;
        f.message = fmt::format("one result filled {} % of the window: about {} tokens from {} ({})", share,
                                about_tokens(tokens), step_words(largest_), lines_words(f.first_line, f.last_line));
        f.action = "ask for a part of it: a range of lines, a filter, a search";
        f.evidence.push_back({request.where.line, request.seq, "request",
                              fmt::format("the prompt grew from {} to {} tokens", grouped(request.context_before),
                                          grouped(request.figures.context))});
        f.because = {{"result_bytes", std::to_string(largest_.outcome_bytes)},
                     {"tokens", std::to_string(tokens)},
                     {"window", std::to_string(request.figures.window)},
                     {"share_percent", std::to_string(share)},
                     {"threshold_percent", std::to_string(params_.share)}};
        report(std::move(draft));
    }

    Params params_;
    Step largest_;
    bool waiting_ = false;
};

}  // namespace

DetectorSpec context_oversized_result() {
    return {kId,
            "AA403",
            "one tool result that fills a large part of the window",
            Severity::info,
            0.8,
            Stage::stable,
            Scope::lane,
            kSteps | kRequests,
            Signal::tool_calls | Signal::tool_results | signals(Signal::token_usage),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<OversizedResult>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
