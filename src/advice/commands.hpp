#pragma once

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// The command line of a call that runs a shell: of ["bash","-lc","…"] the last element.
std::string command_of(RawText primary);

/// Whose exit code a command's is.
enum class CheckCommand : std::uint8_t {
    no,     ///< it runs no test, build or lint
    own,    ///< success of the whole says that the check passed
    mixed,  ///< a pipe, ; or || stands behind it: its output must tell
};
struct CheckPart {
    CheckCommand kind = CheckCommand::no;
    std::string words;  ///< of the checks alone
    bool edits_after = false;  ///< the same command changes something behind the check
    std::string directory;     ///< where the last of them ran; empty = where the session works
};
/// Tests, builds, lints and type checks; what only formats, configures, starts or publishes is none. `directory` is
/// where the command begins, empty = the session's own.
CheckPart check_of(std::string_view command, std::string_view directory = {});

/// How wide a check is: the whole of the tests 5, some of them 4, a build 3, a type check 2, a lint 1.
int check_rank(std::string_view words);

/// Whether a check can say anything about a file, as far as the places tell that its words name: a test of one package
/// says nothing about another. `path` is relative to where the check ran. A check that names no place reaches all.
bool check_reaches(std::string_view check, std::string_view path);

/// What a check is told to run, taken apart once to be compared with many.
struct CheckTarget {
    std::vector<std::string> words, places;  ///< places: files, folders and names below them
};
CheckTarget target_of_check(std::string_view words);

/// Whether a check that passed says that another, which failed before, would pass: the same, or a wider one.
bool covers_check(const CheckTarget& passed, const CheckTarget& failed);
bool covers_check(std::string_view passed, std::string_view failed);

/// What a command is about, so that another attempt at the same thing has the same: of git and its like the verb, of
/// others all words without what only quotes, pipes or places them. Digits are one mark.
std::string command_target(std::string_view command);

/// The same for each part of a command: what runs them all, with more around them, does what the command does.
std::vector<std::uint64_t> command_parts(std::string_view command);

/// Whether the output of a check speaks of success and of no failure.
bool says_success(std::string_view output);

/// What the output of a check tells where its exit code does not: success, failure, or nothing.
CheckEnd end_told(std::string_view output);

/// False when none of the words of a check can be a task runner: then it has no second name, and its output need not be
/// decoded for one.
bool names_runner(std::string_view check);

/// The check that a task runner says it runs, as it echoes it: "[test] $ go test ./...", "> vitest run", "$ tsc". Empty:
/// the command is no task runner's, or its output tells none. Ends with "…" where the runner cut it.
std::string second_name(std::string_view check, std::string_view output);

/// What a shell command does to files and to the history, as far as its words tell.
struct CommandEffects {
    struct Move {
        std::string from, to;
    };
    struct Done {
        DeedKind kind;
        std::string words;
    };
    std::vector<std::string> changed, deleted;  ///< paths, below the directory that the command goes to
    std::vector<std::string> created;  ///< of the changed: written as a whole, so they may be new
    std::vector<std::string> read;  ///< the same; without those that may not be there although the command succeeds
    std::vector<Move> moved;
    std::vector<Done> done;   ///< what others will see: pushes, pull requests, …
    bool commits = false, amends = false;
    std::string message;      ///< the first line of the commit's, where it is on the command line
    std::string repository;   ///< where it commits: empty = where the session works
    std::string makes_repository;  ///< where: git init
    bool scratch = false;     ///< it commits into a repository that it has just made, nobody knows where
    std::string branch;       ///< that it goes to; empty = it stays where it is
    std::vector<std::string> dropped;  ///< branches and work trees that are deleted
    bool drops_commits = false;        ///< of branches that were not merged, too
    bool undoes = false;      ///< takes uncommitted changes back: of `undone`, or of all files when it is empty
    std::vector<std::string> undone;
    bool stashes = false, unstashes = false;
    bool may_change = false;  ///< runs what may change files that it does not name: a script, a formatter, git pull
    bool empty() const { return changed.empty() && deleted.empty() && moved.empty(); }
};
/// `directory` is where the command begins, empty = the session's own.
CommandEffects effects_of(std::string_view command, std::string_view directory = {});

/// What a command does although it fails as a whole: "rm x; ls x" has the exit code of its last part, and what stands
/// before a `;` was done. Files alone: what else came of it the output tells.
struct SettledEffects {
    CommandEffects effects;
    std::vector<std::string> programs;  ///< that did it
    bool ends_looking = false;          ///< the part that failed only looks
};
SettledEffects settled_effects(std::string_view command, std::string_view directory = {});
/// Whether the output says that one of the programs failed, or that the shell did not get to them.
bool denies(std::string_view output, const SettledEffects& settled);

/// A commit as git tells it: "[main 5efdc56] docs: The plan".
struct ToldCommit {
    std::string branch, subject;
};
std::vector<ToldCommit> commits_told(std::string_view output);
/// Whether the output says that there was nothing to commit.
bool says_nothing_to_commit(std::string_view output);

/// A path below a directory, without "." and "..", where that is possible.
std::string joined_path(std::string_view directory, std::string_view path);

/// The files that a patch changes, deletes or moves: "*** Update File: x", "+++ b/x".
void add_patched_files(std::string_view text, CommandEffects& effects);

/// What no test, build or lint says anything about: texts and pictures.
bool is_prose(std::string_view path);

/// Words with runs of digits as one mark: attempts at the same thing differ in line numbers and sizes.
std::string masked(std::string_view text);

}  // namespace agent_audit::advice
