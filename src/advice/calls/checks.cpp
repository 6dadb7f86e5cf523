#include "advice/calls/checks.hpp"

#include "advice/calls/command_effects.hpp"
#include "advice/calls/work_files.hpp"
#include "advice/words/text.hpp"
#include "detectors/commands/tool_class.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

// Programs that the table of tools counts as checks, and that also do other things: they write files in a uniform way,
// configure a build, start or publish what was built. None of that says that the code is right.
bool does_something_else(const Part& part) {
    constexpr std::array<std::string_view, 4> kFormatters{"black", "prettier", "isort", "gofmt"};
    constexpr std::array<std::string_view, 6> kOnlyLooks{"--check", "--list-different", "-l", "--diff", "-d", "-c"};
    constexpr std::array<std::string_view, 26> kOtherTargets{
        "bench",   "benchmark", "benchmarks", "clean",  "codegen", "deploy",   "dev",   "distclean", "doc",
        "docs",    "down",      "fmt",        "format", "gen",     "generate", "help",  "init",      "install",
        "publish", "push",      "release",    "run",    "serve",   "setup",    "start", "up"};
    const auto [program, at] = program_of(part.words);
    const auto among = [](const auto& words, std::string_view word) {
        return std::ranges::find(words, word) != words.end();
    };
    const Words rest = arguments(part.words, at + 1);
    const bool looks = std::ranges::any_of(part.words, [&](const std::string& w) { return among(kOnlyLooks, w); });
    if (among(kFormatters, program)) return !looks;
    if (program == "ruff") return !rest.empty() && rest[0] == "format" && !looks;
    if (program == "cmake") return !has_option(part.words, "--build");
    // Here "run" says to test.
    if (program == "vitest" || program == "golangci-lint" || program == "cypress") return false;
    // Targets of make and its like: one that checks is enough.
    Words targets;
    for (const std::string& word : rest) {
        if (word.find('=') == word.npos) targets.push_back(word);
    }
    return !targets.empty() &&
           std::ranges::all_of(targets, [&](const std::string& word) { return among(kOtherTargets, word); });
}

// Where a program is told to work: make -C x, npm --prefix x.
std::string told_directory(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const std::string_view option : {"-C", "--prefix", "--cwd", "--directory"}) {
            if (words[i] == option && i + 1 < words.size() && is_path(words[i + 1])) return words[i + 1];
            if (words[i].size() > option.size() && words[i].starts_with(option) && words[i][option.size()] == '=')
                return words[i].substr(option.size() + 1);
        }
    }
    return {};
}

// Says "fail" or "error", and not "0 failed" or "no errors".
bool speaks_of_failure(std::string_view low) {
    for (const std::string_view word : {"fail", "error", "\u2717", "\u2716"}) {
        for (std::size_t at = low.find(word); at != low.npos; at = low.find(word, at + 1)) {
            std::size_t before = at;
            while (before > 0 && (low[before - 1] == ' ' || low[before - 1] == '(')) --before;
            std::size_t from = before;
            while (from > 0 && low[from - 1] > ' ' && low[from - 1] != '(') --from;
            const std::string_view said = low.substr(from, before - from);
            if (said == "0" || said == "no" || said == "without" || said == "zero") continue;
            std::size_t after = at;
            while (after < low.size() && low[after] >= 'a' && low[after] <= 'z') ++after;
            while (after < low.size() && (low[after] == ':' || low[after] == ' ' || low[after] == '=')) ++after;
            const bool none = after < low.size() && low[after] == '0' &&
                              (after + 1 == low.size() || low[after + 1] < '0' || low[after + 1] > '9');
            if (!none) return true;
        }
    }
    return false;
}

// The part of a tree that a path lies in: "packages/core" of packages/core/src/a.ts, "src" of src/a.ts; "" for the
// root.
std::string_view tree_of(std::string_view path) {
    constexpr std::array<std::string_view, 12> kCollections{"apps",     "crates",   "examples", "extensions",
                                                            "libs",     "modules",  "packages", "plugins",
                                                            "projects", "services", "tools",    "cmd"};
    while (path.starts_with("./")) path.remove_prefix(2);
    const std::size_t first = path.find('/');
    if (first == path.npos) return {};
    const std::string_view head = path.substr(0, first);
    if (std::ranges::find(kCollections, head) == kCollections.end()) return head;
    return path.substr(0, std::min(path.find('/', first + 1), path.size()));
}

