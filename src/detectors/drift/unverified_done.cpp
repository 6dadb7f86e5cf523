#include "detectors/all.hpp"
#include "detectors/commands/check_kind.hpp"
#include "detectors/commands/idle_command.hpp"
#include "detectors/engine/claimed_deed.hpp"
#include "detectors/engine/command_deeds.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/unverified-done";

constexpr std::string_view kDoc = R"(## What it finds
A last message that claims success against the record: "all tests pass" when the last check failed, or when none was run
since the last edit; "done" without a check when the human asked for passing tests. What is named (tests, build, types, lint) is
judged by checks of its kind: a linter that passes says nothing of tests that failed. Ticks ("Tests: ✅"), commands ("`go test ./...` passes"), states ("ruff is clean", "they're passing now") and what there is
no more of ("no more type errors") claim as well. "All checks are green" is judged by every
kind that was run, and is an info where one of them is only out of date. As an info: "successfully implemented",
"fully functional" when the last build or test failed and nothing was changed since, whoever asked for it. A build may fail
for reasons that lie outside the work.
Also "I have refunded order 17", "the email was sent", when the tool of that name failed (`issue_refund`, `send_email`), did
nothing since the human spoke, and nothing behind it went well that may have done it or shows that it was done. So it is
with what commands do: `git commit`, `git push`, `gh pr create`, deploys, releases, migrations, packages that are published.

## Why it matters
It is the one error that looks like success. Whoever trusts the message merges it.

## Example
```
edit    src/dates.py
check   pytest → 2 failed
edit    src/dates.py
agent   Fixed. All tests pass now.            ← found: no check since the edit
```

## What is not flagged
- "done" without a word about tests, when nobody asked for them
- "fully functional" after a check that could not run, a check of style, or a request that the program answered
- a message that says what fails, what was not run, or what is left
- edits of text and of scratch files alone
- a check that a wider one may have included since: `make check`, `npm test`, `pre-commit`, a script
- a command line of several checks that failed: nobody knows which
- sessions whose format tells no tool results
- a failed check after which a command ran that may have mended or repeated it; a look, a request, a server that is started
  and a program that is ended are none
- a check in the background that was edited under, typed into, or of which no exit code is known

## What to do
Run the check. If it passes, say so; if not, the task is not done.

## When it is wrong
When the check ran elsewhere (CI, a browser, a human). `--ignore drift/unverified-done`.
)";

struct Params {
    int edits = 1;
};

constexpr std::tuple kTable{
    Param<Params, int>{"edits", &Params::edits, 1, 1000, "edits of code since the last check"},
};

// .gitignore, LICENSE, CODEOWNERS: no test speaks of them. Makefile and Dockerfile are code.
bool is_bookkeeping(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 = 0
    if (name.starts_with('.')) return true;
    return !name.empty() &&
           std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; });
}

// What belongs to the agent itself. Most paths have many slashes and few dots.
bool is_of_agent(std::string_view path) {
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
        if (dot > 0 && path.substr(dot - 1).starts_with("/.claude/")) return true;
    }
    return false;
}

bool is_prose(std::string_view path) {
    static constexpr std::string_view kEnds[] = {".md",  ".txt",  ".rst",  ".json", ".toml", ".yaml", ".yml",
                                                 ".csv", ".html", ".lock", ".svg",  ".org",  ".cff",  ".adoc"};
    constexpr std::size_t kLongest = 5;  // of them
    const std::size_t dot = path.rfind('.');
    if (dot != path.npos && path.size() - dot <= kLongest &&
        std::ranges::find(kEnds, path.substr(dot)) != std::end(kEnds))
        return true;
    return is_bookkeeping(path) || path.starts_with("/tmp/") || is_of_agent(path);
}

class UnverifiedDone final : public DriftDetector {
public:
    explicit UnverifiedDone(Params params) : DriftDetector(DriftActs::calls), params_(params) {}

    void on_act(const DriftAct& act, const DriftView&) override {
        if (act.step->background == 0) return weigh(*act.step, act);
        const std::optional<Step> whole = ended_command(*act.step);
        weigh(whole ? *whole : *act.step, act);
    }

