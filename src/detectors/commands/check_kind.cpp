#include "detectors/commands/check_kind.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/tool_class.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

struct KindWord {
    std::string_view word;
    CheckKinds kind;
};
// Whole words of a command: programs, and verbs of runners.
constexpr KindWord kWords[] = {
    {"pytest", kTestCheck},       {"vitest", kTestCheck},      {"jest", kTestCheck},
    {"mocha", kTestCheck},        {"ctest", kTestCheck},       {"rspec", kTestCheck},
    {"phpunit", kTestCheck},      {"ava", kTestCheck},         {"karma", kTestCheck},
    {"cypress", kTestCheck},      {"playwright", kTestCheck},  {"bats", kTestCheck},
    {"busted", kTestCheck},       {"unittest", kTestCheck},    {"newman", kTestCheck},
    {"cmake", kBuildCheck},       {"ninja", kBuildCheck},      {"gcc", kBuildCheck},
    {"g++", kBuildCheck},         {"cc", kBuildCheck},         {"clang", kBuildCheck},
    {"clang++", kBuildCheck},     {"rustc", kBuildCheck},      {"javac", kBuildCheck},
    {"kotlinc", kBuildCheck},     {"ghc", kBuildCheck},        {"scons", kBuildCheck},
    {"msbuild", kBuildCheck},     {"nvcc", kBuildCheck},       {"compileall", kBuildCheck},
    {"py_compile", kBuildCheck},  {"tsc", kTypeCheck},         {"vue-tsc", kTypeCheck},
    {"tsgo", kTypeCheck},         {"mypy", kTypeCheck},        {"pyright", kTypeCheck},
    {"basedpyright", kTypeCheck}, {"pyrefly", kTypeCheck},     {"pytype", kTypeCheck},
    {"svelte-check", kTypeCheck}, {"vet", kTypeCheck},         {"type-check", kTypeCheck},
    {"eslint", kLintCheck},       {"eslint_d", kLintCheck},    {"ruff", kLintCheck},
    {"flake8", kLintCheck},       {"pylint", kLintCheck},      {"black", kLintCheck},
    {"prettier", kLintCheck},     {"biome", kLintCheck},       {"rubocop", kLintCheck},
    {"rustfmt", kLintCheck},      {"gofmt", kLintCheck},       {"clippy", kLintCheck},
    {"shellcheck", kLintCheck},   {"oxlint", kLintCheck},      {"hadolint", kLintCheck},
    {"clang-tidy", kLintCheck},   {"staticcheck", kLintCheck}, {"stylelint", kLintCheck},
};
// Parts of the name of a script: test:unit, check-types, run_tests.sh.
constexpr KindWord kParts[] = {
    {"types", kTypeCheck},       {"typecheck", kTypeCheck}, {"tsc", kTypeCheck},    {"lint", kLintCheck},
    {"format", kLintCheck},      {"fmt", kLintCheck},       {"style", kLintCheck},  {"eslint", kLintCheck},
    {"test", kTestCheck},        {"tests", kTestCheck},     {"spec", kTestCheck},   {"specs", kTestCheck},
    {"e2e", kTestCheck},         {"pytest", kTestCheck},    {"build", kBuildCheck}, {"compile", kBuildCheck},
    {"diagnostics", kTypeCheck}, {"problems", kTypeCheck},  // of a language server
};
// What they run is written elsewhere, and may be more than its name says.
constexpr std::string_view kRunners[] = {
    "npm",     "yarn",  "pnpm", "bun",   "make",  "gmake",    "just", "task",  "tox", "nox", "rake",   "mvn", "gradle",
    "gradlew", "bazel", "nx",   "turbo", "lerna", "composer", "mise", "hatch", "pdm", "inv", "invoke", "sbt", "ant"};
// Behind these stands a place, or a name.
constexpr std::string_view kWithValue[] = {"--filter",    "-F",          "-C", "--prefix",  "--cwd",     "--dir", "-w",
                                           "--workspace", "--directory", "-p", "--package", "--project", "--with"};

template <class Rows>
CheckKinds kind_in(const Rows& rows, std::string_view word) {
    const auto row = std::ranges::find(rows, word, &KindWord::word);
    return row == std::end(rows) ? CheckKinds{} : row->kind;
}

