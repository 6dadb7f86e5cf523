#include "detectors/all.hpp"
#include "detectors/commands/check_kind.hpp"
#include "detectors/commands/same_check.hpp"
#include "detectors/commands/shell_files.hpp"
#include "detectors/commands/shell_line.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/loop/shown_errors.hpp"
#include "detectors/loop/unmoved_looks.hpp"
#include "detectors/loop/vain_fixes.hpp"
#include "detectors/loop/vain_starts.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/measured_time.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/stalled-fix";

constexpr std::string_view kDoc = R"(## What it finds
A test, a build, a lint or any other command that fails with the same outcome after one real change after the other. It is
the same failure
- where a check goes back and forth between failures that it had before: what mends the one brings back the other
- where it says of what the last edit put in what it said before of something else ("waiting for .pay", "waiting for #pay")
- where a program cannot be read at one line, whatever was put there ("SyntaxError: invalid syntax" at line 4, TabError and
  IndentationError in turn)
- where a run of tests finds no test, under whatever name they are asked for ("No test files found")
- where a linter or a type checker counts three errors or more, as many as before and of the same kinds, at other places
- where a script dies of the error that the drafts before it died of, whatever it is called; where a line with the error is
  all it says, only the script that was written last
- where a training has a loss of nan after each edit

Each try that was taken back (`git checkout`, `git restore`) makes as many as a warning takes an error. Of hooks that write
the files anew themselves ("files were modified by this hook", and no test failed) one failure less is enough, for each edit
was undone.

A look that goes well and shows the same error of a program each time, where a file is edited again and again, counts as
well: in the console below a page, however the page is described; at the end of a log that grows; of a pod or container,
whatever its name. No edit is needed where the pod was deleted, the container run, the server killed or the service
restarted in between. A warning are also
- pods that stay pending however often they are started anew
- a server that is started anew, on one port after the other, and never answers
- a command that does well and prints the same after six changes, where the agent says twice that this is not what it
  wants, or looks for what was to be changed in that very file (`sed -i s/pool… app.yaml`, `grep pool app.yaml`, or its
  size, five times, in whatever words), or puts one value after the other in the same place, and does not only write on
  there (`top: 8px`, `top: 12px`, and each time "6px off"), or where the output says so itself: a cell without a value
  (`#N/A`), a `terraform plan` that wants what was just applied
