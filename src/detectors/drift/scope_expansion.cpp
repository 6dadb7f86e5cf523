#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/scope-expansion";

constexpr std::string_view kDoc = R"(## What it finds
Edits that spread to files and directories which the goal does not name, when the goal names some: file after file
outside, more of them outside than inside, and no human who asked for it. Where the goal names none and asks for one
thing only ("fix only that bug", "sonst nichts"), edits are outside whose response has nothing to do with the goal: a hint
(info), unless drift/topic-switch sees another subject in them.

## Why it matters
Each file more is one more to review, and the change that was asked for drowns in those that were not.

## Example
```
human   Fix the rounding in `src/money/round.ts`, just that.
edit    src/money/round.ts
edit    src/ui/Header.tsx      ← onset
edit    src/ui/theme.css
edit    server/router.ts
edit    server/session.ts
```

## What is not flagged
- goals that do not say that the work is in the files which they name ("use the logger from lib/log.ts", "like in lib/log.ts")
- goals that name no files but those of a traceback, those to look at ("see ci.yml") or an example, or that ask for work in
  many places (refactor, rename, everywhere, fix what breaks, 重构, 全部 …)
- goals that order something without a file beside what they name ("README.md is old. Also the app needs dark mode."), unless
  they are narrow
- goals that name nothing but a test that is to pass, unless they are narrow: what it finds lies elsewhere
- what the agent proposed and the human agreed to
- the tests, the types and the neighbours of a named file: same directory, or same name with another ending
- files that a check names which fails after the change that was asked for: callers that no longer compile
- files whose name has a word of the goal, and edits whose text has a name of code that the human wrote (getUser), unless the
  goal is narrow
- new files, written as a whole without having been read, unless the goal is narrow: a goal cannot name what does not exist
- reading and searching anywhere, scratch files
- everything after a human message that orders work and names no file: the scope is open then

`calls` is the published limit of 50 tool calls for one request, as a second opinion; it is off (0) unless you set it.

## What to do
Take the edits outside back, or make a task of their own of them.

## When it is wrong
When the named file was only an example. Raise `files`, or `--ignore drift/scope-expansion`.
)";

struct Params {
    int files = 4;
    int narrow_files = 3;
    int calls = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"files", &Params::files, 1, 1000, "files edited outside the goal's own before a warning"},
    Param<Params, int>{"narrow-files", &Params::narrow_files, 1, 1000,
                       "the same, when the goal says only, just, small and the like"},
    Param<Params, int>{"calls", &Params::calls, 0, 1'000'000,
                       "tool calls for one human message before an info; 0 = no limit, 50 as published"},
};