    void on_human(const HumanTurn& turn, const DriftView& view) override {
        if (!turn.interrupted) judge(view);
        restart();
    }
    void on_end(const DriftView& view) override { judge(view); }

private:
    enum class Check : std::uint8_t { none, passed, failed, unknown };

    // A command that goes on in the background.
    struct Started {
        std::uint64_t name = 0;
        ToolClass work = ToolClass::other;
        Place at;
        StepText text;
    };
    static constexpr std::size_t kMostStarted = 8;

    // A check since the human spoke: the last run of its command. What it is about is found when somebody claims
    // something.
    struct Run {
        std::uint64_t call = 0;
        std::uint64_t order = 0;
        Check outcome = Check::none;
        int edits = 0;  // since it
        Place at, result_at, first_edit;
        std::uint64_t background = 0;
        ErrorClass error = ErrorClass::none;
        StepText text;
        CheckScope scope;  // of a judged one
    };
    static constexpr std::size_t kMostRuns = 12;

    // Why a claim is untrue.
    struct Fault {
        const Run* check = nullptr;  // null = there was none
        bool failed = false;         // else it is out of date
        int edits = 0;
        Place first_edit;
        CheckKinds kind = 0;  // that was claimed to have passed; none: it is the last check of all
    };

    void weigh(const Step& step, const DriftAct& act) {
        see_deed(step, act);
        commands_.see(step);
        if (step.tool_class == ToolClass::verify) {
            worked_ = worked_ || goes_on(step);
            checked(step, step.opaque ? Check::unknown : step.failed ? Check::failed : Check::passed);
            return;
        }
        if (failed_own_check(step)) return checked(step, Check::failed);
        // A script of the agent's own, a poll or a sub-agent may have run the tests: then nothing is known.
        if (step.tool_class == ToolClass::shell || step.tool_class == ToolClass::poll ||
            step.tool_class == ToolClass::other) {
            // Nothing that it could change is known yet.
            if (worked_ && runs_.empty() && edits_ == 0) return;
            const WorkEffect effect = effect_of(step);
            if (effect == WorkEffect::none) return;
            served_ = served_ || (effect == WorkEffect::serves && step.command_bytes > 0);
            worked_ = worked_ || (effect == WorkEffect::unknown && step.command_bytes > 0);
            asked_ = asked_ || (effect == WorkEffect::asks && !step.failed);
            for (Run& run : runs_) {
                if (run.edits > 0 || (run.outcome == Check::failed && effect == WorkEffect::unknown))
                    run.outcome = Check::unknown;
                run.edits = 0;
            }
            if (effect != WorkEffect::unknown && edits_ == 0) return;
            if (edits_ > 0 || check_ == Check::failed) check_ = Check::unknown;
            edits_ = 0;
            return;
        }
        if (step.tool_class == ToolClass::mutate) touched_ = true;
        if (step.tool_class != ToolClass::mutate || step.failed || act.target.empty() || is_prose(act.target)) return;
        // Calls of one response come in an order of their own: a check that was called behind the edit saw it.
        if (checked_seq_ <= act.at.seq && edits_++ == 0) first_edit_ = act.at;
        for (Run& run : runs_) {
            if (run.at.seq <= act.at.seq && run.edits++ == 0) run.first_edit = act.at;
        }
        if (last_edit_at_.seq <= act.at.seq) last_edit_at_ = act.at;
        all_edits_ = true;
        last_edit_.text = step.text;
    }

    // Remembers the last deed of a tool that failed, until another one goes well that may have done it in its place.
    void see_deed(const Step& step, const DriftAct& act) {
        // It timed out, and a look shows that it was done.
        if (failed_deed_ && !step.failed && shows_deed(step.text.outcome().bytes, failed_deed_->text.tool()))
            failed_deed_.reset();
        if (step.tool_class == ToolClass::read || step.tool_class == ToolClass::search || step.opaque) return;
        const bool tool = step.tool_class == ToolClass::other && step.command_bytes == 0;
        if (!step.failed) {
            if (failed_deed_ && !(tool && only_asks(step.text.tool()))) stand_in(tool, step);
            if (tool && done_.size() < kMostDone && std::ranges::find(done_, step.tool) == done_.end())
                done_.push_back(step.tool);
        } else if (tool && (does_something(step) || makes_something(step)) && !is_done_already(step) &&
                   std::ranges::find(done_, step.tool) == done_.end()) {
            failed_deed_ = Deed{act.at, step.text, {}};
        }
    }

