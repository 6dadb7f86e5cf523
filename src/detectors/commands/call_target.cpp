#include "detectors/commands/call_target.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/shell_words.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostCall = 4096;
constexpr std::size_t kMostPatchFiles = 16;

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
        if (head.ends_with(runner) &&
            (head.size() == runner.size() ||
             std::isspace(static_cast<unsigned char>(head[head.size() - runner.size() - 1])) != 0))
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
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.';
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
        const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
        return given.size() > 1 && given.size() <= kMostLetters && given[0] == '-' &&
               std::ranges::all_of(given.substr(1), letter) &&
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

/// Calls `is` for each command of a line, until it says true.
template <class Is>
bool any_command(std::string_view line, Is&& is) {
    return std::ranges::any_of(shell_commands(line), is, &ShellCommand::text);
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

namespace {

// `cd deploy && rm prod.env`: words of a command that stand for files below the folder that the line went to.
bool changes_below(std::string_view line, std::string_view target) {
    constexpr std::string_view kChangers[] = {"rm ",     "mv ",    "cp ",     "tee ",     "truncate ",
                                              "touch ",  "sed -i", "perl -i", "perl -pi", "git rm ",
                                              "git mv ", "rmdir ", "unlink "};
    if (line.find("cd ") == line.npos) return false;
    std::string folder;
    return any_command(line, [&](std::string_view part) {
        if (part.starts_with("cd ")) {
            folder = trimmed(part.substr(3));
            while (folder.ends_with('/')) folder.pop_back();
            if (folder.find_first_of(" '\"$~-") != folder.npos || folder.starts_with("..")) folder.clear();
            return false;
        }
        if (folder.empty()) return false;
        const std::string shown = with_quotes_hidden(part);
        const std::size_t goes = shown.find('>');
        const bool changer = std::ranges::any_of(kChangers, [&](std::string_view c) { return part.starts_with(c); });
        if (!changer && goes == shown.npos) return false;
        std::string_view words = std::string_view(shown).substr(changer ? 0 : goes);
        if (part.starts_with("cp ")) words = words.substr(words.find_last_of(' '));
        words.remove_prefix(std::min(words.find(' '), words.size()));
        for (words = trimmed(words); !words.empty(); words = trimmed(words)) {
            std::string_view word = words.substr(0, words.find_first_of(" \t"));
            words.remove_prefix(word.size());
            if (word.starts_with("./")) word.remove_prefix(2);
            // Only a name is certain to be one: no pattern of sed, no variable, no way up.
            const bool name = !word.empty() && std::ranges::all_of(word, [](char c) {
                return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("._-").find(c) != std::string_view::npos;
            });
            if (name && word[0] != '-' && word != "." && word != ".." &&
                path_matches(folder + "/" + std::string(word), target))
                return true;
            if (!changer) return false;
        }
        return false;
    });
}

}  // namespace

bool changes_path(std::string_view line, std::string_view target, bool copies) {
    if (changes_below(line, target)) return true;
    constexpr std::string_view kChangers[] = {
        "rm ",     "mv ",      "cp ",           "tee ",         "truncate ", "chmod ",  "touch ", "sed -i",
        "perl -i", "perl -pi", "git checkout ", "git restore ", "git rm ",   "git mv ", "rmdir ", "mkdir ",
        "patch ",  "unlink ",  "ln ",           "rsync ",       "install -", "dd "};
    // Only where it goes.
    constexpr std::string_view kCopiers[] = {"cp ", "ln ", "rsync ", "install -"};
    return any_command(line, [&](std::string_view part) {
        const bool changer = std::ranges::any_of(kChangers, [&](std::string_view c) { return part.starts_with(c); });
        if (starts_with_any(part, kCopiers)) part = part.substr(part.find_last_of(' ') + 1);
        if (part.starts_with("dd ")) part = part.substr(std::min(part.find("of="), part.size()));
        if (changer && names_path(part, target, copies)) return true;
        const std::string shown = with_quotes_hidden(part);
        for (std::size_t at = shown.find('>'); at != shown.npos; at = shown.find('>', at + 1)) {
            if (at > 0 && (part[at - 1] == '-' || part[at - 1] == '=')) continue;
            std::string_view rest = trimmed(part.substr(at + 1));
            if (rest.starts_with('>')) rest = trimmed(rest.substr(1));
            if (names_path(rest.substr(0, rest.find(' ')), target, copies)) return true;
        }
        return false;
    });
}

namespace {

constexpr std::string_view kPatch = "*** Begin Patch",
                           kUpdated = "*** Update File: ", kAdded = "*** Add File: ", kRemoved = "*** Delete File: ";

// Is what a call is about the name of a file, and nothing else?
bool is_file_name(std::string_view text, bool runs_shell, ToolClass tool_class) {
    if (runs_shell || (tool_class != ToolClass::mutate && tool_class != ToolClass::read)) return false;
    return !text.empty() && text.size() < 512 && text.front() != '{' && text.find('\n') == text.npos &&
           text.find("*** ") == text.npos;
}

// The name behind a mark of a patch. In a script the lines of a patch are often parted by "\n", of which the second
// sign is a letter.
std::string_view patched_file(std::string_view text, std::string_view mark, std::size_t at) {
    constexpr std::string_view kNextLines[] = {"\\n@@", "\\n+", "\\n-", "\\n***", "\\n "};
    const std::size_t begin = at + mark.size();
    std::string_view name = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    if (name.find('\\') == name.npos) return name;
    for (const std::string_view next : kNextLines) name = name.substr(0, name.find(next));
    return name;
}

}  // namespace

std::string_view without_lines(std::string_view path) {
    // 10, 10-20, 10-, 10+5, 1-5,9-12
    const auto is_range = [](std::string_view text) {
        return text == "raw" || (!text.empty() && text[0] >= '0' && text[0] <= '9' &&
                                 text.find_first_not_of("0123456789-+,") == text.npos);
    };
    for (;;) {
        const std::size_t colon = path.rfind(':');
        if (colon == path.npos || colon < 2 || !is_range(path.substr(colon + 1))) return path;
        // The name of a file by its ending: "host:80" is none.
        const std::string_view rest = path.substr(0, colon);
        const std::string_view name = rest.substr(rest.find_last_of("/\\") + 1);  // npos + 1 = 0
        if (name.find('.') == name.npos) return path;
        path = rest;
    }
}

std::string file_of(bool runs_shell, ToolClass tool_class, RawText primary, RawText args) {
    std::string text = decoded(primary.empty() ? args : primary, kMostCall);
    if (is_file_name(text, runs_shell, tool_class)) return text;
    if (text.find(kPatch) == text.npos) return {};
    for (const std::string_view mark : {kUpdated, kAdded, kRemoved}) {
        const std::size_t at = text.find(mark);
        if (at != text.npos) return std::string(patched_file(text, mark, at));
    }
    return {};
}

CallTarget target_of(RawText tool, bool runs_shell, ToolClass tool_class, RawText primary, RawText args) {
    CallTarget call;
    call.tool = snake_case(bare_tool_name(tool.bytes));
    call.full_tool = tool.bytes;
    call.tool_class = tool_class;
    const std::string text = decoded(primary.empty() ? args : primary, kMostCall);
    if (runs_shell) call.command = text;
    if (is_file_name(text, runs_shell, tool_class))
        call.paths.emplace_back(tool_class == ToolClass::read ? without_lines(text) : std::string_view(text));
    call.creates = call.tool.starts_with("write") || call.tool.starts_with("create") ||
                   args.bytes.substr(0, kMostCall).find("\"create\"") != std::string_view::npos;
    if (text.find(kPatch) == text.npos) return call;
    call.creates = text.find(kUpdated) == text.npos && text.find(kRemoved) == text.npos;
    for (const std::string_view mark : {kUpdated, kAdded, kRemoved}) {
        for (std::size_t at = text.find(mark); at != text.npos && call.paths.size() < kMostPatchFiles;
             at = text.find(mark, at + 1)) {
            call.paths.emplace_back(patched_file(text, mark, at));
            if (mark == kRemoved) call.removed.push_back(call.paths.back());
            if (mark == kAdded) call.added.push_back(call.paths.back());
        }
    }
    call.tool_class = ToolClass::mutate;
    return call;
}

namespace {

// tests/x.py, pkg/x_test.go, a.spec.ts, FooTest.java
bool is_test_file(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
    for (const std::string_view mark :
         {"_test.", ".test.", ".spec.", "_spec.", "Test.java", "Tests.java", "Test.kt", "Tests.cs"}) {
        if (name.find(mark) != name.npos) return true;
    }
    if (name.starts_with("test_") || name == "conftest.py") return true;
    const std::string folders =
        "/" + std::string(slash == path.npos ? std::string_view{} : path.substr(0, slash)) + "/";
    return std::ranges::any_of(std::array<std::string_view, 5>{"/test/", "/tests/", "/__tests__/", "/spec/", "/specs/"},
                               [&](std::string_view folder) { return folders.find(folder) != folders.npos; });
}

bool is_code_file(std::string_view path) {
    constexpr std::string_view kOther[] = {".md",  ".txt",  ".rst",  ".json",  ".yaml", ".yml", ".toml",
                                           ".ini", ".cfg",  ".conf", ".env",   ".lock", ".csv", ".log",
                                           ".xml", ".html", ".svg",  ".patch", ".diff"};
    return std::ranges::none_of(kOther, [&](std::string_view ending) { return path.ends_with(ending); });
}

bool is_meant(Constraint::Which which, std::string_view path) {
    if (is_scratch(path)) return false;
    if (which == Constraint::Which::tests) return is_test_file(path);
    return which != Constraint::Which::code || is_code_file(path);
}

/// What a build or a tool makes again: nobody misses it.
bool is_made_again(std::string_view path) {
    constexpr std::string_view kNames[] = {"node_modules",  "dist",          "build",       "target", "__pycache__",
                                           ".pytest_cache", ".mypy_cache",   ".ruff_cache", ".cache", ".next",
                                           ".turbo",        ".tox",          ".venv",       "venv",   "coverage",
                                           "out",           ".parcel-cache", ".gradle"};
    for (std::size_t begin = 0, end = 0; begin < path.size(); begin = end + 1) {
        end = std::min(path.find('/', begin), path.size());
        if (std::ranges::find(kNames, path.substr(begin, end - begin)) != std::end(kNames)) return true;
    }
    return path.ends_with(".pyc") || path.ends_with(".o") || path.ends_with(".egg-info");
}

/// find … -delete, find … -exec rm, git clean -fd: which files go is not named, but files they are.
bool deletes_what_it_finds(std::string_view part) {
    const auto says = [&](std::string_view word) { return part.find(word) != part.npos; };
    if (part.starts_with("git clean ")) {
        // -X takes only what git ignores, and a build makes again.
        constexpr std::string_view kForced[] = {" -f", " -df", " -xf", " -xdf", " -dxf", " --force"},
                                   kKept[] = {" -n", " -fn", " -nf", " -dn", " -fdn", " --dry-run", "X"};
        return contains_any(part, kForced) && !contains_any(part, kKept);
    }
    if (!part.starts_with("find ") || (!says(" -delete") && !says(" -exec rm ") && !says(" -execdir rm ")))
        return false;
    std::string_view from = part.substr(5);
    from = from.substr(0, from.find(' '));
    constexpr std::string_view kMade[] = {"node_modules", "__pycache__", ".pyc", "cache", "/build", "/dist",
                                          "/target",      ".o'",         ".o\"", ".log",  ".tmp"};
    return !is_scratch(from) && !is_made_again(from) && !contains_any(part, kMade);
}

/// `git rm --cached a` only ends the tracking of a.
bool keeps_files(std::string_view part) {
    constexpr std::string_view kKeeps[] = {" --cached", " --dry-run", " -n "};
    return part.starts_with("git rm ") && contains_any(part, kKeeps);
}

bool is_own(const CallTarget& call, std::string_view path) {
    return std::ranges::find(call.own, path.substr(path.rfind('/') + 1)) != call.own.end();  // npos + 1 = 0
}

/// Has the agent made every file that a command removes or changes?
bool names_only_own(const CallTarget& call, std::string_view part) {
    if (call.own.empty()) return false;
    bool any = false;
    std::string_view words = part.substr(std::min(part.find(' '), part.size()));
    while (!(words = trimmed(words)).empty()) {
        const std::string_view word = words.substr(0, words.find_first_of(" \t"));
        words.remove_prefix(word.size());
        const bool file = word[0] != '-' && (word.find_first_of("./*$~") != word.npos || words.empty());
        if (file && !is_own(call, word)) return false;
        any = any || file;
    }
    return any;
}

/// Commands that remove files, or change them where they are, without those about scratch files, what is made again and
/// what the agent made itself.
bool changes_in_place(const CallTarget& call, bool deletes, Constraint::Which which) {
    constexpr std::string_view kRemovers[] = {"rm ", "git rm ", "unlink "};  // rmdir takes no folder with a file in it
    constexpr std::string_view kChangers[] = {"sed -i", "perl -i", "perl -pi", "patch "};
    return any_command(call.command, [&](std::string_view part) {
        const auto is = [&](std::string_view c) { return part.starts_with(c); };
        if (which == Constraint::Which::all_files && deletes_what_it_finds(part)) return true;
        if (!std::ranges::any_of(kRemovers, is) && (deletes || !std::ranges::any_of(kChangers, is))) return false;
        if (keeps_files(part)) return false;
        // The last word is a file, whatever stands before it.
        const std::string_view last = part.substr(part.find_last_of(" \t") + 1);
        return !last.starts_with('-') && !last.starts_with('$') && !is_made_again(last) && is_meant(which, last) &&
               !names_only_own(call, part);
    });
}

/// Makes a file that there may not be. Whether it was there before, the outcome must tell.
bool makes_file(const Constraint& c, const CallTarget& call) {
    const std::vector<std::string>& made = call.creates ? call.paths : call.added;
    return call.tool_class == ToolClass::mutate && std::ranges::any_of(made, [&](const std::string& path) {
               return c.which == Constraint::Which::named ? path_matches(path, c.target) : !is_scratch(path);
           });
}

/// Removes or renames the file, by a tool or by a command.
bool takes_path_away(const CallTarget& call, std::string_view target) {
    constexpr std::string_view kTools[] = {"delete", "remove", "rename", "move"};
    constexpr std::string_view kTakers[] = {"rm ", "git rm ", "unlink ", "rmdir ", "mv ", "git mv "};
    const bool tool =
        std::ranges::any_of(kTools, [&](std::string_view word) { return call.tool.find(word) != call.tool.npos; });
    const auto is_meant_path = [&](const std::string& path) { return is_path_of(path, target); };
    if (std::ranges::any_of(tool ? call.paths : call.removed, is_meant_path)) return true;
    return any_command(call.command, [&](std::string_view part) {
        return std::ranges::any_of(kTakers, [&](std::string_view taker) { return part.starts_with(taker); }) &&
               !keeps_files(part) && names_path(part, target);
    });
}

bool breaks_unnamed(const Constraint& c, const CallTarget& call) {
    if (!call.command.empty()) return changes_in_place(call, c.deletes, c.which);
    if (c.deletes && call.tool.find("delete") == call.tool.npos && call.tool.find("remove") == call.tool.npos)
        return false;
    if (call.tool_class != ToolClass::mutate || (c.existing && call.creates)) return false;
    const bool old = c.existing || c.deletes;  // what is new is not meant
    return std::ranges::any_of(
        call.paths, [&](const std::string& path) { return is_meant(c.which, path) && !(old && is_own(call, path)); });
}

/// Changes such a file that was there before: neither made by this call nor by one before it.
bool changes_existing(const CallTarget& call, std::string_view target) {
    return !call.creates && std::ranges::any_of(call.paths, [&](const std::string& path) {
        return is_path_of(path, target) && !is_own(call, path) &&
               std::ranges::find(call.added, path) == call.added.end();
    });
}

/// Nothing but flags, and the installer itself: `npm install --no-audit`, `pip install --upgrade pip`.
bool names_no_package(std::string_view words) {
    constexpr std::string_view kItself[] = {"pip", "setuptools", "wheel"},
                               kWithPlace[] = {"--prefix", "-C", "--cwd", "--dir"};
    bool place = false;
    while (!(words = trimmed(words)).empty()) {
        const std::string_view word = words.substr(0, words.find_first_of(" \t"));
        words.remove_prefix(word.size());
        const bool stream = word == "2" && words.empty();  // of "2>&1"
        if (!place && !stream && word[0] != '-' && std::ranges::find(kItself, word) == std::end(kItself)) return false;
        place = std::ranges::find(kWithPlace, word) != std::end(kWithPlace);
    }
    return true;
}

/// Asking pip for what a project lists already installs nothing that is new.
bool installs_known(std::string_view command, std::string_view target) {
    if (!target.ends_with(" install") && target != "npm i" && target != "go get") return false;
    const std::size_t at = command.find(target);
    if (at == command.npos) return false;
    std::string_view rest = trimmed(command.substr(at + target.size()));
    rest = trimmed(rest.substr(0, rest.find_first_of("&;|>\n")));
    return names_no_package(rest) || rest.starts_with("-r") || rest.starts_with("-e") || rest.starts_with('.') ||
           rest.starts_with("--requirement");
}

}  // namespace

std::vector<std::string> installed_packages(std::string_view line, std::string_view installer) {
    constexpr std::size_t kMost = 16;
    std::vector<std::string> packages;
    const std::size_t at = line.find(installer);
    if (at == line.npos) return packages;
    std::string_view words = line.substr(at + installer.size());
    words = words.substr(0, words.find_first_of("&;|>\n"));
    while (!(words = trimmed(words)).empty() && packages.size() < kMost) {
        std::string_view word = words.substr(0, words.find_first_of(" \t"));
        words.remove_prefix(word.size());
        while (!word.empty() && std::string_view("'\"").find(word.front()) != std::string_view::npos)
            word.remove_prefix(1);
        if (word.empty() || word[0] == '-') continue;
        // zod@3, "requests>=2", flask[async]; the first sign of @types/node is part of its name.
        word = word.substr(0, std::min(word.find_first_of("@=<>~![\"'", 1), word.size()));
        packages.emplace_back(word);
    }
    return packages;
}

namespace {

/// Could a file that a command names be this one, or lie in this folder? A relative path says nothing about the folder
/// that it is in, so only its own name tells.
bool could_be(std::string_view path, std::string_view target) {
    if (path_matches(path, target) || target.starts_with('~')) return true;
    if (path.starts_with('/')) return false;
    const std::string_view name = target.substr(target.rfind('/') + 1);  // npos + 1 = 0
    return !looks_like_path(name) || path_matches(path, name);
}

/// Is a file of a tool the one that was named, or does it lie in that folder?
bool is_named(const CallTarget& call, std::string_view path, std::string_view target) {
    if (!is_path_of(path, target)) return false;
    std::string_view below = path;
    if (!call.folder.empty() && path.starts_with(call.folder) && path.substr(call.folder.size()).starts_with('/'))
        below.remove_prefix(call.folder.size() + 1);
    return !is_in_copy(below, target);
}

/// One of the only places that may be changed: a named one, or the tests.
bool is_place(const Constraint& c, std::string_view path) {
    return c.which == Constraint::Which::tests ? is_test_file(path)
                                               : is_path_of(path, c.target) || may_lie_below(path, c.target);
}

/// What may be changed although the folder around it may not.
bool is_allowed_in(const Constraint& c, const CallTarget& call) {
    return std::ranges::any_of(c.allowed, [&](const std::string& place) {
        const auto lies_there = [&](const std::string& path) { return is_path_of(path, place); };
        return std::ranges::any_of(call.paths, lies_there) ||
               (!call.command.empty() && names_path(call.command, place));
    });
}

/// "Don't use cat or head to read files": behind a pipe they read none, nor does `cat > a <<EOF`.
bool only_filters(const Constraint& c, std::string_view line) {
    constexpr std::string_view kFilters[] = {"cat", "head", "tail", "grep", "rg", "sed", "awk", "less"}, kCat = "cat",
                               kHereDocument = "<<";
    constexpr std::string_view kReads[] = {" to read",     " to view",     " to look",      " to show",   " to print",
                                           " to search",   " to find",     " to inspect",   " to browse", " to explore",
                                           " for reading", " for viewing", " for searching"};
    if (std::ranges::find(kFilters, c.target) == std::end(kFilters) || !contains_any(lowered(c.sentence), kReads))
        return false;
    const std::string spaced = with_single_blanks(line);
    return std::ranges::all_of(shell_commands(spaced), [&](const ShellCommand& command) {
        if (!begins_with_words(command.text, c.target)) return true;
        const std::string_view before =
            trimmed(std::string_view(spaced).substr(0, static_cast<std::size_t>(command.whole.data() - spaced.data())));
        const bool behind_pipe = before.ends_with('|') && !before.ends_with("||");
        return behind_pipe || (c.target == kCat && command.whole.find(kHereDocument) != command.whole.npos);
    });
}

}  // namespace

bool names_only_places(const std::vector<Constraint>& constraints) {
    return std::ranges::find(constraints, Constraint::Kind::only_path, &Constraint::kind) != constraints.end();
}

std::string_view changed_outside(const std::vector<Constraint>& constraints, const CallTarget& call) {
    const auto allowed = [&](const std::string& path) {
        return std::ranges::any_of(constraints, [&](const Constraint& c) {
            return c.kind == Constraint::Kind::only_path && (could_be(path, c.target) || is_place(c, path));
        });
    };
    const auto outside = std::ranges::find_if_not(call.changed, allowed);
    return outside == call.changed.end() ? std::string_view{} : std::string_view(*outside);
}

const Constraint* broken_by(const std::vector<Constraint>& constraints, const CallTarget& call) {
    const bool changes = call.tool_class == ToolClass::mutate;
    const bool shell = !call.command.empty();
    bool scoped = false, inside = false;
    const Constraint* scope = nullptr;
    const Constraint* adds = nullptr;
    for (const Constraint& c : constraints) {
        switch (c.kind) {
            case Constraint::Kind::forbid_path:
                if (is_allowed_in(c, call)) break;
                if (c.adds) {
                    if (!adds && makes_file(c, call)) adds = &c;
                    break;
                }
                if (c.which != Constraint::Which::named) {
                    if (breaks_unnamed(c, call)) return &c;
                    break;
                }
                if (c.deletes) {
                    if (takes_path_away(call, c.target)) return &c;
                    break;
                }
                if (c.existing) {
                    if (changes && changes_existing(call, c.target)) return &c;
                    break;
                }
                if ((changes || c.any_access) && std::ranges::any_of(call.paths, [&](const std::string& path) {
                        return is_named(call, path, c.target);
                    }))
                    return &c;
                if (shell && changes_path(call.command, c.target, false)) return &c;
                if (shell && c.any_access && names_path(call.command, c.target)) return &c;
                break;
            case Constraint::Kind::forbid_command:
                if (shell && runs_command(call.command, c.target) &&
                    !(c.existing && installs_known(call.command, c.target)) && !only_filters(c, call.command))
                    return &c;
                break;
            case Constraint::Kind::forbid_tool:
                if (snake_case(c.target) == call.tool) return &c;
                break;
            case Constraint::Kind::only_path:
                if (!call.changed.empty() && !changed_outside(constraints, call).empty()) return &c;
                if (!changes || call.paths.empty()) break;
                scoped = true;
                if (!scope) scope = &c;
                inside = inside || std::ranges::all_of(call.paths, [&](const std::string& path) {
                             return is_scratch(path) || is_place(c, path) ||
                                    std::ranges::any_of(constraints, [&](const Constraint& other) {
                                        return other.kind == Constraint::Kind::only_path && is_place(other, path);
                                    });
                         });
                break;
        }
    }
    return scoped && !inside ? scope : adds;
}

}  // namespace agent_audit::detectors
