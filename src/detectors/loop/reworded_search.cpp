#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/reworded-search";

constexpr std::string_view kDoc = R"(## What it finds
Searches of the web or of a document collection that put the words of earlier searches into another order, response
after response, and whose answers say little that earlier answers did not say. In a graph that grades what was found and has
the question rewritten, the words of a rewritten question may be new: it is the same one, and so are the documents. Where
seven answers in a row hold no word that earlier ones did not (the same four documents, in another order and selection),
new words in the questions do not help either: a warning.

## Why it matters
An agent that had learnt something would ask with a new word: a name, a place, a date it just read. A query made only of
words that were asked before shows that nothing it found was of use, and the next answer will be the same documents.

## Example
```
web_search `harbour revenue report 2019`     → A, B, C
web_search `2019 report harbour revenue`     → A, C, B
web_search `revenue of the harbour in 2019`  → B, A, D
web_search `"harbour revenue" 2019 report`   → A, B, C
```

## What is not flagged
- a query with a new word in it: it follows something up (small words such as "of" do not count). When it only brings back
  what was known, it does not count, and the searches around it do
- an answer with new documents, however the query was worded: paging and luck are progress
- the same words with other figures in them, for questions with new words: "712 m above the sea" of the next town
- searches with other work between them that got somewhere
- several searches of one response: they are one attempt
- grep, glob and code search: the same words in other files are other questions
- searches that failed: that is loop/same-error

## What to do
Say what is missing and where it could stand, open one of the documents found, or report that it cannot be found.

## When it is wrong
A collection so small that every answer is known after a few queries. Raise `warn` and `fail`, lower `new-words`, or
`--ignore loop/reworded-search`.
)";

struct Params {
    int warn = 5;
    int fail = 10;
    int known_words = 80;
    int new_words = 45;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "responses in a row that only reword before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"known-words", &Params::known_words, 1, 100,
                       "percent of a query's words that earlier queries used for it to count as reworded"},
    Param<Params, int>{"new-words", &Params::new_words, 0, 100,
                       "percent of an answer's words that no earlier answer held above which it is progress"},
    within_param<Params>(),
};

class RewordedSearch final : public Detector {
public:
    explicit RewordedSearch(Params params)
        : params_(params),
          window_(params.warn, params.within),
          fresh_(params.warn, params.within),
          known_{0, false, {}, fresh_} {}

    void on_step(const Step& step, const LaneTrack&) override {
        if (step.query.words == 0) {
            const bool got_somewhere = !step.failed && !step.opaque && !step.revisit;
            if (got_somewhere && !is_about_query(step)) leave();
            return;
        }
        if (step.failed || !step.query.answered) return;
        see_documents(step);
        const bool handed_on = is_handed_on(step);
        if (handed_on && step.query.new_percent <= kNothingNew) return grow(step);
        if (!about_.empty() && !handed_on) leave();
        about_.clear();
        // The next page of one list asks nothing in other words, though figures may be all that is new on it.
        if (step.next_page && (leads_.empty() || leads_.back().step.out != step.out)) return lead(step, false);
        if (rewords(step) || brings_the_same(step)) return grow(step);
        if (finds_nothing(step)) return lead(step, false);
        close();
        if (step.query.new_percent > params_.new_words) leads_.clear();
        lead(step, false);
    }

    std::uint16_t wakes() const override { return episode_.is_open() || !leads_.empty() ? kEveryStep : kOnQuery; }
    void on_segment_end(const LaneTrack&) override { end(); }
    void finish(const LaneTrack*) override { end(); }

private:
    static constexpr std::size_t kMaxLeads = 16;
    static constexpr int kNothingNew = 10;  // percent
    static constexpr std::size_t kMostAbout = 4;

    // Searches of which each only brought documents that were known, whatever its words.
    struct KnownDocuments {
        int responses = 0;
        bool told = false;  // in other words
        Episode episode;
        TimeWindow time;
    };

    void see_documents(const Step& step) {
        if (!brings_known_documents(step)) return end_documents();
        KnownDocuments& row = known_;
        if (row.responses == 0 || row.episode.last().response != step.response) {
            if (++row.responses == 1) row.episode.waste_from(step, &leads_.back().step);
            row.time.add(step);
        }
        row.episode.add(step);
    }

    // By their addresses or titles; the figures beside them are scores.
    static bool names_documents(std::string_view answer) {
        constexpr std::string_view kNames[] = {"http://", "https://", "\"title", "Title: "};
        return contains_any(answer, kNames);
    }

    // The same four in another order. The same words with another figure in them are another answer: "open, 412 m
    // high".
    bool brings_known_documents(const Step& step) const {
        constexpr std::uint32_t kShortest = 48;  // bytes of two titles
        const RawText answer = step.text.outcome();
        const auto fills_in = [&](const Lead& lead) {
            return lead.step.out != step.out && same_but_numbers(lead.step.text.outcome().bytes, answer.bytes);
        };
        return !leads_.empty() && step.query.known_percent > 0 && step.query.new_percent == 0 && !step.next_page &&
               step.outcome_bytes >= kShortest && !is_no_result(answer) && !says_missing(answer) &&
               (names_documents(answer.bytes) || std::ranges::none_of(leads_, fills_in));
    }

    void end_documents() {
        const KnownDocuments& row = known_;
        const int warn = params_.warn + 2;
        if (row.responses >= warn && !row.told && row.time.met()) {
            const Step& last = row.episode.last();
            report(row.episode.draft(
                loop_reworded_search(),
                {.doubtful = true,
                 .repeats = static_cast<std::uint64_t>(row.responses),
                 .pattern = mix_hash(last.tool, 11),
                 .round = {step_words(last)},
                 .message = fmt::format("{} was asked {} times and brought only what it had brought before",
                                        last.text.tool(), row.responses),
                 .action = "open what was found, or report that it cannot be found",
                 .because = {{"answers_without_a_new_word", std::to_string(row.responses)},
                             {"threshold", std::to_string(warn)}}}));
        }
        if (row.responses > 0) known_ = {0, false, {}, fresh_};
    }

