#include "detectors/commands/idle_command.hpp"

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

// What these tell is where one is, and how things stand there.
constexpr std::string_view kStates[] = {"date",
                                        "whoami",
                                        "id",
                                        "uname",
                                        "uptime",
                                        "hostname",
                                        "printenv",
                                        "free",
                                        "df",
                                        "ps",
                                        "jobs",
                                        "which",
                                        "nproc",
                                        "nvidia-smi",
                                        "lsb_release",
                                        "realpath",
                                        "pwd",
                                        "ls",
                                        "dir",
                                        "tree",
                                        "Get-Location",
                                        "Get-ChildItem",
                                        "Get-Date",
                                        "git status",
                                        "git branch",
                                        "git log",
                                        "git diff",
                                        "git ls-files",
                                        "git rev-parse",
                                        "git describe",
                                        "git remote -v",
                                        "git stash list",
                                        "git worktree list",
                                        "tmux ls",
                                        "docker ps",
                                        "docker images",
                                        "docker compose ps",
                                        "docker-compose ps"};
constexpr std::string_view kIdle[] = {"cd",
                                      "echo",
                                      "printf",
                                      "true",
                                      "false",
                                      ":",
                                      "sleep",
                                      "wait",
                                      "kill",
                                      "pkill",
                                      "killall",
                                      "test",
                                      "[",
                                      "[[",
                                      "ss",
                                      "netstat",
                                      "fuser",
                                      "export",
                                      "exit",
                                      "clear",
                                      "docker logs",
                                      "docker inspect",
                                      "docker stop",
                                      "docker compose logs",
                                      "docker compose stop",
                                      "docker compose down",
                                      "kubectl get",
                                      "kubectl describe",
                                      "kubectl logs",
                                      "kubectl top",
                                      "kubectl events",
                                      "docker-compose logs",
                                      "docker-compose stop",
                                      "docker-compose down",
                                      "systemctl status",
                                      "systemctl stop"};
constexpr std::string_view kServers[] = {"npm start",
                                         "npm run dev",
                                         "npm run start",
                                         "npm run serve",
                                         "npm run preview",
                                         "yarn dev",
                                         "yarn start",
                                         "yarn serve",
                                         "yarn preview",
                                         "yarn run dev",
                                         "yarn run start",
                                         "pnpm dev",
                                         "pnpm start",
                                         "pnpm serve",
                                         "pnpm preview",
                                         "pnpm run dev",
                                         "pnpm run start",
                                         "bun dev",
                                         "bun run dev",
                                         "bun run start",
                                         "next dev",
                                         "next start",
                                         "vite dev",
                                         "vite serve",
                                         "vite preview",
                                         "nuxt dev",
                                         "nuxi dev",
                                         "astro dev",
                                         "ng serve",
                                         "npx next dev",
                                         "npx next start",
                                         "npx vite dev",
                                         "npx vite preview",
                                         "npx serve",
                                         "npx http-server",
                                         "npx live-server",
                                         "http-server",
                                         "live-server",
                                         "python -m http.server",
                                         "python3 -m http.server",
                                         "python manage.py runserver",
                                         "python3 manage.py runserver",
                                         "flask run",
                                         "uvicorn",
                                         "gunicorn",
                                         "hypercorn",
                                         "rails server",
                                         "rails s",
                                         "bin/rails server",
                                         "bin/rails s",
                                         "php -S",
                                         "php artisan serve",
                                         "hugo server",
                                         "jekyll serve",
                                         "mkdocs serve",
                                         "streamlit run",
                                         "docker start",
                                         "docker compose start",
                                         "systemctl start",
                                         "systemctl restart"};
// What has an effect on the shell alone, for the commands behind it.
constexpr std::string_view kPrepares[] = {
    "cd",    "pushd", "popd",           "source",         ".",       "export",      "unset",
    "set",   "shopt", "alias",          "ulimit",         "umask",   "stty",        "reset",
    "clear", "cls",   "conda activate", "mamba activate", "nvm use", "module load", "Set-Location"};
// With these a look changes files or runs another program.
constexpr std::string_view kNoLooks[] = {" -delete", " -exec", " -ok", " -fprint"};
constexpr std::string_view kEnders[] = {"kill_shell", "kill_bash", "kill_terminal", "kill_process",
                                        "stop_bash",  "task_stop", "bash_stop"};

template <class Words>
bool begins_with_one(std::string_view command, const Words& words) {
    const std::string_view bare = without_folder(command);
    // Most words of these long tables differ in their first letter.
    return !bare.empty() && std::ranges::any_of(words, [bare](std::string_view one) {
        return one[0] == bare[0] && begins_with_words(bare, one);
    });
}

// `> file`, but not `2>&1`, `>/dev/null` and files for a moment.
bool writes_file(std::string_view command) {
    if (command.find('>') == command.npos) return false;
    const std::string hidden = with_quotes_hidden(command);
    for (std::size_t at = hidden.find('>'); at != hidden.npos; at = hidden.find('>', at + 1)) {
        std::string_view to = std::string_view(hidden).substr(at + 1);
        if (to.starts_with('>')) {
            to.remove_prefix(1);
            ++at;
        }
        if (to.starts_with('&') || to.starts_with('(')) continue;
        to = trimmed(to);
        if (!to.starts_with("/dev/") && !to.starts_with("/tmp/")) return true;
    }
    return false;
}

