#include "detectors/all.hpp"
#include "detectors/engine/context_words.hpp"
#include "detectors/engine/episodes.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "context/cache-miss";

constexpr std::string_view kDoc = R"(## What it finds
Requests that had to send again what the request before had put into the provider's prompt cache, with the reason: a
pause longer than a cache entry lives, another model, an edited beginning, a history of which only the beginning was still
read, or unknown. By default when that came to 500,000 tokens and to a tenth of all that was sent, or when it made the
session dearer by two dollars and a fifth of what it cost, by list price.

## Why it matters
Tokens read from the cache cost a tenth or so; writing them again costs more than not caching them at all: a twentieth of
the tokens can be half of the bill. Such requests are also slow to answer.

## Example
```
request 40: 118,000 tokens, 112,000 from the cache
(2 hours)
request 41: 119,000 tokens, none from the cache: pause
```

## What is not flagged
- what a compaction changed: it has to be sent anew, the finding only names how much it was
- misses of less than 2,048 tokens or a tenth of what the cache held
- recordings that show no cache at all
- what it cost where the price of the model is not known: there only the tokens count

## What to do
- *pause*: buy the longer cache life where there is one, or begin a new session instead of resuming a large one
- *model*: change models at the start of a session, or in a sub-agent
- *edit*: nothing that changes (times, lists of files) belongs into the system prompt or before old messages
- *history*: system prompt and tools were read, the messages were not: see what the client changes in old messages, notes of
  the day or of open files for one, when a human speaks
- *unknown*: the recording does not tell; compare the prompts of two requests that follow each other, where they are logged

## When it is wrong
The provider dropped the entry early, or spread requests over machines; nobody can help that. Raise `tokens` and `cost`,
or `--ignore context/cache-miss`.
)";

struct Params {
    std::int64_t tokens = 500'000;
    int share = 10;
    double cost = 2;
    int cost_share = 20;
};

constexpr std::tuple kTable{
    Param<Params, std::int64_t>{"tokens", &Params::tokens, 0, 1'000'000'000'000, "tokens sent again before it is said"},
    Param<Params, int>{"share", &Params::share, 0, 100, "percent of all prompts that they must be"},
    Param<Params, double>{"cost", &Params::cost, 0.0, 1e9,
                          "or dollars that they cost more than reading them, before it is said however few they are"},
    Param<Params, int>{"cost-share", &Params::cost_share, 1, 100, "percent of the session's cost that these must be"},
};

// Saturates: a hostile recording names any number of tokens.
Money times(std::uint64_t tokens, std::uint64_t price) {
    return Money(price > 0 && tokens > UINT64_MAX / price ? UINT64_MAX : tokens * price);
}

class MissedCache final : public Detector {
public:
    explicit MissedCache(Params params) : params_(params) {}

    void on_request(const ContextRequest& request, const LaneTrack&) override {
        prompts_ += request.figures.tokens.prompt();
        if (request.figures.session_cost) session_cost_ = *request.figures.session_cost;
        if (request.miss == CacheMiss::none) return;
        const auto why = static_cast<std::size_t>(request.miss);
        ++requests_[why];
        tokens_[why] += request.missed_tokens;
        if (request.miss == CacheMiss::compaction) return;
        missed_ += request.missed_tokens;
        extra_ += times(request.missed_tokens, request.figures.resend_price);
        std::string words = fmt::format("{} tokens again: {}", grouped(request.missed_tokens), name(request.miss));
        if (request.miss == CacheMiss::pause) words += fmt::format(" of {} minutes", request.pause_ms / 60'000);
        episode_.add(request, "miss", std::move(words));
    }

    void finish(const LaneTrack*) override {
        if (missed_ == 0 || (!many() && !dear())) return;
        DraftFinding draft = episode_.draft(context_cache_miss());
        Finding& f = draft.finding;
        f.pattern_key = 1;
        f.message = fmt::format("{} sent {} tokens again that were in the prompt cache before{}: {} ({})",
                                episode_.count() == 1 ? "1 request" : grouped(episode_.count()) + " requests",
                                about_tokens(missed_), cost_words(), reasons(), lines_words(f.first_line, f.last_line));
        f.action = mostly(CacheMiss::pause)
                       ? "buy the longer cache life, or begin a new session instead of resuming a large one"
                   : mostly(CacheMiss::history)
                       ? "leave old messages as they are: only what stands before them was still read"
                   : mostly(CacheMiss::unknown)
                       ? "compare the prompts of the requests named: why they were sent anew is not in the recording"
                       : "keep model, tools and the beginning of the prompt as they are within a session";
        f.because = {{"tokens", std::to_string(missed_)}};
        if (many()) f.because.push_back({"threshold", std::to_string(params_.tokens)});
        if (dear()) {
            f.because.push_back({"dollars", fmt::format("{:.2f}", static_cast<double>(extra_.micro_dollars()) / 1e6)});
            f.because.push_back({"dollar_threshold", fmt::format("{:g}", params_.cost)});
        }
        for (std::size_t i = 1; i < kCacheMisses; ++i) {
            if (requests_[i] == 0) continue;
            // What a compaction leaves behind must be sent anew: it is told, and is no part of the sum.
            const bool besides = static_cast<CacheMiss>(i) == CacheMiss::compaction;
            f.because.push_back({std::string(besides ? "besides_" : "").append(name(static_cast<CacheMiss>(i))),
                                 std::to_string(tokens_[i])});
        }
        report(std::move(draft));
    }

private:
    bool many() const {
        return missed_ >= static_cast<std::uint64_t>(params_.tokens) &&
               missed_ * 100 >= prompts_ * static_cast<std::uint64_t>(params_.share);
    }
    // A token that is written costs twelve times one that is read.
    bool dear() const {
        const auto extra = static_cast<double>(extra_.micro_dollars());
        return extra >= params_.cost * 1e6 && extra > 0 &&
               extra * 100 >= static_cast<double>(session_cost_.micro_dollars()) * params_.cost_share;
    }
    bool mostly(CacheMiss why) const { return tokens_[static_cast<std::size_t>(why)] * 2 >= missed_; }

    // Less than a cent is not worth a word.
    std::string cost_words() const {
        constexpr std::uint64_t kCent = 10'000;
        const std::uint64_t extra = extra_.micro_dollars(), whole = session_cost_.micro_dollars();
        if (extra < kCent) return {};
        std::string words =
            fmt::format(", which cost ${:.2f} more than reading them", static_cast<double>(extra) / 1e6);
        if (whole >= extra)
            words += fmt::format(", {:.0f} % of the session's cost",
                                 100.0 * static_cast<double>(extra) / static_cast<double>(whole));
        return words;
    }

    // "pause 3, unknown 1".
    std::string reasons() const {
        std::string words;
        for (std::size_t i = 1; i < kCacheMisses; ++i) {
            const auto miss = static_cast<CacheMiss>(i);
            if (requests_[i] == 0 || miss == CacheMiss::compaction) continue;
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name(miss), requests_[i]);
        }
        return words;
    }

    Params params_;
    WindowEpisode episode_;
    std::array<std::uint64_t, kCacheMisses> requests_{}, tokens_{};
    std::uint64_t prompts_ = 0, missed_ = 0;
    Money extra_,
        session_cost_;  // by list price: what sending them again cost more than reading them, and all requests so far
};

}  // namespace

DetectorSpec context_cache_miss() {
    return {kId,
            "AA405",
            "requests that send again what was in the prompt cache",
            Severity::info,
            0.7,
            Stage::stable,
            Scope::lane,
            kRequests,
            signals(Signal::token_usage),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<MissedCache>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