    // What went well behind the failed deed may have been done in its place: unless it has a claim of its own.
    void stand_in(bool tool, const Step& step) {
        constexpr std::size_t kMostLater = 4;
        const bool deed = tool && (does_something(step) || makes_something(step)) &&
                          !named_alike(step.text.tool(), failed_deed_->text.tool());
        if (!deed || failed_deed_->later.size() == kMostLater) return failed_deed_.reset();
        failed_deed_->later.emplace_back(step.text.tool());
    }

    // "Order 17 is refunded already": then it may be told so.
    static bool is_done_already(const Step& step) {
        constexpr std::string_view kAlready[] = {"lready", "uplicate"};
        return contains_any(step.text.outcome().bytes, kAlready);
    }

    static bool only_asks(std::string_view tool) {
        constexpr std::string_view kAsks[] = {"get",   "list",  "read",  "search",   "find",
                                              "check", "show",  "count", "fetch",    "view",
                                              "look",  "query", "is",    "describe", "calculate"};
        const std::string name = snake_case(bare_tool_name(tool));
        return std::ranges::find(kAsks, std::string_view(name).substr(0, name.find('_'))) != std::end(kAsks);
    }

    // A look at what goes on in the background means what that command does. Where it does not say at which it looks,
    // and nothing but servers was started, it looks at those.
    WorkEffect effect_of(const Step& step) const {
        if (step.command_bytes > 0) return work_effect(step.text.argument());
        if (ends_program(step.text.tool())) return WorkEffect::none;
        if (step.tool_class != ToolClass::poll) return WorkEffect::unknown;
        const auto known = std::ranges::find(started_, step.background, &Started::name);
        if (step.background == 0 || known == started_.end())
            return served_ && !worked_ ? WorkEffect::serves : WorkEffect::unknown;
        return work_effect(known->text.argument()) == WorkEffect::serves ? WorkEffect::serves : WorkEffect::unknown;
    }

    // May a later look still tell how this check, or this command of unknown effect, ended?
    static bool goes_on(const Step& step) {
        static constexpr std::string_view kSaid[] = {"background", "still running"};
        static constexpr PhraseSet phrases(kSaid);
        if (step.background != 0) return true;
        const std::string_view said = step.text.outcome().bytes;
        return phrases.any(
            said, [said](std::size_t at, std::string_view phrase) { return said.substr(at).starts_with(phrase); });
    }

    void checked(const Step& step, Check outcome) {
        // Of the edits of the same response those that were called behind the check are not in it.
        const bool edited = last_edit_at_.seq > step.call_at.seq;
        const bool last = step.response != checked_response_ || step.call_at.seq >= checked_seq_;
        asked_ = touched_ = false;
        if (last) {
            check_ = outcome;
            edits_ = edited ? 1 : 0;
            first_edit_ = last_edit_at_;
            checked_seq_ = step.call_at.seq;
            checked_response_ = step.response;
        }
        auto run = std::ranges::find(runs_, step.call, &Run::call);
        if (run == runs_.end()) {
            if (runs_.size() == kMostRuns) runs_.erase(std::ranges::min_element(runs_, {}, &Run::order));
            run = runs_.emplace(runs_.end());
        }
        run->call = step.call;
        run->order = ++checks_;
        run->outcome = outcome;
        run->edits = edited ? 1 : 0;
        run->first_edit = last_edit_at_;
        run->at = step.call_at;
        run->result_at = step.result_at;
        run->background = step.background;
        run->error = step.error;
        run->text = step.text;
    }

