#include "detectors/speech/stated_commands.hpp"

#include "detectors/speech/stated_tools.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostTarget = 120;
constexpr std::size_t kMostMentions = 8;
constexpr std::size_t kLongestRest = 64;  // words that are looked at behind a command

// Behind these verbs stands what must not be run.
constexpr std::string_view kRuns[] = {"use ", "run ", "call ", "execute ", "invoke ",
                                      "使用", "运行", "执行",  "调用",     "用"};
constexpr std::string_view kArticles[] = {" ",           "the ",         "any ",           "a ",
                                          "bare ",       "plain ",       "commands like ", "commands such as ",
                                          "tools like ", "things like ", "something like "};
// Programs that are ruled out by their bare names, and commands that are named without backticks.
constexpr std::string_view kCommands[] = {"git push",     "git commit",
                                          "git rebase",   "git reset",
                                          "git merge",    "git stash",
                                          "git checkout", "git add",
                                          "git tag",      "git clean",
                                          "git restore",  "git switch",
                                          "git branch",   "git",
                                          "npm install",  "npm publish",
                                          "npm audit",    "npm run build",
                                          "npm",          "pip install",
                                          "pip",          "yarn add",
                                          "yarn",         "pnpm add",
                                          "pnpm",         "cargo publish",
                                          "cargo",        "apt-get",
                                          "apt install",  "docker compose",
                                          "docker",       "kubectl",
                                          "terraform",    "sudo",
                                          "curl",         "wget",
                                          "rm",           "brew",
                                          "make install", "helm",
                                          "psql",         "ssh",
                                          "sed",          "awk",
                                          "perl",         "grep",
                                          "rg",           "xargs",
                                          "conda",        "cat",
                                          "head",         "tail",
                                          "npx",          "uvx",
                                          "bunx",         "pytest",
                                          "jest",         "vitest",
                                          "tox",          "eslint",
                                          "prettier",     "black",
                                          "ruff",         "mypy",
                                          "tsc",          "gh",
                                          "aws",          "gcloud",
                                          "systemctl",    "kill",
                                          "pkill",        "chmod",
                                          "chown",        "dd",
                                          "vim",          "nano",
                                          "make deploy",  "bun add",
                                          "uv add",       "poetry add",
                                          "bun",          "gradle",
                                          "mvn",          "npm test",
                                          "make test",    "cargo test",
                                          "go test",      "npm start",
                                          "tsgo",         "pyright"};
// Words of prose as well: only the command with more words, or with flags, is meant by them.
constexpr std::string_view kNeedMore[] = {"rm", "cargo"};
// "do not use sed to edit files": what for does not matter, another use is as unwelcome.
constexpr std::string_view kWhateverFor[] = {"sed", "awk", "perl", "grep", "rg", "curl", "wget", "cat", "head", "tail"};
// The words that belong to a command.
constexpr std::string_view kSubCommands[] = {
    "add",     "amend",   "apply",   "audit",     "branch",  "build",  "checkout", "ci",     "clean",   "commit",
    "compose", "create",  "delete",  "deploy",    "destroy", "down",   "exec",     "fix",    "i",       "init",
    "install", "logs",    "merge",   "prune",     "publish", "pull",   "push",     "rebase", "release", "remove",
    "reset",   "restart", "restore", "revert",    "rm",      "rmi",    "run",      "stash",  "stop",    "switch",
    "system",  "tag",     "test",    "uninstall", "up",      "update", "upgrade",  "volume", "image",   "apt",
    "apt-get", "npm",     "pip",     "origin",    "main",    "master"};
