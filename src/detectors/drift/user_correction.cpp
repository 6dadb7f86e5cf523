#include "detectors/all.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "detectors/speech/follow_up.hpp"
#include "detectors/words/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/user-correction";

constexpr std::string_view kDoc = R"(## What it finds
A human message that says that the work before it went wrong: "no, I asked for …", "stop", "that's not what I meant", "you
edited the wrong file", "you messed that up", "please undo that", "I undid your changes", "that's a bit too much", "this
is way off", "you went too far", "… but you are overengineering it", 不对, 我要的是 …, 그게 아니라, "nein, ich meinte …", "ce n'est
pas ce que j'ai demandé", 違います, alone, after an interrupt, or as the reason for which a call was refused (there "let's not
…" is an info). "Are you sure?" behind a change, or a claim that something is done, is an info, and so is "still the same
error" behind such a claim.

## Why it matters
It is the best evidence of drift there is: the person who set the goal says that it was left. What other rules find
nearby is confirmed by it.

## Example
```
human   Make the header sticky.
agent   rewrites the footer
human   No, I asked for the header.          ← found
```

## What is not flagged
- "are you sure?" about a fact
- the next task, a change of mind, praise, a question, a bug report about the product
- a direction and nothing else ("no, a bit lower"), unless the work was interrupted: that is how one tries what looks right;
  so is "undo", alone, behind a single call, and "no, back to 24"
- as more than an info, a few words that say how it is to look instead ("no, 0.48", "hmm no, serif", "not that modern",
  "no, PUT was better"), behind a single call, or a single change and a look or two before it
- as more than an info, that an answer is not true ("that's wrong, it's a compiler bug"), behind a look or two and no change
- a choice among what was offered or tried ("no, the 4th was better")
- "no problem", "no, that works", "that's not a blocker", "a bit too much for v1?", "stop the server", "undo stack", 停止按钮
- an interrupt or a refused call without a word about it
- a doubt that the human takes back with the next message ("ok now it works"), where nothing was changed in between
- what agents and programs write in the human's place

The work begins behind the last message that ordered any: "continue" and "go on" do not, nor do "ok" and a plain question
that was put in the middle of it, or behind which nothing was changed. A "no" behind the answer to such a question is
about the work, unless it speaks of the question or the answer.

## What to do
Look at the turns between the message before and this one. A rule that is said twice belongs in the instructions.

## When it is wrong
Humans say "no" for many reasons. `--min-confidence 0.8` keeps the plainest, `--ignore drift/user-correction` none.
)";

constexpr std::string_view kOfQuestion[] = {"question",   "just asked",  "only asked",
                                            "was asking", "just asking", "只是问"};
constexpr std::size_t kVerdict = 240;  // bytes of a message that say what is wrong

struct Params {
    int within = 400;
};

constexpr std::tuple kTable{
    Param<Params, int>{"within", &Params::within, 1, 100'000,
                       "model responses after which a correction is about something older and is not dated back"},
};

class UserCorrection final : public DriftDetector {
public:
    explicit UserCorrection(Params params) : DriftDetector(DriftActs::calls), params_(params) {}

    void on_act(const DriftAct& act, const DriftView&) override {
        if (may_change(*act.step)) {
            keep_doubt();
            acted_ = true;
        }
        work_.add(act);
        count_change(*act.step);
        if (whole_.open()) whole_.add(act);
        edited_ = edited_ || (act.step->tool_class == ToolClass::mutate && !act.step->failed);
    }

    void on_human(const HumanTurn& turn, const DriftView& view) override {
        if (doubt_ && turn.correction == Correction::none && settles_doubt(turn.human->text)) doubt_.reset();
        keep_doubt();
        if (turn.correction != Correction::none && (worked_since(work_, turn) || speaks_of_whole(turn)))
            found(turn, view);
        go_on(turn, view);
        work_.reset();
        edited_ = acted_ = false;
        changes_ = unknown_calls_ = 0;
    }

