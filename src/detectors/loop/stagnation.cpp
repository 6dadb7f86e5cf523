#include "detectors/all.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/loop/asked_names.hpp"
#include "detectors/loop/empty_searches.hpp"
#include "detectors/loop/unmoved_page.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/same_thing.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/act_words.hpp"

#include "support/ascii.hpp"
#include "support/shell_prompt.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/stagnation";

constexpr std::string_view kDoc = R"(## What it finds
One tool asked in other words, response after response, that gives the same answer every time. Only calls that look or
check count: reads, searches, tests, commands; those of other tools when the answer is a refusal, or when one and the same
thing is asked of with more or fewer parameters (`get_tokens`, of one file). So do clicks, keys and addresses in a browser
behind each of which the same page stands: a dialog that stays, the form to sign in, the end of a list.

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
- any step in between that brought something new, or changed something; but for a look elsewhere, now and then, behind the
  third such answer
- answers that say only that a call was carried out: batch work gets those. A page of a list that holds what the page
  before it held is no such answer, whatever it says of the next one
- errors (`loop/same-error`)
- one thing after the other of which the same is said: dates, hosts, tables, symbols, people and firms by their full
  names, each asked for once by its name; of refusals only commands', and fewer than an error takes. Of a database a query
  of another table is one, however it is put, and so is one of a column that none before it asked of; as more than an
  info, where three of four are
- one value of an option after the other (`-march=haswell`, `-march=znver3`): what each does was to be found out
- commands that say that there is nothing (`No entries.`) are a warning at most, and of one numbered thing after the other
  none
- searches by several tools (Grep, `find`, `rg`) that all find nothing: fewer than two more than of one tool, and fewer
  than an error takes where one in between, or the one behind them, finds something. They are a warning at most
- searches that find nothing and have little in common are a warning at most: they may be a check that nothing is left;
  an info where a person asked for one ("none of these is used any more", "find unused exports")
- so are searches of the web or of documents that find nothing and mostly ask with a new word: one name after the other
- searches that find nothing, have little in common and are made once each, fewer than an error takes, where the next one
  finds it; as more than an info, wordings of one search, where that is so
- checks that pass, and commands that ask of one thing after another and get the same answer of each
- one address after the other that leads a browser to one and the same page (to sign in) is a warning at most
- a page that stays the same is a warning at most, from seven acts on. What is typed into it does not count, nor do clicks
  most of which are on another thing each (ten boxes that are ticked); work of another kind ends the row
- reads of one file after the other that all have the same content, each read once
- so are looks at places with different names, and at things of which none is there, each looked at once: the same answer
  everywhere may be the finding
- as more than an info, one thing after the other of a list that was read before, or that a person gave, each asked for
  once in the list's order: an answer to each, or that it is not there, is what such a walk brings. Not where names were
  made up, the list was gone through already, or all of them fail of what has nothing to do with the thing
- as more than an info, one thing after the other where a person asked for that ("is any of these firms on the list?", "expect
  401")

## What to do
Say what is being looked for and why it cannot be found this way; ask the user, or start from another end.

## When it is wrong
A sweep whose every answer is meant to be the same. Raise `warn` and `fail`, or `--ignore loop/stagnation`.
)";

struct Params {
    int warn = 6;
    int fail = 10;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "responses with the same answer before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

constexpr int kKnown = 3;       // responses from which an answer counts as known, though something else is looked at
constexpr int kOneIn = 3;       // so many responses for each such look
constexpr double kAlike = 0.5;  // share of common words from which two arguments are variations of one question

class Stagnation final : public Detector {
public:
    explicit Stagnation(Params params)
        : params_(params), time_(params.warn, params.within), empty_(time_), page_(time_) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.opaque) return;
        see_answer(step, lane);
        empty_.looked(step, lane, [this](const auto& row) { say(row); });
        page_.looked(step, lane, [this](const auto& row) { say(row); });
    }

    void on_segment_end(const LaneTrack&) override { end(); }
    void finish(const LaneTrack*) override { end(); }

