#pragma once

#include "advice/calls/command_line.hpp"

#include <agent_audit/advice/checkpoint.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// Tests, builds, lints and type checks: which commands are some, what they are about, and how they ended.

/// Whose exit code a command's is.
enum class CheckCommand : std::uint8_t {
    no,     ///< it runs no test, build or lint
    own,    ///< success of the whole says that the check passed
    mixed,  ///< a pipe, ; or || stands behind it: its output must tell
};
struct CheckPart {
    CheckCommand kind = CheckCommand::no;
    std::string words;         ///< of the checks alone
    bool edits_after = false;  ///< the same command changes something behind the check
    std::string directory;     ///< where they ran, or what lies above all such places; empty = where the session works
};
/// Tests, builds, lints and type checks; what only formats, configures, starts or publishes is none. `directory` is
/// where the command begins, empty = the session's own.
CheckPart check_of(std::string_view command, std::string_view directory = {});

/// How wide a check is: the whole of the tests 5, some of them 4, a build 3, a type check 2, a lint 1.
int check_rank(std::string_view words);

/// Whether a check can say anything about a file, as far as the places tell that its words name: a test of one package
/// says nothing about another. `path` is relative to where the check ran. A check that names no place reaches all.
bool check_reaches(std::string_view check, std::string_view path);
/// The same of a check that ran in a directory below the session's: in one package, or in a folder that stands beside
/// the sources. Both relative; a directory that is empty or no relative one reaches all.
bool reaches_from(std::string_view directory, std::string_view path);
/// Whether two checks in the same words may be one: not where they ran in two packages.
bool may_be_one_place(std::string_view a, std::string_view b);

/// What a check is told to run, taken apart once to be compared with many.
struct CheckTarget {
    std::vector<std::string> words, places;  ///< places: files, folders and names below them
};
CheckTarget target_of_check(std::string_view words);

/// Whether a check that passed says that another, which failed before, would pass: the same, or a wider one.
bool covers_check(const CheckTarget& passed, const CheckTarget& failed);
bool covers_check(std::string_view passed, std::string_view failed);

/// What the output of a check tells where its exit code does not: success, failure, or nothing.
CheckEnd end_told(std::string_view output);

/// False when none of the words of a check can be a task runner: then it has no second name, and its output need not be
/// decoded for one.
bool names_runner(std::string_view check);

/// The check that a task runner says it runs, as it echoes it: "[test] $ go test ./...", "> vitest run", "$ tsc".
/// Empty: the command is no task runner's, or its output tells none. Ends with "…" where the runner cut it.
std::string second_name(std::string_view check, std::string_view output);

/// Asks a tool about itself, or what it would do.
bool only_asks(const Part& part);

/// What the name of a script of the project says, of more than one word: "check-types" and "test:unit" check,
/// "lint:fix" and "test:watch" do not. Nothing: it runs no such script.
std::optional<bool> script_checks(const Part& part);

/// A test, a build, a lint, a type check.
bool is_verify(const Part& part);

}  // namespace agent_audit::advice
