#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/topic-switch";

constexpr std::string_view kDoc = R"(## What it finds
A place where an agent begins to work on something else: words that neither the task nor the work so far has, used again
and again from there on, in calls (or orders from agent to agent) that touch nothing that was touched before, and no
human who asked for it.

Also a stretch of responses in which files are changed and which have nothing to do with the goal or with what led to it,
however the single ones begin: the drift score is at 0.9 or above by its end.

## Why it matters
What comes after the switch is paid for and thrown away, and the task stays undone.

## Example
```
human   Which opening hours does the harbour museum have in winter?
search  harbour museum winter opening hours
search  cheapest flights to Lisbon in May          ← onset
search  Lisbon flights May direct
open    flights to Lisbon
```

## What is not flagged
- whatever a human asked for: after a human message everything is an answer to it, and its words belong to the goal
- changes of a file that was met before
- the next of the tasks that stand on a list ("do the tasks in TODO.md"); a search of the web is none
- a subject that grows out of the work: one known word in three is enough, and so is one word of the goal in less than
  eight
- the next file, where the same was asked for in every file or each module, or where the last check that failed names
  it or its test; a search of the web is none
- what lies between checks of what is to be mended, by its name, that still fail
- a search that goes through other places and ends where the words of the goal stand
- as more than an info, drafts of one text that agents pass to and fro, without a call
- checks, waits for what runs, commits and other steps that say little
- changes in whose text stands a name that the human wrote (getUser, load_dates), as in a rename
- several calls of one or two responses: files that are written together
- steps that are new to each other as well, such as the many sides of one question: the new words must come back in every
  other response
- scripts other than Latin and Chinese: their words are not counted, and the rule is silent

Different words alone are no finding. The new subject must also show in calls (searches, files, edits) that share no
file, site or name with those before. Where the drift score, which knows commands and directories too, stays below 0.25,
a switch is no more than a hint (info), and so is one before which no word of the goal came up at all: a goal may be told in another
language than that of the work. Where the goal asks for a cause ("find out why the page is slow") it is one step milder:
a fault may come from anywhere. As long as no file is changed for it, that is an info.

## What to do
Start again before the onset and repeat the goal, or ask what the new work is for.

## When it is wrong
When the goal was given in other words than those of the work, such as an issue number. Say it with `--goal`, raise
`warn`, or `--ignore drift/topic-switch`.
)";

struct Params {
    double fresh = 0.8;
    double known = 0.34;
    int acts = 3;
    int fail = 6;
    int far = 10;
};