    void finish(const LaneTrack*) override { keep_doubt(); }

private:
    // What the message before did not begin belongs to the work before that: "continue" is part of it. Behind a
    // question, or "ok", the work went on where it was put in the middle of it; otherwise what is changed then answers
    // the question.
    bool is_continued() const {
        return whole_.open() && (how_ == FollowUp::goes_on || (how_ == FollowUp::aside && (mid_work_ || !acted_)));
    }

    bool worked_since(const Departure& work, const HumanTurn& turn) const {
        return work.open() && turn.turn - work.turn() <= static_cast<std::uint64_t>(params_.within);
    }

    // Behind a question that was answered without a call, or an "ok": what the human says against the answer is not
    // meant.
    bool speaks_of_whole(const HumanTurn& turn) const {
        constexpr std::string_view kOfAnswer[] = {"i mean",      "i asked w", "i asked how", "i asked if",
                                                  "my question", "explain",   "answer"};
        if (work_.open() || turn.correction == Correction::doubt || !is_continued() || !worked_since(whole_, turn))
            return false;
        const std::string_view text = trimmed(turn.human->text);
        const std::string words = lowered(text.substr(0, kVerdict));
        return !text.ends_with('?') && !contains_any(words, kOfAnswer) && !contains_any(words, kOfQuestion);
    }

    void go_on(const HumanTurn& turn, const DriftView& view) {
        // "Continue" may also be the answer to "Shall I …?", a question is none.
        const bool answers = turn.asked && view.text_is_last && !trimmed(turn.human->text).ends_with('?');
        const FollowUp next =
            turn.correction == Correction::none && !answers ? follow_up_of(turn.human->text) : FollowUp::order;
        if (next == FollowUp::order) {
            whole_.reset();
        } else if (!is_continued()) {
            whole_ = work_;
            whole_claimed_ = false;
        }
        if (whole_.open() && work_.open()) whole_claimed_ = claimed_done(view);
        how_ = next;
        mid_work_ = !view.text_is_last;
    }

    // The work that a correction is about.
    Departure& disputed(const HumanTurn& turn) {
        if (!is_continued() || turn.turn - whole_.turn() > static_cast<std::uint64_t>(params_.within)) return work_;
        return contains_any(lowered(turn.human->text.substr(0, kVerdict)), kOfQuestion) ? work_ : whole_;
    }

    // A program that nobody knows may change what was doubted.
    static bool may_change(const Step& step) {
        return !step.failed && (step.tool_class == ToolClass::mutate || step.tool_class == ToolClass::shell ||
                                step.tool_class == ToolClass::other);
    }

    void count_change(const Step& step) {
        if (!may_change(step)) return;
        if (step.tool_class != ToolClass::other)
            ++changes_;
        else if (unknown_calls_++ == 0)
            unknown_ = step;
    }

    // A single call of a tool that nobody knows looks, as long as its name does not tell otherwise: order_status.
    std::uint64_t changes() const {
        const bool looks = unknown_calls_ == 1 && !does_something(unknown_);
        return changes_ + (looks ? 0 : unknown_calls_);
    }

    void keep_doubt() {
        if (doubt_) report(std::move(*doubt_));
        doubt_.reset();
    }

    // "undo", and nothing else, behind a single call: one step back, as one does who tries what looks right.
    bool is_step_back(const HumanTurn& turn) const {
        constexpr std::string_view kBack[] = {"undo", "undo please", "please undo", "revert"};
        std::string_view text = trimmed(std::string_view(turn.human->text).substr(0, kVerdict));
        while (text.ends_with('.') || text.ends_with('!')) text.remove_suffix(1);
        return work_.open() && work_.calls() == 1 && !is_continued() &&
               std::ranges::find(kBack, lowered(text)) != std::end(kBack);
    }

    // One change at most, and a look or two before it.
    bool is_small_step(std::uint64_t wanted) const {
        constexpr std::uint64_t kMostCalls = 3;
        return work_.open() && work_.calls() <= kMostCalls && !is_continued() && changes() == wanted;
    }