// Tests and what was built stand beside what they are about.
bool stands_beside(std::string_view tree) {
    for (const std::string_view word :
         {"test", "spec", "__test", "build", "cmake-build", "out", "target", "dist", "e2e", "integration"}) {
        if (tree.starts_with(word)) return true;
    }
    return tree.empty() || tree == "." || tree == "..";
}

// The places that a check names, without those that only say where to build or what to read its settings from.
Words places_of(const Part& part) {
    constexpr std::array<std::string_view, 15> kOptions{
        "-C",       "-c",        "-f",          "-p",         "--build",
        "--config", "--cwd",     "--directory", "--file",     "--manifest-path",
        "--prefix", "--project", "--rootdir",   "--test-dir", "--outDir"};
    Words out;
    const auto [program, at] = program_of(part.words);
    for (std::size_t i = at + 1; i < part.words.size() && part.words[i] != ">" && part.words[i] != "2>"; ++i) {
        const std::string& word = part.words[i];
        if (std::ranges::find(kOptions, std::string_view(word)) != kOptions.end())
            ++i;
        else if (word.find('/') != word.npos && word[0] != '-' && word[0] != '@' && word.find("://") == word.npos &&
                 word.find('=') == word.npos)
            out.push_back(word);
    }
    return out;
}

// What lies above both: "packages" of packages/a and packages/b.
std::string common_directory(std::string_view a, std::string_view b) {
    std::size_t common = 0;
    for (std::size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
        const bool a_ends = i == a.size() || a[i] == '/', b_ends = i == b.size() || b[i] == '/';
        if (a_ends && b_ends) common = i;
        if (i == a.size() || i == b.size() || a[i] != b[i]) break;
    }
    return std::string(a.substr(0, common));
}

constexpr std::array<std::string_view, 7> kTaskRunners{"npm", "pnpm", "yarn", "bun", "mise", "task", "rush"};

}  // namespace

bool only_asks(const Part& part) {
    constexpr std::array<std::string_view, 7> kAsks{"--dry-run",      "--help",       "--version", "--list",
                                                    "--collect-only", "--just-print", "-n"};
    return std::ranges::any_of(
        part.words, [&](const std::string& w) { return std::ranges::find(kAsks, std::string_view(w)) != kAsks.end(); });
}

std::optional<bool> script_checks(const Part& part) {
    constexpr std::array<std::string_view, 9> kRunners{"npm",  "pnpm", "yarn", "bun",     "just",
                                                       "task", "mise", "rake", "composer"};
    constexpr std::array<std::string_view, 9> kChecks{"test", "tests", "lint",   "typecheck", "types",
                                                      "tsc",  "tsgo",  "eslint", "spec"};
    constexpr std::array<std::string_view, 4> kFirst{"check", "checks", "verify",
                                                     "ci"};  // "links:check" checks something else
    constexpr std::array<std::string_view, 9> kNone{"fix",   "watch",   "dev",    "deploy", "format",
                                                    "clean", "install", "update", "write"};
    const auto [program, at] = program_of(part.words);
    const auto among = [](const auto& list, std::string_view word) {
        return std::ranges::find(list, word) != list.end();
    };
    if (!among(kRunners, program)) return std::nullopt;
    std::string_view script;
    for (std::size_t i = at + 1; i < part.words.size() && script.empty(); ++i) {
        const std::string_view word = part.words[i];
        const bool takes_value = word == "--filter" || word == "-F" || word == "-w" || word == "--workspace" ||
                                 word == "workspace" || word == "--prefix" || word == "--cwd" || word == "-C" ||
                                 word == "--dir";
        if (takes_value)
            ++i;
        else if (!word.starts_with('-') && word != "run" && word != "run-script")
            script = word;
    }
    bool checks = false;
    for (std::size_t from = 0; from < script.size();) {
        const std::size_t end = std::min(script.find_first_of(":-_.", from), script.size());
        const std::string_view word = script.substr(from, end - from);
        if (among(kNone, word)) return false;
        checks = checks || among(kChecks, word) || (from == 0 && among(kFirst, word));
        from = end + 1;
    }
    if (!checks || script.find_first_of("-:_") == script.npos) return std::nullopt;
    return true;
}

bool is_verify(const Part& part) {
    if (only_asks(part) || does_something_else(part)) return false;
    if (const auto script = script_checks(part)) return *script;
    return detectors::classify_command({part.text, TextForm::plain}) == ToolClass::verify;
}