constexpr std::tuple kTable{
    Param<Params, double>{"fresh", &Params::fresh, 0.5, 1.0,
                          "share of words never met before with which a switch begins"},
    Param<Params, double>{"known", &Params::known, 0.0, 0.9,
                          "share of earlier words with which an act belongs to the earlier work"},
    Param<Params, int>{"warn", &Params::acts, 1, 100,
                       "acts in a row about the new subject before a warning, the first not counted"},
    Param<Params, int>{"fail", &Params::fail, 1, 10'000, "calls about it without a way back before an error"},
    Param<Params, int>{"far", &Params::far, 3, 10'000,
                       "responses in a row far from the goal, with changes to files, before a warning"},
};

constexpr std::size_t kGoalWords = 3;
constexpr std::uint64_t kLinked = 2;  // acts that had to do with the goal: what was not begun cannot be left

/// A stretch of turns far from the goal, whatever their words are.
class FarStretch {
public:
    explicit FarStretch(int turns) : warn_turns_(static_cast<std::uint64_t>(turns)) {}

    void on_act(const DriftAct& act) {
        if (act.turn != turn_) {
            turn_ = act.turn;
            turn_begin_ = act.at;
            turn_edits_ = 0;
        }
        last_act_ = act.step && act.step->result_at.line > act.at.line ? act.step->result_at : act.at;
        near_acts_ += turns_ == 0 && act.goal_hits > 0;
        if (!act.step) return;
        turn_edits_ += act.step->tool_class == ToolClass::mutate && !act.step->failed;
        if (turns_ > 0) acts_.add(act);
    }

    /// Whether the stretch goes on with this turn.
    bool on_turn(const DriftTurn& turn) {
        if (turn.relevance >= kNear) return false;
        if (turns_++ == 0) from_ = turn_begin_;
        score_ = std::max(score_, turn.score);
        last_ = last_act_;
        edits_ += turn_edits_;
        turn_edits_ = 0;
        return true;
    }

    /// Whether it is worth a finding. `told_until` is the last line of what was reported already.
    bool telling(const GoalModel& goal, std::uint64_t told_until) const {
        return turns_ >= warn_turns_ && edits_ >= kFewEdits && score_ >= kFar && near_acts_ >= kLinked &&
               goal.words() >= kGoalWords && !goal.broad() && !goal.of_every_file() && from_.line > told_until;
    }

    DraftFinding draft(const GoalModel& goal) const {
        DraftFinding draft = acts_.draft(drift_topic_switch(), Severity::warning, 0.7);
        Finding& f = draft.finding;
        f.first_line = from_.line;
        f.first_seq = from_.seq;
        f.first_offset = from_.offset;
        f.last_line = std::max(f.first_line, last_.line);
        f.last_seq = std::max(f.first_seq, last_.seq);
        f.end_offset = std::max(from_.offset + from_.length, last_.offset + last_.length);
        f.repeats = turns_;
        if (f.first_line > 1) f.reset_line = f.first_line - 1;
        f.message = fmt::format("{} responses in a row change files and have nothing to do with the goal ({})", turns_,
                                lines_words(f.first_line, f.last_line));
        f.action = "start again before this line with the goal repeated, or ask what this is for";
        f.pattern_key = 2;
        f.because = {{"turns", std::to_string(turns_)},
                     {"edits", std::to_string(edits_)},
                     {"score", fmt::format("{:.2f}", score_)},
                     {"goal_line", std::to_string(goal.line())}};
        return draft;
    }

    /// The stretch is over; the turn that is under way goes on.
    void close() {
        acts_.reset();
        turns_ = edits_ = 0;
        score_ = 0;
    }

    /// A human spoke: the work that counts as begun begins anew.
    void begin_anew() { near_acts_ = 0; }

private:
    static constexpr double kNear = 0.5;  // relevance of a turn that belongs to the work
    // Drift score of a stretch that does not; real sessions were never there for two turns.
    static constexpr double kFar = 0.9;
    static constexpr std::uint64_t kFewEdits = 5;

    std::uint64_t warn_turns_;
    Departure acts_;
    Place turn_begin_, last_act_, from_, last_;
    std::uint64_t turn_ = 0, turn_edits_ = 0, turns_ = 0, edits_ = 0, near_acts_ = 0;
    double score_ = 0;
};

// "Find out why the page is slow", "find the reason and fix it".
constexpr std::string_view kCauses[] = {
    "find the reason", "find the cause", "find out why",   "find out what causes", "find out what is wrong",
    "root cause",      "root-cause",     "what causes",    "what is causing",      "what's causing",
    "track down",      "tell me why",    "figure out why", "woran liegt",          "woran es liegt",
    "finde heraus, w", "die ursache",    "la causa",       "averigua por qu",      "la cause",
    "pourquoi",        "找出原因",       "原因を"};

bool asks_for_cause(std::string_view goal) {
    static constexpr PhraseSet phrases(kCauses);
    return phrases.in(goal);
}

// tests/test_geo.py is about geo, geo_test.go, geo.spec.ts and GeoTest.java as well; of any other file nothing.
std::string_view tested_by(std::string_view path) {
    constexpr std::string_view kFront = "test_";
    constexpr std::string_view kBehind[] = {"_test", "_tests", "_spec", ".test", ".spec", "Test", "Tests", "Spec"};
    std::string_view name = path.substr(path.rfind('/') + 1);
    name = name.substr(0, name.rfind('.'));
    if (name.starts_with(kFront)) return name.substr(kFront.size());
    for (const std::string_view end : kBehind) {
        if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
    }
    return {};
}

bool tests_file(std::string_view test, std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1), about = tested_by(test);
    return !about.empty() && name.substr(0, name.rfind('.')) == about;
}

