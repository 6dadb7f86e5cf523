#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/text_places.hpp"
#include "detectors/words/chant.hpp"
#include "detectors/words/litany.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/chanting";

constexpr std::string_view kDoc = R"(## What it finds
One message, or one piece of reasoning, that says the same words over and over: a word, a sentence, a paragraph, two
list items in turn. The unit may be of any length; what counts is how often it follows itself without a word in between.
A handful of sentences in no order is one, too: forty in a row or more (sixty for an error), each of them one of eight
or fewer and said four times or more.

## Why it matters
The model has fallen into a state that it does not leave by itself. Everything after the second round is noise that was
paid for, and that the next response will read.

## Example
```
line 8  assistant  I should check the config file. I should check the config file. I should check the config file. …
```

## What is not flagged
- lists and tables with a common beginning: their lines differ in a word
- rows of a table, what stands in a code fence, records in JSON or markup, and rows of numbers or single letters
  (matrices, dumps, boards), up to 20,000 characters
- rules, boxes and other drawings
- one or two words that follow each other a few times ("very, very")
- a sentence that comes back after other sentences, unless these are as few
- lists of a few verdicts, labels or done things in any order, a line each, unless they speak of the speaker

## What to do
Cut the response off and ask again, from the suggested line, with other sampling settings or another model: what was
said so far makes the model say it again.

## When it is wrong
Text that is repeated on purpose: a poem, a test input outside of a code fence. Raise `warn` and `fail`, or
`--ignore loop/chanting`.
)";

struct Params {
    int warn = 4;
    int fail = 6;
    int min_words = 60;
    int short_factor = 8;
    int framed_bytes = 20'000;
};

// The lower bounds of the first and the third are what may_repeat (support/repeat_probe.hpp) promises to find.
constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 4, 100'000, "rounds before a warning"},
    Param<Params, int>{"fail", &Params::fail, 4, 100'000, "rounds before an error"},
    Param<Params, int>{"min-words", &Params::min_words, 60, 1'000'000, "words that all rounds together must have"},
    Param<Params, int>{"short-factor", &Params::short_factor, 1, 1000,
                       "times more rounds for a unit of one or two words"},
    Param<Params, int>{"framed-bytes", &Params::framed_bytes, 0, 1'000'000'000,
                       "bytes that it must be longer than in a code fence, in a table, or when it looks like data"},
};

class Chanting final : public Detector {
public:
    explicit Chanting(Params params)
        : limits_{number(params.warn),     number(params.fail),         number(params.min_words),
                  ChantLimits{}.min_bytes, number(params.short_factor), number(params.framed_bytes)} {}

    void on_text(const AgentText& text, const LaneTrack& lane) override {
        auto chant = find_chant(text.text, limits_);
        if (!chant && text.text.size() >= kShortestLitany) chant = find_litany(text.text);
        if (!chant) return;
        const bool recorded_twice = texts_ > 0 && text.hash == last_hash_ && text.message == last_message_;
        last_hash_ = text.hash;
        last_message_ = text.message;
        if (recorded_twice) return;
        if (texts_ > 0 && chant->unit_key != worst_.unit_key) close();
        if (texts_++ == 0) {
            first_.take(text, lane);
            reasoning_ = text.reasoning;
            unit_ = plain_words(
                {text.text.bytes.substr(chant->unit_begin, chant->unit_end - chant->unit_begin), text.text.form});
        }
        if (texts_ == 1 || worse(*chant, worst_)) worst_ = *chant;
        bytes_ += chant->bytes();
        last_.take(text, lane);
    }

    void on_segment_end(const LaneTrack&) override { close(); }
    void finish(const LaneTrack*) override { close(); }

private:
    static std::size_t number(int value) { return static_cast<std::size_t>(value); }
    static bool worse(const Chant& a, const Chant& b) {
        return a.failing != b.failing ? a.failing : a.rounds > b.rounds;
    }

    void close() {
        if (texts_ > 0) tell();
        texts_ = 0;
        bytes_ = 0;
    }

    std::string said() const {
        if (worst_.sentences > 0) return fmt::format("{} sentences", worst_.sentences);
        return worst_.unit_words == 1 ? "word" : fmt::format("{} words", worst_.unit_words);
    }

    std::string times() const {
        if (worst_.sentences > 0) return fmt::format("in no order, {} times each on average", worst_.rounds);
        return fmt::format("{} times in a row", worst_.rounds);
    }

    void tell() {
        // One text holds all rounds of its chant: the place to go back to lies before it.
        DraftFinding draft = draft_of_texts(loop_chanting(), first_, last_, false);
        Finding& f = draft.finding;
        f.severity = worst_.failing ? Severity::error : Severity::warning;
        f.repeats = worst_.rounds;
        f.round = {"\"" + unit_ + "\""};
        f.pattern_key = worst_.unit_key;
        f.message =
            fmt::format("{} says the same {} over and over, {}{} ({})", reasoning_ ? "the reasoning" : "the message",
                        said(), worst_.cut ? "at least " : "", times(), lines_words(f.first_line, f.last_line));
        f.action = "cut the response off and ask again from before it, with other sampling settings or another model";
        // Sentences in no order are not counted by rounds: how many different ones there are is chance.
        const std::size_t rounds = worst_.failing ? limits_.fail : limits_.warn;
        const std::size_t threshold = worst_.sentences > 0 ? LitanyLimits{}.warn / worst_.sentences : rounds;
        f.because = {{"rounds", std::to_string(worst_.rounds)},
                     {"threshold", std::to_string(threshold)},
                     {"words_in_a_round", std::to_string(worst_.unit_words)},
                     {"words_in_all", std::to_string(worst_.words)},
                     {"texts", std::to_string(texts_)},
                     {"wasted_bytes", std::to_string(bytes_ - bytes_ / std::max<std::size_t>(worst_.rounds, 1))},
                     {"where", reasoning_ ? "reasoning" : "message"},
                     {"in_code_table_or_data", worst_.framed ? "yes" : "no"}};
        report(std::move(draft));
    }

    ChantLimits limits_;
    TextPlace first_, last_;
    Chant worst_;
    std::string unit_;
    std::size_t bytes_ = 0;
    std::uint64_t texts_ = 0;
    std::uint64_t last_hash_ = 0, last_message_ = 0;
    bool reasoning_ = false;
};

}  // namespace

DetectorSpec loop_chanting() {
    return {kId,
            "AA117",
            "a text that says the same words over and over",
            Severity::error,
            0.95,
            Stage::stable,
            Scope::lane,
            kTexts,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Chanting>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
