#pragma once

#include "detectors/commands/shell_files.hpp"
#include "detectors/engine/claims.hpp"
#include "detectors/engine/last_text.hpp"
#include "detectors/engine/plan_items.hpp"
#include "detectors/engine/score_track.hpp"
#include "detectors/speech/correction.hpp"
#include "detectors/speech/goal.hpp"
#include "detectors/speech/goal_terms.hpp"
#include "detectors/words/act_words.hpp"
#include "detectors/words/word_credits.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/drift.hpp>
#include <agent_audit/model/session_goal.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

struct CallTarget;

/// Answers to the calls of DriftDetector, and to on_turn as well; beside the Hears of detector.hpp.
inline constexpr std::uint8_t kDrift = 16, kDriftTurns = 64;

/// One thing an agent did: a text it wrote, or a call with its outcome.
struct DriftAct {
    const Step* step = nullptr;  ///< null = a text
    RawText text;                ///< what its words were taken from
    const ActWords* words = nullptr;
    std::uint32_t goal_hits = 0;  ///< words that the goal has
    bool names_goal = false;  ///< a change in whose text stands a name of code that the human wrote; see wants_names
    std::uint32_t known = 0;  ///< words that goal or earlier work have
    std::uint64_t turn = 0;   ///< model responses so far, this one included
    bool between_agents = false;  ///< a text of a named agent among several: it hands out or reports work
    Place at;
    const Constraint* broken = nullptr;  ///< the constraint that this call broke; valid during the call
    std::string_view broken_file;        ///< that a shell command changed against it
    std::string_view target;             ///< of a mutation: the file, decoded and cut; empty = unknown
};

struct PlanUpdate {
    std::vector<PlanItem> items;
    std::uint64_t turn = 0;
    Place at;
};

/// What a human message means for those who watch.
struct HumanTurn {
    const HumanText* human = nullptr;
    bool first = false;
    Correction correction = Correction::none;
    bool asked = false;        ///< the agent's last message ended with a question
    bool interrupted = false;  ///< what ran before it was broken off
    std::uint32_t denied = 0;  ///< calls since the message before that a human refused
    std::uint64_t turn = 0;    ///< model responses so far
    Place at;
};

/// A response that is over, by what it has to do with the goal and with the work that led to it.
struct DriftTurn {
    double relevance = 0;  ///< 0 to 1
    double score = 0;      ///< the drift score after it, 0 to 1
};

/// What all drift rules of a lane share.
struct DriftView {
    const GoalModel& goal;
    const WordCredits& credits;
    const LastText& last;
    Place last_text_at;
    bool text_is_last = false;  ///< nothing was called after the agent's last message
    const GoalTerms& terms;

    /// Head and tail of that message, decoded.
    std::string last_text() const { return last.words(); }
};

/// The acts that a rule hears of. Most care for few of them, and nothing is cheaper than a call that is not made.
enum class DriftActs : std::uint8_t {
    all,
    calls,
    planned,  ///< all, while there is a plan
    broken,   ///< calls that broke a rule of the human
};

/// A rule about the goal: it hears acts with what they have to do with the goal instead of steps and texts.
class DriftDetector : public Detector {
public:
    explicit DriftDetector(DriftActs acts = DriftActs::all) : acts_(acts) {}
    DriftActs acts() const { return acts_; }

    virtual void on_act(const DriftAct& act, const DriftView& view) {
        (void)act;
        (void)view;
    }
    /// Before the goal takes the message in; the segment ends with it.
    virtual void on_human(const HumanTurn& turn, const DriftView& view) {
        (void)turn;
        (void)view;
    }
    /// A response is over that said enough to be weighed.
    virtual void on_turn(const DriftTurn& turn, const DriftView& view) {
        (void)turn;
        (void)view;
    }
    virtual void on_plan(const PlanUpdate& plan, const DriftView& view) {
        (void)plan;
        (void)view;
    }
    /// The lane is over.
    virtual void on_end(const DriftView& view) { (void)view; }
    /// Asked before each change: is names_goal to be found? It takes a look through the text of the change.
    virtual bool wants_names() const { return false; }
    /// Asked at each check that failed: are the files wanted that it names? It takes a look through its outcome.
    virtual bool wants_faulty() const { return false; }
    /// A check failed, before it is told as an act. Asked of all at every failure: keep the words, look at them later.
    virtual void on_red(RawText said) { (void)said; }
    /// The files that a check named which failed, before the check is told as an act.
    virtual void on_faulty(std::span<const std::string> files) { (void)files; }

private:
    DriftActs acts_;
};

