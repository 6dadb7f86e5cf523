#pragma once

#include "detectors/engine/act_words.hpp"
#include "detectors/engine/word_set.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Something a human said must, or must not, be done, in a form that a step can be held against.
struct Constraint {
    enum class Kind : std::uint8_t {
        forbid_path,     ///< "do not change src/api/"
        forbid_command,  ///< "never run git push"
        forbid_tool,     ///< "do not use WebSearch"
        only_path,       ///< "only touch src/parser.cpp"; several in one sentence allow each of them
    };

    /// What a forbidden path is: the one that was named, every file, every file of code, or the tests, whatever their
    /// names.
    enum class Which : std::uint8_t { named, all_files, code, tests };

    Kind kind = Kind::forbid_path;
    Which which = Which::named;
    bool deletes = false;     ///< of paths: only removing breaks it ("do not delete any files")
    bool existing = false;    ///< of paths: a new file breaks nothing ("do not change existing tests")
    bool any_access = false;  ///< of paths: reading breaks it as well ("do not open", "do not read")
    bool lost = false;        ///< the context was compacted and what remained does not name it
    std::string target;       ///< path, command or tool, as written
    std::string sentence;     ///< as said, cut
    std::uint64_t line = 0;   ///< record in which it was said
};

/// What a person wrote, without the list of open files that an editor puts in front of it.
std::string_view without_editor_context(std::string_view text);

/// What a human wrote, apart from what a program put around it. Plain text.
struct HumanText {
    std::string text;
    std::uint64_t line = 0;
    bool bare = false;  ///< "continue", "yes", "ok thanks": says nothing about the goal
};
HumanText human_text(RawText raw, std::uint64_t line);

/// How strongly a human says that what was done was not what they wanted.
enum class Correction : std::uint8_t {
    none,
    doubt,   ///< "are you sure?": a correction where a claim stands before it
    weak,
    strong,
};
/// `asked` = the agent's last message ended with a question: "no, …" is an answer to it then.
Correction correction_in(std::string_view text, bool asked);

/// What the session is for: the first human message, and what later ones add to it. Bounded.
class GoalModel {
public:
    static constexpr std::size_t kMostWords = 768;
    static constexpr std::size_t kMostPaths = 32;
    static constexpr std::size_t kMostConstraints = 32;

    void clear();
    bool known() const { return messages_ > 0; }
    std::uint32_t messages() const { return messages_; }

    /// The first message sets the goal, the others refine, extend or replace it: their words count beside the earlier
    /// ones. What they name is allowed from then on.
    void hear(const HumanText& human);

    bool has(std::uint32_t word) const { return words_.has(word); }
    std::size_t words() const { return words_.size(); }
    std::uint32_t hits(const ActWords& words) const;
    const std::vector<std::uint32_t>& all_words() const { return words_.all(); }

    /// Files and directories in scope: those that the human named since the task last changed; empty = not said.
    const std::vector<std::string>& paths() const { return paths_; }
    const std::vector<Constraint>& constraints() const { return constraints_; }
    /// "refactor", "rename", "everywhere", 重构: work in many places was asked for.
    bool broad() const;
    /// "only", "just", "small", "one-line": it was asked for to stay near.
    bool narrow() const;
    /// Passing tests, a green build or the like are part of the goal.
    bool wants_check() const;
    std::uint64_t line() const { return line_; }
    /// First words of the goal as it stands, for evidence.
    const std::string& words_of_goal() const { return said_; }

    /// The context was compacted; `summary` is what is left of it in words. Empty = not recorded: nothing is known to
    /// be lost.
    void compacted(std::string_view summary);

private:
    void take_words(std::string_view text);
    void take_constraints(const HumanText& human);
    void add(Constraint constraint);
    void allow_named(std::string_view text);

    WordSet words_;
    std::vector<std::string> paths_;
    std::vector<Constraint> constraints_;
    std::string said_;
    std::uint64_t line_ = 0;
    std::uint32_t messages_ = 0;
    std::string manner_;           // what was said, for the questions about its manner
    std::size_t narrow_from_ = 0;  // where its last message begins
};

/// The paths of a text: words with a slash or an ending that files have, and what stands in backticks and looks so.
std::vector<std::string> paths_in(std::string_view text, std::size_t most);

/// True when `path` is `target`, lies below it, or ends with it at a slash. A `*` in the target stands for any part of
/// a name.
bool path_matches(std::string_view path, std::string_view target);

/// True when a command of the line begins with the words of `target` (`git push` in `cd x && git push -f`).
bool runs_command(std::string_view command_line, std::string_view target);

/// Does a command line change the file or directory `target` (rm, mv, tee, sed -i, >, git checkout, …)?
bool changes_path(std::string_view command_line, std::string_view target);

/// A call in plain words, as far as constraints need them. Strings are bounded.
struct CallTarget {
    std::string tool;                ///< in snake_case, without the server of an MCP client
    std::string full_tool;           ///< as recorded
    std::string command;             ///< of shell tools
    std::vector<std::string> paths;  ///< of tools for files, and of patches
    ToolClass tool_class = ToolClass::other;
    bool creates = false;            ///< writes files as wholes: they may be new
};
CallTarget target_of(RawText tool, bool runs_shell, ToolClass tool_class, RawText primary, RawText args);

/// The constraint that a call breaks, or null.
const Constraint* broken_by(const std::vector<Constraint>& constraints, const CallTarget& call);

}  // namespace agent_audit::detectors