namespace {

// "do npm test", "then make": without what a shell says about when it runs.
Part without_keywords(Part part) {
    constexpr std::array<std::string_view, 8> kKeywords{"do", "then", "else", "if", "elif", "while", "until", "!"};
    while (part.words.size() > 1 && std::ranges::find(kKeywords, std::string_view(part.words[0])) != kKeywords.end()) {
        const std::size_t at = part.text.find(part.words[0]);
        if (at == part.text.npos) break;
        part.text.erase(0, std::min(part.text.find_first_not_of(' ', at + part.words[0].size()), part.text.size()));
        part.words.erase(part.words.begin());
    }
    return part;
}

}  // namespace

CheckPart check_of(std::string_view command, std::string_view directory) {
    CheckPart found;
    found.directory = directory;
    std::string base(directory);
    bool follows = false;  // on the success of the check before it
    for (const Part& told_part : split(command)) {
        const Part part = without_keywords(told_part);
        if (part.words.size() == 2 && part.words[0] == "cd") base = joined_path(base, part.words[1]);
        const bool verifies = is_verify(part);
        // Whatever passes on another state of the files says nothing about this one.
        const auto& w = part.words;
        if (!verifies && w.size() > 1 && w[0] == "git" && (w[1] == "checkout" || w[1] == "stash" || w[1] == "switch"))
            return {};
        if (verifies) {
            const std::string told = told_directory(part.words);
            const std::string place = told.empty() ? base : joined_path(base, told);
            found.directory = found.kind == CheckCommand::no ? place : common_directory(found.directory, place);
            if (found.kind == CheckCommand::no) found.kind = CheckCommand::own;
            const std::string words = one_line(unredirected(part.text), 120);
            if (found.words.find(words) == std::string::npos)
                found.words += (found.words.empty() ? "" : follows ? " && " : "; ") + words;
            follows = true;
        }
        follows = follows && part.end == "&&";
        found.edits_after = found.edits_after || (!verifies && found.kind != CheckCommand::no && changes_files(part));
        if (found.kind == CheckCommand::own && !part.end.empty() && part.end != "&&") found.kind = CheckCommand::mixed;
    }
    return found;
}

bool names_runner(std::string_view check) {
    return std::ranges::any_of(kTaskRunners, [&](std::string_view runner) { return check.find(runner) != check.npos; });
}

std::string second_name(std::string_view check, std::string_view output) {
    constexpr std::size_t kLooked = 16u << 10, kMost = 4;
    const auto is_runner = [&](const Part& part) {
        return std::ranges::find(kTaskRunners, std::string_view(program_of(part.words).name)) != kTaskRunners.end();
    };
    const std::vector<Part> parts = split(check);
    if (!std::ranges::all_of(parts, is_runner) || parts.empty()) return {};
    std::string out;
    std::size_t found = 0;
    bool names_package = false;  // "> app@1.0.0 test" stands above "> vitest run"
    output = output.substr(0, kLooked);
    while (!output.empty() && found < kMost) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        std::string_view line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        const std::size_t task = line.find("] ");
        std::string_view echoed;
        if (line.starts_with("$ "))
            echoed = line.substr(2);
        else if (line.starts_with('[') && task != line.npos && line.substr(task).starts_with("] $ "))
            echoed = line.substr(task + 4);
        else if (line.starts_with("task: [") && task != line.npos)
            echoed = line.substr(task + 2);
        else if (names_package && line.starts_with("> "))
            echoed = line.substr(2);
        names_package = line.starts_with("> ") && line.find('@') != line.npos && echoed.empty();
        const std::string words = echoed.empty() ? std::string() : check_of(echoed).words;
        if (words.empty()) continue;
        ++found;
        out += (out.empty() ? "" : " && ") + words;
    }
    return out;
}

CheckEnd end_told(std::string_view output) {
    constexpr std::size_t kLooked = 8u << 10;
    std::string text(output.substr(0, kLooked));
    if (output.size() > kLooked) text += output.substr(output.size() - std::min(kLooked, output.size() - kLooked));
    const std::string low = lowered(text);
    if (speaks_of_failure(low)) return CheckEnd::failed;
    for (const std::string_view word :
         {"passed", "passing", "pass", "ok", "success", "successfully", "succeeded", "0 errors", "0 failures",
          "0 failed", "no issues", "no errors", "built in", "finished", "up to date", "no fixes applied",
          "build complete", "build completed", "build] complete"}) {
        if (has_word(low, word)) return CheckEnd::passed;
    }
    return low.find("\u2713") != low.npos || low.find("\u2714") != low.npos ? CheckEnd::passed : CheckEnd::unclear;
}