    // Behind one small step, few words that only say how it is to look instead.
    bool is_direction(const HumanTurn& turn) const {
        return (is_small_step(1) || (work_.calls() == 1 && is_small_step(0))) && says_instead(turn.human->text);
    }

    // "That's wrong, it's a compiler bug", behind a look or two by which nothing was changed: what the agent said is
    // disputed, not what it did.
    bool disputes_answer(const HumanTurn& turn, const DriftView& view) const {
        return is_small_step(0) && view.text_is_last && !claimed_done(view) && says_untrue(turn.human->text);
    }

    void found(const HumanTurn& turn, const DriftView& view) {
        const bool stopped = turn.interrupted || turn.denied > 0;
        if (!stopped && is_step_back(turn)) return;
        const bool plain = turn.correction == Correction::strong;
        const bool doubt = turn.correction == Correction::doubt;
        const bool refutes =
            turn.correction == Correction::persists && (work_.open() ? claimed_done(view) : whole_claimed_);
        if (doubt ? !doubts_the_work(view) : !plain && !stopped && !refutes) return;
        std::string words = one_line(turn.human->text);
        if (words.size() < turn.human->text.size()) words += "…";
        Departure& work = disputed(turn);
        work.add_place(turn.at, "human", words);
        const double confidence = plain ? (stopped ? 0.9 : 0.8) : 0.5;
        const bool directs = plain && !stopped && is_direction(turn);
        const bool disputes = plain && !stopped && !directs && disputes_answer(turn, view);
        const bool mild = !plain || directs || disputes;
        DraftFinding draft = work.draft(drift_user_correction(), mild ? Severity::info : Severity::warning, confidence);
        Finding& f = draft.finding;
        // Long work fills the evidence; what the human said is part of it in any case.
        if (f.evidence.empty() || f.evidence.back().role != "human")
            f.evidence.push_back({turn.at.line, turn.at.seq, "human", std::move(words)});
        f.message = fmt::format("a human {} at line {} that the work since line {} {}", doubt ? "doubts" : "says",
                                turn.at.line, f.first_line, doubt ? "is right" : "went wrong");
        f.action =
            "read what was asked before that work and what was done; a rule said twice belongs in the instructions";
        f.pattern_key = 7;
        f.because = {{"words", directs    ? "direction"
                               : disputes ? "disputes"
                               : plain    ? "plain"
                               : doubt    ? "doubt"
                               : refutes  ? "refutes"
                                          : "weak"},
                     {"interrupted", turn.interrupted ? "yes" : "no"},
                     {"refused_calls", std::to_string(turn.denied)},
                     {"calls_since", std::to_string(work.calls())}};
        if (doubt)
            doubt_ = std::move(draft);
        else
            report(std::move(draft));
    }

    // A fact may be doubted as well. Where something was changed, or said to be done, the work is.
    bool doubts_the_work(const DriftView& view) const { return view.text_is_last && (edited_ || claimed_done(view)); }

    static bool claimed_done(const DriftView& view) {
        if (!view.text_is_last) return false;
        const Claim claim = claim_in(view.last_text());
        return claim.done || claim.checked;
    }

    Params params_;
    Departure work_;   // since the human spoke
    Departure whole_;  // since a human ordered it, where they have only said "continue" or asked something since
    FollowUp how_ = FollowUp::order;
    bool whole_claimed_ = false;                     // the last words of that work said that it is done
    bool mid_work_ = false;                          // the human spoke before the agent was done
    std::uint64_t changes_ = 0, unknown_calls_ = 0;  // since the human spoke
    Step unknown_;                                   // the first call of those
    bool edited_ = false;
    bool acted_ = false;                 // edited, or ran what may have changed something
    std::optional<DraftFinding> doubt_;  // until the human speaks again, or something is changed
};

}  // namespace

DetectorSpec drift_user_correction() {
    return {kId,
            "AA302",
            "a human says that the work went wrong",
            Severity::warning,
            0.8,
            Stage::stable,
            Scope::lane,
            kDrift,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<UserCorrection>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
