#include "detectors/all.hpp"
#include "detectors/engine/answers.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/outcome.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/stagnation";

constexpr std::string_view kDoc = R"(## What it finds
One tool asked in other words, response after response, that gives the same answer every time. Only calls that look or
check count: reads, searches, tests, commands; those of other tools when the answer is a refusal. Also a search whose query only puts the words of earlier queries in
another order or choice, even if the hits differ.

## Why it matters
A search that is put in six ways and brings back the same bytes six times has found what there is. More wording does not
help; another idea would.

## Example
```
Grep `handleLogin|signIn`  → src/auth.ts:14
Grep `signIn|handleLogin`  → src/auth.ts:14
Grep `(signIn|handleLogin)\(` → src/auth.ts:14
…
```

## What is not flagged
- several calls of one response: they count once
- any step in between that brought something new, or changed something
- answers that say only that a call was carried out: batch work gets those
- errors (`loop/same-error`)
- queries in which one word in five is new, and pages of one query
- reworded queries whose hits differ are a warning at most
- searches that find nothing and have little in common are a warning at most: they may be a check that nothing is left

## What to do
Say what is being looked for and why it cannot be found this way; ask the user, or start from another end.

## When it is wrong
A sweep whose every answer is meant to be the same. Raise `warn` and `fail`, or `--ignore loop/stagnation`.
)";

struct Params {
    int warn = 6;
    int fail = 10;
    int reworded = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "responses with the same answer before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"reworded", &Params::reworded, 2, 1000, "reworded queries, whatever the answer, before a warning"},
    within_param<Params>(),
};

/// A search tool, by its name: asked in words. Commands that search have flags and paths in their text.
bool is_asked_in_words(std::string_view tool) {
    std::string lower(tool);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static constexpr std::array<std::string_view, 5> kWords{"search", "query", "lookup", "retriev", "find"};
    return std::ranges::any_of(kWords, [&](std::string_view w) { return lower.find(w) != lower.npos; });
}

/// The words of the queries that one search tool was asked in a row.
class Vocabulary {
public:
    struct Query {
        std::size_t words = 0;
        std::size_t known = 0;
        double share() const { return words == 0 ? 0 : static_cast<double>(known) / static_cast<double>(words); }
    };

    /// Words of three letters or more; numbers are pages and years.
    Query add(std::string_view text) {
        Query query;
        std::size_t i = 0;
        const auto letter = [&](std::size_t k) { return std::isalpha(static_cast<unsigned char>(text[k])) != 0 || static_cast<unsigned char>(text[k]) >= 0x80; };
        while (i < text.size()) {
            std::size_t end = i;
            while (end < text.size() && letter(end)) ++end;
            if (end - i >= 3) {
                ++query.words;
                query.known += learn(text.substr(i, end - i));
            }
            i = end + 1;
        }
        return query;
    }
    void clear() { size_ = 0; }

private:
    bool learn(std::string_view word) {
        const std::uint64_t h = stable_hash(word);
        const auto end = words_.begin() + std::min(size_, words_.size());
        if (std::find(words_.begin(), end, h) != end) return true;
        words_[size_++ % words_.size()] = h;
        return false;
    }

    std::array<std::uint64_t, 96> words_;
    std::size_t size_ = 0;
};

constexpr double kAlike = 0.5;  // share of common words from which two arguments are variations of one question
constexpr double kKnownWords = 0.8;  // share of a query's words that were asked before, from which it is a rewording

class Stagnation final : public Detector {
public:
    explicit Stagnation(Params params) : params_(params), time_(params.warn, params.within), asking_time_(params.reworded, params.within) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.opaque) return;
        follow_queries(step, lane);
        if (same_answer(step)) return grow(step, lane);
        // Other steps that failed or told what was known do not end it.
        const bool same_tool = step.tool == tool_ && step.tool_class == class_;
        if (responses_ > 0 && !same_tool && (step.failed || step.revisit)) return;
        close();
        if (counts(step)) begin(step);
    }

    void on_segment_end(const LaneTrack&) override { close_all(); }
    void finish(const LaneTrack*) override { close_all(); }