// curl -sO URL, curl --output a URL; `-o /dev/null` keeps nothing.
bool saves_answer(std::string_view command) {
    constexpr std::string_view kNowhere = "/dev/null";
    for (std::size_t at = command.find(" -"); at != command.npos; at = command.find(" -", at + 2)) {
        std::string_view rest = command.substr(at + 2);
        const std::string_view flag = rest.substr(0, rest.find(' '));
        rest.remove_prefix(flag.size());
        const bool saves = flag.starts_with("-output") || flag.starts_with("-remote-name") ||
                           (!flag.starts_with('-') && flag.find_first_of("oO") != flag.npos);
        if (saves && !trimmed(rest).starts_with(kNowhere)) return true;
    }
    return false;
}

// Looks of all kinds. An interpreter of scripts is none, whatever it is asked to do.
bool looks(std::string_view command) {
    const ToolClass c = classify_command({command, TextForm::plain});
    const bool asks = c == ToolClass::read || c == ToolClass::search || c == ToolClass::wait;
    return asks && !command.starts_with("perl") && !contains_any(command, kNoLooks);
}

WorkEffect effect_of(std::string_view command) {
    if (begins_with_one(command, kServers)) return WorkEffect::serves;
    if (writes_file(command)) return WorkEffect::unknown;
    if (begins_with_one(command, kStates) || begins_with_one(command, kIdle) || looks(command)) return WorkEffect::none;
    return begins_with_words(command, "curl") && !saves_answer(command) ? WorkEffect::asks : WorkEffect::unknown;
}

// What stands behind a pipe picks from what the command before it printed.
bool is_piped(std::string_view line, std::string_view command) {
    const std::string_view before = line.substr(0, static_cast<std::size_t>(command.data() - line.data()));
    const std::size_t last = before.find_last_not_of(' ');
    return last != before.npos && last > 0 && before[last] == '|' && before[last - 1] != '|';
}

bool prepares(std::string_view command) { return begins_with_one(command, kPrepares); }

// `gh auth status`, `conda info`, `aws sts get-caller-identity`, `node -v`: the sub-command of a program that only
// tells what it knows. What Git shows are texts, and has rows of its own.
bool names_question(std::string_view command) {
    constexpr std::string_view kQuestions[] = {"list", "ls",      "show",   "status",  "info",
                                               "get",  "current", "whoami", "version", "describe"};
    constexpr std::string_view kFlags[] = {"-v", "-V", "-version", "--version"};
    constexpr std::size_t kWords = 3;
    std::string_view rest = without_folder(command);
    if (rest.starts_with("git ")) return false;
    const auto next = [&rest] {
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(word.size());
        return word;
    };
    next();
    for (std::size_t i = 1; i < kWords; ++i) {
        const std::string_view word = next();
        if (word.empty() || word == "run" || word == "exec") return false;
        if (i == 1 && rest.empty() && std::ranges::find(kFlags, word) != std::end(kFlags)) return true;
        const std::string_view verb = word.substr(0, word.find('-'));
        const bool whole = verb.size() == word.size();
        const bool asks = std::ranges::find(kQuestions, verb) != std::end(kQuestions);
        if (asks && (!whole || verb != "get")) return true;  // `get x` may ask for anything
        if (word.find_first_of("./=") != word.npos || word.starts_with('-')) return false;
    }
    return false;
}

bool tells_state(std::string_view command) {
    constexpr std::string_view kBeside[] = {"echo", "printf", "true"};
    return begins_with_one(command, kStates) || begins_with_one(command, kBeside) || prepares(command) ||
           names_question(command);
}

}  // namespace

bool asks_for_state(RawText line) {
    if (line.empty() || line.size() >= StepText::kArgument) return false;
    const std::string text = decoded(line, StepText::kArgument);
    const auto commands = shell_commands(text);
    const auto looks_round = [&](const ShellCommand& one) {
        return tells_state(one.text) || (is_piped(text, one.whole) && looks(one.text));
    };
    return !commands.empty() && !writes_file(text) && std::ranges::all_of(commands, looks_round);
}

bool always_prints(RawText line) {
    constexpr std::string_view kPrint[] = {"pwd",      "date",   "whoami",       "id",       "uname",
                                           "hostname", "uptime", "nproc",        "df",       "ps",
                                           "printenv", "env",    "Get-Location", "Get-Date", "ls -l",
                                           "ls -a",    "ls -la", "ls -al",       "git log",  "git branch"};
    constexpr std::string_view kVersion = " --version", kEcho = "echo ";
    if (line.empty() || line.size() >= StepText::kArgument) return false;
    const std::string text = decoded(line, StepText::kArgument);
    if (text.find_first_of("|>;$`") != text.npos) return false;
    const auto commands = shell_commands(text);
    if (commands.empty()) return false;
    const std::string_view last = commands.back().text;
    return begins_with_one(last, kPrint) || last.ends_with(kVersion) ||
           (last.starts_with(kEcho) && last.size() > kEcho.size());
}

bool only_prepares(RawText line) {
    if (line.empty() || line.size() >= StepText::kArgument) return false;
    const std::string text = decoded(line, StepText::kArgument);
    const auto commands = shell_commands(text);
    return !commands.empty() &&
           std::ranges::all_of(commands, [](const ShellCommand& one) { return prepares(one.text); });
}

WorkEffect work_effect(RawText line) {
    if (line.empty() || line.size() >= StepText::kArgument) return WorkEffect::unknown;
    const std::string text = decoded(line, StepText::kArgument);
    WorkEffect most = WorkEffect::none;
    const auto commands = shell_commands(text);
    for (const ShellCommand& command : commands) most = std::max(most, effect_of(command.text));
    return commands.empty() ? WorkEffect::unknown : most;
}

bool ends_program(std::string_view raw_name) {
    return std::ranges::find(kEnders, std::string_view(snake_case(bare_tool_name(raw_name)))) != std::end(kEnders);
}

}  // namespace agent_audit::detectors