    // Remembers a command that goes on. Of a look that tells how it ended: the command, as if it had ended at once.
    // What was typed into it, or was edited while it ran, leaves open what its end means.
    std::optional<Step> ended_command(const Step& step) {
        const bool starts = step.tool_class == ToolClass::poll && step.work_class != ToolClass::poll;
        const bool looks = step.work_class == ToolClass::poll;
        const auto known = std::ranges::find(started_, step.background, &Started::name);
        if ((looks && !step.exited) || (known == started_.end() && !starts)) return std::nullopt;
        Started command;
        if (known != started_.end()) {
            command = *known;
            started_.erase(known);
        }
        if (starts) {
            if (started_.size() == kMostStarted) started_.erase(started_.begin());
            started_.push_back({step.background, step.work_class, step.call_at, step.text});
        }
        const bool may_check = command.work == ToolClass::verify || command.work == ToolClass::shell;
        if (!looks || !may_check || last_edit_at_.seq > command.at.seq) return std::nullopt;
        Step whole = step;
        whole.tool_class = command.work;
        whole.call_at = command.at;
        whole.text = command.text;
        whole.text.outcome_bytes = step.text.outcome_bytes;
        whole.text.outcome_size = step.text.outcome_size;
        whole.text.outcome_form = step.text.outcome_form;
        return whole;
    }

    // A script whose name says that it checks, and which failed: `./run_tests.sh`, `ssh ci make check`.
    static bool failed_own_check(const Step& step) {
        if (step.tool_class != ToolClass::shell || !step.failed || step.opaque) return false;
        constexpr std::string_view kWords[] = {"test", "tests", "check", "checks", "spec", "specs", "pytest"};
        constexpr std::string_view kBuilders[] = {"docker", "buildx", "podman", "compose", "image",  "bake",  "nix",
                                                  "bazel",  "packer", "mkdocs", "hugo",    "jekyll", "kaniko"};
        const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
        std::string_view before;
        for (std::string_view rest = step.text.argument().bytes; !rest.empty();) {
            const auto size = static_cast<std::size_t>(std::ranges::find_if_not(rest, letter) - rest.begin());
            const std::string_view word = rest.substr(0, size);
            rest.remove_prefix(std::max<std::size_t>(size, 1));
            // `test -f a` of the shell is none.
            if (std::ranges::find(kWords, word) != std::end(kWords) && !rest.starts_with(" -")) return true;
            // A build that no rule of classes knows: `docker build .`
            if (word == "build" && std::ranges::find(kBuilders, before) != std::end(kBuilders)) return true;
            if (!word.empty()) before = word;
        }
        return false;
    }

    void restart() {
        failed_deed_.reset();
        commands_.clear();
        done_.clear();
        check_ = Check::none;
        edits_ = 0;
        runs_.clear();
        all_edits_ = asked_ = touched_ = served_ = worked_ = false;
    }

    const Run* last_run() const {
        const auto last = std::ranges::max_element(runs_, {}, &Run::order);
        return last == runs_.end() ? nullptr : &*last;
    }

    void judge(const DriftView& view) {
        if (!view.text_is_last) return;
        if (failed_deed_) judge_deed(view);
        if (commands_.any()) judge_command(view);
        if (check_ == Check::unknown) return;
        if (!all_edits_ && check_ != Check::failed) return;
        const bool stale = edits_ >= params_.edits;
        const bool failed = check_ == Check::failed && !stale;
        if (!stale && !failed && nothing_open()) return;
        const std::string text = view.last_text();
        // Of a check that passed nothing else is asked than what is said to have passed.
        static constexpr std::string_view kStems[] = {
            "pass", "green", "clean",     "success",  "succeed",     "no error", "no type", "0 failed",
            "通过", "成功",  "compiles",  "grün",     "laufen",      "läuft",    "pasan",   "✅",
            "✔",    "✓",     "🟢",      "テスト",   "테스트",      "прош",     "проход",  "зелён",
            "verd", "vert",  "bestanden", "bestehen", "erfolgreich", "réussi"};
        static constexpr PhraseSet stems(kStems);
        if (!stale && !failed && !stems.in(text)) return;
        Claim claim = claim_in(text);
        // The button that was to be green, and a lamp.
        if (claim.by_colour && (view.goal.has(act_word("green")) || runs_.empty() || !speaks_of_checks(text)))
            claim.checked = claim.of_all = false;
        if (claim.hedged || (!claim.checked && !claim.done && !claim.success)) return;
        for (Run& run : runs_) run.scope = scope_of_check(run.text.tool(), run.text.argument());
        if (stale || failed) return judge_by_last(view, text, claim, failed);
        if (claim.checked) judge_by_kind(view, text, claim);
    }