CheckKinds kind_of_parts(std::string_view name) {
    constexpr std::string_view kBetween = ":-_.";
    CheckKinds kind = 0;
    while (!name.empty()) {
        const std::string_view part = name.substr(0, name.find_first_of(kBetween));
        const CheckKinds named = kind_in(kParts, part);
        // "test-types" is a check of types; of others the first word says what it is.
        if (named != 0 && (kind == 0 || named == kTypeCheck)) kind = named;
        name.remove_prefix(std::min(part.size() + 1, name.size()));
    }
    return kind;
}

// One command. Its first word that names a kind decides: `mypy tests` checks types.
CheckScope scope_of_command(std::string_view command) {
    CheckScope scope;
    bool runner = false;
    for (std::string_view rest = command; !(rest = trimmed(rest)).empty();) {
        std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(word.size());
        if (word.starts_with('-')) {
            if (std::ranges::find(kWithValue, word) != std::end(kWithValue)) {
                rest = trimmed(rest);
                rest.remove_prefix(std::min(rest.find_first_of(" \t"), rest.size()));
            }
            continue;
        }
        if (const std::size_t slash = word.rfind('/'); slash != word.npos) {
            word.remove_prefix(slash + 1);
            if (word.ends_with(".sh") || word.ends_with(".py") || word.ends_with(".js") || word.ends_with(".mjs"))
                runner = true;
        }
        runner = runner || std::ranges::find(kRunners, word) != std::end(kRunners);
        scope.names = kind_in(kWords, word);
        if (scope.names == 0) scope.names = kind_of_parts(word);
        if (scope.names != 0) break;
    }
    scope.settles = scope.names;
    if (scope.names == 0 || (runner && scope.names == kTestCheck))
        scope.settles = kEveryCheck;
    else if (scope.names == kTestCheck)
        scope.settles |= kBuildCheck | kTypeCheck;
    else if (scope.names == kBuildCheck)
        scope.settles |= kTypeCheck | (runner ? kLintCheck : CheckKinds{});
    else if (scope.names == kLintCheck && runner)
        scope.settles |= kTypeCheck;
    return scope;
}

}  // namespace

CheckScope scope_of_check(std::string_view raw_tool, RawText line) {
    CheckScope all;
    const std::string text = decoded(line, StepText::kArgument);
    bool any = false;
    for (const ShellCommand& command : shell_commands(text)) {
        if (classify_command({command.text, TextForm::plain}) != ToolClass::verify) continue;
        const CheckScope one = scope_of_command(command.text);
        all.names |= one.names;
        all.settles |= one.settles;
        any = true;
    }
    if (!any) {
        all.names = kind_of_parts(snake_case(bare_tool_name(raw_tool)));
        if (all.names == 0) all.names = scope_of_command(text).names;
        all.settles = kEveryCheck;
    }
    if (line.size() >= StepText::kArgument) all.settles = kEveryCheck;
    return all;
}

CheckKinds kinds_named_in(std::string_view text) {
    struct Row {
        std::string_view stem;
        CheckKinds kind;
    };
    constexpr Row kStems[] = {{"test", kTestCheck},    {"spec", kTestCheck},     {"suite", kTestCheck},
                              {"jest", kTestCheck},    {"测试", kTestCheck},     {"用例", kTestCheck},
                              {"单测", kTestCheck},    {"build", kBuildCheck},   {"compil", kBuildCheck},
                              {"构建", kBuildCheck},   {"编译", kBuildCheck},    {"打包", kBuildCheck},
                              {"type", kTypeCheck},    {"tsc", kTypeCheck},      {"mypy", kTypeCheck},
                              {"pyright", kTypeCheck}, {"lint", kLintCheck},     {"ruff", kLintCheck},
                              {"clippy", kLintCheck},  {"prettier", kLintCheck}, {"format", kLintCheck}};
    const std::string lower = lowered(text);
    CheckKinds kinds = 0;
    for (const Row& row : kStems) {
        if (lower.find(row.stem) != lower.npos) kinds |= row.kind;
    }
    return kinds;
}

std::string_view words_for(CheckKinds kind) {
    switch (kind) {
        case kTestCheck: return "the tests";
        case kBuildCheck: return "the build";
        case kTypeCheck: return "the type check";
        default: return "the linter";
    }
}

}  // namespace agent_audit::detectors