// One word of prose that means a command.
constexpr std::pair<std::string_view, std::string_view> kProse[] = {
    {"force-push", "git push --force"},
    {"force push", "git push --force"},
    {"commit", "git commit"},
    {"push", "git push"},
    {"rebase", "git rebase"},
    {"stash", "git stash"},
    {"amend", "git commit --amend"},
    {"强制推送", "git push --force"},
    {"提交", "git commit"},
    {"推送", "git push"},
};
// What may stand behind a command without narrowing it.
constexpr std::string_view kFree[] = {"anything",
                                      "any changes",
                                      "the changes",
                                      "your changes",
                                      "these changes",
                                      "my changes",
                                      "changes",
                                      "any code",
                                      "the code",
                                      "your code",
                                      "code",
                                      "any files",
                                      "the files",
                                      "files",
                                      "any work",
                                      "the work",
                                      "your work",
                                      "any commits",
                                      "the commits",
                                      "your commits",
                                      "commits",
                                      "the branch",
                                      "this branch",
                                      "your branch",
                                      "my branch",
                                      "the fix",
                                      "the result",
                                      "the results",
                                      "it",
                                      "this",
                                      "that",
                                      "them",
                                      "yourself",
                                      "by yourself",
                                      "on your own",
                                      "for me",
                                      "for this",
                                      "for that",
                                      "for it",
                                      "for anything",
                                      "at all",
                                      "here",
                                      "in here",
                                      "directly",
                                      "on this machine",
                                      "on this host",
                                      "on my machine",
                                      "now",
                                      "today",
                                      "yet",
                                      "for now",
                                      "for the moment",
                                      "at the moment",
                                      "right now",
                                      "ever",
                                      "please",
                                      "either",
                                      "thanks",
                                      "thank you",
                                      "tho",
                                      "though",
                                      "commands",
                                      "command",
                                      "to origin",
                                      "to the remote",
                                      "to remote",
                                      "to a remote",
                                      "to any remote",
                                      "to upstream",
                                      "to github",
                                      "to gitlab",
                                      "to the server",
                                      "upstream",
                                      "anywhere",
                                      "on anything",
                                      "in this session",
                                      "in this repo",
                                      "in this repository",
                                      "in this project",
                                      "in this monorepo",
                                      "in this codebase",
                                      "in this workspace",
                                      "in this environment",
                                      "in this sandbox",
                                      "in the sandbox",
                                      "on this server",
                                      "on this box",
                                      "from here",
                                      "in the repo",
                                      "in the repository",
                                      "in this task",
                                      "flags",
                                      "flag",
                                      "options",
                                      "option",
                                      "automatically",
                                      "whatsoever",
                                      "again",
                                      "any",
                                      "代码",
                                      "任何",
                                      "更改",
                                      "改动",
                                      "修改",
                                      "文件",
                                      "东西",
                                      "到远程",
                                      "到远端",
                                      "远程",
                                      "仓库",
                                      "我的",
                                      "你的",
                                      "这些",
                                      "命令",
                                      "指令",
                                      "来",
                                      "吧",
                                      "了"};
// The command is over; what follows says why.
constexpr std::string_view kReasons[] = {"so",      "as i",  "as we",     "i",        "we",
                                         "because", "since", "under any", "under no", "in any case"};
constexpr std::string_view kLists[] = {"and/or ", "or ", "and ", "nor ", "/ ", "、", "以及", "或者", "或", "和", "并"};

// A word of letters must end where they end, and be no part of a word with hyphens.
bool begins_with(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    if (static_cast<unsigned char>(word.back()) >= 0x80 || text.size() == word.size() || word.back() == ' ')
        return true;
    const char next = text[word.size()];
    if (next == ':' && word.size() + 1 < text.size() && text[word.size() + 1] != ' ')
        return false;  // npm run build:prod
    return !is_alnum(next) && next != '-' && next != '_';
}

template <std::size_t N>
std::size_t length_of_any(std::string_view text, const std::string_view (&words)[N]) {
    std::size_t longest = 0;
    for (const std::string_view word : words) {
        if (word.size() > longest && begins_with(text, word)) longest = word.size();
    }
    return longest;
}

template <std::size_t N>
bool is_any(std::string_view text, const std::string_view (&words)[N]) {
    return std::ranges::find(words, text) != std::end(words);
}

/// A clause, and the same in lower case; places are the same in both.
struct Clause {
    std::string_view said, lower;

    std::size_t blanks(std::size_t at) const {
        while (at < said.size() && said[at] == ' ') ++at;
        return at;
    }
    /// Up to the next blank or comma, without what ends a sentence.
    std::string_view word(std::size_t at) const {
        const std::size_t end = std::min(said.find_first_of(" ,;)`", at), said.size());
        std::string_view found = said.substr(at, end - at);
        found = found.substr(
            0, static_cast<std::size_t>(
                   std::ranges::find_if(found, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) -
                   found.begin()));
        while (found.size() > 1 && std::string_view(".:!?").find(found.back()) != std::string_view::npos)
            found.remove_suffix(1);
        return found;
    }
};

bool is_flag(std::string_view word) {
    return word.size() > 1 && word[0] == '-' && (is_letter(word[1]) || (word[1] == '-' && word.size() > 2));
}

struct Mention {
    std::string target;
    std::size_t end = 0;
};