    // "I have refunded order 17", and the refund was refused.
    void judge_deed(const DriftView& view) {
        const std::string text = view.last_text();
        if (tells_of_trouble(text) || denies_something(text) || !claims_deed(text, failed_deed_->text.tool())) return;
        // "I sent the offer and created the task": each of both deeds is told of.
        if (!std::ranges::all_of(failed_deed_->later, [&](const std::string& tool) { return names_deed(text, tool); }))
            return;
        found_undone(view, text, failed_deed_->at, failed_deed_->text,
                     std::string(failed_deed_->text.tool()) + " failed");
    }

    // "Pushed to main", and the push was rejected.
    void judge_command(const DriftView& view) {
        const std::string text = view.last_text();
        if (tells_of_trouble(text) || denies_command(text)) return;
        const CommandDeeds::Failed* deed = commands_.claimed(text);
        if (!deed) return;
        constexpr std::size_t kLongestCommand = 60;
        const std::string line = decoded(deed->text.argument(), StepText::kArgument);
        std::string command = one_line(line, kLongestCommand);
        std::ranges::replace(command, '`', '\'');
        if (line.size() > command.size()) command += "…";
        found_undone(view, text, deed->at, deed->text,
                     fmt::format("`{}` {}", command, deed->refused ? "was not allowed to run" : "failed"));
    }

    void found_undone(const DriftView& view, std::string_view text, const Place& at, const StepText& call,
                      std::string_view what_failed) {
        Departure what;
        what.add_place(view.last_text_at, "claim", one_line(text));
        DraftFinding draft = what.draft(drift_unverified_done(), Severity::warning, 0.7);
        Finding& f = draft.finding;
        Step step;
        step.text = call;
        f.evidence.push_back({at.line, at.seq, "call", step_words(step)});
        f.message = fmt::format("line {} claims success, but {} (line {})", f.first_line, what_failed, at.line);
        f.action = "look whether it was done before believing it";
        f.pattern_key = 3;
        f.reset_line.reset();
        f.because = {{"last_call", "failed"}, {"outcome", outcome_words(step)}};
        report(std::move(draft));
    }

    // "It is green now" is said of a check where nothing else is said, or one is named.
    static bool speaks_of_checks(std::string_view text) {
        constexpr std::string_view kChecks[] = {"test", "suite", "spec", "build", "pipeline", "ci ", "check", "lint"};
        constexpr std::size_t kAlone = 24;
        return text.size() <= kAlone || contains_any(lowered(text), kChecks);
    }

    // Did every check pass since the last edit? Then no claim need be looked for.
    bool nothing_open() const {
        return std::ranges::all_of(runs_,
                                   [](const Run& run) { return run.outcome == Check::passed && run.edits == 0; });
    }

    // The last check of all is out of date, or failed.
    void judge_by_last(const DriftView& view, std::string_view text, const Claim& claim, bool failed) {
        // "All 12 tests pass" is true when they did, whatever the linter said after them.
        constexpr std::string_view kOfTests[] = {"test", "Test", "测试", "prueba", "тест", "テスト", "테스트"};
        const bool tests_passed = passed_since(kTestCheck);
        if (tests_passed && contains_any(text, kOfTests)) return;
        const Fault fault{last_run(), failed, edits_, first_edit_, 0};
        if (!all_edits_ && (could_not_run(*fault.check) || is_of_another_kind(*fault.check, claim))) return;
        if (claim.checked && !holds(claim)) return found(view, fault, failed ? 0.85 : 0.7);
        if (!all_edits_) return;
        if (view.goal.wants_check() && claim.done) return found(view, fault, 0.7);
        if (claim.success && failed && !tests_passed && speaks_of_all(*fault.check))
            return found(view, fault, 0.65, Severity::info);
    }

    // The linter failed, and the tests are said to pass. Who edited nothing may know that from before.
    static bool is_of_another_kind(const Run& run, const Claim& claim) {
        return claim.of != 0 && run.scope.names != 0 && (run.scope.names & claim.of) == 0;
    }