/// Follows the goal of one lane, says of each act how near it is, and keeps the drift score. Bounded whatever the
/// session.
class DriftWatch {
public:
    /// Ready for another lane. `goal` is the text given for the run; empty = the first human message.
    void restart(const std::string& goal, std::uint32_t reflect_every);
    /// `hears`: of its row.
    void add(DriftDetector* detector, std::uint8_t hears);
    bool active() const { return !detectors_.empty(); }

    void human(RawText text, const Place& at);
    void agent_text(RawText text, const Place& at, bool reasoning, bool between_agents);
    /// A call, before its outcome is known: only for what the step does not keep.
    /// `fields` = those of `args`, where the reader has met them one by one.
    void call(RawText name, bool runs_shell, const Step& step, RawText primary, RawText args,
              std::span<const CallField> fields = {});
    void note(RawText args, const Place& at);
    void step(const Step& step);
    /// A check failed, and this is what it said.
    void check_failed(RawText said);
    void end_response();
    /// A human refused a call; what they said with it is heard like a message of theirs, and not counted as one.
    void denied(RawText answer, const Place& at);
    /// What a person answered to questions that were asked with a tool: a yes allows what was asked for.
    void answered(RawText answers);
    void interrupted() { interrupted_ = true; }
    void compacted(RawText summary);
    /// The folder in which the session began.
    void in_folder(std::string_view folder) { folder_ = folder; }
    void summary(RawText text);
    void finish();

    DriftSeries take_series();
    /// The goal as it was understood; nothing where no rule of the run asks for one.
    SessionGoal goal() const;

private:
    void hear(const HumanText& human, const Place& at);

    struct BrokenCall {
        std::uint64_t seq = 0;
        std::size_t constraint = 0;
        std::string file;       // that a command changed
        bool if_new = false;    // only where the outcome says that the file is new
        bool if_there = false;  // only where the outcome says that the file was there before
    };
    struct Target {
        std::uint64_t seq = 0;
        std::string path;
    };

    DriftView view() const { return {goal_, credits_, last_text_, last_text_at_, text_is_last_, terms_}; }
    void learn_goal();
    void tell(DriftAct& act);
    static void tell(const std::vector<DriftDetector*>& detectors, const DriftAct& act, const DriftView& view);
    void weigh();
    void begin_turn(const Place& at);
    void unruled_call(bool runs_shell, const Step& step, RawText primary, RawText args);
    void changes(const Step& step, std::string file);
    void hold_against_rules(const Step& step, CallTarget& target);
    static bool was_there(const Step& step);
    static bool is_new(const Step& step);
    bool names_packages(const CallTarget& target, const Constraint& rule) const;
    bool names_in_goal(const CallTarget& target) const;
    void learn_made(const Step& step);
    void learn_places(const Step& step);
    void learn_names();
    bool has_goal_name(RawText args);
    bool looks_at_own(const Step& step, std::string_view path);

    GoalModel goal_;
    GoalTerms terms_;
    WordCredits credits_;
    std::size_t learnt_ = 0;  // words of the goal that the credits know
    std::vector<DriftDetector*> detectors_, of_turns_;
    std::vector<DriftDetector*> of_texts_, of_calls_, of_plans_, of_broken_;  // whom acts are told
    bool planned_ = false;                                                    // there was a plan since the human spoke
    ActWords words_;                                                          // of the act at hand
    LastText last_text_;
    Place last_text_at_;
    bool text_is_last_ = false;
    bool interrupted_ = false;
    bool turn_open_ = false;
    bool given_ = false;  // the goal was said for the run
    std::uint32_t denied_ = 0;
    std::uint64_t turn_ = 0;
    std::uint64_t turn_line_ = 0;
    std::uint32_t turn_calls_ = 0,
                  turn_checks_ = 0;         // of the response at hand; checks, commits and own files among its calls
    std::vector<std::uint64_t> own_files_;  // that this lane wrote; the last ones
    std::uint32_t trusted_turns_ = 0;       // turns that still count as an answer to the human
    std::vector<BrokenCall> broken_;
    ShellFiles shell_files_;
    std::string folder_;             // in which the session began; empty = not known
    std::string branch_;             // that is checked out; learnt only where a rule asks for it
    std::vector<std::string> made_;  // names of files that the agent made since a rule was last said
    std::vector<Target> made_at_;    // what the calls at hand may make
    std::vector<Target> targets_;
    std::vector<Target> searched_;            // where searches looked
    std::string said_;                        // by the human: the beginnings of the messages
    bool said_more_ = false;                  // since goal_names_ were looked for
    std::vector<std::string> goal_names_;     // of things in the code that are named there: getUser, load_dates
    std::vector<std::uint64_t> named_calls_;  // changes that have one of them in their text
    ScoreTrack score_;
};

}  // namespace agent_audit::detectors
