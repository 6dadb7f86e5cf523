#pragma once

#include "detectors/speech/stated_rules.hpp"
#include "detectors/words/act_words.hpp"
#include "detectors/words/word_set.hpp"

#include <agent_audit/model/session_goal.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What a person wrote, without the list of open files that an editor puts in front of it.
std::string_view without_editor_context(std::string_view text);

/// The program of a command where its name has two letters, which are no word of a text: `bd create` → bd. Empty for
/// longer names, and for those that any work uses (ls, cd, …).
std::string_view short_program(std::string_view command);

/// What a human wrote, apart from what a program put around it. Plain text.
struct HumanText {
    std::string text;
    std::uint64_t line = 0;
    bool bare = false;    ///< "continue", "yes", "ok thanks": says nothing about the goal
    bool reason = false;  ///< for which a call was refused: heard, but no message by itself
};
HumanText human_text(RawText raw, std::uint64_t line);

/// What the session is for: the first human message that is no mere greeting and no command of the program alone
/// ("/mode"), and what later ones add to it. Bounded.
class GoalModel {
public:
    static constexpr std::size_t kMostWords = 768;
    static constexpr std::size_t kMostPaths = 32;
    static constexpr std::size_t kMostConstraints = SessionGoal::kMostRules;

    void clear();
    bool known() const { return messages_ > 0; }
    std::uint32_t messages() const { return messages_; }
    /// Nothing was said so far but "hi" or "/mode".
    bool only_greeted() const { return only_greeted_; }

    /// The first message sets the goal, the others refine, extend or replace it: their words count beside the earlier
    /// ones. What they order or allow is allowed from then on.
    void hear(const HumanText& human);
    /// A person agreed to the plan: changes that were ruled out until then are allowed.
    void plan_agreed();
    /// `answer` is what the human says to a question of the agent: what was asked for is allowed by a yes.
    void answered(std::string_view question, std::string_view answer);

    bool has(std::uint32_t word) const { return words_.has(word); }
    std::size_t words() const { return words_.size(); }
    std::uint32_t hits(const ActWords& words) const;
    const std::vector<std::uint32_t>& all_words() const { return words_.all(); }

    /// Files and directories in scope: those that the human named since the task last changed; empty = not said.
    const std::vector<std::string>& paths() const { return paths_; }
    const std::vector<Constraint>& constraints() const { return constraints_; }
    /// What the human does not want changed was met under that name in the folder of the session, as `is` says of a
    /// name: from then on nothing else is meant that only ends so.
    template <class Is>
    void met_at_root(Is&& is) {
        for (Constraint& c : constraints_) {
            const bool may =
                c.kind == Constraint::Kind::forbid_path && c.which == Constraint::Which::named && !c.at_root;
            if (may && c.target.find_first_of("*~") == std::string::npos && !c.target.starts_with('/') && is(c.target))
                c.at_root = true;
        }
    }
    /// The last message stated a rule that was not known. Its line would not tell: some sessions are one record.
    bool ruled() const { return ruled_; }
    /// "refactor", "rename", "everywhere", 重构: work in many places was asked for; or some that no file was named for,
    /// where the goal is not narrow.
    bool broad() const;
    /// The same is to be done in each of many files: which one is next says nothing of the subject.
    bool of_every_file() const;
    /// The work was ordered in files that were named. A named file may also be an example, a tool, or where it shows.
    bool placed() const;
    /// The scope is open from now on: the agent proposed more, and the human agreed.
    void open_scope() { paths_.clear(); }
    /// "only", "just", "small", "one-line": it was asked for to stay near.
    bool narrow() const;
    /// "fix only that bug", "sonst nichts": one thing was asked for, and no other, wherever it is.
    bool one_thing() const;
    /// Passing tests, a green build or the like are part of the goal.
    bool wants_check() const;
    std::uint64_t line() const { return line_; }
    /// First words of the goal as it stands, for evidence.
    const std::string& words_of_goal() const { return said_; }
    /// First words of the last message that asks for something, and its record; no reason of a refusal, "yes" or "go
    /// on".
    const std::string& latest() const { return latest_; }
    std::uint64_t latest_line() const { return latest_line_; }

    /// The context was compacted; `summary` is what is left of it in words. Empty = not recorded: nothing is known to
    /// be lost.
    void compacted(std::string_view summary);

private:
    void take_words(std::string_view text);
    void take_constraints(const HumanText& human);
    void widen_only(std::string_view text, const Constraint& c);
    void add(Constraint constraint);
    void allow_named(const HumanText& human);
    void widen(std::vector<std::string> named);

    WordSet words_;
    std::vector<std::string> paths_;
    std::vector<Constraint> constraints_;
    std::string said_;
    std::uint64_t line_ = 0;
    std::string latest_;
    std::uint64_t latest_line_ = 0;
    std::uint32_t messages_ = 0;
    bool only_greeted_ = false;
    bool ruled_ = false;
    std::string manner_;           // what was said, for the questions about its manner
    std::size_t narrow_from_ = 0;  // where its last message begins
};

}  // namespace agent_audit::detectors