- a person who says in a few words, after one change after the other, that it is as it was ("still not centered", "nope,
  same as before"); twice as many are an error

## Why it matters
The edits change files and nothing that can be observed: they are made in the wrong place, in code that is not run, or
against a cause that is elsewhere.

## Example
```
Edit `retry.ts` → Bash `npm test` (1 failing) → Edit `retry.ts` → Bash `npm test` (1 failing) → …
```

## What is not flagged
- a failure that says anything else than before: fewer failing tests are progress; how far the build came, what it
  compiled and what it took from its cache says nothing of the failure, nor does the order in which tests were done
- the same error further down in its file than the edits can have moved it: it is the next one of its kind, also where
  errors of two kinds take turns
- a run without a real change before it (`loop/exact-repeat`, `loop/interleaved-repeat`)
- what fails at one revision of the repository after the other (`git checkout`): nothing was to be mended
- what a linter or a type checker says while one file after the other is edited, none of them twice, is a warning at most:
  it may be an old error, and the work another
- where three files or more were edited before each run, and none of them twice: an old failure beside a rename in all of them
- fewer than four equal failures or returns to one, and successes however often they come
- as more than an info, a run that finds no test for the very file edited just before it, one file after the other: they
  have none
- another command that fails alike in a few words; one that says the same at length is the same check in other words, and so
  is one that differs in its flags or in what leads to it (`pytest -q`, `timeout 60 pytest -x`; `./d.sh`, `sh -c ./d.sh`)
- returns to a failure that is told in a few words: another test may have been written meanwhile
- as many errors in the next file, of a compiler that stops at the first one
- an uncaught error of a script in a page that is not empty, where a person wants the page to look otherwise, or style sheets
  alone are edited and nobody told of something that does not work
- an error that a look shows is a warning at most: it may be an old one. The state of a pod that was deleted and came up
  anew is an error, unless other pods run beside it. None is one that a page is said to lack, that other lines of a log
  follow which tell of a good start, or that is another one than before; nor what page after page of a manual quotes
- as more than an info, what a person said is red already and may be ignored ("it fails on main as well, that is not
  yours"): the test that was named, or those that were red before the first change. Another one beside it is no such thing
- as more than an info, what the agent says was red before ("a pre-existing failure, unrelated to my change") while it
  goes from file to file and edits none of them twice
- as more than an info, what a check other than a test says of a file that is none of those edited, where these are five
  or more and each was edited once: `tsc` and an old error while the components are migrated one by one
- as more than an info, fewer than twice as many as an error takes of a check that says no more than that it fails
  ("FAIL") and passes at last: it cannot tell which try came nearer
- commands that are no check and say nothing of a failure: a search without a hit, a server that is not up yet
- a command that prints the same after each change where nobody says that it should not, other than a look for what was to
  be changed
- a person who says that it came nearer or is another thing now ("still a bit too low", "closer"), who tells more than a few
  words or asks; and what was answered without a change
- pods that are waited for while they are pending, or that came up between one start and the next
- a check that was stopped while it waited for a lock that another one holds: it did not run
- a check that something takes longer than it may ("sort: 17 ms, limit 5 ms"), where it takes less time than ever before

## What to do
Find out first whether the changed code is run at all. Then one change with a prediction of what the test will say.

## When it is wrong
A long change that can only pass at its end, or an old failure that is nobody's task. Raise `warn` and `fail`, or
`--ignore loop/stalled-fix`.
)";

// "test_x fails before my change already", "the one failure is pre-existing"; not "I follow the pre-existing names".
constexpr std::string_view kBefore[] = {
    "pre-existing",     "preexisting",       "before my ",     "before any ",    "before these ",   "without my ",
    "already fail",     "already red",       "already broken", "fails on main",  "fails on master", "failing on main",
    "unrelated to my ", "unrelated to this", "not related to", "not caused by ", "to do with my ",  "schon vorher",
    "there before",     "schon da",          "is not mine",    "isn't mine",     "not mine",        "was red before",
    "failed before",    "known failure",     "known error",    "ya estaba",      "déjà là",         "已有的",
    "原有的",           "以前から",          "もともと"};
constexpr PhraseSet kBeforeSet(kBefore);
constexpr std::string_view kRed[] = {"fail",   "is red", "are red", "broken", "error",  " rot",
                                     "fehler", "erreur", "错误",    "失败",   "エラー", "失敗"};

bool says_was_red(std::string_view said) {
    constexpr std::size_t kLooked = 2048;  // bytes
    said = said.substr(0, kLooked);
    if (!kBeforeSet.said_in(said)) return false;
    return any_sentence(lowered(said), [](std::string_view sentence) {
        return contains_any(sentence, kBefore) && contains_any(sentence, kRed);
    });
}

struct Params {
    int warn = 4;
    int fail = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "equal failures, or returns to a known one, each after another change, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

class StalledFix final : public Detector {
public:
    explicit StalledFix(Params params) : params_(params), starts_(TimeWindow(params.warn, params.within)) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.tool_class == ToolClass::mutate && !step.failed) see_edit(step);
        if (step.failed || step.opaque)
            unmoved_.went_on();
        else if (!unmoved_.empty() || lane.runs().any())
            unmoved_.looked(step, lane, TimeWindow(params_.warn, params_.within),
                            [this](const auto& row) { close(row); });
        if (step.failed && !step.opaque) starts_.failed(step, lane, [this](const auto& row) { close(row); });
        if (is_shown(step.error_key) && !step.failed && !step.opaque)
            shown_.looked(step, lane, TimeWindow(params_.warn, params_.within),
                          [this](const auto& row) { close(row); });
        if (step.opaque || (step.tool_class != ToolClass::verify && !judges(step))) return;
        // It waited for others to be done with what it needs: nothing was checked.
        const bool whole = step.outcome_bytes <= StepText::kOutcome;
        if (step.failed && whole && only_waited_for_lock(step.text.outcome().bytes)) return;
        was_red_ = step.failed;
        const auto known = std::ranges::find(checks_, step.call, &Check::call);
        if (known != checks_.end() && known->episode.last().revision != step.revision) {
            end(known);
            return begin(step, runs_no_test(step));
        }
        if (known == checks_.end()) {
            const bool untested = runs_no_test(step);
            const auto like = std::ranges::find_if(
                checks_, [&](const Check& check) { return untested ? check.untested : in_other_words(check, step); });
            if (like == checks_.end()) {
                end_untested(step);
                return step.failed ? begin(step, untested) : end_varied(step);
            }
            like->varied = true;
            like->without_tests += untested && names_file(step, edited_);
            return see_failure(*like, step, untested ? like->out : like->turns.name_of(step), lane);
        }
        if (!step.failed) return pass(known);
        see_failure(*known, step, step.out, lane);
    }

    // Who says right behind a failure that it was there before, and goes from file to file, is busy with something
    // else.
    void on_text(const AgentText& said, const LaneTrack&) override {
        if (!unmoved_.empty() && !said.reasoning) unmoved_.said(said.text);
        if (!was_red_ || said.reasoning) return;
        was_red_ = false;
        if (!says_was_red(said.text.bytes)) return;
        for (Check& check : checks_) check.set_aside = true;
    }

    std::uint16_t wakes() const override {
        if (!unmoved_.empty()) return kEveryStep;
        constexpr unsigned kAlways = kOnCheck | kOnFailure | kOnRepeat;  // of what is shown, too
        return static_cast<std::uint16_t>(checks_.empty() && shown_.empty() ? kAlways : kAlways | kOnMutation);
    }
    void on_segment_end(const LaneTrack& lane) override {
        close_all();
        fixes_.heard(lane, [this](const auto& row) { close(row); });
    }
    void finish(const LaneTrack*) override {
        close_all();
        fixes_.end([this](const auto& row) { close(row); });
    }

private:
    static constexpr std::size_t kMaxChecks = 16;

    // Saves what was edited, and edits nothing.
    static bool keeps(const ShellCommand& command) {
        constexpr std::string_view kKeeps[] = {"git add", "git commit", "git push", "git tag"};
        return std::ranges::any_of(kKeeps,
                                   [&](std::string_view words) { return begins_with_words(command.text, words); });
    }

    // The file that a step edits, of a command one that it names; 0 = nobody knows which.
    static std::optional<std::uint64_t> edited_file(const Step& step) {
        if (step.touch.file != 0 || step.command_bytes == 0) return step.touch.file;
        const std::string line = decoded(step.text.argument(), StepText::kArgument);
        const std::vector<ShellCommand> commands = shell_commands(line);
        if (!commands.empty() && std::ranges::all_of(commands, keeps)) return std::nullopt;
        ShellFiles files;
        const std::vector<std::string>& names = files.changed_by(line);
        return names.empty() ? 0 : stable_hash(names.front()) | 1;
    }

    void see_edit(const Step& step) {
        if (checks_.empty() && shown_.empty()) return;
        const std::optional<std::uint64_t> file = edited_file(step);
        if (!file) return;
        const bool back = !checks_.empty() && takes_back(step);
        const std::string_view path = step.text.argument().bytes;
        const auto in_no_path = [](char c) { return c == ' ' || c == '\n' || c == '\\' || c == '{'; };
        const bool named = step.command_bytes == 0 && std::ranges::none_of(path, in_no_path);
        const std::uint64_t name = named ? base_name_of(path) : 0;
        draft_ = named && step.touch.whole_file ? name : 0;
        edited_ = is_test_file(path) ? 0 : name;
        for (Check& check : checks_) {
            check.files.edited(*file, name);
            check.taken_back += back;
        }
        shown_.edited(*file, is_style_sheet(step));
    }

    static bool is_test_file(std::string_view path) {
        constexpr std::string_view kTests[] = {"test", "spec", "Test", "Spec"};
        return contains_any(path, kTests);
    }

    static bool is_style_sheet(const Step& step) {
        constexpr std::string_view kEndings[] = {".css", ".scss", ".sass", ".less", ".styl"};
        const std::string_view path = step.text.argument().bytes;
        return step.command_bytes == 0 &&
               std::ranges::any_of(kEndings, [path](std::string_view ending) { return path.ends_with(ending); });
    }

    // A command of any kind that says what is wrong. That nothing was found, or nobody answers yet, is no verdict.
    static bool judges(const Step& step) {
        const bool shell = step.tool_class == ToolClass::shell;
        if (!shell && (step.tool_class != ToolClass::mutate || !step.failed || step.command_bytes == 0)) return false;
        if (!step.failed) return true;
        const std::string_view said = step.text.outcome().bytes;
        const bool crashed =
            said.find("Traceback (most recent call last)") != said.npos;  // what went wrong stands at its end
        return step.error != ErrorClass::transient && (crashed || says_refusal(said) || says_what_to_do(said)) &&
               said.find("o such") == said.npos;
    }

    // "You must edit all merge conflicts", "Please commit your changes": a program that does not go on without.
    static bool says_what_to_do(std::string_view said) {
        constexpr std::string_view kOrders[] = {"You must ", "you must ", "needs merge", "Please commit",
                                                "Please move"};
        return contains_any(said, kOrders);
    }

    // A formatter that is run with the linter joins the line again that was split for it. Where tests ran behind it
    // ("1 failed in 0.2s"), the failure is theirs.
    static bool writes_anew(const Step& step) {
        constexpr std::string_view kWrites[] = {"eformatted ", "file reformatted"};
        constexpr std::string_view kTests[] = {" failed", " passed", "FAILED", " failing", "AssertionError"};
        const std::string_view said = step.text.outcome().bytes;
        if (said.find("modified by this hook") != said.npos) return true;
        return contains_any(said, kWrites) && !contains_any(said, kTests);
    }

    // `git checkout src/a.ts`, `git stash`: what was tried is undone.
    static bool takes_back(const Step& step) {
        constexpr std::string_view kUndoes[] = {"git checkout ", "git restore ", "git stash", "git reset --hard"};
        const std::string_view command = step.text.argument().bytes;
        return step.command_bytes > 0 && !step.visits &&
               std::ranges::any_of(kUndoes, [&](std::string_view undo) { return command.find(undo) != command.npos; });
    }

    // Back and forth between failures that were there before.
    struct Turns {
        explicit Turns(const Params& params) : time(params.warn, params.within) {}

        struct Said {
            std::uint64_t out = 0, error = 0;
        };
        std::array<Said, 3> known{};  // what the check has said
        std::size_t outcomes = 0;
        std::uint64_t last = 0;  // of them
        int returns = 0;         // to another one than the last, after another change
        Episode episode;         // since the last that was new
        TimeWindow time;

        const Said* find(std::uint64_t Said::*name, std::uint64_t value) const {
            const auto end = known.begin() + static_cast<std::ptrdiff_t>(outcomes);
            const auto said = std::find_if(known.begin(), end, [&](const Said& s) { return s.*name == value; });
            return said == end ? nullptr : &*said;
        }
        // The outcome that failed in the same way, however it was called for.
        std::uint64_t name_of(const Step& step) const {
            const Said* const said = find(&Said::error, step.error_key);
            return said ? said->out : step.out;
        }
    };

    struct Check {
        Check(const Params& params, const Step& step)
            : time(params.warn, params.within), turns(params), call(step.call) {
            restart(params, step);
            turns.known[turns.outcomes++] = {step.out, step.error_key};
            turns.last = step.out;
        }

        void restart(const Params& params, const Step& step) {
            out = step.out;
            failures = 1;
            taken_back = without_tests = 0;
            set_aside = false;
            best_time.reset();
            files.clear();
            episode.reset();
            time = TimeWindow(params.warn, params.within);
            time.add(step);
            episode.add(step);
        }

        // Another one that it has not said before: whatever went in circles until now is over.
        void note(const Step& step, const Params& params) {
            const std::size_t kept = turns.outcomes == turns.known.size() ? 0 : turns.outcomes;
            const auto before = turns.known;
            turns = Turns(params);
            turns.known = before;
            turns.known[kept] = {step.out, step.error_key};
            turns.outcomes = kept + 1;
            turns.last = step.out;
            turns.episode.add(step);
        }

        // It fails by the time that something takes, and that was never so short.
        bool gets_faster(const Step& step) {
            if (!best_time.known()) (void)best_time.beaten_by(episode.last().text.outcome().bytes);
            return best_time.known() && best_time.beaten_by(step.text.outcome().bytes);
        }

        // Three new files and more to each run, none of them twice: the work is another one, and the failure an old
        // one.
        bool is_beside_work() const {
            constexpr std::size_t kFiles = 3;
            return !files.reworks() && files.count() >= kFiles * static_cast<std::size_t>(failures);
        }

        // One new file after the other, and what fails names a file that is none of them: whoever wanted to mend it
        // would have come to it. Why a test fails may stand in any file.
        bool is_of_other_file() const {
            constexpr std::size_t kFiles = 5;
            const Step& last = episode.last();
            const CheckKinds names = scope_of_check(last.text.tool(), last.text.argument()).names;
            return !files.reworks() && files.count() >= kFiles && (names & kTestCheck) == 0 &&
                   files.are_other_than(last.text.outcome().bytes);
        }

        std::uint64_t out = 0;
        int failures = 1;        // each after another change
        bool untested = false;   // it found no test
        int without_tests = 0;   // runs that found no test for the file edited just before
        int taken_back = 0;      // how often what was tried was undone
        bool set_aside = false;  // the agent said that it was red before
        bool passed = false;     // at last
        bool varied = false;     // it was run in other words
        BestTime best_time;
        EditedFiles files;  // since the first of them
        Episode episode;
        TimeWindow time;
        Turns turns;
        std::uint64_t call = 0;
    };

    static constexpr std::uint32_t kTelling = 64;  // bytes of an answer that few others give

    // `cd api && pytest -q` and `python -m pytest -q`: another call that says the same at length runs the same check,
    // unless it is that of the next package; so do `pytest -x` and `./d.sh --yes`, and the next draft of a script.
    bool in_other_words(const Check& check, const Step& step) const {
        const Step& last = check.episode.last();
        const bool alike = step.revision == last.revision && step.failed && step.tool == last.tool &&
                           check.turns.find(&Turns::Said::error, step.error_key);
        if (!alike) return false;
        const bool telling = step.outcome_bytes >= kTelling;
        const bool checks = step.tool_class == ToolClass::verify && last.tool_class == ToolClass::verify;
        if (telling && checks && elsewhere(step, last) == Elsewhere::no && !run_other_things(last, step)) return true;
        if (step.tool_class == last.tool_class && run_the_same(last, step) && (telling || names_what_runs(last, step)))
            return true;
        return !checks && is_next_draft(last, step);
    }

    // The script that was just written in place of the one before dies as that one did: only of drafts are the errors
    // of two files the same (identity_of_draft). Where nothing is told but the error, it has to be the file that was
    // written last, and no other one that was there.
    bool is_next_draft(const Step& last, const Step& step) const {
        const bool scripts = last.tool_class == ToolClass::shell && step.tool_class == ToolClass::shell;
        if (!scripts || step.epoch == last.epoch || elsewhere(step, last) != Elsewhere::file) return false;
        const std::string_view said = step.text.outcome().bytes;
        constexpr std::string_view kCrash = "Traceback (most recent call last)";
        const bool traced = said.find(kCrash) != said.npos && last.text.outcome().bytes.find(kCrash) != said.npos;
        return traced ? step.outcome_bytes >= kTelling : names_error(said) && runs_written(step);
    }

    // "TypeError: …", "Exception in thread …"; not that there is no such file.
    static bool names_error(std::string_view said) {
        constexpr std::string_view kNames[] = {"Error: ", "Exception"};
        return contains_any(said, kNames) && said.find("o such file") == said.npos;
    }

    bool runs_written(const Step& step) const { return names_file(step, draft_); }

    // `name`: the hash of a base name, 0 = none.
    static bool names_file(const Step& step, std::uint64_t name) {
        std::string_view command = step.text.argument().bytes;
        while (name != 0 && !command.empty()) {
            const std::size_t end = std::min(command.find(' '), command.size());
            if (base_name_of(command.substr(0, end)) == name) return true;
            command.remove_prefix(std::min(end + 1, command.size()));
        }
        return false;
    }

    // "No test files found" under one name after the other: not one of the changes was tested.
    static bool runs_no_test(const Step& step) {
        static constexpr std::string_view kNone[] = {"no test files",       "no tests found",    "no tests ran",
                                                     "no tests to run",     "no tests executed", "no tests were found",
                                                     "no projects matched", "collected 0 items"};
        static constexpr PhraseSet none(kNone);
        return step.failed && step.tool_class == ToolClass::verify && none.in(step.text.outcome().bytes);
    }

    // Another check did run.
    void end_untested(const Step& step) {
        if (step.tool_class != ToolClass::verify) return;
        const auto known = std::ranges::find_if(checks_, &Check::untested);
        if (known != checks_.end()) end(known);
    }

    // What failed under several flags passes under others.
    void end_varied(const Step& step) {
        const auto passes = [&step](const Check& check) {
            const Step& last = check.episode.last();
            return check.varied && last.tool_class == step.tool_class && run_the_same(last, step);
        };
        const auto known = std::ranges::find_if(checks_, passes);
        if (known != checks_.end()) pass(known);
    }

    void begin(const Step& step, bool untested) {
        if (!step.failed) return;
        if (checks_.size() >= kMaxChecks) end(checks_.begin());
        checks_.emplace_back(params_, step);
        checks_.back().untested = untested;
    }

    void turn(Check& check, const Step& step, std::uint64_t out, const LaneTrack& lane) {
        Turns& turns = check.turns;
        if (!turns.find(&Turns::Said::out, out)) {
            close(turns, check.call);
            return check.note(step, params_);
        }
        if (turns.outcomes == 1) return;
        if (out != turns.last && step.epoch != turns.episode.last().epoch) {
            if (++turns.returns == 1) turns.episode.waste_from(step, lane.step(step.ordinal - 1));
            turns.time.add(step);
        }
        turns.last = out;
        turns.episode.add(step);
    }

    // `out`: what it said, by the name under which the check has said it before.
    void see_failure(Check& check, const Step& step, std::uint64_t out, const LaneTrack& lane) {
        turn(check, step, out, lane);
        if (check.out == out && !check.gets_faster(step)) return grow(check, step, lane);
        close(check);
        check.restart(params_, step);
        check.out = out;
        check.untested = runs_no_test(step);
    }

    // The log of another run, by its number: something was pushed, or the run was started again.
    static bool is_next_run(const Step& step, const Step& last) {
        constexpr std::string_view kRun = " run view ";
        const std::string_view now = step.text.argument().bytes, then = last.text.argument().bytes;
        return step.call != last.call && now.find(kRun) != now.npos && same_but_numbers(now, then);
    }

    static void grow(Check& check, const Step& step, const LaneTrack& lane) {
        if (step.epoch != check.episode.last().epoch || is_next_run(step, check.episode.last())) {
            if (++check.failures == 2) check.episode.waste_from(step, lane.step(step.ordinal - 1));
            check.time.add(step);
        }
        check.episode.add(step);
    }

    void end(std::vector<Check>::iterator check) {
        close(*check);
        close(check->turns, check->call);
        checks_.erase(check);
    }

    void pass(std::vector<Check>::iterator check) {
        check->passed = true;
        end(check);
    }

    void close_all() {
        while (!checks_.empty()) end(checks_.begin());
        if (!shown_.empty()) shown_.end_all([this](const auto& row) { close(row); });
        starts_.end([this](const auto& row) { close(row); });
        if (!unmoved_.empty()) unmoved_.end_all([this](const auto& row) { close(row); });
    }

    // A linter and a type checker say where the fault is; why a test fails may stand in any file.
    static bool names_its_place(const Step& step) {
        const CheckKinds names = scope_of_check(step.text.tool(), step.text.argument()).names;
        return names != 0 && (names & (kLintCheck | kTypeCheck)) == names;
    }

    static std::string_view what(const Step& step) {
        return step.tool_class == ToolClass::verify ? "check" : "command";
    }

    void close(const Turns& turns, std::uint64_t call) {
        // A bare "1 failing" comes back when another test is written.
        const Episode& e = turns.episode;
        if (turns.returns < params_.warn || !turns.time.met() || e.last().outcome_bytes < kTelling) return;
        const bool hard = turns.returns >= params_.fail;
        report(e.draft(
            loop_stalled_fix(),
            {.hard = hard,
             .repeats = static_cast<std::uint64_t>(turns.returns),
             .pattern = mix_hash(call, 6),
             .round = {step_words(e.last())},
             .message = fmt::format(
                 "a {} with {} came back {} times from one known failure to another, each time after another change",
                 what(e.last()), e.last().text.tool(), turns.returns),
             .action = "what mends one failure brings back the other: find what both need before the next edit",
             .because = {{"returns_to_a_known_failure", std::to_string(turns.returns)},
                         {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                         {"new_mutations_in_between", std::to_string(e.last().epoch - e.first().epoch)},
                         {"outcome", outcome_words(e.last())}}}));
    }

    void close(const Check& check) {
        if (check.failures + 1 < params_.warn || !check.time.met()) return;
        const int warn = std::max(2, params_.warn - writes_anew(check.episode.last()));
        if (check.failures < warn) return;
        const Episode& e = check.episode;
        // Each try began where the one before it had begun.
        const bool in_circle = check.taken_back + 1 >= check.failures;
        if (!in_circle && check.is_beside_work()) return;
        const bool hard =
            in_circle || (check.failures >= params_.fail && (check.files.reworks() || !names_its_place(e.last())));
        DraftFinding draft =
            e.draft(loop_stalled_fix(),
                    {.hard = hard,
                     .repeats = static_cast<std::uint64_t>(check.failures),
                     .pattern = mix_hash(check.call, 5),
                     .round = {step_words(e.last())},
                     .message = fmt::format("a {} with {} failed alike {} times, each time after another change",
                                            what(e.last()), e.last().text.tool(), check.failures),
                     .action = "check that the changed code is run at all before the next edit",
                     .because = {{"equal_failures_after_a_change", std::to_string(check.failures)},
                                 {"threshold", std::to_string(hard && !in_circle ? params_.fail : warn)},
                                 {"new_mutations_in_between", std::to_string(e.last().epoch - e.first().epoch)},
                                 {"outcome", outcome_words(e.last())}}});
        if (check.set_aside && !check.files.reworks() && !in_circle) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"set_aside", "said to have failed before"});
        }
        if (check.untested && check.without_tests + 1 >= check.failures && !check.files.reworks()) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"files_without_tests", std::to_string(check.without_tests)});
        }
        if (!in_circle && check.failures < 2 * params_.fail && check.is_of_other_file()) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"of_a_file_not_edited", "yes"});
        }
        if (!in_circle && check.passed && check.failures < 2 * params_.fail &&
            is_bare_verdict(e.last().text.outcome().bytes)) {
            draft.finding.severity = Severity::info;
            draft.finding.because.push_back({"passed_at_last", "yes"});
        }
        report(std::move(draft));
    }

    // What a log or a page shows may have stood there before, and be nobody's task. A pod that does not come up is no
    // such thing.
    void close(const ShownErrors::Row& row) {
        const bool started = row.starts + 1 >= row.looks;
        if (row.looks < params_.warn || !row.time.met() || !(started || row.is_worked_on())) return;
        const Episode& e = row.episode;
        const bool sure =
            started && !row.are_pending() && shown_by_command(e.last().text.argument().bytes) == Shown::container;
        report(e.draft(
            loop_stalled_fix(),
            {.hard = sure,
             .doubtful = !sure,
             .repeats = static_cast<std::uint64_t>(row.looks),
             .pattern = mix_hash(row.key, 7),
             .round = {step_words(e.last())},
             .message = fmt::format("{} showed the same error {} times, each time after {}", e.last().text.tool(),
                                    row.looks, started ? "another start" : "another change"),
             .action = started ? "say what the error is about before the next start"
                               : "check that the changed code is run at all before the next edit",
             .because = {{"equal_errors_after_a_change", std::to_string(row.looks)},
                         {"threshold", std::to_string(params_.warn)},
                         {"new_mutations_in_between", std::to_string(e.last().epoch - e.first().epoch)},
                         {"outcome", outcome_words(e.last())}}}));
    }

    // A server may need longer to come up than it is given: one start more than changes.
    void close(const VainStarts::Row& row) {
        const int warn = params_.warn + 1;
        if (row.starts < warn || !row.time.met()) return;
        const Episode& e = row.episode;
        report(e.draft(loop_stalled_fix(),
                       {.doubtful = true,
                        .repeats = static_cast<std::uint64_t>(row.starts),
                        .pattern = mix_hash(e.last().tool, 8),
                        .round = {step_words(e.last())},
                        .message = fmt::format("a server was started {} times and never answered", row.starts),
                        .action = "read what the server says of its start before the next one",
                        .because = {{"starts_without_an_answer", std::to_string(row.starts)},
                                    {"threshold", std::to_string(warn)},
                                    {"outcome", outcome_words(e.last())}}}));
    }

    // That something prints what it printed is no trouble; that it should not, the agent has to say.
    void close(const UnmovedLooks::Row& row) {
        constexpr int kSaid = 2;
        const bool of_changed = row.own + 2 >= row.looks;  // but for one
        const int warn = params_.warn + (of_changed ? 1 : 2);
        if (row.looks < warn || (row.said < kSaid && !of_changed) || !row.time.met()) return;
        const Episode& e = row.episode;
        report(e.draft(loop_stalled_fix(),
                       {.doubtful = true,
                        .repeats = static_cast<std::uint64_t>(row.looks),
                        .pattern = mix_hash(e.last().call, 9),
                        .round = {step_words(e.last())},
                        .message = fmt::format("{} showed the same {} times, each time after another change",
                                               e.last().text.tool(), row.looks),
                        .action = "check that what was changed is what is looked at before the next edit",
                        .because = {{"equal_looks_after_a_change", std::to_string(row.looks)},
                                    {"threshold", std::to_string(warn)},
                                    {"told_not_to_help", std::to_string(row.said)},
                                    {"outcome", outcome_words(e.last())}}}));
    }

    void close(const VainFixes::Row& row) {
        if (row.complaints < params_.warn || !within(row.first, row.last, params_.within)) return;
        const bool hard = row.complaints >= params_.fail;
        DraftFinding draft = draft_of_texts(loop_stalled_fix(), row.first, row.last, true);
        Finding& f = draft.finding;
        f.severity = hard ? Severity::error : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(row.complaints);
        f.round = {"says something like \"" + row.last.words() + "\""};
        f.pattern_key = mix_hash(stable_hash(kId), 10);
        f.message =
            fmt::format("the agent changed something {} times, and each time the person said that it is as before ({})",
                        row.complaints, lines_words(f.first_line, f.last_line));
        f.action = "ask for what the person sees, or look at it, before the next change";
        f.because = {{"changes_that_did_not_help", std::to_string(row.complaints)},
                     {"threshold", std::to_string(hard ? params_.fail : params_.warn)}};
        report(std::move(draft));
    }

    Params params_;
    UnmovedLooks unmoved_;
    VainStarts starts_;
    VainFixes fixes_;
    std::vector<Check> checks_;
    ShownErrors shown_;
    std::uint64_t draft_ = 0;   // the name of the file that was written last, as a whole
    std::uint64_t edited_ = 0;  // of the one that was edited last, unless it holds tests
    bool was_red_ = false;      // the last check, and the agent has not spoken since
};

}  // namespace

DetectorSpec loop_stalled_fix() {
    return {kId,
            "AA109",
            "a check that fails alike after one change after the other",
            Severity::error,
            0.75,
            Stage::stable,
            Scope::lane,
            kSteps | kTexts | kFiles,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<StalledFix>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
