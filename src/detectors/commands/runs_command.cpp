#include "detectors/commands/runs_command.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/shell_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

namespace agent_audit::detectors {
namespace {

// bash -c '…': what `python -c` is given is no command.
bool tells_shell(std::string_view head) {
    if (head.ends_with("-lc ")) return true;
    if (!head.ends_with("-c ")) return false;
    head = trimmed(head.substr(0, head.size() - 3));
    return head.ends_with("sh");  // sh, bash, zsh, dash
}

bool is_command_start(std::string_view line, std::size_t at) {
    while (at > 0 && line[at - 1] == ' ') --at;
    if (at == 0) return true;
    const char before = line[at - 1];
    if (before == ';' || before == '|' || before == '&' || before == '\n' || before == '(') return true;
    const std::string_view head = line.substr(0, at);
    // Programs that run the one that is named behind them.
    constexpr std::string_view kRunners[] = {"-m",        "npx",         "bunx",   "pnpm",       "yarn",
                                             "pnpm exec", "bundle exec", "uv run", "poetry run", "pipenv run",
                                             "nohup",     "exec",        "xargs"};
    for (const std::string_view runner : kRunners) {
        if (head.ends_with(runner) && (head.size() == runner.size() || is_space(head[head.size() - runner.size() - 1])))
            return runner != "-m" || head.find("python") != head.npos;
    }
    // What is quoted is text, unless a shell is told to run it.
    if (before == '\'' || before == '"') return tells_shell(head.substr(0, at - 1));
    constexpr std::string_view kStops = ";|&\n(`";
    const std::size_t stop = head.find_last_of(kStops);
    return leads_to_command(stop == head.npos ? head : head.substr(stop + 1));
}

// /usr/bin/git: where the word begins that ends with the program.
std::size_t program_start(std::string_view line, std::size_t at) {
    if (at == 0 || line[at - 1] != '/') return at;
    const std::size_t begin = line.find_last_of(" \t\n;|&(`'\"", at - 1) + 1;  // npos + 1 = 0
    return line[begin] == '/' ? begin : at;
}

bool ends_word(std::string_view line, std::size_t at) {
    if (at >= line.size()) return true;
    const char c = line[at];
    return !is_alnum(c) && c != '-' && c != '_' && c != '.';
}

// Calls `take` with the place behind every run of a command that begins with `words`, until it says true.
template <class Take>
bool any_run(std::string_view line, std::string_view words, Take&& take) {
    for (std::size_t at = line.find(words); at != line.npos; at = line.find(words, at + 1)) {
        if (ends_word(line, at + words.size()) && is_command_start(line, program_start(line, at)) &&
            take(at + words.size()))
            return true;
    }
    // git -C dir push, git --no-pager push
    constexpr std::string_view kGit = "git ";
    if (!words.starts_with(kGit)) return false;
    const std::string_view verb = words.substr(kGit.size());
    for (std::size_t at = line.find("git -"); at != line.npos; at = line.find("git -", at + 1)) {
        const std::string_view rest = past_git_options(line.substr(at + kGit.size()), GitOptions::all);
        const std::size_t next = line.size() - rest.size();
        if (rest.starts_with(verb) && ends_word(line, next + verb.size()) &&
            is_command_start(line, program_start(line, at)) && take(next + verb.size()))
            return true;
    }
    return false;
}

constexpr std::string_view kForcedRef = "+";  // any word that begins so

// Does `given` say the word that a rule names: --force for --force, -xfd for -f, HEAD:main for main?
bool says_word(std::string_view given, std::string_view wanted) {
    if (given == wanted || (wanted == kForcedRef && given.starts_with(kForcedRef))) return true;
    if (wanted.starts_with("--")) return given.starts_with(wanted) && given[wanted.size()] == '=';
    if (wanted.starts_with('-')) {
        constexpr std::size_t kMostLetters = 5;  // longer ones are words: -name, -auto-approve
        return given.size() > 1 && given.size() <= kMostLetters && given[0] == '-' &&
               std::ranges::all_of(given.substr(1), is_letter) &&
               std::ranges::all_of(wanted.substr(1), [&](char c) { return given.find(c, 1) != given.npos; });
    }
    const std::size_t colon = given.find(':');
    return colon != given.npos &&
           (given.substr(colon + 1) == wanted || given.substr(colon + 1) == std::string("refs/heads/").append(wanted));
}

// The words of the command that goes on at `at`, up to its end; what is quoted is text and no word.
bool command_says(std::string_view line, std::size_t at, std::string_view wanted) {
    while (at < line.size()) {
        const char c = line[at];
        if (c == ';' || c == '|' || c == '&' || c == '\n' || c == ')') return false;
        if (c == '"' || c == '\'') {
            at = line.find(c, at + 1);
            if (at == line.npos) return false;
            ++at;
            continue;
        }
        if (c == ' ' || c == '\t') {
            ++at;
            continue;
        }
        const std::size_t end = std::min(line.find_first_of(" \t;|&\n)\"'", at), line.size());
        if (says_word(line.substr(at, end - at), wanted)) return true;
        at = end;
    }
    return false;
}

// Names of one flag. What -f means elsewhere (`tail -f`) is something else.
struct FlagNames {
    std::string_view program;
    std::array<std::string_view, 3> names;
};
constexpr FlagNames kFlagNames[] = {
    {"rm", {"-r", "-R", "--recursive"}}, {"rm", {"-f", "--force"}},        {"cp", {"-r", "-R", "--recursive"}},
    {"cp", {"-f", "--force"}},           {"mv", {"-f", "--force"}},        {"ln", {"-f", "--force"}},
    {"chmod", {"-R", "--recursive"}},    {"chown", {"-R", "--recursive"}}, {"git", {"-f", "--force"}}};

// Some flag of a command of `program`, by whichever of its names.
bool command_says_named(std::string_view line, std::size_t at, std::string_view program, std::string_view wanted) {
    if (command_says(line, at, wanted)) return true;
    // git push origin +main
    if (program == "git" && (wanted == "-f" || wanted == "--force") && command_says(line, at, kForcedRef)) return true;
    return std::ranges::any_of(kFlagNames, [&](const FlagNames& flag) {
        return flag.program == program && std::ranges::find(flag.names, wanted) != flag.names.end() &&
               std::ranges::any_of(
                   flag.names, [&](std::string_view name) { return !name.empty() && command_says(line, at, name); });
    });
}

// -rf is said by -r -f as well; longer ones are words.
bool command_says_flag(std::string_view line, std::size_t at, std::string_view program, std::string_view wanted) {
    constexpr std::size_t kMostLetters = 4;
    const bool letters = wanted.size() > 2 && wanted.size() <= kMostLetters && wanted[0] == '-' && wanted[1] != '-';
    if (!letters) return command_says_named(line, at, program, wanted);
    return std::ranges::all_of(wanted.substr(1), [&](char letter) {
        return command_says_named(line, at, program, std::string("-") + letter);
    });
}

// By its ending: this is asked of every rule at every command.
bool is_script(std::string_view target) {
    return target.starts_with("./") || target.ends_with(".sh") || target.ends_with(".py") || target.ends_with(".js") ||
           target.ends_with(".rb") || target.ends_with(".bash") || target.ends_with(".ps1");
}

// bash migrate.sh, ./migrate.sh, python3 scripts/migrate.py
bool runs_script(std::string_view line, std::string_view script) {
    constexpr std::string_view kShells[] = {"bash",    "sh",   "zsh",  "dash", "source", "python",
                                            "python3", "node", "ruby", "perl", "pwsh",   "."};
    if (script.starts_with("./")) script.remove_prefix(2);
    for (std::size_t at = line.find(script); at != line.npos; at = line.find(script, at + 1)) {
        if (!ends_word(line, at + script.size())) continue;
        const std::size_t begin = at >= 2 && line.substr(at - 2, 2) == "./" ? at - 2 : at;
        if (begin > 0 && line[begin - 1] != ' ') continue;
        if (is_command_start(line, begin)) return true;
        const std::string_view head = trimmed(line.substr(0, begin));
        const std::size_t word = head.find_last_of(" ;&|(") + 1;  // of the program before it
        if (std::ranges::find(kShells, head.substr(word)) != std::end(kShells) && is_command_start(line, word))
            return true;
    }
    return false;
}

// With these words a command shows, lists or tries, and does nothing of what it is known for.
struct LookWords {
    std::string_view program;  // with which the command begins; empty = any
    std::string_view word;     // a flag anywhere in it, or the word right behind the program
};
constexpr LookWords kLookWords[] = {{"", "--help"},
                                    {"", "--dry-run"},
                                    {"", "--version"},
                                    {"", "-help"},
                                    {"", "--collect-only"},
                                    {"", "--listTests"},
                                    {"", "--list-tests"},
                                    {"", "--list"},
                                    {"", "--show-only"},
                                    {"pytest", "--co"},
                                    {"go test", "-list"},
                                    {"ctest", "-N"},
                                    {"cargo test", "--no-run"},
                                    {"make", "-n"},
                                    {"git push", "-n"},
                                    {"git add", "-n"},
                                    {"git stash", "list"},
                                    {"git stash", "show"},
                                    {"git tag", "-l"},
                                    {"git branch", "-l"}};

// Asked what it would do, a command does nothing; `at` is the place behind the words of `target`.
bool only_looks(std::string_view line, std::size_t at, std::string_view target) {
    const std::string_view rest = line.substr(at);
    if (rest == " -h" || rest.starts_with(" -h ")) return true;
    return std::ranges::any_of(kLookWords, [&](const LookWords& look) {
        if (!target.starts_with(look.program)) return false;
        if (look.word[0] == '-') return command_says(line, at, look.word);
        return target == look.program && rest.starts_with(' ') && rest.substr(1).starts_with(look.word) &&
               ends_word(line, at + 1 + look.word.size());
    });
}

bool command_runs(std::string_view line, std::string_view target) {
    if (any_run(line, target, [&](std::size_t behind) { return !only_looks(line, behind, target); })) return true;
    if (is_script(target) && runs_script(line, target)) return true;
    // Flags may stand anywhere in the command; so may what follows an ellipsis.
    constexpr std::string_view kAnywhere = " … ";
    const std::size_t gap = target.find(kAnywhere);
    const std::size_t head = std::min(gap, target.find(" -"));
    if (head == target.npos || head == 0) return false;
    const std::string_view program = target.substr(0, target.find(' '));
    const std::string_view named = target.substr(head + (head == gap ? kAnywhere.size() : 1));
    return any_run(line, target.substr(0, head), [&](std::size_t behind) {
        if (only_looks(line, behind, target.substr(0, head))) return false;
        for (std::size_t begin = 0, end = 0; begin < named.size(); begin = end + 1) {
            end = std::min(named.find(' ', begin), named.size());
            if (end > begin && !command_says_flag(line, behind, program, named.substr(begin, end - begin)))
                return false;
        }
        return true;
    });
}

}  // namespace

bool runs_command(std::string_view line, std::string_view target) {
    target = trimmed(target);
    std::string_view first = target.substr(0, target.find(' '));
    if (first.starts_with("./")) first.remove_prefix(2);
    if (first.empty() || line.find(first) == line.npos) return false;  // most rules are about other commands
    const std::string spaced = with_single_blanks(line);
    return std::ranges::any_of(shell_commands(spaced), [&](const ShellCommand& command) {
        return command_runs(with_quotes_hidden(command.whole), target);  // whole: sudo may be what is ruled out
    });
}

}  // namespace agent_audit::detectors