class TopicSwitch final : public DriftDetector {
public:
    explicit TopicSwitch(Params params) : params_(params), far_(params.far) {}

    void on_turn(const DriftTurn& turn, const DriftView& view) override {
        if (away_.open()) away_score_ = std::max(away_score_, turn.score);
        if (!far_.on_turn(turn)) close_far(view);
    }

    void on_act(const DriftAct& act, const DriftView& view) override {
        far_.on_act(act);
        met_goal_ = met_goal_ || ((act.names_goal || act.goal_hits > 0) && !away_.open());
        if (red_is_new_) red_turn_ = act.turn;
        red_is_new_ = false;
        if (!away_.open()) note_variables(act);
        if (away_.open() && act.step && leads_back(act, view)) return;
        // Checks look the same whatever the subject.
        if (view.credits.full() || (act.step && act.step->tool_class == ToolClass::verify)) return;
        // What a rename changes is in its text, whatever files that leads to.
        if (act.names_goal) {
            ++acts_;
            ++linked_;
            judged_turn_ = act.turn;
            if (away_.open()) come_back(view);
            return;
        }
        // What was said first ("geo is next") is about what the check had named before.
        if (away_.open() && act.step && red_turn_ <= onset_ && opens_faulty(act)) {
            ++acts_;
            judged_turn_ = act.turn;
            return come_back(view);
        }
        if (act.words->size() < kFewest) {
            // Too short to say what it is about, unless it says the goal: the work has begun, or goes on.
            if (act.goal_hits == 0) return;
            ++acts_;
            ++linked_;
            if (away_.open()) come_back(view);
            return;
        }
        ++acts_;
        const bool first = act.turn != judged_turn_;
        judged_turn_ = act.turn;
        if (away_.open()) {
            if (!waits(act)) follow(act, view);
            return;
        }
        linked_ += act.goal_hits > 0 || act.known * 3 >= act.words->size();
        if (!waits(act) && begins(act, first, view)) {
            away_.add(act, "text");
            new_words_ = *act.words;
            words_ = act.words->size();
            shared_ = act.known;
            onset_ = last_ = act.turn;
            goal_line_ = view.goal.line();
            count_call(act);
        }
    }

    bool wants_names() const override { return away_.open(); }
    void on_red(RawText said) override {
        constexpr std::size_t kKept = 4096;  // bytes
        red_.assign(said.bytes.substr(0, kKept));
        red_form_ = said.form;
        red_is_new_ = true;
    }

    void on_human(const HumanTurn&, const DriftView& view) override {
        close(true, view);
        close_far(view);
        far_.begin_anew();
        acts_ = linked_ = told_until_ = 0;
        met_goal_ = false;
        red_.clear();
    }
    void on_end(const DriftView& view) override {
        close(false, view);
        close_far(view);
    }

private:
    static constexpr std::size_t kFewest = 3;     // words of an act that says anything
    static constexpr std::size_t kTelling = 4;    // words of an act that can begin a subject
    static constexpr std::size_t kWordy = 8;      // words of one that can, though the goal has one of them
    static constexpr std::size_t kSettled = 5;    // words of the work so far, before anything can be new to it
    static constexpr std::size_t kSubject = 8;    // words that a subject has at least
    static constexpr std::uint64_t kTurns = 3;    // calls of one response are one piece of evidence
    static constexpr std::uint64_t kLasting = 8;  // responses after which a subject is one for good
    // The drift score also knows commands and directories. Below this it says that the work is still at its goal,
    // whatever the words are; labelled switches reach 0.6.
    static constexpr double kAgreed = 0.25;

