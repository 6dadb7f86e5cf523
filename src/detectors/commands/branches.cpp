#include "detectors/commands/branches.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/shell_words.hpp"
#include "detectors/words/phrases.hpp"

namespace agent_audit::detectors {
namespace {

/// The words of a git command behind its options: "merge feature"; empty = another program.
std::string_view git_words(std::string_view command) {
    constexpr std::string_view kGit = "git ";
    if (!without_folder(command).starts_with(kGit)) return {};
    return past_git_options(without_folder(command).substr(kGit.size()), GitOptions::all);
}

/// Takes the next word off.
std::string_view next_word(std::string_view& words) {
    words = trimmed(words);
    const std::string_view word = words.substr(0, words.find_first_of(" \t"));
    words.remove_prefix(word.size());
    return word;
}

/// The branch that `checkout` or `switch` goes to; empty = none, or a file.
std::string_view branch_of(std::string_view words) {
    constexpr std::string_view kCheckout = "checkout", kSwitch = "switch", kFiles = "--";
    const std::string_view verb = next_word(words);
    if (verb != kCheckout && verb != kSwitch) return {};
    std::string_view branch;
    for (std::string_view word = next_word(words); !word.empty(); word = next_word(words)) {
        if (word == kFiles) return {};
        if (branch.empty() && word[0] != '-') branch = word;
    }
    return branch;
}

/// `merge feature`, and not `merge --abort`.
bool merges(std::string_view words) {
    constexpr std::string_view kMerge = "merge";
    if (next_word(words) != kMerge) return false;
    for (std::string_view word = next_word(words); !word.empty(); word = next_word(words)) {
        if (word[0] != '-') return true;
    }
    return false;
}

}  // namespace

bool merges_onto(std::string_view line, std::string_view branch, std::string_view current) {
    if (line.find("merge") == line.npos) return false;
    const std::string spaced = with_single_blanks(line);
    for (const ShellCommand& command : shell_commands(spaced)) {
        const std::string_view words = git_words(command.text);
        if (words.empty()) continue;
        if (const std::string_view next = branch_of(words); !next.empty()) current = next;
        if (current == branch && merges(words)) return true;
    }
    return false;
}

std::string branch_behind(std::string_view line, std::string_view current) {
    std::string behind(current);
    if (line.find("git") == line.npos) return behind;
    const std::string spaced = with_single_blanks(line);
    for (const ShellCommand& command : shell_commands(spaced)) {
        if (const std::string_view next = branch_of(git_words(command.text)); !next.empty()) behind = next;
    }
    return behind;
}

}  // namespace agent_audit::detectors