private:
    static bool counts(const Step& step) {
        return step.tool_class != ToolClass::poll && step.tool_class != ToolClass::note && !step.failed;
    }

    bool same_answer(const Step& step) const {
        return responses_ > 0 && step.tool == tool_ && step.out == out_ && step.tool_class == class_ &&
               step.epoch == epoch_ && !step.failed;
    }

    // Every healthy step comes here: only numbers are kept.
    void begin(const Step& step) {
        responses_ = 1;
        tool_ = step.tool;
        out_ = step.out;
        class_ = step.tool_class;
        epoch_ = step.epoch;
        first_ = step.ordinal;
    }

    void grow(const Step& step, const LaneTrack& lane) {
        if (!episode_.is_open()) {
            const Step* first = lane.step(first_);
            if (!first || is_acknowledgement(step)) return begin(step);
            episode_.waste_from(step, lane.step(step.ordinal - 1));
            time_.add(*first);
            episode_.add(*first);
        }
        const Step& last = episode_.last();
        if (step.call != last.call && step.response != last.response) {
            ++responses_;
            alike_ += shared_words(step, last) >= kAlike;
            time_.add(step);
        }
        episode_.add(step);
    }

    void close() {
        if (responses_ >= params_.warn && time_.met()) say();
        if (episode_.is_open()) {
            episode_.reset();
            time_.reset();
        }
        responses_ = 0;
        alike_ = 0;
    }

    // ---- queries made of the same words

    void follow_queries(const Step& step, const LaneTrack& lane) {
        if (queries_ > 0 && (step.tool != asked_ || step.epoch != asked_epoch_)) {
            if (step.tool != asked_ && (step.failed || step.revisit)) return;
            close_queries();
        }
        if (step.tool != last_tool_) {
            last_tool_ = step.tool;
            by_words_ = is_asked_in_words(step.text.tool());
        }
        if (!by_words_ || step.failed) return;
        if (queries_ == 0) return begin_queries(step);
        const Vocabulary::Query query = vocabulary_.add(step.text.argument().bytes);
        const std::uint64_t shape = shape_hash(step.text.argument());
        if (query.words < 3 || query.share() < kAlike || shape == last_shape_) {
            close_queries();
            return begin_queries(step);
        }
        const bool reworded = query.share() >= kKnownWords && step.response != last_response_;
        if (reworded && !asking_.is_open()) open_queries(step, lane);
        if (reworded) {
            ++queries_;
            asking_time_.add(step);
        }
        if (asking_.is_open()) asking_.add(step);
        remember_query(step, shape);
    }

    void begin_queries(const Step& step) {
        vocabulary_.clear();
        if (vocabulary_.add(step.text.argument().bytes).words < 3) return;
        queries_ = 1;
        asked_ = step.tool;
        asked_epoch_ = step.epoch;
        remember_query(step, shape_hash(step.text.argument()));
    }

    void remember_query(const Step& step, std::uint64_t shape) {
        last_shape_ = shape;
        last_query_ = step.ordinal;
        last_response_ = step.response;
    }

    // The queries before may have brought new words each; it begins with the one that this one puts in other words.
    void open_queries(const Step& step, const LaneTrack& lane) {
        asking_.waste_from(step, lane.step(step.ordinal - 1));
        const Step* before = lane.step(last_query_);
        if (!before) return;
        asking_time_.add(*before);
        asking_.add(*before);
    }

    void close_queries() {
        if (queries_ >= params_.reworded && asking_time_.met()) say_reworded();
        queries_ = 0;
        if (!asking_.is_open()) return;
        asking_.reset();
        asking_time_.reset();
    }

    void say_reworded() {
        const Step& last = asking_.last();
        report(asking_.draft(
            loop_stagnation(),
            {.repeats = static_cast<std::uint64_t>(queries_),
             .pattern = mix_hash(asked_, 4),
             .round = {step_words(last)},
             .message = fmt::format("{} was asked with the same words in another order or choice in {} responses",
                                    last.text.tool(), queries_),
             .action = "stop rewording the question; try another source or ask the user",
             .because = {{"responses_with_known_words", std::to_string(queries_)},
                         {"threshold", std::to_string(params_.reworded)},
                         {"share_of_known_words", fmt::format("{:.2f}", kKnownWords)},
                         {"last_query", step_words(last)}}}));
    }

    void close_all() {
        close();
        close_queries();
    }

    void say() {
        const Step& last = episode_.last();
        const bool nothing = is_no_result(last.text.outcome());
        const bool variations = alike_ * 2 >= responses_ - 1;
        const bool hard = responses_ >= params_.fail && (!nothing || variations);
        report(episode_.draft(
            loop_stagnation(),
            {.hard = hard,
             .repeats = static_cast<std::uint64_t>(responses_),
             .pattern = mix_hash(mix_hash(tool_, static_cast<std::uint64_t>(class_)), out_),
             .round = {step_words(last)},
             .message = fmt::format("{} gave the same answer in {} responses, whatever it was asked", last.text.tool(),
                                    responses_),
             .action = "stop rewording the question: the answer is known; try another way or ask the user",
             .because = {{"responses_with_this_answer", std::to_string(responses_)},
                         {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                         {"outcome", outcome_words(last)},
                         {"no_result", nothing ? "yes" : "no"},
                         {"arguments_alike", variations ? "yes" : "no"}}}));
    }

    Params params_;
    Episode episode_;
    TimeWindow time_;
    std::uint64_t tool_ = 0, out_ = 0, first_ = 0;
    std::uint32_t epoch_ = 0;
    int responses_ = 0;
    int alike_ = 0;
    ToolClass class_ = ToolClass::other;

    Vocabulary vocabulary_;
    Episode asking_;
    TimeWindow asking_time_;
    std::uint64_t asked_ = 0, last_query_ = 0, last_response_ = 0, last_shape_ = 0, last_tool_ = 0;
    std::uint32_t asked_epoch_ = 0;
    int queries_ = 0;
    bool by_words_ = false;
};

}  // namespace

DetectorSpec loop_stagnation() {
    return {kId,
            "AA108",
            "one tool asked in other words, with the same answer every time",
            Severity::error,
            0.7,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Stagnation>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