    // What came of a search was put to use.
    void leave() {
        end_documents();
        if (episode_.is_open()) close();
        leads_.clear();
        about_.clear();
    }

    static bool names(RawText text, const Step& query) {
        constexpr std::size_t kShortest = 12, kCompared = 48;  // bytes
        const std::string_view words = query.text.argument().bytes.substr(0, kCompared);
        return words.size() >= kShortest && text.bytes.find(words) != std::string_view::npos;
    }

    // A graph that grades what was found and rewrites the question: its nodes are given the query itself.
    bool is_about_query(const Step& step) {
        if (leads_.empty() || !names(step.text.argument(), leads_.back().step)) return false;
        if (about_.size() == kMostAbout) about_.erase(about_.begin());
        about_.push_back(step.text);
        return true;
    }

    // A tool that says of itself that it puts a question into other words, and not the next question.
    static bool rewrites(std::string_view tool) {
        constexpr std::string_view kNames[] = {"ewrit",    "eword", "ephras", "araphras", "eformulat",
                                               "ransform", "efine", "mprove", "xpand"};
        return contains_any(tool, kNames);
    }

    // The query is what such a tool answered: it is the same question in other words, however new they are.
    bool is_handed_on(const Step& step) const {
        return std::ranges::any_of(
            about_, [&](const StepText& text) { return rewrites(text.tool()) && names(text.outcome(), step); });
    }

    bool rewords(const Step& step) const {
        return step.query.words > 1 && step.query.known_percent >= params_.known_words &&
               step.query.new_percent <= params_.new_words;
    }

    // Whatever the words, the very answer that the question before had, and it is one: the same three documents.
    bool brings_the_same(const Step& step) const {
        constexpr std::uint32_t kShortest = 100;  // bytes
        if (leads_.empty() || step.outcome_bytes < kShortest) return false;
        const Step& last = leads_.back().step;
        return last.out == step.out && last.tool == step.tool && last.call != step.call &&
               !is_no_result(step.text.outcome()) && !says_missing(step.text.outcome());
    }

    // A new word beside known ones that brought back what was known: it follows nothing up, and ends nothing.
    bool finds_nothing(const Step& step) const {
        constexpr int kHalf = 50;  // percent
        return !leads_.empty() && step.query.words > 1 && step.query.known_percent >= kHalf &&
               step.query.new_percent <= kNothingNew;
    }

    // A search, and whether it only put earlier ones into other words.
    struct Lead {
        Step step;
        bool rewords = false;
    };

    void lead(const Step& step, bool rewords) {
        if (leads_.size() == kMaxLeads) leads_.erase(leads_.begin());
        leads_.push_back({step, rewords});
    }

    void grow(const Step& step) {
        if (!episode_.is_open()) begin();
        if (responses_ == 0) episode_.waste_from(step, leads_.empty() ? nullptr : &leads_.back().step);
        if (responses_ == 0 || step.response != episode_.last().response) {
            ++responses_;
            window_.add(step);
        }
        least_known_ = std::min<int>(least_known_, step.query.known_percent);
        most_new_ = std::max<int>(most_new_, step.query.new_percent);
        episode_.add(step);
        lead(step, true);
        about_.clear();
    }

    // The search that is put into other words belongs to the loop, though it was no repetition itself. So do, as long
    // as no answer said anything new, those before it back to the first one that was put into other words.
    void begin() {
        auto first = std::ranges::find(leads_, true, &Lead::rewords);
        if (first != leads_.begin()) --first;
        for (; first != leads_.end(); ++first) episode_.add(first->step);
    }

    void end() {
        close();
        end_documents();
        leads_.clear();
        about_.clear();
    }

    void close() {
        if (responses_ >= params_.warn && window_.met()) {
            const bool hard = responses_ >= params_.fail;
            report(episode_.draft(loop_reworded_search(),
                                  {.hard = hard,
                                   .repeats = static_cast<std::uint64_t>(responses_),
                                   .pattern = mix_hash(episode_.last().tool, episode_.first().call),
                                   .round = {step_words(episode_.last())},
                                   .message = fmt::format("{} was asked {} times in other words and found nothing new",
                                                          episode_.last().text.tool(), responses_),
                                   .action = "open what was found, ask with a word that was not asked before, or "
                                             "report that it cannot be found",
                                   .because = {{"reworded_searches", std::to_string(responses_)},
                                               {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                                               {"least_known_words_percent", std::to_string(least_known_)},
                                               {"most_new_words_percent", std::to_string(most_new_)}}}));
            known_.told = true;
            leads_.clear();
        }
        episode_.reset();
        window_.reset();
        responses_ = 0;
        least_known_ = 100;
        most_new_ = 0;
    }

    Params params_;
    Episode episode_;
    TimeWindow window_;
    TimeWindow fresh_;
    KnownDocuments known_;
    std::vector<StepText> about_;  // steps since the last search that were given its query, with what they answered
    std::vector<Lead> leads_;      // the searches since the last answer that said something new
    int responses_ = 0;
    int least_known_ = 100;
    int most_new_ = 0;
};

}  // namespace

DetectorSpec loop_reworded_search() {
    return {kId,
            "AA121",
            "searches that only reword earlier ones",
            Severity::error,
            0.8,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<RewordedSearch>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