    // Of the words of the goal those that the answer has.
    static std::size_t goal_words_in_answer(const Step& step, const GoalModel& goal) {
        ActWords words;
        add_words(step.text.outcome(), StepText::kOutcome, words);
        return goal.hits(words);
    }

    // What was found on the way shows that it was the way. True: nothing else is to be said of the act.
    bool leads_back(const DriftAct& act, const DriftView& view) {
        constexpr std::size_t kFound = 3, kNamed = 2;  // words of the goal
        const Step& step = *act.step;
        if (step.tool_class == ToolClass::verify) {
            // The check of what was to be mended is still red: what is changed in between is meant to mend it.
            if (!step.failed || (act.goal_hits == 0 && goal_words_in_answer(step, view.goal) < kNamed)) return false;
            come_back(view);
            return true;
        }
        // "Where does this text come from?", and in a file of another project it stands.
        const bool looks = step.tool_class == ToolClass::read || step.tool_class == ToolClass::search;
        if (!looks || step.failed || searched_ || act.goal_hits > 1 || goal_words_in_answer(step, view.goal) < kFound)
            return false;
        drop();
        return true;
    }

    bool begins(const DriftAct& act, bool first, const DriftView& view) const {
        if (acts_ <= 2 || linked_ < kLinked || view.goal.words() < kGoalWords || view.credits.size() < kSettled)
            return false;
        const std::size_t size = act.words->size();
        // Few words begin a subject when none of them was met before: what follows would know them.
        if (size < (act.known == 0 ? kFewest : kTelling)) return false;
        // One word of the goal among many is chance, and so is it only where the response begins.
        if (act.goal_hits > (first && size >= kWordy ? 1 : 0)) return false;
        if (changes_known_file(act, act.turn, view) || uses_variable(act)) return false;
        if (static_cast<double>(size - act.known) < params_.fresh * static_cast<double>(size)) return false;
        // What a check named may be about anything; a search of the web is no file.
        return !act.step || !opens_faulty(act);
    }

    // What runs is waited for whatever the subject.
    static bool waits(const DriftAct& act) {
        return act.step && (act.step->tool_class == ToolClass::poll || act.step->tool_class == ToolClass::wait);
    }

    bool opens_faulty(const DriftAct& act) const { return act.step->query.words == 0 && is_faulty(act); }

    // A file whose whole path was met before this turn: the text that is put there has its own words.
    static bool changes_known_file(const DriftAct& act, std::uint64_t turn, const DriftView& view) {
        if (act.target.empty()) return false;
        ActWords words;
        add_words({act.target, TextForm::plain}, act.target.size(), words);
        return !words.empty() && std::ranges::all_of(words.all(), [&](std::uint32_t word) {
            return view.credits.known_before(word, turn);
        });
    }

    // In the cells of a notebook: what `df = pd.read_csv("sales.csv")` read is worked on by all that says `df`.
    static bool is_cell(const DriftAct& act) {
        return act.step && act.step->tool_class == ToolClass::other && act.step->command_bytes == 0;
    }

    // df = …, x_train, x_test = …: the names that stand in front of a lone equals sign at the beginning of a line.
    void note_variables(const DriftAct& act) {
        constexpr std::string_view kAssigns = " = ", kEnds = "\n;\"";
        constexpr std::size_t kRead = 1024, kMostNames = 16;
        if (!is_cell(act) || act.text.bytes.find(kAssigns) == std::string_view::npos) return;
        const std::string code = decoded(act.text, kRead);
        for (std::size_t at = code.find(kAssigns); at != code.npos; at = code.find(kAssigns, at + 1)) {
            const std::size_t line = code.find_last_of(kEnds, at);
            std::string_view names = std::string_view(code).substr(line + 1, at - line - 1);  // npos + 1 = 0
            while (!names.empty() && variables_.size() < kMostNames) {
                const std::string_view name = trimmed(names.substr(0, names.find(',')));
                names.remove_prefix(
                    std::min(names.find(',') == names.npos ? names.size() : names.find(',') + 1, names.size()));
                if (!name.empty() && std::ranges::all_of(name, is_word)) variables_.emplace_back(name);
            }
        }
    }