int check_rank(std::string_view words) {
    const std::string low = lowered(words);
    const auto says = [&](std::initializer_list<std::string_view> list) {
        return std::ranges::any_of(list, [&](std::string_view word) { return has_word(low, word); });
    };
    const bool places = low.find('/') != low.npos || low.find("::") != low.npos || low.find(".test.") != low.npos ||
                        low.find("_test.") != low.npos || low.find(".py") != low.npos ||
                        says({"-k", "-t", "--filter", "-run", "--grep"});
    // "./..." is everything.
    const bool whole = !places || low.find("/...") != low.npos;
    if (says({"test", "tests", "pytest", "vitest", "jest", "ctest", "rspec", "phpunit", "mocha", "nox", "tox",
              "verify"}))
        return whole ? 5 : 4;
    if (says({"typecheck", "type-check", "check-types", "check:types", "types", "tsc", "tsgo", "vue-tsc",
              "svelte-check", "mypy", "pyright", "basedpyright", "pyrefly", "ty check", "vet"}))
        return 2;
    if (says({"build", "make", "ninja", "compile", "check", "mvn", "gradle", "gradlew", "xcodebuild", "bazel"}))
        return 3;
    return 1;
}

CheckTarget target_of_check(std::string_view words) {
    CheckTarget out;
    for (const Part& part : split(words)) {
        for (const std::string& word : arguments(part.words, 0)) {
            const bool place = word.find_first_of("/.") != word.npos || word.find("::") != word.npos;
            const bool runner =
                out.words.empty() && (word == "npx" || word == "bunx" || word == "pnpm" || word == "exec");
            if (!runner && word.find('=') == word.npos) (place ? out.places : out.words).push_back(word);
        }
    }
    return out;
}

bool covers_check(const CheckTarget& passed, const CheckTarget& failed) {
    const auto has_all = [](const Words& list, const Words& wanted) {
        return std::ranges::all_of(
            wanted, [&](const std::string& word) { return std::ranges::find(list, word) != list.end(); });
    };
    if (failed.words.empty() || !has_all(passed.words, failed.words)) return false;
    return passed.places.empty() || (!failed.places.empty() && has_all(passed.places, failed.places));
}

bool covers_check(std::string_view passed, std::string_view failed) {
    // A name that was cut: what passed ends its last word, and says no more.
    constexpr std::string_view kCut = "\u2026";
    if (failed.ends_with(kCut) && failed.size() > kCut.size()) {
        const std::string_view begin = failed.substr(0, failed.size() - kCut.size());
        if (passed.starts_with(begin) && passed.find(' ', begin.size()) == passed.npos) return true;
    }
    return passed == failed || covers_check(target_of_check(passed), target_of_check(failed));
}

bool reaches_from(std::string_view directory, std::string_view path) {
    if (directory.empty() || is_rooted(directory)) return true;
    // Tests and builds beside the sources: tests, build/release.
    while (!directory.empty() &&
           stands_beside(directory.substr(directory.rfind('/') == directory.npos ? 0 : directory.rfind('/') + 1))) {
        directory = directory.substr(0, directory.rfind('/') == directory.npos ? 0 : directory.rfind('/'));
    }
    if (directory.empty()) return true;
    if (path.starts_with(directory) && path.size() > directory.size() && path[directory.size()] == '/') return true;
    const std::string inside = "/" + std::string(directory) + "/";
    return is_rooted(path) ? path.find(inside) != path.npos : stands_beside(tree_of(path));
}

bool may_be_one_place(std::string_view a, std::string_view b) {
    const auto below = [](std::string_view path, std::string_view directory) {
        return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
    };
    return a.empty() || b.empty() || below(a, b) || below(b, a);
}

bool check_reaches(std::string_view check, std::string_view path) {
    const std::string_view tree = tree_of(path);
    bool named = false;
    for (const Part& part : split(check)) {
        const Words places = places_of(part);
        if (places.empty()) return true;
        for (const std::string& place : places) {
            const std::string_view of = tree_of(place);
            if (stands_beside(of) || is_rooted(place) || of == "..." || of == tree) return true;
            named = true;
        }
    }
    return !named;
}

}  // namespace agent_audit::advice