    // It passed, but what is claimed may be of another kind.
    void judge_by_kind(const DriftView& view, std::string_view text, const Claim& claim) {
        if ((claim.of & kTestCheck) != 0 && speaks_of_whole_suite(text)) set_parts_aside();
        CheckKinds kinds = claim.of;
        if (claim.of_all) {
            for (const Run& run : runs_) kinds |= run.scope.names;
        }
        std::optional<Fault> worst;
        for (const CheckKinds kind : {kTestCheck, kBuildCheck, kTypeCheck, kLintCheck}) {
            if ((kinds & kind) == 0) continue;
            const std::optional<Fault> fault = fault_of(kind);
            if (fault && (!worst || (fault->failed && !worst->failed))) worst = fault;
        }
        if (!worst) return;
        // "All green" names none: what is out of date may not have been meant.
        if (claim.of != 0) return found(view, *worst, worst->failed ? 0.8 : 0.65);
        found(view, *worst, worst->failed ? 0.65 : 0.55, worst->failed ? Severity::warning : Severity::info);
    }

    static bool speaks_of_whole_suite(std::string_view text) {
        constexpr std::string_view kWhole[] = {"full test suite", "whole test suite", "entire test suite",
                                               "full suite",      "whole suite",      "entire suite"};
        return contains_any(lowered(text), kWhole);
    }

    // Of "the full test suite" the run of a part says nothing: the same command with a filter behind it.
    void set_parts_aside() {
        for (Run& run : runs_) {
            if (run.outcome == Check::passed && std::ranges::any_of(runs_, [&](const Run& whole) {
                    return whole.outcome == Check::failed && is_part_of(run, whole);
                }))
                run.scope = {};
        }
    }

    static bool is_part_of(const Run& part, const Run& whole) {
        constexpr std::string_view kFilters[] = {" -t ", " -k ", " -g ", " --filter", " -run ", " --grep", "::"};
        const std::string_view all = trimmed(whole.text.argument().bytes), one = part.text.argument().bytes;
        if (all.empty() || !one.starts_with(all) || one.size() == all.size() || one[all.size()] != ' ') return false;
        const std::string_view rest = one.substr(all.size());
        return contains_any(rest.substr(0, rest.find_first_of("|>")), kFilters);
    }

    // What contradicts a check of this kind that is said to have passed. Where one of its kind, or one that may include
    // it, passed since the last edit, nothing does.
    std::optional<Fault> fault_of(CheckKinds kind) const {
        const Run* latest = nullptr;
        for (const Run& run : runs_) {
            const bool passed = run.outcome == Check::passed;
            if (passed ? (run.scope.settles & kind) == 0 : run.scope.names != 0 && (run.scope.names & kind) == 0)
                continue;
            if (passed && run.edits == 0) return std::nullopt;
            if (!latest || run.order > latest->order) latest = &run;
        }
        // What never ran since the human spoke may have passed before.
        if (!latest || latest->outcome == Check::unknown) return std::nullopt;
        if (latest->edits >= params_.edits) return Fault{latest, false, latest->edits, latest->first_edit, kind};
        // Of several at once nobody knows which one failed.
        if (latest->outcome == Check::passed || latest->scope.names != kind || could_not_run(*latest))
            return std::nullopt;
        return Fault{latest, true, latest->edits, latest->first_edit, kind};
    }

    // Did the last check of this kind pass, with no edit since?
    bool passed_since(CheckKinds kind) const {
        const Run* latest = nullptr;
        for (const Run& run : runs_) {
            if ((run.scope.names & kind) != 0 && (!latest || run.order > latest->order)) latest = &run;
        }
        return latest && latest->outcome == Check::passed && latest->edits == 0;
    }

    // Is everything true that is claimed by name?
    bool holds(const Claim& claim) const {
        if (claim.of == 0 || claim.of_all) return false;
        for (const CheckKinds kind : {kTestCheck, kBuildCheck, kTypeCheck, kLintCheck}) {
            if ((claim.of & kind) != 0 && !passed_since(kind)) return false;
        }
        return true;
    }

    static bool could_not_run(const Run& run) {
        constexpr std::string_view kNotRun[] = {
            "not found",    "No module named",   "issing script",  "ENOENT",
            "No such file", "no such file",      "not recognized", "o tests found",
            "o tests ran",  "no test specified", "not installed",  "ermission denied",
            "timed out",    "Timeout",           "ECONNREFUSED",   "ENOTFOUND"};
        return run.error == ErrorClass::transient || contains_any(run.text.outcome().bytes, kNotRun);
    }