std::string_view directory(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view stem(std::string_view path) {
    std::string_view name = path.substr(path.rfind('/') + 1);
    for (const std::string_view front : {"test_", "Test"}) {
        if (name.starts_with(front)) name.remove_prefix(front.size());
    }
    name = name.substr(0, name.find('.'));
    for (const std::string_view back : {"_test", "_spec", "Test", "Tests", "_tests"}) {
        if (name.size() > back.size() && name.ends_with(back)) name.remove_suffix(back.size());
    }
    return name;
}

class ScopeExpansion final : public DriftDetector {
public:
    explicit ScopeExpansion(Params params) : DriftDetector(DriftActs::calls), params_(params) {}

    void on_act(const DriftAct& act, const DriftView& view) override {
        if (params_.calls > 0 && ++calls_ == static_cast<std::uint64_t>(params_.calls) + 1) many_.add(act);
        if (view.goal.paths().empty()) return unplaced(act, view);
        if (act.step->tool_class == ToolClass::read) saw(*act.step);
        if (act.step->tool_class != ToolClass::mutate || act.step->failed || act.target.empty()) return;
        const std::string_view path = act.target;
        if (path.starts_with("/tmp/")) return;
        if (inside(path, view.goal)) {
            ++inside_;
            return;
        }
        if (act.names_goal && !view.goal.narrow()) return;  // what the goal speaks of is called there
        if (is_faulty(path)) return;
        const std::uint64_t hash = stable_hash(path);
        if (act.step->touch.whole_file && !view.goal.narrow() && std::ranges::find(seen_, hash) == seen_.end() &&
            std::ranges::find(files_, hash) == files_.end()) {
            if (made_.size() < kMostFiles) made_.push_back(hash);
            return;
        }
        if (std::ranges::find(made_, hash) != made_.end()) return;
        went_outside(act, hash, view);
    }

    bool wants_names() const override { return outside_ > 0; }
    bool wants_faulty() const override { return inside_ > 0; }
    // What does not compile or pass any more after the change that was asked for must follow it.
    void on_faulty(std::span<const std::string> files) override {
        if (inside_ == 0) return;
        for (const std::string& path : files) {
            if (faulty_.size() < kMostFiles && std::ranges::find(faulty_, path) == faulty_.end())
                faulty_.push_back(path);
        }
    }

    void on_human(const HumanTurn&, const DriftView& view) override {
        close(view);
        one_thing_.reset();
    }
    void on_end(const DriftView& view) override { close(view); }

private:
    static constexpr std::size_t kMostFiles = 64, kMostSeen = 256;
    static constexpr std::size_t kFarFolders = 3;  // of edits that have nothing to do with a goal of no file

    // A file that was read is there.
    void saw(const Step& step) {
        const std::uint64_t hash = stable_hash(step.text.argument().bytes);
        if (seen_.size() < kMostSeen && (seen_.empty() || seen_.back() != hash)) seen_.push_back(hash);
    }

    void went_outside(const DriftAct& act, std::uint64_t file, const DriftView& view) {
        ++outside_;
        spread_.add(act, "edit");
        if (files_.size() < kMostFiles && std::ranges::find(files_, file) == files_.end()) {
            files_.push_back(file);
            const std::uint64_t dir = stable_hash(directory(act.target));
            if (std::ranges::find(dirs_, dir) == dirs_.end()) dirs_.push_back(dir);
        }
        goal_line_ = view.goal.line();
    }

    // "The week begins on Sunday. Fix only that bug.": no file is named, and yet the work has a place, that of the
    // edits which have to do with the goal. Outside are those of responses of which no word has.
    void unplaced(const DriftAct& act, const DriftView& view) {
        // Relevance of a response, the mean of its three best words: one that all paths share makes no work.
        constexpr double kNear = 0.5, kFar = 0.45;
        if (act.step->tool_class != ToolClass::mutate || act.step->failed || act.target.empty()) return;
        if (!one_thing_) one_thing_ = view.goal.one_thing();
        if (!*one_thing_ || act.target.starts_with("/tmp/")) return;
        const double relevance = view.credits.best_of_turn();
        if (act.goal_hits > 0 || act.names_goal || relevance >= kNear) {
            ++inside_;
        } else if (relevance < kFar && !is_faulty(act.target) && !act.step->touch.whole_file) {
            went_outside(act, stable_hash(act.target), view);
        }
    }

    bool is_faulty(std::string_view path) const {
        return std::ranges::any_of(
            faulty_, [&](const std::string& named) { return path_matches(path, named) || path_matches(named, path); });
    }

    static bool inside(std::string_view path, const GoalModel& goal) {
        for (const std::string& named : goal.paths()) {
            if (is_path_of(path, named) || may_lie_below(path, named)) return true;
            if (named.find('.') == named.npos) continue;
            const std::string_view dir = directory(named);
            if (!dir.empty() && path_matches(directory(path), dir)) return true;
            if (stem(path) == stem(named)) return true;
        }
        ActWords words;
        const std::string_view tail = path.substr(path.rfind('/') + 1);
        add_words({tail, TextForm::plain}, tail.size(), words);
        return goal.hits(words) > 0;
    }

    // "Implement docs/plan.md": what is read and never changed says what to do, not where.
    static bool names_a_place(const GoalModel& goal) {
        constexpr std::string_view kTexts[] = {".md",  ".txt", ".rst",  ".adoc", ".log", ".pdf",
                                               ".org", ".csv", ".html", ".docx", ".env"};
        return std::ranges::any_of(goal.paths(), [&](const std::string& path) {
            return std::ranges::none_of(kTexts, [&](std::string_view ending) { return path.ends_with(ending); });
        });
    }

    // "Make tests/checkout.spec.ts pass": what the test finds lies elsewhere.
    static bool wants_tests_to_pass(const GoalModel& goal) {
        constexpr std::string_view kPass[] = {" pass ", " pass.", " pass,", " pass!", " passes", " passing", "green",
                                              "fix",    "repair", "fail",   "broken", "grün",    "behebe",   "korrigi",
                                              "répare", "arregl", "通过",   "修复",   "直して"};
        return !goal.narrow() && !goal.paths().empty() && contains_any(lowered(goal.words_of_goal()) + ' ', kPass) &&
               std::ranges::all_of(goal.paths(), names_a_test);
    }

    // test_total.py, total_test.go, checkout.spec.ts, TotalTest.java; not latest_orders.py.
    static bool names_a_test(std::string_view path) {
        constexpr std::string_view kParts[] = {"test", "tests", "spec", "specs", "e2e"};
        constexpr std::string_view kCamel[] = {"Test.", "Tests.", "Spec."};
        const std::string_view base = path.substr(path.rfind('/') + 1);  // npos + 1 = 0
        if (contains_any(base, kCamel)) return true;
        const std::string small = lowered(base);
        for (std::size_t begin = 0; begin < small.size();) {
            const std::size_t end = std::min(small.find_first_of("._-", begin), small.size());
            if (std::ranges::find(kParts, std::string_view(small).substr(begin, end - begin)) != std::end(kParts))
                return true;
            begin = end + 1;
        }
        return false;
    }

    void close(const DriftView& view) {
        const bool meant = inside_ > 0 || names_a_place(view.goal);
        const bool spread = meant && files_.size() >= 2 && dirs_.size() >= 2 && outside_ > inside_ &&
                            (view.goal.one_thing() || view.goal.placed()) && !view.goal.broad() &&
                            !wants_tests_to_pass(view.goal);
        const bool narrow = spread && (view.goal.one_thing() || view.goal.narrow());
        // Where no file was named, only words tell that an edit was not asked for, and a fault may lie anywhere: no
        // more than a hint, unless the work turns to another subject as well.
        const bool placed = !view.goal.paths().empty();
        const auto files = static_cast<std::size_t>(narrow && placed ? params_.narrow_files : params_.files);
        if (spread && files_.size() >= files && (placed || dirs_.size() >= kFarFolders)) {
            DraftFinding draft = spread_.draft(drift_scope_expansion(), placed ? Severity::warning : Severity::info,
                                               !placed  ? 0.5
                                               : narrow ? 0.75
                                                        : 0.65);
            Finding& f = draft.finding;
            f.message = fmt::format("{} files in {} directories that the goal does not name were edited ({})",
                                    files_.size(), dirs_.size(), lines_words(f.first_line, f.last_line));
            f.action = "take the edits outside back, or make a task of their own of them";
            f.pattern_key = 1;
            f.because = {
                {"files_outside", std::to_string(files_.size())}, {"directories_outside", std::to_string(dirs_.size())},
                {"edits_outside", std::to_string(outside_)},      {"edits_inside", std::to_string(inside_)},
                {"goal_line", std::to_string(goal_line_)},        {"narrow", narrow ? "yes" : "no"}};
            report(std::move(draft));
        }
        if (many_.open()) {
            DraftFinding draft = many_.draft(drift_scope_expansion(), Severity::info, 0.4);
            Finding& f = draft.finding;
            f.message = fmt::format("{} tool calls for one request, over the limit of {} (passed at line {})", calls_,
                                    params_.calls, f.first_line);
            f.action = "ask whether the request has grown";
            f.pattern_key = 2;
            f.because = {{"calls", std::to_string(calls_)}, {"limit", std::to_string(params_.calls)}};
            report(std::move(draft));
        }
        spread_.reset();
        many_.reset();
        files_.clear();
        made_.clear();
        dirs_.clear();
        faulty_.clear();
        inside_ = outside_ = calls_ = 0;
    }

    Params params_;
    Departure spread_, many_;
    std::vector<std::uint64_t> files_, dirs_;
    std::vector<std::uint64_t> made_;  // new files, whatever becomes of them
    std::vector<std::uint64_t> seen_;  // files that were read in the session
    std::vector<std::string> faulty_;  // that checks named which failed since the goal's own files were changed
    std::uint64_t inside_ = 0, outside_ = 0, calls_ = 0, goal_line_ = 0;
    std::optional<bool> one_thing_;  // was asked for, and no file named; asked when something is edited
};

}  // namespace

DetectorSpec drift_scope_expansion() {
    return {kId,
            "AA307",
            "edits spread to files that the goal does not name",
            Severity::warning,
            0.65,
            Stage::stable,
            Scope::lane,
            kDrift | kFiles,
            signals(Signal::tool_calls),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<ScopeExpansion>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