// "--hard", "with --no-verify", "with the `--force` flag"; empty when no flag stands there.
std::string_view flag_at(const Clause& clause, std::size_t& at) {
    std::size_t from = clause.blanks(at);
    for (const std::string_view with : {"with ", "using ", "the "}) {
        if (clause.lower.substr(from).starts_with(with)) from = clause.blanks(from + with.size());
    }
    const bool ticked = from < clause.said.size() && clause.said[from] == '`';
    const std::string_view word = clause.word(from + (ticked ? 1 : 0));
    if (!is_flag(word)) return {};
    at = from + word.size() + (ticked ? 2 : 0);
    at = std::min(at, clause.said.size());
    return word;
}

// The sub-commands and flags that follow a command belong to it.
void absorb(const Clause& clause, Mention& mention, bool sub_commands) {
    while (mention.target.size() < kMostTarget) {
        if (const std::string_view flag = flag_at(clause, mention.end); !flag.empty()) {
            mention.target.append(" ").append(flag);
            sub_commands = false;
            continue;
        }
        if (!sub_commands) return;
        const std::size_t from = clause.blanks(mention.end);
        if (from == mention.end) return;
        const std::string_view word = clause.word(from);
        if (word != "." && !is_any(clause.lower.substr(from, word.size()), kSubCommands)) return;
        mention.target.append(" ").append(word);
        mention.end = from + word.size();
    }
}

// ./migrate.sh, scripts/deploy.py
std::optional<Mention> script_at(const Clause& clause, std::size_t at) {
    const std::string_view word = clause.word(at);
    const bool script =
        word.ends_with(".sh") || word.ends_with(".bash") || word.ends_with(".ps1") ||
        (word.starts_with("./") && word.size() > 2) ||
        (word.find('/') != word.npos && (word.ends_with(".py") || word.ends_with(".js") || word.ends_with(".rb")));
    if (!script) return {};
    return Mention{std::string(word), at + word.size()};
}

std::optional<Mention> mention_at(const Clause& clause, std::size_t at) {
    const std::string_view rest = clause.lower.substr(std::min(at, clause.lower.size()));
    if (rest.starts_with('`')) {
        const std::size_t close = rest.find('`', 1);
        if (close == rest.npos || close == 1 || close > kMostTarget) return {};
        const std::string_view word = trimmed(clause.said.substr(at + 1, close - 1));
        if (word.empty() || word[0] == '-' || is_tool_name(word)) return {};
        if (looks_like_path(word) && !script_at(clause, at + 1)) return {};
        Mention mention{std::string(word), at + close + 1};
        absorb(clause, mention, false);
        return mention;
    }
    for (const auto& [word, command] : kProse) {
        if (!begins_with(rest, word)) continue;
        Mention mention{std::string(command), at + word.size()};
        absorb(clause, mention, false);
        return mention;
    }
    if (std::optional<Mention> script = script_at(clause, at)) return script;
    const std::size_t length = length_of_any(rest, kCommands);
    if (length == 0) return {};
    Mention mention{std::string(rest.substr(0, length)), at + length};
    absorb(clause, mention, true);
    // "the rm command"
    if (is_any(mention.target, kNeedMore) && !clause.lower.substr(mention.end).starts_with(" command")) return {};
    return mention;
}

// Behind "or": a verb may be said again.
std::size_t object_at(const Clause& clause, std::size_t at) {
    at = clause.blanks(at);
    at += length_of_any(clause.lower.substr(std::min(at, clause.lower.size())), kRuns);
    for (std::size_t length = 1; length > 0 && at < clause.lower.size(); at += length)
        length = length_of_any(clause.lower.substr(at), kArticles);
    return std::min(at, clause.lower.size());
}

// Nothing stands there that narrows the command before it.
bool is_free(const Clause& clause, std::size_t at) {
    for (std::size_t n = 0; n < kLongestRest; ++n) {
        at = clause.blanks(at);
        if (at >= clause.said.size()) return true;
        const std::string_view rest = clause.lower.substr(at);
        const bool ends_sentence = rest[0] == '.' && (rest.size() == 1 || rest[1] == ' ' || rest[1] == '.');
        if (ends_sentence || std::string_view(",;:!?()").find(rest[0]) != std::string_view::npos) return true;
        for (const std::string_view mark : {"，", "。", "；", "！", "（", "）", "—", "–", "- "}) {
            if (rest.starts_with(mark)) return true;
        }
        if (length_of_any(rest, kReasons) > 0) return true;
        if (const std::size_t list = length_of_any(rest, kLists); list > 0) {
            // "commit or push to main": both only to main.
            const std::optional<Mention> next = mention_at(clause, object_at(clause, at + list));
            if (!next) return true;
            at = next->end;
            continue;
        }
        const std::size_t length = length_of_any(rest, kFree);
        if (length == 0) return false;
        at += length;
    }
    return false;
}

