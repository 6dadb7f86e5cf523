#include "detectors/commands/command_class.hpp"

#include "detectors/commands/programs.hpp"
#include "detectors/commands/shell_line.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace agent_audit::detectors {
namespace {

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
    return eq != w.npos && eq > 0 && w.find('/') > eq && (is_letter(w[0]) || w[0] == '_');
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
            if (after_timeout && (w[0] == '-' || is_digit(w[0]))) continue;
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

// docker build, docker buildx build, docker compose build api.
bool builds_image(Words& w) {
    constexpr std::array<std::string_view, 3> kGroups{"buildx", "compose", "image"};
    return w[1] == "build" || (among(w[1], kGroups) && w[2] == "build");
}

// Few commands are one of a container; inlined, all would pay for them.
[[gnu::noinline]] ToolClass classify_container(Words& w) {
    if (lists_containers(w)) return ToolClass::poll;
    return builds_image(w) ? ToolClass::verify : ToolClass::shell;
}

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
        case Program::container: return classify_container(w);
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

}  // namespace agent_audit::detectors