    // Does the failed check say that the work as a whole is not well? Not where it could not run, is one of style, or
    // something was changed or shown to answer since.
    bool speaks_of_all(const Run& run) const {
        constexpr std::string_view kStyle[] = {"lint",   "ruff",  "flake8", "prettier", "black",  "fmt",
                                               "format", "style", "biome",  "rubocop",  "clippy", "audit"};
        return !touched_ && !asked_ && !could_not_run(run) && !contains_any(run.text.argument().bytes, kStyle);
    }

    void found(const DriftView& view, const Fault& fault, double confidence) {
        found(view, fault, confidence, fault.failed ? Severity::error : Severity::warning);
    }
    void found(const DriftView& view, const Fault& fault, double confidence, Severity severity) {
        Departure what;
        what.add_place(view.last_text_at, "claim", one_line(view.last_text()));
        DraftFinding draft = what.draft(drift_unverified_done(), severity, confidence);
        Finding& f = draft.finding;
        if (const Run* check = fault.check) {
            Step step;
            step.text = check->text;
            f.evidence.push_back({check->at.line, check->at.seq, "check", step_words(step)});
            if (fault.failed && check->background != 0)
                f.evidence.push_back({check->result_at.line, check->result_at.seq, "result", outcome_words(step)});
        }
        if (!fault.failed)
            f.evidence.push_back({last_edit_at_.line, last_edit_at_.seq, "edit", step_words(last_edit_)});
        f.message = fmt::format("line {} claims success, but ", f.first_line) + words_of(fault);
        f.action = "run the check before believing it";
        f.pattern_key = fault.failed ? 1 : 2;
        f.reset_line.reset();
        f.because = {{"last_check", !fault.check                            ? "none"
                                    : fault.check->outcome == Check::failed ? "failed"
                                                                            : "passed"},
                     {"edits_since", std::to_string(fault.edits)}};
        report(std::move(draft));
    }

    std::string words_of(const Fault& fault) const {
        if (fault.kind == 0)
            return fault.failed ? fmt::format("the last check (line {}) failed", fault.check->at.line)
                                : fmt::format("nothing was checked since {}", edits_since(fault));
        return fault.failed
                   ? fmt::format("the last run of {} (line {}) failed", words_for(fault.kind), fault.check->at.line)
                   : fmt::format("{} did not run since {}", words_for(fault.kind), edits_since(fault));
    }

    std::string edits_since(const Fault& fault) const {
        const std::uint64_t first = fault.first_edit.line, last = last_edit_at_.line;
        return first >= last ? fmt::format("the edit at line {}", first)
                             : fmt::format("the edits from line {} to line {}", first, last);
    }

    // A call of a tool that is to do something.
    struct Deed {
        Place at;
        StepText text;
        std::vector<std::string> later;  // tools of other deeds that went well behind it
    };
    static constexpr std::size_t kMostDone = 64;

    Params params_;
    std::optional<Deed> failed_deed_;  // the last one, with no deed behind it that may stand in for it
    std::vector<std::uint64_t> done_;  // tools that did something since the human spoke
    CommandDeeds commands_;
    Check check_ = Check::none;
    int edits_ = 0;
    bool all_edits_ = false;
    bool served_ = false;   // a server was started
    bool worked_ = false;   // something else was, of which more may be heard
    bool asked_ = false;    // since the last check the program was asked, and answered
    bool touched_ = false;  // since the last check something was changed
    std::uint64_t checks_ = 0;
    std::uint64_t checked_seq_ = 0, checked_response_ = 0;  // where the last check was called
    std::vector<Run> runs_;                                 // each command once
    Place first_edit_;                                      // since the last check
    Place last_edit_at_;
    std::vector<Started> started_;
    Step last_edit_;  // of which the text counts: put into words only for a finding
};

}  // namespace

DetectorSpec drift_unverified_done() {
    return {kId,
            "AA305",
            "success is claimed against the record",
            Severity::error,
            0.75,
            Stage::stable,
            Scope::lane,
            kDrift,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<UnverifiedDone>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
