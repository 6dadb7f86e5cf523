#include "detectors/all.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/episodes.hpp"

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "context/bloat";

constexpr std::string_view kDoc = R"(## What it finds
A window that is more than 70 % full while little of what fills it, less than 30 % of the prompt, came or was looked at
again in the last 40 requests.

## Why it matters
The agent pays with every request for what it no longer uses, answers get worse, and a compaction is near that will
choose for itself what to forget. A session that begins anew with a short note does better and costs less.

## Example
```
request 212: 151,000 of 200,000 tokens, 22 % of them from the last 40 requests
```

## What is not flagged
- a window that filled quickly: what fills it is what the agent works with
- models whose window is not known, and recordings without token figures
- the same window once more: it is said again only after a compaction

## What to do
Compact by hand at the end of a task, or begin a new session with what is needed.

## When it is wrong
All of it is reference that the task needs. How much is looked at is estimated by sizes and by files that were read
again; text that is only thought about is not seen. Raise `full`, or `--ignore context/bloat`.
)";

struct Params {
    int full = 70;
    int used = 30;
};

constexpr std::tuple kTable{
    Param<Params, int>{"full", &Params::full, 50, 100, "percent of the window that must be filled"},
    Param<Params, int>{"used", &Params::used, 1, 100,
                       "percent of the prompt of which the last 40 requests must make use"},
};

class Bloat final : public Detector {
public:
    explicit Bloat(Params params) : params_(params) {}

    void on_request(const ContextRequest& request, const LaneTrack&) override {
        if (request.compactions != compactions_) {
            compactions_ = request.compactions;
            said_ = false;
        }
        const RequestFigures& now = request.figures;
        if (said_ || now.window == 0 || now.context * 100 < now.window * static_cast<std::uint64_t>(params_.full))
            return;
        if (request.recent_share_percent >= static_cast<std::uint64_t>(params_.used)) return;
        said_ = true;
        say(request);
    }

private:
    void say(const ContextRequest& request) {
        const std::uint64_t share = request.figures.context * 100 / request.figures.window;
        WindowEpisode episode;
        episode.add(request, "request",
                    fmt::format("{} of {} tokens", grouped(request.figures.context), grouped(request.figures.window)));
        DraftFinding draft = episode.draft(context_bloat());
        Finding& f = draft.finding;
        f.pattern_key = 1;
        f.message = fmt::format("the window is {} % full, and about {} % of it is in use ({})", share,
                                request.recent_share_percent, lines_words(f.first_line, f.last_line));
        f.action = "compact at the end of a task, or begin a new session with what is needed";
        f.because = {{"context", std::to_string(request.figures.context)},
                     {"window", std::to_string(request.figures.window)},
                     {"used_percent", std::to_string(request.recent_share_percent)},
                     {"full_threshold_percent", std::to_string(params_.full)},
                     {"used_threshold_percent", std::to_string(params_.used)}};
        f.reset_line = f.first_line;
        report(std::move(draft));
    }

    Params params_;
    std::uint32_t compactions_ = 0;
    bool said_ = false;
};

}  // namespace

DetectorSpec context_bloat() {
    return {kId,
            "AA401",
            "a nearly full window of which little is in use",
            Severity::info,
            0.6,
            Stage::preview,
            Scope::lane,
            kRequests,
            signals(Signal::token_usage),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Bloat>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
