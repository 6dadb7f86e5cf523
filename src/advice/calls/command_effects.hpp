#pragma once

#include "advice/calls/command_line.hpp"

#include <agent_audit/advice/checkpoint.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

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
    std::vector<std::string> created;           ///< of the changed: written as a whole, so they may be new
    std::vector<std::string> read;  ///< the same; without those that may not be there although the command succeeds
    std::vector<Move> moved;
    std::vector<Done> done;  ///< what others will see: pushes, pull requests, …
    bool commits = false, amends = false;
    std::string message;               ///< the first line of the commit's, where it is on the command line
    std::string repository;            ///< where it commits: empty = where the session works
    std::string makes_repository;      ///< where: git init
    bool scratch = false;              ///< it commits into a repository that it has just made, nobody knows where
    std::string branch;                ///< that it goes to; empty = it stays where it is
    std::vector<std::string> dropped;  ///< branches and work trees that are deleted
    bool drops_commits = false;        ///< of branches that were not merged, too
    bool undoes = false;  ///< takes uncommitted changes back: of `undone`, or of all files when it is empty
    std::vector<std::string> undone;
    std::vector<std::string>
        perhaps_undone;         ///< git checkout x: a file, if one of that name was changed, or else a branch
    std::size_t uncommits = 0;  ///< how many of the last commits are taken back: git reset HEAD~2
    bool reverts_last = false;  ///< the last commit, by another one
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

/// The files that a patch changes, deletes or moves: "*** Update File: x", "+++ b/x".
void add_patched_files(std::string_view text, CommandEffects& effects);

/// What others will see of a part of a command: a push, a pull request, a release.
std::optional<DeedKind> deed_of(const Part& part);

/// Whether a part changes files, or takes changes back.
bool changes_files(const Part& part);

}  // namespace agent_audit::advice