private:
    void see_answer(const Step& step, const LaneTrack& lane) {
        if (same_answer(step)) return grow(step, lane);
        // Other steps that failed or told what was known do not end it.
        const bool same_tool = step.tool == tool_ && step.tool_class == class_;
        if (responses_ > 0 && !same_tool && (step.failed || step.revisit)) return;
        // Nor does a look elsewhere now and then, once the answer is known.
        if (responses_ >= kKnown && !same_tool && is_look(step) && step.epoch == epoch_ &&
            (others_ + 1) * kOneIn <= responses_) {
            ++others_;
            return;
        }
        // Nor does a wait in between after which all is as it was.
        if (responses_ > 0 && step.tool_class == ToolClass::poll && step.tool == tool_ && step.out == out_) return;
        if (episode_.is_open()) {
            found_ = same_tool && step.tool_class == ToolClass::search && !step.failed && !step.revisit &&
                     !is_no_result(step.text.outcome());
            close();
        }
        responses_ = 0;
        if (counts(step)) begin(step);
    }

    static bool counts(const Step& step) {
        return step.tool_class != ToolClass::poll && step.tool_class != ToolClass::note && !step.failed;
    }

    static bool is_look(const Step& step) {
        if (step.command_bytes > 0) return step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
        return step.tool_class != ToolClass::verify && !does_something(step);
    }

    bool same_answer(const Step& step) const {
        if (responses_ == 0 || step.tool != tool_ || step.out != out_ || step.epoch != epoch_ || step.failed)
            return false;
        // What is typed into a program that hangs is no command, whatever it looks like.
        return step.tool_class == class_ || (step.tool_class != ToolClass::poll && is_hanging(step));
    }

    // Where the quoted argument is the same it is not what makes the calls different: a place, and the pattern is not
    // known. Of a search by command only the pattern counts; the program, its flags and the place stand in all of them.
    static bool alike(const Step& step, const Step& last) {
        const std::string_view now = step.text.argument().bytes, before = last.text.argument().bytes;
        if (now == before) return false;
        if (step.tool_class != ToolClass::search || step.command_bytes == 0) return shared_words(step, last) >= kAlike;
        const ActWords a = pattern_words(now), b = pattern_words(before);
        std::size_t shared = 0;
        for (const std::uint32_t word : a.all()) shared += b.has(word);
        return shared > 0 && static_cast<double>(shared) >= kAlike * static_cast<double>(a.size() + b.size() - shared);
    }

    static ActWords pattern_words(std::string_view command) {
        constexpr std::array<std::string_view, 8> kPrograms{"grep", "egrep", "rg", "ag", "ack", "find", "git", "cd"};
        ActWords words;
        for (std::string_view rest = command; !rest.empty();) {
            const std::string_view word = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(word.size() + 1, rest.size()));
            const bool pattern = !word.starts_with('-') && std::ranges::find(kPrograms, word) == kPrograms.end();
            if (pattern) add_words({word, TextForm::plain}, word.size(), words);
        }
        return words;
    }

    // So many of this, so many of that: the answer is a figure, or that there are none.
    static bool counts_rows(const Step& step) {
        constexpr std::uint32_t kLongest = 40;  // bytes
        const RawText said = step.text.outcome();
        const bool figure = step.outcome_bytes <= kLongest && !says_refusal(said.bytes) &&
                            said.bytes.find_first_of("0123456789") != said.bytes.npos;
        return asks_for_rows(step.text.argument().bytes) && (figure || is_no_result(said));
    }

    // Another table than all before: what is asked of it is another question, however it is put.
    bool is_next_table(const Step& step) {
        const std::string_view query = step.text.argument().bytes;
        const std::string table = asks_for_rows(query) ? asked_table(query) : std::string();
        if (table.empty()) return false;
        const std::uint64_t name = stable_hash(table);
        const auto end = tables_.begin() + static_cast<std::ptrdiff_t>(known_tables_);
        if (known_tables_ == tables_.size() || std::find(tables_.begin(), end, name) != end) return false;
        tables_[known_tables_++] = name;
        return true;
    }

    // A command that says so: "No entries." To print nothing at all says only that it was carried out.
    static bool finds_nothing(const Step& step) {
        const std::string_view said = step.text.outcome().bytes;
        return step.tool_class == ToolClass::shell && is_no_result(step.text.outcome()) &&
               std::ranges::count_if(said, is_letter) > 4 && said.find("utput") == said.npos;
    }

    // A browser that is sent to an address, and shows a page.
    static bool goes_to_page(const Step& step) {
        return step.text.argument().bytes.find("://") != std::string_view::npos &&
               has_lines(step.text.outcome().bytes) && is_act(step);
    }

    // With more or fewer parameters, of one and the same thing. Where only one of the arguments is kept, the others may
    // name another.
    static bool asks_again(const Step& step, const Step& first) {
        const std::string_view now = step.text.argument().bytes, then = first.text.argument().bytes;
        return now.starts_with('{') && then.starts_with('{') && step.text.argument_size < StepText::kArgument &&
               first.text.argument_size < StepText::kArgument && asks_by_name(step) && ask_of_same_thing(now, then);
    }

    // The next page of a list, on which stands what stood on the one before.
    static bool is_next_page(const Step& step) {
        return step.next_page && step.text.outcome().bytes.find('[') != std::string_view::npos && !does_something(step);
    }

    // A terminal into which keys are typed, and which shows neither their echo nor a prompt: a program asks for a
    // password, a pager waits at its end.
    static bool is_hanging(const Step& step) {
        const bool short_screen = step.outcome_bytes > 0 && step.outcome_bytes <= StepText::kOutcome;
        return step.unechoed && step.command_bytes > 0 && short_screen && !ends_with_prompt(step.text.outcome().bytes);
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
            const bool guess =
                step.tool_class == ToolClass::other && !step.revisit && says_wrong_guess(step.text.outcome());
            const bool done = is_acknowledgement(step) && !step.pictured && !(first && asks_again(step, *first)) &&
                              !asks_for_rows(step.text.argument().bytes) && !goes_to_page(step) && !is_hanging(step) &&
                              !finds_nothing(step) && !is_next_page(step);
            if (!first || guess || done || is_passed_check(step)) return begin(step);
            if (is_hanging(step)) class_ = ToolClass::shell;
            episode_.waste_from(step, lane.step(step.ordinal - 1));
            time_.add(*first);
            episode_.add(*first);
            (void)is_next_table(*first);
            if (counts_rows(*first)) (void)asked_names_.has_new_ones(*first);
        }
        const Step& last = episode_.last();
        if (step.call != last.call && step.response != last.response) {
            ++responses_;
            const Elsewhere place = elsewhere(step, last);
            // A file or a host with another number is another one; a page with another number only counts on.
            const bool another = place == Elsewhere::file || place == Elsewhere::thing;
            const bool counts_on = same_but_numbers(step.text.argument().bytes, last.text.argument().bytes) && !another;
            again_ += step.revisit || counts_on;
            revisits_ += step.revisit;
            alike_ += alike(step, last);
            elsewhere_ += place != Elsewhere::no;
            files_ += place == Elsewhere::file;
            const bool rows = counts_rows(step);
            // Asked only as long as all before were such things.
            const bool thing =
                of_another_thing(step, last) && (step.tool_class != ToolClass::search || place == Elsewhere::file ||
                                                 differ_in_date(step, last) || of_other_person(step, last) || rows);
            settings_ += of_another_setting(step, last);
            columns_ += rows && asked_names_.has_new_ones(step);
            const bool next_table = things_ + 2 == responses_ && is_next_table(step);
            things_ += things_ + 2 == responses_ && !is_next_page(step) && (thing || next_table);
            fresh_ += step.query.words > 0 && step.query.known_percent < 100;
            time_.add(step);
        }
        episode_.add(step);
    }

    void end() {
        close();
        empty_.end([this](const auto& row) { say(row); });
        page_.end([this](const auto& row) { say(row); });
    }

    void close() {
        if (responses_ >= params_.warn && time_.met()) say();
        if (episode_.is_open()) {
            episode_.reset();
            time_.reset();
        }
        responses_ = 0;
        found_ = false;
        others_ = 0;
        alike_ = again_ = revisits_ = settings_ = elsewhere_ = files_ = things_ = fresh_ = columns_ = 0;
        known_tables_ = 0;
        asked_names_ = {};
    }

    void say() {
        const Step& last = episode_.last();
        if (settings_ == responses_ - 1) return;                   // of one option; what each does was to be found out
        if (columns_ == responses_ - 1 && revisits_ == 0) return;  // one column after the other, and none has such rows
        const bool nothing = is_no_result(last.text.outcome());
        const bool variations = alike_ * 2 >= responses_ - 1;
        const bool each =
            revisits_ == 0 && things_ == responses_ - 1;  // one thing after the other, and the same of all
        const bool missing = says_missing(last.text.outcome());
        const bool in_vain = class_ == ToolClass::shell && finds_nothing(last);
        // User 17 has no entries, and neither has user 18; nor has anything to do with anything.
        if (in_vain && (again_ - revisits_ == responses_ - 1 || !variations)) return;
        const bool page = class_ == ToolClass::other && goes_to_page(last);
        const bool answered = missing || !says_refusal(last.text.outcome().bytes);
        // What a command is told of thing after thing may be what was to be found out; of very many it is a wall.
        const bool probed = last.command_bytes > 0 && responses_ < params_.fail;
        if (each && (answered || probed) && last.query.words == 0 && !page) return;
        // User 17 is not there, and neither is user 18.
        const bool counted = missing && last.command_bytes == 0 && revisits_ == 0;
        const bool walk =
            counted || (again_ == 0 && (class_ == ToolClass::read || elsewhere_ == responses_ - 1 || missing));
        if (walk && class_ == ToolClass::shell && !in_vain && !says_refusal(last.text.outcome().bytes)) return;
        if (walk && class_ == ToolClass::read && last.command_bytes == 0 && files_ == responses_ - 1 && !nothing)
            return;  // so many copies of one text
        // Words for what is looked for, each tried once, until it was found.
        if (nothing && found_ && revisits_ == 0 && !variations && responses_ < params_.fail) return;
        const bool names = nothing && fresh_ * 4 >= (responses_ - 1) * 3;  // one name after the other is looked up
        const bool hard = responses_ >= params_.fail && (!nothing || variations) && !walk && !names &&
                          !(page && revisits_ == 0) && !in_vain;
        DraftFinding draft = episode_.draft(
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
                         {"arguments_alike", variations ? "yes" : "no"}}});
        // Three of four queries ask of something that none before asked of.
        if (columns_ * 4 >= (responses_ - 1) * 3 && revisits_ == 0) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"asks_of_other_columns", "yes"});
        }
        // One wording after the other, until one of them found it.
        if (nothing && found_ && revisits_ == 0 && responses_ < params_.fail) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"found_at_last", "yes"});
        }
        if (nothing) empty_.told();
        page_.told();
        report(std::move(draft));
    }

    // By several tools nothing is found: two more than of one, for each may look at something else. Who finds something
    // now and then, or at last, is patient.
    void say(const EmptySearches::Row& row) {
        const int warn = row.finds > 0 ? std::max(params_.warn, params_.fail) : params_.warn + 2;
        if (row.responses < warn || !(row.varied || row.finds > 0) || !row.time.met()) return;
        const Episode& e = row.episode;
        report(e.draft(
            loop_stagnation(),
            {.repeats = static_cast<std::uint64_t>(row.responses),
             .pattern = mix_hash(static_cast<std::uint64_t>(ToolClass::search), 10),
             .round = {step_words(e.last())},
             .message = fmt::format("{} searches in a row found nothing, whatever they looked for", row.responses),
             .action = "say what is being looked for and what shows that it is there; ask the user where",
             .because = {{"searches_that_found_nothing", std::to_string(row.responses)},
                         {"threshold", std::to_string(warn)},
                         {"outcome", outcome_words(e.last())},
                         {"no_result", "yes"}}}));
    }

    // A page may need a moment: one more.
    void say(const UnmovedPage::Row& row) {
        const int warn = params_.warn + 1;
        if (row.responses < warn || !row.time.met()) return;
        const Episode& e = row.episode;
        report(e.draft(loop_stagnation(),
                       {.doubtful = true,
                        .repeats = static_cast<std::uint64_t>(row.responses),
                        .pattern = mix_hash(e.last().out, 11),
                        .round = {step_words(e.last())},
                        .message = fmt::format("{} acts left the page as it was", row.responses),
                        .action = "say what is in the way; ask the user, or go another way than through this page",
                        .because = {{"acts_behind_which_the_page_was_the_same", std::to_string(row.responses)},
                                    {"threshold", std::to_string(warn)},
                                    {"outcome", outcome_words(e.last())}}}));
    }

    Params params_;
    Episode episode_;
    TimeWindow time_;
    EmptySearches empty_;
    UnmovedPage page_;
    std::uint64_t tool_ = 0, out_ = 0, first_ = 0;
    std::uint32_t epoch_ = 0;
    int responses_ = 0;
    int others_ = 0;  // looks elsewhere in between that brought something new
    int alike_ = 0;
    int elsewhere_ = 0;   // calls that differ from the one before by the place they look at, and by nothing else
    int files_ = 0;       // of them, files
    int settings_ = 0;    // calls that give another value to one option
    int things_ = 0;      // calls that ask the same of another thing
    int fresh_ = 0;       // searches with a word that was not asked before
    int revisits_ = 0;    // calls made before
    bool found_ = false;  // by the search that ended it
    int again_ = 0;       // the same, or that only count on from the one before
    std::array<std::uint64_t, 32> tables_{};  // asked so far
    std::size_t known_tables_ = 0;
    int columns_ = 0;  // queries that ask of a name that none before asked of
    AskedNames asked_names_;
    ToolClass class_ = ToolClass::other;
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
