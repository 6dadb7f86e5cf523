#include "detectors/engine/tool_class.hpp"

#include "detectors/engine/shell_line.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <vector>

namespace agent_audit {

namespace {

constexpr std::array<std::string_view, 9> kClassNames{"other", "read", "search", "mutate", "verify",
                                                      "shell", "poll", "wait",   "note"};

}  // namespace

std::string_view name(ToolClass tool_class) { return kClassNames[static_cast<std::size_t>(tool_class)]; }

namespace detectors {
namespace {

struct NameRow {
    std::string_view name;
    ToolNameClass what;
};

constexpr ToolNameClass kRead{ToolClass::read, false, false, false};
constexpr ToolNameClass kSearch{ToolClass::search, false, false, false};
constexpr ToolNameClass kMutate{ToolClass::mutate, false, false, false};
constexpr ToolNameClass kVerify{ToolClass::verify, false, false, false};
constexpr ToolNameClass kShell{ToolClass::shell, true, false, false};
constexpr ToolNameClass kPoll{ToolClass::poll, false, false, false};
constexpr ToolNameClass kWait{ToolClass::wait, false, false, false};
constexpr ToolNameClass kNote{ToolClass::note, false, false, false};

// The tools of the agents we read. How the words of a name are joined does not count: what one agent calls powershell
// is PowerShell in another. Sorted so, each name once.
constexpr NameRow kNames[] = {
    {"apply_diff", kMutate},
    {"apply_patch", kMutate},
    {"attempt_completion", kNote},
    {"await", kWait},
    {"bash", kShell},
    {"bash_output", kPoll},
    {"brave_web_search", kSearch},
    {"cat", kRead},
    {"codebase_search", kSearch},
    {"code_search", kSearch},
    {"command_status", kPoll},
    {"container_exec", kShell},
    {"copy_path", kMutate},
    {"create", kMutate},
    {"create_directory", kMutate},
    {"create_file", kMutate},
    {"create_new_file", kMutate},
    {"delete_file", kMutate},
    {"delete_path", kMutate},
    {"diagnostics", kVerify},
    {"directory_tree", kRead},
    {"edit", kMutate},
    {"edit_existing_file", kMutate},
    {"edit_file", kMutate},
    {"editor", kMutate},
    {"enter_plan_mode", kNote},
    {"exec", kShell},
    {"exec_command", kShell},
    {"execute", kShell},
    {"execute_bash", kShell},
    {"execute_command", kShell},
    {"execute_pwsh", kShell},
    {"exit_plan_mode", kNote},
    {"fetch", kSearch},
    {"fetch_url", kSearch},
    {"file_editor", {ToolClass::mutate, false, true, false}},
    {"file_search", kSearch},
    {"find", kSearch},
    {"find_by_name", kSearch},
    {"finder", kSearch},
    {"find_file", kSearch},
    {"find_files", kSearch},
    {"find_path", kSearch},
    {"fs_append", kMutate},
    {"fs_read", kRead},
    {"fs_write", {ToolClass::mutate, false, true, false}},
    {"get_command_status", kPoll},
    {"get_errors", kVerify},
    {"get_file_info", kRead},
    {"get_terminal_output", kPoll},
    {"glob", kSearch},
    {"google_web_search", kSearch},
    {"goto", kRead},
    {"grep", kSearch},
    {"grep_code", kSearch},
    {"grep_search", kSearch},
    {"insert", kMutate},
    {"insert_content", kMutate},
    {"insert_edit_into_file", kMutate},
    {"job_output", kPoll},
    {"list", kRead},
    {"list_code_definition_names", kRead},
    {"list_code_usages", kSearch},
    {"list_dir", kRead},
    {"list_directory", kRead},
    {"list_files", kRead},
    {"local_shell", kShell},
    {"local_shell_call", kShell},
    {"ls", kRead},
    {"move_file", kMutate},
    {"move_path", kMutate},
    {"multi_edit", kMutate},
    {"multi_replace_file_content", kMutate},
    {"multi_replace_string_in_file", kMutate},
    {"notebook_edit", kMutate},
    {"notebook_read", kRead},
    {"open", kRead},
    {"open_file", kRead},
    {"open_file_gen", kRead},
    {"patch", kMutate},
    {"power_shell", kShell},
    {"process", {ToolClass::other, false, true, false}},
    {"pwsh", kShell},
    {"read", kRead},
    {"read_bash", kPoll},
    {"read_file", kRead},
    {"read_files", kRead},
    {"read_lints", kRead},
    {"read_many_files", kRead},
    {"read_multiple_files", kRead},
    {"read_powershell", kPoll},
    {"read_terminal", kPoll},
    {"read_text_file", kRead},
    {"read_url_content", kSearch},
    {"read_web_page", kSearch},
    {"rename_file", kMutate},
    {"replace", kMutate},
    {"replace_file_content", kMutate},
    {"replace_in_file", kMutate},
    {"replace_string_in_file", kMutate},
    {"report_intent", kNote},
    {"ripgrep", kSearch},
    {"run_command", kShell},
    {"run_commands", kShell},
    {"run_in_terminal", kShell},
    {"run_shell_command", kShell},
    {"run_terminal_cmd", kShell},
    {"run_test", kVerify},
    {"run_tests", kVerify},
    {"scroll_down", kRead},
    {"scroll_up", kRead},
    {"search", kSearch},
    {"search_and_replace", kMutate},
    {"search_code", kSearch},
    {"search_dir", kSearch},
    {"search_file", kSearch},
    {"search_file_content", kSearch},
    {"search_files", kSearch},
    {"search_replace", kMutate},
    {"search_web", kSearch},
    {"semantic_search", kSearch},
    {"sequentialthinking", kNote},
    {"set_todo_list", kNote},
    {"shell", kShell},
    {"shell_command", kShell},
    {"single_find_and_replace", kMutate},
    {"sleep", kWait},
    {"str_replace", kMutate},
    {"str_replace_based_edit_tool", {ToolClass::mutate, false, true, false}},
    {"str_replace_editor", {ToolClass::mutate, false, true, false}},
    {"str_replace_file", kMutate},
    {"submit", kNote},
    {"symbol_search", kSearch},
    {"task_output", kPoll},
    {"task_tracker", kNote},
    {"tavily_search", kSearch},
    {"terminal", kShell},
    {"text_editor", {ToolClass::mutate, false, true, false}},
    {"think", kNote},
    {"thinking", kNote},
    {"todo", kNote},
    {"todo_read", kNote},
    {"todo_write", kNote},
    {"tool_search", kSearch},
    {"undo_edit", kMutate},
    {"unified_exec", kShell},
    {"update_plan", kNote},
    {"update_todo_list", kNote},
    {"view", kRead},
    {"view_code_item", kRead},
    {"view_file", kRead},
    {"view_file_outline", kRead},
    {"wait", kWait},
    {"wait_for", kPoll},
    {"wait_for_agent", kPoll},
    {"web_fetch", kSearch},
    {"web_search", kSearch},
    {"web_search_exa", kSearch},
    {"write", kMutate},
    {"write_file", kMutate},
    {"write_new_file", kMutate},
    {"write_stdin", {ToolClass::shell, false, false, true}},
    {"write_todos", kNote},
    {"write_to_file", kMutate},
};
constexpr bool name_before(std::string_view a, std::string_view b) { return compare_names(a, b) < 0; }
static_assert(std::ranges::adjacent_find(kNames, [](const NameRow& a, const NameRow& b) {
                  return !name_before(a.name, b.name);
              }) == std::end(kNames));

bool among(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

// What the first word of a command part says. One sorted table: this runs for every shell call.
enum class Program : std::uint8_t {
    unknown,
    read,
    search,
    mutate,
    verify,
    runner,
    git,
    quiet,
    wrapper,
    launcher,
    container,
    pause,
    timeout,
    editor,
    look,
    hub,
    each,
    probe
};

struct ProgramRow {
    std::string_view name;
    Program program;
};

constexpr ProgramRow kPrograms[] = {
    {":", Program::quiet},
    {"Add-Content", Program::mutate},
    {"Copy-Item", Program::mutate},
    {"Get-ChildItem", Program::read},
    {"Get-Content", Program::read},
    {"Get-Item", Program::read},
    {"Move-Item", Program::mutate},
    {"New-Item", Program::mutate},
    {"Out-File", Program::mutate},
    {"Remove-Item", Program::mutate},
    {"Rename-Item", Program::mutate},
    {"Select-String", Program::search},
    {"Set-Content", Program::mutate},
    {"Start-Sleep", Program::pause},
    {"Test-Path", Program::read},
    {"ack", Program::search},
    {"actionlint", Program::verify},
    {"ag", Program::search},
    {"ansible-lint", Program::verify},
    {"ant", Program::verify},
    {"apply_patch", Program::mutate},
    {"applypatch", Program::mutate},
    {"astro", Program::runner},
    {"ava", Program::verify},
    {"b2sum", Program::read},
    {"basedpyright", Program::verify},
    {"bats", Program::verify},
    {"bazel", Program::verify},
    {"biome", Program::verify},
    {"black", Program::verify},
    {"buck2", Program::runner},
    {"bun", Program::runner},
    {"bundle", Program::launcher},
    {"bunx", Program::wrapper},
    {"busted", Program::verify},
    {"cabal", Program::runner},
    {"cargo", Program::runner},
    {"cat", Program::read},
    {"cc", Program::verify},
    {"cd", Program::quiet},
    {"chmod", Program::mutate},
    {"chown", Program::mutate},
    {"cksum", Program::read},
    {"clang", Program::verify},
    {"clang++", Program::verify},
    {"clang-tidy", Program::verify},
    {"cmake", Program::verify},
    {"command", Program::wrapper},
    {"composer", Program::runner},
    {"cp", Program::mutate},
    {"cppcheck", Program::verify},
    {"ctest", Program::verify},
    {"curl", Program::probe},
    {"cypress", Program::verify},
    {"dart", Program::runner},
    {"date", Program::quiet},
    {"dd", Program::mutate},
    {"deno", Program::runner},
    {"df", Program::read},
    {"docker", Program::container},
    {"dotnet", Program::runner},
    {"du", Program::read},
    {"dune", Program::runner},
    {"echo", Program::quiet},
    {"egrep", Program::search},
    {"env", Program::wrapper},
    {"eslint", Program::verify},
    {"eslint_d", Program::verify},
    {"etcdctl", Program::probe},
    {"exec", Program::wrapper},
    {"export", Program::quiet},
    {"fd", Program::search},
    {"fgrep", Program::search},
    {"file", Program::read},
    {"find", Program::search},
    {"findstr", Program::search},
    {"flake8", Program::verify},
    {"flutter", Program::runner},
    {"g++", Program::verify},
    {"gcc", Program::verify},
    {"gh", Program::hub},
    {"ghc", Program::verify},
    {"git", Program::git},
    {"go", Program::runner},
    {"gofmt", Program::verify},
    {"golangci-lint", Program::verify},
    {"gradle", Program::verify},
    {"gradlew", Program::verify},
    {"grep", Program::search},
    {"grpc_health_probe", Program::probe},
    {"hadolint", Program::verify},
    {"hatch", Program::launcher},
    {"head", Program::read},
    {"helm", Program::runner},
    {"install", Program::mutate},
    {"inv", Program::runner},
    {"invoke", Program::runner},
    {"javac", Program::verify},
    {"jest", Program::verify},
    {"just", Program::runner},
    {"karma", Program::verify},
    {"kotlinc", Program::verify},
    {"ktlint", Program::verify},
    {"kubectl", Program::look},
    {"lake", Program::runner},
    {"latexmk", Program::verify},
    {"lein", Program::runner},
    {"less", Program::read},
    {"ln", Program::mutate},
    {"locate", Program::search},
    {"ls", Program::read},
    {"lsof", Program::search},
    {"make", Program::verify},
    {"mariadb-admin", Program::probe},
    {"markdownlint", Program::verify},
    {"markdownlint-cli2", Program::verify},
    {"md5", Program::read},
    {"md5sum", Program::read},
    {"meson", Program::runner},
    {"mise", Program::runner},
    {"mix", Program::runner},
    {"mkdir", Program::mutate},
    {"mocha", Program::verify},
    {"more", Program::read},
    {"msbuild", Program::verify},
    {"mv", Program::mutate},
    {"mvn", Program::verify},
    {"mypy", Program::verify},
    {"mysqladmin", Program::probe},
    {"nc", Program::probe},
    {"ncat", Program::probe},
    {"netcat", Program::probe},
    {"netstat", Program::search},
    {"newman", Program::verify},
    {"next", Program::runner},
    {"ng", Program::runner},
    {"nice", Program::wrapper},
    {"ninja", Program::verify},
    {"nl", Program::read},
    {"nohup", Program::wrapper},
    {"nox", Program::verify},
    {"npm", Program::runner},
    {"npx", Program::wrapper},
    {"nuxi", Program::runner},
    {"nuxt", Program::runner},
    {"nvcc", Program::verify},
    {"nx", Program::runner},
    {"oxlint", Program::verify},
    {"patch", Program::mutate},
    {"pdflatex", Program::verify},
    {"pdm", Program::launcher},
    {"perl", Program::editor},
    {"pg_isready", Program::probe},
    {"pgrep", Program::search},
    {"phpstan", Program::verify},
    {"phpunit", Program::verify},
    {"pidof", Program::search},
    {"pipenv", Program::launcher},
    {"pixi", Program::launcher},
    {"playwright", Program::runner},
    {"pnpm", Program::runner},
    {"pnpx", Program::wrapper},
    {"podman", Program::container},
    {"poetry", Program::launcher},
    {"pre-commit", Program::verify},
    {"prettier", Program::verify},
    {"printf", Program::quiet},
    {"promtool", Program::runner},
    {"ps", Program::search},
    {"psalm", Program::verify},
    {"pwd", Program::read},
    {"pylint", Program::verify},
    {"pyre", Program::runner},
    {"pyrefly", Program::runner},
    {"pyright", Program::verify},
    {"pytest", Program::verify},
    {"pytype", Program::verify},
    {"qstat", Program::look},
    {"rabbitmq-diagnostics", Program::probe},
    {"rabbitmqctl", Program::probe},
    {"rails", Program::runner},
    {"rake", Program::runner},
    {"redis-cli", Program::probe},
    {"rg", Program::search},
    {"rm", Program::mutate},
    {"rspec", Program::verify},
    {"rubocop", Program::verify},
    {"ruff", Program::verify},
    {"rustc", Program::verify},
    {"rustfmt", Program::verify},
    {"rye", Program::launcher},
    {"sbt", Program::runner},
    {"scons", Program::verify},
    {"sed", Program::editor},
    {"service", Program::look},
    {"sha1sum", Program::read},
    {"sha256sum", Program::read},
    {"sha512sum", Program::read},
    {"shasum", Program::read},
    {"shellcheck", Program::verify},
    {"sleep", Program::pause},
    {"sqlfluff", Program::verify},
    {"squeue", Program::look},
    {"ss", Program::search},
    {"stack", Program::runner},
    {"stat", Program::read},
    {"staticcheck", Program::verify},
    {"stylelint", Program::verify},
    {"sudo", Program::wrapper},
    {"sum", Program::read},
    {"svelte-check", Program::verify},
    {"swift", Program::runner},
    {"swiftlint", Program::verify},
    {"systemctl", Program::look},
    {"tail", Program::read},
    {"tar", Program::mutate},
    {"task", Program::runner},
    {"tee", Program::mutate},
    {"terraform", Program::runner},
    {"tflint", Program::verify},
    {"time", Program::wrapper},
    {"timeout", Program::timeout},
    {"tofu", Program::runner},
    {"touch", Program::mutate},
    {"tox", Program::verify},
    {"tree", Program::read},
    {"true", Program::quiet},
    {"truncate", Program::mutate},
    {"tsc", Program::verify},
    {"tsgo", Program::verify},
    {"turbo", Program::runner},
    {"ty", Program::runner},
    {"type", Program::read},
    {"unzip", Program::mutate},
    {"uv", Program::launcher},
    {"uvx", Program::wrapper},
    {"valkey-cli", Program::probe},
    {"vite", Program::runner},
    {"vitest", Program::verify},
    {"vue-tsc", Program::verify},
    {"wc", Program::read},
    {"wget", Program::probe},
    {"which", Program::search},
    {"xargs", Program::each},
    {"xcodebuild", Program::verify},
    {"yamllint", Program::verify},
    {"yarn", Program::runner},
    {"zcat", Program::read},
    {"zgrep", Program::search},
    {"zig", Program::runner},
};
static_assert(std::ranges::is_sorted(kPrograms, {}, &ProgramRow::name));

// Where the programs that begin with a byte stand in the table; most words are settled by their first byte.
constexpr auto kFirstByte = [] {
    std::array<std::uint8_t, 257> start{};
    std::size_t row = 0;
    for (std::size_t c = 0; c <= 256; ++c) {
        while (row < std::size(kPrograms) && static_cast<unsigned char>(kPrograms[row].name[0]) < c) ++row;
        start[c] = static_cast<std::uint8_t>(row);
    }
    return start;
}();
static_assert(std::size(kPrograms) < 256);

Program program_of(std::string_view word) {
    if (word.empty()) return Program::unknown;
    const auto c = static_cast<unsigned char>(word[0]);
    for (std::size_t row = kFirstByte[c]; row < kFirstByte[c + 1u]; ++row) {
        const std::string_view name = kPrograms[row].name;
        if (name.size() == word.size() && name.back() == word.back() && name == word) return kPrograms[row].program;
    }
    return Program::unknown;
}

constexpr std::array<std::string_view, 16> kBuildVerbs{
    "test",  "build",   "check",  "vet",   "clippy",  "lint",    "typecheck", "type-check",
    "tests", "compile", "verify", "bench", "nextest", "analyze", "validate",  "plan"};
// Of launchers (uv run …) and containers (docker exec …), before the command that they run.
constexpr std::array<std::string_view, 22> kLaunchOptionsWithValue{
    "--with", "--python",  "-p",           "--extra", "--group", "--project", "--directory", "--env-file",
    "-e",     "--env",     "-u",           "--user",  "-w",      "--workdir", "-v",          "--volume",
    "--name", "--network", "--entrypoint", "-f",      "--file",  "--platform"};
// Of runners, before the verb.
constexpr std::array<std::string_view, 9> kOptionsWithValue{
    "--filter", "-F", "--filter-prod", "--prefix", "--dir", "-C", "--cwd", "--workspace", "--manifest-path"};
// Of xargs, before the command that it runs.
constexpr std::array<std::string_view, 9> kXargsOptionsWithValue{"-n", "-P", "-I", "-L",         "-d",
                                                                 "-s", "-a", "-E", "--delimiter"};
// Things of GitHub and what may be asked of them without changing any.
constexpr std::array<std::string_view, 9> kHubThings{"pr",    "issue", "repo", "release", "workflow",
                                                     "label", "gist",  "auth", "cache"};
constexpr std::array<std::string_view, 4> kHubLooks{"view", "list", "diff", "status"};
constexpr std::array<std::string_view, 7> kHubSends{"-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"};
// Verbs of git that change nothing in the work tree; a fetch brings what others did and leaves the files as they are.
constexpr std::array<std::string_view, 33> kGitReads{
    "status",     "log",          "diff",          "show",       "ls-files",    "branch",      "remote",
    "blame",      "rev-parse",    "describe",      "config",     "cat-file",    "fsck",        "rev-list",
    "ls-tree",    "ls-remote",    "count-objects", "show-ref",   "show-branch", "verify-pack", "for-each-ref",
    "name-rev",   "check-ignore", "check-attr",    "merge-base", "shortlog",    "fetch",       "diff-tree",
    "diff-index", "diff-files",   "range-diff",    "cherry",     "whatchanged"};
struct GitVerb {
    std::string_view verb, action;
};
// Verbs of which only some actions look.
constexpr std::array<GitVerb, 6> kGitLooks{{{"worktree", "list"},
                                            {"stash", "list"},
                                            {"stash", "show"},
                                            {"submodule", "status"},
                                            {"notes", "show"},
                                            {"notes", "list"}}};
// Actions of a reflog that throw entries away.
constexpr std::array<std::string_view, 3> kReflogWrites{"expire", "delete", "drop"};
constexpr std::array<std::string_view, 17> kGitWrites{"add",   "commit", "checkout", "switch",  "reset", "stash",
                                                      "apply", "merge",  "rebase",   "restore", "am",    "cherry-pick",
                                                      "clean", "mv",     "pull",     "revert",  "rm"};

bool is_assignment(std::string_view w) {
    const auto eq = w.find('=');
    return eq != w.npos && eq > 0 && w.find('/') > eq &&
           (std::isalpha(static_cast<unsigned char>(w[0])) || w[0] == '_');
}

// The first words of a command part, split as far as somebody asks: most programs are known by their name alone.
// Wrappers, assignments and options of wrappers are left out, and the path of the program is cut.
class Words {
public:
    explicit Words(std::string_view part) : part_(part) { find_program(); }

    bool empty() const { return count_ == 0; }
    /// The program was named with the folder in which it is.
    bool in_folder() const { return in_folder_; }
    Program program() const { return program_; }
    /// What follows the program. To be called before the second word is.
    std::string_view rest() const { return part_.substr(at_); }
    /// What stands between a runner and its verb: pnpm --filter web test. To be called before the second word is.
    void skip_options() {
        for (;;) {
            const std::size_t before = at_;
            const std::string_view w = next();
            const bool workspace = w == "workspace" && word_[0] == "yarn";
            if (!workspace && (w.empty() || (w[0] != '-' && w[0] != '+'))) {
                at_ = before;
                return;
            }
            if (workspace || among(w, kOptionsWithValue) || (w == "-w" && word_[0] == "npm")) next();
        }
    }
    std::string_view operator[](std::size_t i) {
        while (count_ <= i) {
            const std::string_view w = next();
            if (w.empty()) return {};
            word_[count_++] = w;
        }
        return word_[i];
    }

private:
    std::string_view next() {
        const auto skipped = [](char c) { return c == ' ' || c == '\t' || c == '(' || c == '{'; };
        while (at_ < part_.size() && skipped(part_[at_])) ++at_;
        const std::size_t begin = at_;
        while (at_ < part_.size() && part_[at_] != ' ' && part_[at_] != '\t') ++at_;
        return part_.substr(begin, at_ - begin);
    }

    // Past "run --with x" of uv and its kin, past "compose exec -T app" of docker, when a command follows.
    bool skip_launch(Program launcher) {
        const std::size_t before = at_;
        std::string_view w = next();
        if (launcher == Program::container && w == "compose") w = next();
        bool runs = w == "run" || w == "exec";
        if (runs) skip_launch_options();
        if (runs && launcher == Program::container) next();  // where it runs
        const std::size_t command = at_;
        runs = runs && !next().empty();
        at_ = runs ? command : before;
        return runs;
    }
    void skip_launch_options() { skip_options_of(kLaunchOptionsWithValue); }
    void skip_options_of(std::span<const std::string_view> with_value) {
        for (;;) {
            const std::size_t before = at_;
            const std::string_view w = next();
            if (w.empty() || w[0] != '-') {
                at_ = before;
                return;
            }
            if (among(w, with_value)) next();
        }
    }

    // command -v name
    bool asks_where() const {
        Words rest = *this;
        const std::string_view option = rest.next();
        return option == "-v" || option == "-V";
    }

    void find_program() {
        bool after_timeout = false;
        for (std::string_view w = next(); !w.empty(); w = next()) {
            program_ = program_of(w);
            if (w == "command" && asks_where()) {
                program_ = Program::search;  // as `which` does
                word_[count_++] = w;
                return;
            }
            if (program_ == Program::wrapper || (program_ == Program::unknown && is_assignment(w))) continue;
            if (program_ == Program::each) {
                skip_options_of(kXargsOptionsWithValue);
                continue;
            }
            if (program_ == Program::timeout) {
                after_timeout = true;
                continue;
            }
            if ((program_ == Program::launcher || program_ == Program::container) && skip_launch(program_)) continue;
            if (after_timeout && (w[0] == '-' || std::isdigit(static_cast<unsigned char>(w[0])))) continue;
            if (const auto slash = w.rfind('/'); slash != w.npos && slash + 1 < w.size()) {
                in_folder_ = true;
                w.remove_prefix(slash + 1);
                program_ = program_of(w);
            }
            word_[count_++] = w;
            return;
        }
    }

    std::string_view part_;
    std::size_t at_ = 0;
    std::array<std::string_view, 4> word_;  // nobody asks for more than the third
    std::size_t count_ = 0;
    Program program_ = Program::unknown;
    bool in_folder_ = false;
};

// `rest`: what stands behind "git".
ToolClass classify_git(std::string_view rest) {
    std::array<std::string_view, 2> words;
    for (std::string_view& word : words) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (&word == words.data()) rest = past_git_options(rest, GitOptions::all);
        word = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(word.size());
    }
    const std::string_view verb = words[0], action = words[1];
    if (verb == "grep") return ToolClass::search;
    if (among(verb, kGitReads)) return ToolClass::read;
    if (verb == "reflog") return among(action, kReflogWrites) ? ToolClass::shell : ToolClass::read;
    const auto looks = [&](const GitVerb& row) { return row.verb == verb && row.action == action; };
    if (std::ranges::any_of(kGitLooks, looks)) return ToolClass::read;
    if (among(verb, kGitWrites)) return ToolClass::mutate;
    return ToolClass::shell;
}

// A request to the interface asks when it sends nothing: gh api repos/a/b/pulls.
bool hub_request_sends(std::string_view rest) {
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t="));
        const bool joined =
            word.size() > 2 && (word.starts_with("-X") || word.starts_with("-f") || word.starts_with("-F"));
        if (joined || word == "graphql" || among(word, kHubSends)) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

// Runs and checks go on, and are looked at until they end.
ToolClass classify_hub(Words& w) {
    const std::string_view rest = w.rest();
    if (w[1] == "api") return w[2].empty() || hub_request_sends(rest) ? ToolClass::shell : ToolClass::read;
    if (w[1] == "run" && w[2] == "view" && rest.find("--log-failed") != rest.npos)
        return ToolClass::verify;  // what the checks of the last push said
    if (w[1] == "run" && (w[2] == "view" || w[2] == "watch" || w[2] == "list")) return ToolClass::poll;
    if (w[1] == "pr" && w[2] == "checks") return ToolClass::poll;
    if (w[1] == "search") return ToolClass::search;
    return among(w[1], kHubThings) && among(w[2], kHubLooks) ? ToolClass::read : ToolClass::shell;
}

bool is_poll(Words& w) {
    if (w[0] == "kubectl")
        return w[1] == "get" || w[1] == "wait" || (w[1] == "rollout" && (w[2] == "status" || w[2].starts_with("-")));
    if (w[0] == "systemctl" || w[0] == "service") return w[1] == "status" || w[1] == "is-active";
    return true;  // qstat, squeue
}

bool is_word_of(std::string_view rest, const auto& wanted) {
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
        if (!word.empty() && wanted(word)) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

// http://localhost:8080/healthz, "db:9200/_cluster/health": what is asked there is whether something is up. Behind a ?
// more is asked.
bool is_health_page(std::string_view word) {
    constexpr std::array<std::string_view, 14> kPages{
        "health",    "healthz", "healthcheck", "health-check", "health_check", "ready",   "readyz",
        "readiness", "live",    "livez",       "liveness",     "ping",         "-/ready", "-/healthy"};
    while (!word.empty() && (word.back() == '"' || word.back() == '\'' || word.back() == '\\' || word.back() == '/' ||
                             word.back() == ')'))
        word.remove_suffix(1);
    return std::ranges::any_of(kPages, [word](std::string_view page) {
        return word.size() > page.size() && word.ends_with(page) && word[word.size() - page.size() - 1] == '/';
    });
}

// Programs made, or called here, to ask whether something is up yet: they fail until it is.
bool asks_whether_up(Words& w) {
    const std::string_view rest = w.rest(), program = w[0];
    const auto is = [](std::string_view one, std::string_view other = {}) {
        return [one, other](std::string_view word) { return word == one || (!other.empty() && word == other); };
    };
    if (program == "pg_isready" || program == "grpc_health_probe") return true;
    if (program == "curl" || program == "wget") {
        constexpr std::array<std::string_view, 9> kSends{"-d",     "--data", "-X",          "--request", "-F",
                                                         "--form", "-T",     "--post-data", "--json"};
        return is_word_of(rest, is_health_page) && !is_word_of(rest, [&](std::string_view word) {
                   return among(word, kSends) || word.starts_with("--data");
               });
    }
    if (program == "nc" || program == "ncat" || program == "netcat")
        return is_word_of(rest, [](std::string_view word) {
            return word[0] == '-' && !word.starts_with("--") && word.find('z') != word.npos;
        });
    if (program == "etcdctl") return is_word_of(rest, is("endpoint"));
    if (program.starts_with("rabbitmq")) return is_word_of(rest, is("ping", "check_running"));
    return is_word_of(rest, is("ping", "PING"));  // mysqladmin, redis-cli and their kin
}

bool lists_containers(Words& w) { return w[1] == "ps" || (w[1] == "compose" && w[2] == "ps"); }

// yarn test:unit, pnpm check-types: packages name their scripts so.
bool names_a_script_that_checks(std::string_view script) {
    constexpr std::array<std::string_view, 4> kVerbs{"test", "lint", "build", "check"};
    const std::string_view verb = script.substr(0, script.find_first_of(":-"));
    return verb.size() < script.size() && among(verb, kVerbs);
}

bool runs_checks(Words& w) {
    w.skip_options();
    if (among(w[1], kBuildVerbs)) return true;
    const bool packages =
        w[0] == "pnpm" || w[0] == "yarn" || w[0] == "bun";  // yarn tsc: they run what a package brings
    if (packages && (program_of(w[1]) == Program::verify || names_a_script_that_checks(w[1]))) return true;
    if (w[1] != "run" && w[1] != "exec" && !(packages && w[1] == "dlx")) return false;
    return among(w[2], kBuildVerbs) || program_of(w[2]) == Program::verify || w[2].starts_with("test") ||
           w[2].starts_with("lint") || w[2].starts_with("build") || w[2].starts_with("check");
}

// scripts/run-tests.sh, check.py, ./verify: a script whose name says that it checks.
bool names_a_check(std::string_view script) {
    constexpr std::array<std::string_view, 11> kWords{"test",     "tests", "check", "checks", "verify",   "lint",
                                                      "validate", "spec",  "specs", "ci",     "typecheck"};
    std::size_t begin = 0;  // of a part of the name, behind the last folder
    bool checks = false;
    for (std::size_t i = 0; i <= script.size(); ++i) {
        const char c = i < script.size() ? script[i] : '\0';
        if (c == '/') {
            checks = false;
            begin = i + 1;
        } else if (c == '\0' || c == '.' || c == '-' || c == '_') {
            checks = checks || among(script.substr(begin, i - begin), kWords);
            begin = i + 1;
        }
    }
    return checks;
}

// Checks that an interpreter runs, and scripts.
bool is_interpreted_check(Words& w) {
    constexpr std::array<std::string_view, 13> kModules{"pytest", "unittest",   "mypy",      "tox",     "nox",
                                                        "ruff",   "flake8",     "pylint",    "pyright", "basedpyright",
                                                        "pytype", "compileall", "py_compile"};
    constexpr std::array<std::string_view, 7> kInterpreters{"bash", "sh", "zsh", "node", "ruby", "perl", "deno"};
    const bool python = w[0].starts_with("python");
    if (python && w[1] == "-m") return among(w[2], kModules);
    if (python && w[1].ends_with("manage.py")) return w[2] == "test";
    if (w[0] == "node" && w[1] == "--test") return true;
    if (w[0] == "php" && w[1] == "artisan") return w[2] == "test";
    if (python || among(w[0], kInterpreters)) return !w[1].starts_with('-') && names_a_check(w[1]);
    return w.in_folder() && names_a_check(w[0]);
}

bool redirects(std::string_view part) { return part.find(" > ") != part.npos || part.find(">>") != part.npos; }

// X --version, X --help: whatever X does, it does nothing then.
bool asks_about_program(std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with("--")) return false;
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    return word == "--version" || word == "--help";
}

// `arrow`: there is a > in the part; searching for it again is worth it only then.
ToolClass classify_part(std::string_view part, bool arrow) {
    Words w(part);
    if (w.empty()) return ToolClass::note;
    if (asks_about_program(w.rest()) && w.program() != Program::quiet)
        return arrow && redirects(part) ? ToolClass::mutate : ToolClass::read;
    switch (w.program()) {
        case Program::pause: return ToolClass::wait;
        case Program::quiet: return arrow ? ToolClass::mutate : ToolClass::note;
        case Program::launcher: return among(w[1], kBuildVerbs) ? ToolClass::verify : ToolClass::shell;
        case Program::container: return lists_containers(w) ? ToolClass::poll : ToolClass::shell;
        case Program::look: return is_poll(w) ? ToolClass::poll : ToolClass::shell;
        case Program::hub: return classify_hub(w);
        case Program::probe: return asks_whether_up(w) ? ToolClass::poll : ToolClass::shell;
        case Program::git: return classify_git(w.rest());
        case Program::verify:
            return w[0] == "make" && (w[1] == "clean" || w[1] == "install") ? ToolClass::shell : ToolClass::verify;
        case Program::runner: return runs_checks(w) ? ToolClass::verify : ToolClass::shell;
        case Program::editor: return part.find(" -i") != part.npos ? ToolClass::mutate : ToolClass::read;
        case Program::mutate: return ToolClass::mutate;
        case Program::search: return ToolClass::search;
        case Program::read: return arrow && redirects(part) ? ToolClass::mutate : ToolClass::read;
        default: break;
    }
    return is_interpreted_check(w) ? ToolClass::verify : ToolClass::shell;
}

// How much a part decides about the whole command.
int weight(ToolClass c) {
    switch (c) {
        case ToolClass::verify: return 7;
        case ToolClass::mutate: return 6;
        case ToolClass::poll: return 5;
        case ToolClass::shell: return 4;
        case ToolClass::search: return 3;
        case ToolClass::read: return 2;
        case ToolClass::wait: return 1;
        default: return 0;
    }
}

// Bytes at which the splitter has to look closer; everything else is passed over.
constexpr auto kSpecial = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("'\"\\;\n|&>#")) table[static_cast<unsigned char>(c)] = true;
    return table;
}();

// The next of them at `i` or behind it.
std::size_t next_special(std::string_view s, std::size_t i) {
    while (i < s.size() && !kSpecial[static_cast<unsigned char>(s[i])]) ++i;
    return i;
}

// Length of a separator at `i`: && || ; | newline (also as the two bytes \n of a JSON string); 0 = none.
std::size_t separator(std::string_view s, std::size_t i) {
    const char c = s[i];
    if (c == ';' || c == '\n') return 1;
    if (c == '|') return i + 1 < s.size() && s[i + 1] == '|' ? 2 : 1;
    if (c == '&') return i + 1 < s.size() && s[i + 1] == '&' ? 2 : 0;
    if (c == '\\' && i + 1 < s.size() && s[i + 1] == 'n') return 2;
    return 0;
}

// Skips a quoted stretch that begins at `i` ('…', "…", \"…\"); returns the position after it, or i.
std::size_t skip_quoted(std::string_view s, std::size_t i) {
    if (s[i] == '\'') {
        const auto end = s.find('\'', i + 1);
        return end == s.npos ? s.size() : end + 1;
    }
    if (s[i] == '"') {
        const auto end = s.find('"', i + 1);
        return end == s.npos ? s.size() : end + 1;
    }
    if (s.substr(i, 2) == "\\\"") {
        const auto end = s.find("\\\"", i + 2);
        return end == s.npos ? s.size() : end + 2;
    }
    return i;
}

// Where the line ends that the comment at `i` fills to its end, as a newline or as the two bytes \n; `i` = it is no
// comment.
std::size_t skip_comment(std::string_view s, std::size_t i, std::size_t start) {
    if (s[i] != '#' || (i != start && s[i - 1] != ' ' && s[i - 1] != '\t')) return i;
    return std::min({s.find('\n', i), s.find("\\n", i), s.size()});
}

}  // namespace

std::span<const std::string_view> tool_class_names() { return kClassNames; }

std::vector<std::string_view> known_tools() {
    std::vector<std::string_view> names;
    for (const NameRow& row : kNames) names.push_back(row.name);
    return names;
}

ToolNameClass classify_tool(std::string_view raw_name, const ToolClassOverlay& overlay) {
    if (!overlay.empty()) {
        // The whole name first: mcp__github__read may be said to be something else than every other read.
        for (const std::string_view wanted : {raw_name, bare_tool_name(raw_name)}) {
            const auto set = overlay.find(snake_case(wanted));
            if (set == overlay.end()) continue;
            return set->second == ToolClass::shell ? kShell : ToolNameClass{set->second, false, false, false};
        }
    }
    return classify_tool(raw_name);
}

ToolNameClass classify_tool(std::string_view raw_name) {
    const std::string_view bare = bare_tool_name(raw_name);
    const auto found = std::ranges::lower_bound(kNames, bare, name_before, &NameRow::name);
    if (found != std::end(kNames) && same_name(found->name, bare)) return found->what;
    // poll_queue, await_result: whatever is waited for.
    const std::string key = snake_case(bare);
    const std::string_view verb = std::string_view(key).substr(0, key.find('_'));
    if (verb == "poll" || verb == "await") return kPoll;
    // read_process_output, get_task_output: what a program printed since.
    constexpr std::array<std::string_view, 9> kRunning{"process_", "background_", "terminal_", "shell_",  "task_",
                                                       "job_",     "command_",    "bash_",     "session_"};
    const auto names_program = [&](std::string_view part) { return key.find(part) != key.npos; };
    if (key.ends_with("_output") && std::ranges::any_of(kRunning, names_program) && !names_a_change(raw_name))
        return kPoll;
    // search_documents, query_db, issue_search; and not find_and_replace.
    constexpr std::array<std::string_view, 4> kLooks{"search", "find", "lookup", "query"};
    const bool looks = (verb.size() < key.size() && among(verb, kLooks)) || key.ends_with("_search");
    return looks && !names_a_change(raw_name) ? kSearch : ToolNameClass{};
}

bool asks_person(std::string_view tool) {
    const std::string key = snake_case(bare_tool_name(tool));
    for (const std::string_view part :
         {"ask_user", "ask_followup", "ask_follow_up", "ask_question", "ask_human", "request_user_input",
          "request_input", "get_user_input", "prompt_user", "user_question"}) {
        if (key.find(part) != key.npos) return true;
    }
    return key == "question" || key == "questions" || key == "ask" || key == "clarify";
}

bool names_a_change(std::string_view raw_name) {
    constexpr std::array<std::string_view, 40> kVerbs{
        "add",    "apply",  "assign",  "book",    "cancel", "change", "clear",    "close",   "commit",  "create",
        "delete", "deploy", "disable", "edit",    "enable", "exec",   "execute",  "insert",  "install", "merge",
        "modify", "move",   "post",    "publish", "put",    "remove", "rename",   "replace", "restart", "run",
        "save",   "send",   "set",     "start",   "stop",   "submit", "transfer", "update",  "upload",  "write"};
    // Work of hands and feet, as in households and games. They count where they come first: get_drive_status drives
    // nothing.
    constexpr std::array<std::string_view, 43> kHandiwork{
        "attach",  "attack", "build", "buy",   "chop",  "clean",  "climb", "collect", "cook", "cool", "craft",
        "cut",     "dig",    "drive", "drop",  "enter", "equip",  "fill",  "give",    "go",   "grab", "harvest",
        "heat",    "jump",   "leave", "lock",  "mine",  "pick",   "place", "plant",   "pour", "pull", "push",
        "release", "sell",   "shoot", "slice", "take",  "toggle", "turn",  "unlock",  "wash", "water"};
    constexpr std::array<std::string_view, 4> kPictures{"take_screenshot", "take_snapshot", "take_photo",
                                                        "take_picture"};
    const std::string name = snake_case(bare_tool_name(raw_name));
    if (among(std::string_view(name).substr(0, name.find('_')), kHandiwork)) return !among(name, kPictures);
    for (std::string_view rest = name; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        if (among(word, kVerbs)) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

namespace {

// ["git", "commit", "-m", "Fix it"] as a line, in which a text is no more than '': it is no command. Of
// ["bash", "-lc", "…"] the last element, which the shell is told to run.
std::string_view line_of_list(std::string_view list, std::string& line) {
    constexpr std::array<std::string_view, 5> kTellShell{"-c", "-lc", "-ic", "-Command", "/c"};
    for (std::size_t begin = list.find('"'); begin != list.npos; begin = list.find('"', begin)) {
        std::size_t end = ++begin;
        while (end < list.size() && list[end] != '"') end += list[end] == '\\' ? 2 : 1;
        end = std::min(end, list.size());
        const std::string_view element = list.substr(begin, end - begin);
        if (!line.empty()) line += ' ';
        line += element.find_first_of(" \\;|&<>()") == element.npos ? element : "''";
        if (line.size() > element.size() && among(element, kTellShell)) {
            const std::size_t told = list.find('"', end + 1);
            if (told == list.npos) break;
            list.remove_prefix(told + 1);
            if (list.ends_with("\"]")) list.remove_suffix(2);
            return list;
        }
        begin = std::min(end + 1, list.size());
    }
    return line;
}

}  // namespace

ToolClass classify_command(RawText command) {
    std::string_view s = command.bytes.substr(0, kClassedBytes);
    std::string line;
    if (command.form == TextForm::json_value && s.starts_with("[")) s = line_of_list(s, line);
    ToolClass best = ToolClass::note;
    bool waits = false;
    std::size_t start = 0;
    bool arrow = false;
    const auto take = [&](std::size_t end) {
        const ToolClass c = classify_part(s.substr(start, end - start), arrow);
        arrow = false;
        waits = waits || c == ToolClass::wait;
        if (weight(c) > weight(best)) best = c;
    };
    for (std::size_t i = next_special(s, 0); i < s.size(); i = next_special(s, i)) {
        if (s[i] == '>') {
            arrow = true;
            ++i;
        } else if (const std::size_t after = skip_quoted(s, i); after != i) {
            i = after;
        } else if (const std::size_t end = skip_comment(s, i, start); end != i) {
            take(i);
            start = i = end;
        } else if (const std::size_t n = separator(s, i); n > 0) {
            take(i);
            i += n;
            start = i;
        } else {
            ++i;
        }
    }
    take(s.size());
    if (waits && best != ToolClass::wait && best != ToolClass::mutate && best != ToolClass::verify)
        return ToolClass::poll;
    return best == ToolClass::note ? (waits ? ToolClass::wait : ToolClass::shell) : best;
}

namespace {

// What stands behind a key of a JSON object, and all that follows it; empty = no such key.
std::string_view behind_key(std::string_view args, std::string_view key) {
    const std::size_t at = args.find(key);
    if (at == args.npos) return {};
    args.remove_prefix(at + key.size());
    args.remove_prefix(std::min(args.find_first_not_of(" :"), args.size()));
    return args;
}

// write_stdin without characters only looks at a running program.
bool types_something(std::string_view args) {
    const std::string_view typed = behind_key(args, "\"chars\"");
    return !typed.empty() && !typed.starts_with("\"\"");
}

}  // namespace

bool stops_program(RawText primary, RawText args, std::span<const CallField> fields) {
    constexpr std::string_view kKeys[] = {"C-c", "ctrl+c", "ctrl-c", "^C"};
    constexpr std::string_view kEscape = "\\u0003", kByte = "\x03";
    if (among(primary.bytes, kKeys)) return true;
    // A name that no argument has, and none is, is looked for in vain.
    const auto says_chars = [](const CallField& field) { return field.name == "chars" || field.value == "chars"; };
    if (!fields.empty() && std::ranges::none_of(fields, says_chars)) return false;
    std::string_view typed = behind_key(args.bytes, "\"chars\"");
    if (!typed.starts_with('"')) return false;
    typed.remove_prefix(1);
    bool any = false;
    for (; typed.starts_with(kEscape) || typed.starts_with(kByte); any = true)
        typed.remove_prefix(typed.starts_with(kByte) ? kByte.size() : kEscape.size());
    return any && typed.starts_with('"');
}

std::string_view session_asked(std::string_view args) {
    std::string_view name = behind_key(args, "\"session_id\"");
    if (name.starts_with('"')) name.remove_prefix(1);
    return name.substr(0, std::min(name.find_first_not_of("0123456789"), name.size()));
}

ToolClass classify_call(const ToolNameClass& tool, RawText primary, RawText args) {
    if (tool.runs_shell) return classify_command(primary);
    if (tool.stdin_poll) {
        return types_something(args.bytes) ? ToolClass::shell : ToolClass::poll;
    }
    if (tool.by_action) {
        const auto says = [&](std::string_view word) {
            return args.bytes.substr(0, 2048).find(word) != args.bytes.npos;
        };
        if (tool.tool_class == ToolClass::mutate) return says("\"view\"") ? ToolClass::read : ToolClass::mutate;
        if (says("\"poll\"") || says("\"log\"") || says("\"list\"")) return ToolClass::poll;
        return ToolClass::shell;
    }
    return tool.tool_class;
}

}  // namespace detectors
}  // namespace agent_audit
