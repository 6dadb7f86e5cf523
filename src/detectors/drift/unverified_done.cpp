#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/engine/idle_command.hpp"
#include "detectors/engine/phrases.hpp"
#include "support/phrase_set.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/unverified-done";

constexpr std::string_view kDoc = R"(## What it finds
A last message that claims success against the record: "all tests pass" when the last check failed, or when none was run
since the last edit; "done" without a check when the human asked for passing tests. As an info: "successfully implemented",
"fully functional" when the last build or test failed and nothing was changed since, whoever asked for it. A build may fail
for reasons that lie outside the work.

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
    return !name.empty() && std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; });
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
    if (dot != path.npos && path.size() - dot <= kLongest && std::ranges::find(kEnds, path.substr(dot)) != std::end(kEnds)) return true;
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

    void weigh(const Step& step, const DriftAct& act) {
        if (step.tool_class == ToolClass::verify) {
            worked_ = worked_ || goes_on(step);
            checked(step, step.opaque ? Check::unknown : step.failed ? Check::failed : Check::passed);
            if (tests_passed_ != (check_ == Check::passed) && runs_tests(step)) tests_passed_ = !tests_passed_;
            return;
        }
        if (failed_own_check(step)) {
            if (tests_passed_ && runs_tests(step)) tests_passed_ = false;
            checked(step, Check::failed);
            return;
        }
        // A script of the agent's own, a poll or a sub-agent may have run the tests: then nothing is known.
        if (step.tool_class == ToolClass::shell || step.tool_class == ToolClass::poll ||
            step.tool_class == ToolClass::other) {
            const WorkEffect effect = effect_of(step);
            if (effect == WorkEffect::none) return;
            served_ = served_ || (effect == WorkEffect::serves && step.command_bytes > 0);
            worked_ = worked_ || (effect == WorkEffect::unknown && step.command_bytes > 0);
            asked_ = asked_ || (effect == WorkEffect::asks && !step.failed);
            if (effect != WorkEffect::unknown && edits_ == 0) return;
            if (edits_ > 0 || check_ == Check::failed) check_ = Check::unknown;
            edits_ = 0;
            return;
        }
        if (step.tool_class == ToolClass::mutate) touched_ = true;
        if (step.tool_class != ToolClass::mutate || step.failed || act.target.empty() || is_prose(act.target)) return;
        tests_passed_ = false;
        if (edits_++ == 0) first_edit_ = act.at;
        latest_edit_ = act.at.seq;
        all_edits_ = true;
        last_edit_.text = step.text;
    }

    // A look at what goes on in the background means what that command does. Where it does not say at which it looks, and
    // nothing but servers was started, it looks at those.
    WorkEffect effect_of(const Step& step) const {
        if (step.command_bytes > 0) return work_effect(step.text.argument());
        if (ends_program(step.text.tool())) return WorkEffect::none;
        if (step.tool_class != ToolClass::poll) return WorkEffect::unknown;
        const auto known = std::ranges::find(started_, step.background, &Started::name);
        if (step.background == 0 || known == started_.end()) return served_ && !worked_ ? WorkEffect::serves : WorkEffect::unknown;
        return work_effect(known->text.argument()) == WorkEffect::serves ? WorkEffect::serves : WorkEffect::unknown;
    }

    // May a later look still tell how this check, or this command of unknown effect, ended?
    static bool goes_on(const Step& step) {
        static constexpr std::string_view kSaid[] = {"background", "still running"};
        static constexpr PhraseSet phrases(kSaid);
        if (step.background != 0) return true;
        const std::string_view said = step.text.outcome().bytes;
        return phrases.any(said, [said](std::size_t at, std::string_view phrase) { return said.substr(at).starts_with(phrase); });
    }

    void checked(const Step& step, Check outcome) {
        asked_ = touched_ = false;
        check_ = outcome;
        check_line_ = step.call_at.line;
        last_check_.text = step.text;
        last_check_.error = step.error;
        last_check_.result_at = step.result_at;
        last_check_.background = step.background;
        edits_ = 0;
    }

    // Remembers a command that goes on. Of a look that tells how it ended: the command, as if it had ended at once. What was
    // typed into it, or was edited while it ran, leaves open what its end means.
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
        if (!looks || !may_check || latest_edit_ > command.at.seq) return std::nullopt;
        Step whole = step;
        whole.tool_class = command.work;
        whole.call_at = command.at;
        whole.text = command.text;
        whole.text.outcome_bytes = step.text.outcome_bytes;
        whole.text.outcome_size = step.text.outcome_size;
        whole.text.outcome_form = step.text.outcome_form;
        return whole;
    }

    static bool runs_tests(const Step& step) {
        static constexpr std::string_view kTests[] = {"test", "spec", "jest", "mocha", "tox", "nox"};
        static constexpr PhraseSet phrases(kTests);
        return phrases.in(step.text.argument().bytes) || step.text.tool().find("test") != std::string_view::npos;
    }

    // A script whose name says that it checks, and which failed: `./run_tests.sh`, `ssh ci make check`.
    static bool failed_own_check(const Step& step) {
        if (step.tool_class != ToolClass::shell || !step.failed || step.opaque) return false;
        constexpr std::string_view kWords[] = {"test", "tests", "check", "checks", "spec", "specs", "pytest"};
        constexpr std::string_view kBuilders[] = {"docker", "buildx", "podman", "compose", "image", "bake", "nix", "bazel", "packer", "mkdocs", "hugo", "jekyll", "kaniko"};
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
        check_ = Check::none;
        edits_ = 0;
        check_line_ = 0;
        all_edits_ = tests_passed_ = asked_ = touched_ = served_ = worked_ = false;
    }

    void judge(const DriftView& view) {
        if (!view.text_is_last || !all_edits_ || check_ == Check::unknown) return;
        const bool stale = edits_ >= params_.edits;
        const bool failed = check_ == Check::failed && !stale;
        if (!stale && !failed) return;
        const Claim claim = claim_in(view.last_text());
        if (claim.hedged || (!claim.checked && !claim.done && !claim.success)) return;
        // "All 12 tests pass" is true when they did, whatever the linter said after them.
        constexpr std::string_view kOfTests[] = {"test", "Test", "测试"};
        if (tests_passed_ && contains_any(view.last_text(), kOfTests)) return;
        const bool asked = view.goal.wants_check();
        if (claim.checked && (failed || stale)) return found(view, failed, failed ? 0.85 : 0.7);
        if (asked && claim.done && (failed || stale)) return found(view, failed, 0.7);
        if (claim.success && failed && speaks_of_all()) return found(view, failed, 0.65, Severity::info);
    }

    // Does the failed check say that the work as a whole is not well? Not where it could not run, is one of style, or something
    // was changed or shown to answer since.
    bool speaks_of_all() const {
        constexpr std::string_view kStyle[] = {"lint", "ruff", "flake8", "prettier", "black", "fmt", "format", "style", "biome", "rubocop", "clippy", "audit"};
        constexpr std::string_view kNotRun[] = {"not found", "No module named", "issing script", "ENOENT", "No such file", "no such file", "not recognized", "o tests found", "o tests ran",
                                                "no test specified", "not installed", "ermission denied", "timed out", "Timeout", "ECONNREFUSED", "ENOTFOUND"};
        if (touched_ || asked_ || tests_passed_ || last_check_.error == ErrorClass::transient) return false;
        return !contains_any(last_check_.text.argument().bytes, kStyle) && !contains_any(last_check_.text.outcome().bytes, kNotRun);
    }

    void found(const DriftView& view, bool failed, double confidence) { found(view, failed, confidence, failed ? Severity::error : Severity::warning); }
    void found(const DriftView& view, bool failed, double confidence, Severity severity) {
        Departure what;
        what.add_place(view.last_text_at, "claim", one_line(view.last_text()));
        DraftFinding draft = what.draft(drift_unverified_done(), severity, confidence);
        Finding& f = draft.finding;
        if (check_line_ > 0) f.evidence.push_back({check_line_, 0, "check", step_words(last_check_)});
        if (failed && last_check_.background != 0) f.evidence.push_back({last_check_.result_at.line, last_check_.result_at.seq, "result", outcome_words(last_check_)});
        if (!failed) f.evidence.push_back({first_edit_.line, first_edit_.seq, "edit", step_words(last_edit_)});
        f.message = failed ? fmt::format("line {} claims success, but the last check (line {}) failed", f.first_line,
                                         check_line_)
                           : fmt::format("line {} claims success, but nothing was checked since the edit at line {}",
                                         f.first_line, first_edit_.line);
        f.action = "run the check before believing it";
        f.pattern_key = failed ? 1 : 2;
        f.reset_line.reset();
        f.because = {{"last_check", check_ == Check::none     ? "none"
                                    : check_ == Check::failed ? "failed"
                                                              : "passed"},
                     {"edits_since", std::to_string(edits_)}};
        report(std::move(draft));
    }

    Params params_;
    Check check_ = Check::none;
    int edits_ = 0;
    bool all_edits_ = false;
    bool served_ = false;        // a server was started
    bool worked_ = false;        // something else was, of which more may be heard
    bool asked_ = false;         // since the last check the program was asked, and answered
    bool touched_ = false;       // since the last check something was changed
    bool tests_passed_ = false;  // the last run of tests did, and nothing was edited since
    std::uint64_t check_line_ = 0;
    Place first_edit_;
    std::uint64_t latest_edit_ = 0;  // its event
    std::vector<Started> started_;
    Step last_check_, last_edit_;  // of which the texts count: put into words only for a finding
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