// "to any branch": the whole command.
constexpr std::string_view kAnyBranch[] = {"any branch", "any branches", "any remote branch", "any of the branches",
                                           "branches",   "a branch",     "any repo",          "any repository"};
constexpr std::string_view kMainBranches[] = {"main", "master"};
// Whatever their names, these are among them.
constexpr std::string_view kSharedBranches[] = {"shared branches",      "a shared branch",    "shared branch",
                                                "any shared branch",    "protected branches", "a protected branch",
                                                "any protected branch", "public branches",    "default branch"};

// What a push is ruled out for: branches, or any of them.
struct Branches {
    std::vector<std::string_view> names;
    bool any = false;
};

// "… directly to the main branch": the branches; none when none is named, or something narrows it further.
Branches branches_at(const Clause& clause, std::size_t at) {
    for (std::size_t n = 0; n < 4; ++n) {
        at = clause.blanks(at);
        at += length_of_any(clause.lower.substr(std::min(at, clause.lower.size())), kFree);
    }
    const auto rest = [&] { return clause.lower.substr(std::min(at, clause.lower.size())); };
    const auto skip = [&](std::string_view word) {
        at = clause.blanks(at);
        if (!rest().starts_with(word)) return false;
        at += word.size();
        return true;
    };
    skip("directly ");
    skip("straight ");
    if (!skip("to ") && !skip("到")) return {};
    skip("the ");
    at = clause.blanks(at);
    if (const std::size_t any = length_of_any(rest(), kAnyBranch); any > 0) return {{}, is_free(clause, at + any)};
    if (const std::size_t shared = length_of_any(rest(), kSharedBranches); shared > 0) {
        if (!is_free(clause, at + shared)) return {};
        return {{std::begin(kMainBranches), std::end(kMainBranches)}};
    }
    Branches found;
    // "main or master", "main/master"
    for (std::size_t end = at; found.names.size() < std::size(kMainBranches);) {
        const auto branch =
            std::ranges::find_if(kMainBranches, [&](std::string_view b) { return begins_with(rest(), b); });
        if (branch == std::end(kMainBranches)) {
            at = end;
            break;
        }
        at += branch->size();
        end = at;
        found.names.push_back(*branch);
        if (!skip("or ") && !skip("and ") && !skip("/")) break;
        at = clause.blanks(at);
    }
    if (found.names.empty()) return {};
    if (!skip("branches") && !skip("branch")) skip("分支");
    return is_free(clause, at) ? found : Branches{};
}

// A ban of a forced push holds for each of its flags; said with "--force" it leaves the careful one alone.
void add_command(const Clause& clause, std::string command, std::string_view branch,
                 std::vector<std::string>& commands) {
    constexpr std::string_view kForced = "git push --force";
    std::vector<std::string> names;
    if (command == kForced) {
        names.emplace_back("git push -f");
        if (clause.lower.find("--force") == std::string_view::npos) names.emplace_back("git push --force-with-lease");
    }
    names.push_back(std::move(command));
    for (std::string& name : names) {
        // "git push … --force main": both, anywhere behind it.
        if (!branch.empty())
            name = "git push …" + name.substr(std::string_view("git push").size()).append(" ").append(branch);
        commands.push_back(std::move(name));
    }
}

// The rules that mentions side by side make; `at` is where the last of them ends.
void take(const Clause& clause, std::vector<Mention> mentions, std::vector<std::string>& commands) {
    if (mentions.empty()) return;
    const std::size_t at = mentions.back().end;
    const std::string_view rest = trimmed(clause.lower.substr(at));
    const auto whatever_for = [](const Mention& m) { return is_any(m.target, kWhateverFor); };
    const bool purpose =
        (rest.starts_with("to ") || rest.starts_with("for ")) && std::ranges::all_of(mentions, whatever_for);
    const auto pushes = [](const Mention& m) { return m.target == "git push" || m.target.starts_with("git push -"); };
    Branches where;
    if (!purpose && !is_free(clause, at)) {
        if (!pushes(mentions.back())) return;
        where = branches_at(clause, at);
        if (where.names.empty() && !where.any) return;
        // "commit or push to main": of the push alone is known where.
        std::erase_if(mentions, [&](const Mention& m) { return !pushes(m); });
    }
    for (Mention& mention : mentions) {
        for (const std::string_view branch : where.names) add_command(clause, mention.target, branch, commands);
        if (where.names.empty()) add_command(clause, std::move(mention.target), {}, commands);
    }
}