    bool uses_variable(const DriftAct& act) const {
        constexpr std::size_t kRead = 1024;
        if (variables_.empty() || !is_cell(act)) return false;
        const std::string code = decoded(act.text, kRead);
        return std::ranges::any_of(variables_, [&](const std::string& name) {
            for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
                const std::size_t end = at + name.size();
                const bool begins = at == 0 || (!is_word(code[at - 1]) && code[at - 1] != '.');
                // A call, a field or an element of it: prose may have the word as well.
                if (begins && end < code.size() && (code[end] == '.' || code[end] == '[')) return true;
            }
            return false;
        });
    }

    bool is_faulty(const DriftAct& act) const {
        constexpr std::size_t kRead = 512, kMostPaths = 8, kMostNamed = 64;
        if (red_.empty()) return false;
        const std::vector<std::string> paths = paths_in(decoded(act.text, kRead), kMostPaths);
        if (paths.empty()) return false;
        const std::vector<std::string> faulty = paths_in(decoded({red_, red_form_}, red_.size()), kMostNamed);
        return std::ranges::any_of(paths, [&](std::string_view path) {
            return std::ranges::any_of(faulty, [&](const std::string& named) {
                return path_matches(path, named) || path_matches(named, path) || tests_file(named, path);
            });
        });
    }

    void follow(const DriftAct& act, const DriftView& view) {
        if (act.turn != last_) {
            earlier_words_ = new_words_;
            ++away_turns_;
        }
        std::size_t earlier = 0, common = 0, again = 0;
        for (const std::uint32_t word : act.words->all()) {
            earlier += view.credits.known_before(word, onset_);
            common += new_words_.has(word);
            again += earlier_words_.has(word);
        }
        const auto size = static_cast<double>(act.words->size());
        const bool back = static_cast<double>(earlier) > params_.known * size ||
                          changes_known_file(act, onset_, view) || uses_variable(act) ||
                          (act.goal_hits > 0 && (act.goal_hits > 1 || common == 0 || size < 5));
        if (!back) {
            away_.add(act);
            last_ = act.turn;
            words_ += act.words->size();
            shared_ += earlier;
            // What a response says beside its call is no second time.
            revised_ = revised_ || (!act.step && act.words->size() >= kWordy && again * 2 > act.words->size());
            if (again > 0 && coherent_turn_ != act.turn) {
                ++coherent_;
                coherent_turn_ = act.turn;
            }
            for (const std::uint32_t word : act.words->all()) new_words_.add(word);
            count_call(act);
            returning_ = 0;
            sure_ = away_turns_ >= kLasting && established();  // and stays so, whatever the new subject branches into
            return;
        }
        come_back(view);
    }

    // A switch that is established needs more than one word to be over.
    void come_back(const DriftView& view) {
        if (!established()) return drop();
        if (++returning_ >= 2) close(true, view);
    }

    // Where agents give each other work, what they say is an act too.
    void count_call(const DriftAct& act) {
        if (act.step ? act.step->opaque : !act.between_agents) return;
        ++targets_;
        changed_ = changed_ || (act.step && act.step->tool_class == ToolClass::mutate && !act.step->failed);
        searched_ = searched_ || (act.step && act.step->query.words > 0);
    }

    void close_far(const DriftView& view) {
        if (far_.telling(view.goal, told_until_)) report(far_.draft(view.goal));
        far_.close();
    }

    // One subject, which comes back in every other response at least: questions that are all new to each other are the
    // sides of a large task.
    bool established() const {
        if (sure_) return true;
        return away_.acts() > static_cast<std::uint64_t>(params_.acts) && coherent_ >= 2 &&
               2 * coherent_ >= away_turns_ && targets_ >= 1 && last_ - onset_ + 1 >= kTurns &&
               new_words_.size() >= kSubject;
    }

    // A word of the work so far may come up in the new one: then it is said how many do.
    std::string unlike() const {
        if (shared_ == 0)
            return fmt::format("{} acts share no words, files or sites with the goal or the work before", away_.acts());
        const std::size_t percent = std::max<std::size_t>(1, (100 * shared_ + words_ / 2) / words_);
        return fmt::format("{} acts share {} % of their words, files and sites with the goal or the work before",
                           away_.acts(), percent);
    }

    void drop() {
        away_.reset();
        words_ = shared_ = 0;
        coherent_ = targets_ = away_turns_ = 0;
        searched_ = changed_ = revised_ = false;
        returning_ = 0;
        away_score_ = 0;
        sure_ = false;
    }

    void close(bool left, const DriftView& view) {
        // The next of all files may be about anything.
        if (established() && (searched_ || !view.goal.of_every_file())) {
            const bool agreed = away_score_ >= kAgreed;
            const bool hard = agreed && !left && away_.calls() >= static_cast<std::uint64_t>(params_.fail);
            // A fault may come from anywhere: what it leads to need not look like where it shows.
            const bool chased = !searched_ && asks_for_cause(view.goal.words_of_goal());
            // A goal in German of work in English: that its words do not come up says nothing.
            // Who only looks is still looking for it.
            const bool looked_for = chased && !changed_;
            // A text that is put anew, sentence by sentence, and what others say of it: drafts.
            const bool drafts = revised_ && away_.calls() == 0;
            const Severity severity = !met_goal_ || looked_for || drafts ? Severity::info
                                      : hard && !chased                  ? Severity::error
                                      : hard || (agreed && !chased)      ? Severity::warning
                                                                         : Severity::info;
            DraftFinding draft = away_.draft(drift_topic_switch(), severity, hard ? 0.85 : agreed ? 0.75 : 0.5);
            Finding& f = draft.finding;
            f.message = fmt::format("the work turns to another subject ({}): {}",
                                    lines_words(f.first_line, f.last_line), unlike());
            f.action = "start again before this line with the goal repeated, or ask what this is for";
            f.pattern_key = 1;
            f.because = {{"acts", std::to_string(away_.acts())},           {"calls", std::to_string(away_.calls())},
                         {"new_words", std::to_string(new_words_.size())}, {"goal_line", std::to_string(goal_line_)},
                         {"score", fmt::format("{:.2f}", away_score_)},    {"returned", left ? "yes" : "no"}};
            told_until_ = f.last_line;
            report(std::move(draft));
        }
        drop();
    }

    Params params_;
    Departure away_;
    ActWords new_words_;
    ActWords earlier_words_;  // of them, those that responses before the one at hand have
    std::uint64_t away_turns_ = 0, coherent_turn_ = 0;
    std::uint64_t acts_ = 0, linked_ = 0, onset_ = 0, last_ = 0, coherent_ = 0, targets_ = 0, goal_line_ = 0;
    int returning_ = 0;
    bool sure_ = false;
    std::size_t words_ = 0, shared_ = 0;  // of the acts since the onset; of them, those of the goal or the work before
    std::uint64_t judged_turn_ = 0;       // of the last act that says anything
    double away_score_ = 0;               // the highest since the onset
    std::string red_;                     // what the last check said that failed: its beginning
    TextForm red_form_ = TextForm::plain;
    std::uint64_t red_turn_ = 0;
    bool red_is_new_ = false;
    bool met_goal_ = false;               // a word of the goal came up before the new subject
    std::vector<std::string> variables_;  // of the cells of a notebook, before the new subject
    bool revised_ = false;                // a text was put in other words
    bool changed_ = false;                // a file, for the new subject
    bool searched_ = false;               // the new subject was looked up, not only worked at

    FarStretch far_;
    std::uint64_t told_until_ = 0;  // last line of a switch that was reported
};

}  // namespace

DetectorSpec drift_topic_switch() {
    return {kId,
            "AA301",
            "the work turns to another subject than the goal",
            Severity::error,
            0.75,
            Stage::stable,
            Scope::lane,
            kDrift | kDriftTurns,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<TopicSwitch>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