// Where the list goes on: behind "or", "and", a comma.
std::size_t separator(const Clause& clause, std::size_t at) {
    std::size_t from = clause.blanks(at);
    if (from < clause.said.size() && clause.said[from] == ',') from = clause.blanks(from + 1);
    if (from < clause.said.size() && clause.said[from] == '/') return from + 1;
    const std::size_t list = from < clause.said.size() ? length_of_any(clause.lower.substr(from), kLists) : 0;
    return from + list;
}

}  // namespace

bool is_tool_name(std::string_view word) {
    return word.find(' ') == word.npos &&
           std::ranges::any_of(word, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
}

std::vector<std::string> ruled_out_commands(std::string_view said, std::string_view lower) {
    const Clause clause{said, lower};
    std::vector<std::string> commands;
    const auto runs = length_of_any(lower, kRuns);
    std::vector<Mention> mentions;
    std::size_t at = 0;
    for (std::size_t next = object_at(clause, 0); mentions.size() < kMostMentions;
         next = object_at(clause, separator(clause, at))) {
        std::optional<Mention> mention = mention_at(clause, next);
        // "do not start docker", "do not install git": what is named there is not run.
        if (!mention || (runs == 0 && mentions.empty() && mention->target.find(' ') == std::string::npos)) break;
        at = mention->end;
        // "git push -f or --force"
        const std::string base = mention->target.substr(0, mention->target.find(" -"));
        const bool flagged = base.size() < mention->target.size();
        mentions.push_back(std::move(*mention));
        const std::size_t other = separator(clause, at);
        if (flagged && other > clause.blanks(at) && other < said.size() && (said[other] == '-' || said[other] == '`')) {
            std::size_t end = other;
            if (const std::string_view flag = flag_at(clause, end); !flag.empty()) {
                mentions.push_back({base + " " + std::string(flag), end});
                at = end;
            }
        }
    }
    take(clause, std::move(mentions), commands);
    // "do not use --no-verify": a flag that is known by itself.
    constexpr std::string_view kUnchecked = "--no-verify";
    std::size_t flag = 0;
    if (at == 0 && runs > 0 && flag_at({said.substr(runs), lower.substr(runs)}, flag) == kUnchecked) {
        for (const std::string_view command :
             {"git commit --no-verify", "git push --no-verify", "git merge --no-verify"})
            commands.emplace_back(command);
    }
    // Backticks further on, each by itself.
    const std::size_t ends = at + length_of_ban(lower.substr(at));
    for (std::size_t open = said.find('`', at); open < ends && commands.size() < kMostMentions;) {
        const std::size_t close = said.find('`', open + 1);
        if (close == said.npos) break;
        std::optional<Mention> mention = mention_at(clause, open);
        if (mention && (runs > 0 || mention->target.find(' ') != std::string::npos))
            take(clause, {std::move(*mention)}, commands);
        open = said.find('`', close + 1);
    }
    // "do not deploy or push"
    if (at == 0) {
        for (const auto& [word, command] : kProse) {
            const std::size_t found = lower.find(std::string(" or ").append(word));
            if (found == lower.npos) continue;
            if (std::optional<Mention> mention = mention_at(clause, found + 4))
                take(clause, {std::move(*mention)}, commands);
        }
    }
    return commands;
}

bool says_stem(std::string_view text, std::string_view word) {
    const auto joins = [](char c) { return is_alnum(c) || c == '_'; };
    if (word.empty()) return false;
    const bool wide = static_cast<unsigned char>(word[0]) >= 0x80;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        std::size_t end = at + word.size();
        while (end < text.size() && is_letter(text[end])) ++end;
        if (wide || ((at == 0 || !joins(text[at - 1])) && (end == text.size() || !joins(text[end])))) return true;
    }
    return false;
}

bool names_in_prose(std::string_view said, std::string_view command) {
    return std::ranges::any_of(
        kProse, [&](const auto& prose) { return command.starts_with(prose.second) && says_stem(said, prose.first); });
}

}  // namespace agent_audit::detectors
