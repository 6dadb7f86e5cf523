#include "advice/commands.hpp"

#include "advice/text.hpp"
#include "detectors/engine/tool_class.hpp"

#include <agent_audit/advice/session_memory.hpp>
#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::advice {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLongestPath = 300;
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kMostPaths = 32;
constexpr std::size_t kMostDeeds = 8;

struct Part {
    Words words;
    std::string text;
    std::string end;  // what follows it: && || ; | or nothing
};

// A command split where a shell would: quotes are respected, and a here-document ends what is looked at, since what
// follows is mostly its content.
std::vector<Part> split(std::string_view s) {
    std::vector<Part> parts(1);
    std::string word;
    bool in_word = false;
    const auto end_word = [&] {
        if (in_word) parts.back().words.push_back(std::move(word));
        word.clear();
        in_word = false;
    };
    const auto end_part = [&](std::string_view how) {
        end_word();
        if (parts.back().words.empty()) {
            parts.back().text.clear();
            return;
        }
        parts.back().end = how;
        parts.emplace_back();
    };
    bool heredoc = false;
    for (std::size_t i = 0; i < s.size() && parts.size() < kMostParts; ++i) {
        const char c = s[i];
        if (c == '\n' && heredoc) break;
        if (c != '\n') parts.back().text += c;
        if (c == '\\' && i + 1 < s.size()) {
            if (s[++i] == '\n') continue;
            word += s[i];
            parts.back().text += s[i];
            in_word = true;
        } else if (c == '\'' || c == '"') {
            in_word = true;
            while (++i < s.size() && s[i] != c) {
                parts.back().text += s[i];
                if (c == '"' && s[i] == '\\' && i + 1 < s.size()) parts.back().text += s[++i];
                word += s[i];
            }
            parts.back().text += c;
        } else if (c == ' ' || c == '\t' || c == '(' || c == ')' || c == '{' || c == '}') {
            if ((c == '{' || c == '}') && in_word) {
                word += c;
                continue;
            }
            end_word();
        } else if (c == '#' && !in_word) {
            parts.back().text.pop_back();
            while (i + 1 < s.size() && s[i + 1] != '\n') ++i;
        } else if (c == '<' && s.substr(i, 2) == "<<") {
            heredoc = true;
            end_word();
            ++i;
        } else if (c == '>') {
            const bool to_stream = in_word && !word.empty() && word != "1" && word != "&" && word.find_first_not_of("0123456789&") == word.npos;
            if (to_stream || word == "1" || word == "&") word.clear(), in_word = false;
            end_word();
            if (i + 1 < s.size() && s[i + 1] == '>') ++i;
            if (i + 1 < s.size() && s[i + 1] == '&') {
                ++i;
                while (i + 1 < s.size() && s[i + 1] >= '0' && s[i + 1] <= '9') ++i;
                continue;
            }
            parts.back().words.push_back(to_stream ? "2>" : ">");
        } else if (s.substr(i, 2) == "&&" || s.substr(i, 2) == "||") {
            parts.back().text.pop_back();
            end_part(s.substr(i, 2));
            ++i;
        } else if (c == ';' || c == '|' || c == '\n') {
            if (c != '\n') parts.back().text.pop_back();
            end_part(c == '|' ? "|" : ";");
        } else {
            word += c;
            in_word = true;
        }
    }
    end_word();
    if (parts.back().words.empty()) parts.pop_back();
    if (!parts.empty() && parts.back().end == ";") parts.back().end.clear();
    return parts;
}

bool is_path(std::string_view w) {
    if (w.empty() || w.size() > kLongestPath || w[0] == '-' || w[0] == '&' || w.starts_with("/dev/")) return false;
    return w.find_first_of("$*`?<>|\"'\n{}") == w.npos;
}

// Looks like a file and not like a word, a number or a range of lines.
bool is_file(std::string_view w) {
    if (!is_path(w) || w.find_first_of("./") == w.npos) return false;
    return w.find_first_not_of("0123456789.,p$") != w.npos && w != "." && w != "..";
}

void add(std::vector<std::string>& paths, const std::string& path) {
    if (paths.size() < kMostPaths && is_path(path) && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
}

// The program and where its arguments begin; assignments and wrappers are passed over.
struct Program {
    std::string name;
    std::size_t at = 0;
};
Program program_of(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        if (w == "sudo" || w == "env" || w == "command" || w == "exec" || w == "time" || w == "nohup") continue;
        if (w.find('=') != w.npos && w.find('/') > w.find('=')) continue;
        const std::size_t slash = w.rfind('/');
        return {slash == w.npos ? w : w.substr(slash + 1), i};
    }
    return {};
}

bool is_absolute(std::string_view path) {
    return path.starts_with('/') || path.starts_with('~') || (path.size() > 2 && path[1] == ':');
}

// A path that may have characters of patterns in it, as the names of routes have; no option and no substitution.
void add_any(std::vector<std::string>& paths, const std::string& path) {
    if (paths.size() < kMostPaths && !path.empty() && path[0] != '-' && path.size() <= kLongestPath && path.find_first_of("`*?\n") == path.npos) paths.push_back(path);
}

// Arguments that are no options, up to a redirection.
Words arguments(const Words& words, std::size_t from) {
    Words out;
    for (std::size_t i = from; i < words.size() && words[i] != ">" && words[i] != "2>"; ++i) {
        if (!words[i].empty() && words[i][0] != '-') out.push_back(words[i]);
    }
    return out;
}

bool has_option(const Words& words, std::string_view option) {
    return std::ranges::any_of(words, [&](const std::string& w) { return w == option || w.starts_with(std::string(option) + "="); });
}

// "-rf", "-fr", "-r": a letter among short options.
bool has_letter(const Words& words, char letter) {
    return std::ranges::any_of(words, [&](const std::string& w) {
        return w.size() > 1 && w[0] == '-' && w[1] != '-' && w.find(letter) != w.npos;
    });
}

// "mv a b", "mv a dir/": the file keeps its name in a directory.
void add_move(const std::string& from, std::string to, CommandEffects& out) {
    if (to == "." || to.ends_with('/')) to = (to == "." ? "" : to) + from.substr(from.rfind('/') + 1);
    if (is_path(from) && is_path(to) && out.moved.size() < kMostPaths) out.moved.push_back({from, to});
}

// "$(cat <<'EOF'\nfix: …": what is quoted is a here-document, or one of PowerShell's, and its first line the subject.
std::string subject_of(std::string_view message) {
    const bool here = (message.starts_with("$(") && message.find("<<") != message.npos) || message.starts_with("@\n");
    if (message.starts_with('$') && !here) return {};
    if (here) message.remove_prefix(std::min(message.find('\n'), message.size()));
    message.remove_prefix(std::min(message.find_first_not_of(" \t\r\n"), message.size()));
    return std::string(message.substr(0, message.find_first_of("\r\n")));
}

// -m, -am, -qm: a message follows.
bool takes_message(std::string_view word) {
    if (word == "--message") return true;
    return word.size() >= 2 && word.size() <= 5 && word[0] == '-' && word[1] != '-' && word.back() == 'm' &&
           std::ranges::all_of(word.substr(1), [](char c) { return c >= 'a' && c <= 'z'; });
}

void commit_effects(const Words& words, std::size_t verb_at, CommandEffects& out) {
    out.commits = !has_option(words, "--dry-run");
    out.amends = has_option(words, "--amend");
    for (std::size_t i = verb_at + 1; i < words.size() && out.message.empty(); ++i) {
        constexpr std::string_view kLong = "--message=";
        if (takes_message(words[i]) && i + 1 < words.size()) out.message = subject_of(words[++i]);
        else if (words[i].starts_with(kLong)) out.message = subject_of(std::string_view(words[i]).substr(kLong.size()));
        else if (words[i].starts_with("-m") && words[i].size() > 3) out.message = subject_of(std::string_view(words[i]).substr(2));
    }
}

void git_effects(const Words& words, std::size_t at, CommandEffects& out) {
    if (at + 1 >= words.size()) return;
    std::size_t verb_at = at + 1;
    std::string_view repository;
    while (verb_at + 1 < words.size() && (words[verb_at] == "-C" || words[verb_at] == "-c")) {
        if (words[verb_at] == "-C") repository = words[verb_at + 1];
        verb_at += 2;
    }
    const std::string& verb = words[verb_at];
    const Words rest = arguments(words, verb_at + 1);
    if (verb == "commit") {
        commit_effects(words, verb_at, out);
        out.repository = repository;
    } else if (verb == "branch" && (has_letter(words, 'd') || has_letter(words, 'D') || has_option(words, "--delete"))) {
        out.dropped = rest;
        out.drops_commits = has_letter(words, 'D');
    } else if (verb == "worktree" && rest.size() > 1 && rest[0] == "remove") {
        out.dropped = {rest[1]};
    } else if (verb == "stash") {
        const std::string what = rest.empty() ? "push" : rest[0];
        out.stashes = what == "push" || what == "save";
        out.unstashes = what == "pop" || what == "apply";
    } else if (verb == "reset" && has_option(words, "--hard")) {
        out.undoes = true;
    } else if (verb == "restore" && !has_option(words, "--staged")) {
        out.undoes = true;
        out.undone = rest;
    } else if (verb == "init") {
        out.makes_repository = !rest.empty() ? rest.back() : repository.empty() ? "./" : std::string(repository);
    } else if (verb == "switch" && !rest.empty()) {
        out.branch = rest[0];
    } else if (verb == "checkout") {
        if (!rest.empty() && std::ranges::find(words, "--") == words.end()) out.branch = rest[0];
        const auto dashes = std::ranges::find(words, "--");
        if (dashes == words.end() && (rest.empty() || rest[0] != ".")) return;
        out.undoes = true;
        if (dashes != words.end()) out.undone.assign(dashes + 1, words.end());
    } else if (verb == "mv" && rest.size() == 2) {
        add_move(rest[0], rest[1], out);
    } else if (verb == "rm" && !has_option(words, "--cached")) {
        for (const std::string& path : rest) add(out.deleted, path);
    }
    std::erase(out.undone, ".");
}

void part_effects(const Part& part, CommandEffects& out) {
    const Words& words = part.words;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] != ">") continue;
        add(out.changed, words[i + 1]);
        add(out.created, words[i + 1]);
    }
    const auto [program, at] = program_of(words);
    if (program.empty()) return;
    const Words rest = arguments(words, at + 1);
    const bool in_place = (program == "sed" || program == "perl") && has_letter(words, 'i');
    if (program == "git") return git_effects(words, at, out);
    if (program == "rm" || program == "unlink" || program == "rmdir") {
        for (const std::string& path : rest) {
            if (is_file(path) || has_letter(words, 'r') || has_letter(words, 'R')) add(out.deleted, path);
        }
    } else if (program == "touch" || program == "tee" || program == "truncate") {
        for (const std::string& path : rest) {
            if (!is_file(path)) continue;
            add(out.changed, path);
            add(out.created, path);
        }
    } else if (program == "mv" && rest.size() >= 2) {
        const std::string to = rest.size() > 2 && !rest.back().ends_with('/') ? rest.back() + "/" : rest.back();
        for (std::size_t i = 0; i + 1 < rest.size(); ++i) add_move(rest[i], to, out);
    } else if (program == "cp" && rest.size() >= 2) {
        std::string to = rest.back();
        if (to == "." || to.ends_with('/')) to = (to == "." ? "" : to) + rest.front().substr(rest.front().rfind('/') + 1);
        add(out.changed, to);
        add(out.created, to);
    } else if (program == "sed" || program == "perl") {
        // The script comes first; after -i some seds want a suffix, which is mostly empty.
        for (std::size_t i = 1; i < rest.size(); ++i) {
            if (is_file(rest[i]) && rest[i].find_first_of("^#=,;@ ") == rest[i].npos) add(in_place ? out.changed : out.read, rest[i]);
        }
    } else if (program == "cat" || program == "head" || program == "tail" || program == "nl" || program == "less" ||
               program == "bat") {
        for (const std::string& path : rest) {
            if (is_file(path)) add(out.read, path);
        }
    }
}

// What others will see of a command: a push, a pull request, a release.
std::optional<DeedKind> deed_of(const Part& part) {
    const auto [program, at] = program_of(part.words);
    std::size_t verb_at = at + 1;
    while (verb_at + 1 < part.words.size() && (part.words[verb_at] == "-C" || part.words[verb_at] == "-c" || part.words[verb_at] == "-R" || part.words[verb_at] == "--repo")) verb_at += 2;
    const Words rest = arguments(part.words, std::min(verb_at, part.words.size()));
    const auto word = [&](std::size_t i) { return i < rest.size() ? std::string_view(rest[i]) : std::string_view(); };
    if (program.empty() || has_option(part.words, "--dry-run") || has_option(part.words, "--abort") || has_option(part.words, "--help")) return std::nullopt;
    if (program == "git") {
        if (word(0) == "push") return DeedKind::pushed;
        const bool updates = has_option(part.words, "--ff-only") || word(1).starts_with("origin/") || word(1).starts_with("upstream/");
        if (word(0) == "merge" && rest.size() > 1 && !updates) return DeedKind::merged;
        if (word(0) == "tag" && rest.size() > 1 && !has_letter(part.words, 'd') && !has_letter(part.words, 'l')) return DeedKind::tagged;
        const bool makes = has_letter(part.words, 'b') || has_letter(part.words, 'B') || has_letter(part.words, 'c');
        if ((word(0) == "checkout" || word(0) == "switch") && rest.size() > 1 && (makes || has_option(part.words, "--orphan"))) return DeedKind::branch;
        if (word(0) == "worktree" && word(1) == "add") return DeedKind::branch;
        return std::nullopt;
    }
    if (program == "gh" || program == "glab" || program == "hub") {
        const bool request = word(0) == "pr" || word(0) == "mr" || word(0) == "pull-request";
        if (request && word(1) == "merge") return DeedKind::merged;
        if (request && word(1) == "checkout") return DeedKind::branch;
        if (request && (word(1) == "create" || word(1) == "close" || word(1) == "ready" || word(1) == "reopen")) return DeedKind::pull_request;
        if (word(0) == "issue" && (word(1) == "create" || word(1) == "close" || word(1) == "reopen")) return DeedKind::issue;
        if (word(0) == "release" && word(1) == "create") return DeedKind::released;
        return std::nullopt;
    }
    const bool publishes = word(0) == "publish" && (program == "npm" || program == "pnpm" || program == "yarn" || program == "cargo" || program == "bun" || program == "poetry" || program == "uv");
    // A script of the project that is called so.
    const bool runner = program == "npm" || program == "pnpm" || program == "yarn" || program == "bun";
    const std::string_view script = !runner ? std::string_view() : word(0) == "run" ? word(1) : word(0);
    if (script == "publish" || script.starts_with("publish:")) return DeedKind::published;
    if (script == "release" || script.starts_with("release:")) return DeedKind::released;
    if (publishes || (program == "twine" && word(0) == "upload") || (program == "docker" && word(0) == "push")) return DeedKind::published;
    return std::nullopt;
}

// Asks a tool about itself, or what it would do.
bool only_asks(const Part& part) {
    constexpr std::array<std::string_view, 7> kAsks{"--dry-run", "--help", "--version", "--list", "--collect-only", "--just-print", "-n"};
    return std::ranges::any_of(part.words, [&](const std::string& w) { return std::ranges::find(kAsks, std::string_view(w)) != kAsks.end(); });
}

// Programs that the table of tools counts as checks, and that also do other things: they write files in a uniform way,
// configure a build, start or publish what was built. None of that says that the code is right.
bool does_something_else(const Part& part) {
    constexpr std::array<std::string_view, 4> kFormatters{"black", "prettier", "isort", "gofmt"};
    constexpr std::array<std::string_view, 6> kOnlyLooks{"--check", "--list-different", "-l", "--diff", "-d", "-c"};
    constexpr std::array<std::string_view, 23> kOtherTargets{
        "clean", "codegen", "deploy", "dev",   "distclean", "doc",  "docs",  "down",  "fmt",   "format", "gen", "generate", "help",
        "init",  "install", "publish", "push",   "release", "run", "serve", "setup", "start", "up"};
    const auto [program, at] = program_of(part.words);
    const auto among = [](const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); };
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
    return !targets.empty() && std::ranges::all_of(targets, [&](const std::string& word) { return among(kOtherTargets, word); });
}

// What the name of a script of the project says, of more than one word: "check-types" and "test:unit" check, "lint:fix"
// and "test:watch" do not. Nothing: it runs no such script.
std::optional<bool> script_checks(const Part& part) {
    constexpr std::array<std::string_view, 9> kRunners{"npm", "pnpm", "yarn", "bun", "just", "task", "mise", "rake", "composer"};
    constexpr std::array<std::string_view, 9> kChecks{"test", "tests", "lint", "typecheck", "types", "tsc", "tsgo", "eslint", "spec"};
    constexpr std::array<std::string_view, 4> kFirst{"check", "checks", "verify", "ci"};  // "links:check" checks something else
    constexpr std::array<std::string_view, 9> kNone{"fix", "watch", "dev", "deploy", "format", "clean", "install", "update", "write"};
    const auto [program, at] = program_of(part.words);
    const auto among = [](const auto& list, std::string_view word) { return std::ranges::find(list, word) != list.end(); };
    if (!among(kRunners, program)) return std::nullopt;
    std::string_view script;
    for (std::size_t i = at + 1; i < part.words.size() && script.empty(); ++i) {
        const std::string_view word = part.words[i];
        const bool takes_value = word == "--filter" || word == "-F" || word == "-w" || word == "--workspace" || word == "workspace" || word == "--prefix" || word == "--cwd" || word == "-C" || word == "--dir";
        if (takes_value) ++i;
        else if (!word.starts_with('-') && word != "run" && word != "run-script") script = word;
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

// A test, a build, a lint, a type check.
bool is_verify(const Part& part) {
    if (only_asks(part) || does_something_else(part)) return false;
    if (const auto script = script_checks(part)) return *script;
    return detectors::classify_command({part.text, TextForm::plain}) == ToolClass::verify;
}

// Without "2>&1" and what stands behind it.
std::string_view unredirected(std::string_view text) { return text.substr(0, std::min(text.find(" 2>"), text.find(" >"))); }

// Where a program is told to work: make -C x, npm --prefix x.
std::string told_directory(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const std::string_view option : {"-C", "--prefix", "--cwd", "--directory"}) {
            if (words[i] == option && i + 1 < words.size() && is_path(words[i + 1])) return words[i + 1];
            if (words[i].size() > option.size() && words[i].starts_with(option) && words[i][option.size()] == '=') return words[i].substr(option.size() + 1);
        }
    }
    return {};
}

bool changes_files(const Part& part) {
    CommandEffects effects;
    part_effects(part, effects);
    return !effects.changed.empty() || !effects.deleted.empty() || !effects.moved.empty() || effects.undoes;
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
            const bool none = after < low.size() && low[after] == '0' && (after + 1 == low.size() || low[after + 1] < '0' || low[after + 1] > '9');
            if (!none) return true;
        }
    }
    return false;
}

}  // namespace

std::string command_of(RawText primary) {
    constexpr std::size_t kLongest = 64u << 10;
    if (primary.form == TextForm::json_value && primary.bytes.starts_with('[') && primary.size() <= kLongest) {
        const auto value = simulator::JsValue::parse(primary.bytes);
        const auto* list = value ? value->array() : nullptr;
        if (list && !list->empty() && list->back().string()) return clean(*list->back().string());
    }
    return words_of(primary, kLongest);
}

CheckPart check_of(std::string_view command, std::string_view directory) {
    CheckPart found;
    found.directory = directory;
    std::string base(directory);
    bool follows = false;  // on the success of the check before it
    for (const Part& part : split(command)) {
        if (part.words.size() == 2 && part.words[0] == "cd") base = joined_path(base, part.words[1]);
        const bool verifies = is_verify(part);
        // Whatever passes on another state of the files says nothing about this one.
        const auto& w = part.words;
        if (!verifies && w.size() > 1 && w[0] == "git" && (w[1] == "checkout" || w[1] == "stash" || w[1] == "switch")) return {};
        if (verifies) {
            const std::string told = told_directory(part.words);
            found.directory = told.empty() ? base : joined_path(base, told);
            if (found.kind == CheckCommand::no) found.kind = CheckCommand::own;
            const std::string words = one_line(unredirected(part.text), 120);
            if (found.words.find(words) == std::string::npos) found.words += (found.words.empty() ? "" : follows ? " && " : "; ") + words;
            follows = true;
        }
        follows = follows && part.end == "&&";
        found.edits_after = found.edits_after || (!verifies && found.kind != CheckCommand::no && changes_files(part));
        if (found.kind == CheckCommand::own && !part.end.empty() && part.end != "&&") found.kind = CheckCommand::mixed;
    }
    return found;
}

constexpr std::array<std::string_view, 7> kRunners{"npm", "pnpm", "yarn", "bun", "mise", "task", "rush"};

bool names_runner(std::string_view check) {
    return std::ranges::any_of(kRunners, [&](std::string_view runner) { return check.find(runner) != check.npos; });
}

std::string second_name(std::string_view check, std::string_view output) {
    constexpr std::size_t kLooked = 16u << 10, kMost = 4;
    const auto is_runner = [&](const Part& part) { return std::ranges::find(kRunners, std::string_view(program_of(part.words).name)) != kRunners.end(); };
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
        if (line.starts_with("$ ")) echoed = line.substr(2);
        else if (line.starts_with('[') && task != line.npos && line.substr(task).starts_with("] $ ")) echoed = line.substr(task + 4);
        else if (line.starts_with("task: [") && task != line.npos) echoed = line.substr(task + 2);
        else if (names_package && line.starts_with("> ")) echoed = line.substr(2);
        names_package = line.starts_with("> ") && line.find('@') != line.npos && echoed.empty();
        const std::string words = echoed.empty() ? std::string() : check_of(echoed).words;
        if (words.empty()) continue;
        ++found;
        out += (out.empty() ? "" : " && ") + words;
    }
    return out;
}

bool says_success(std::string_view output) { return end_told(output) == CheckEnd::passed; }

CheckEnd end_told(std::string_view output) {
    constexpr std::size_t kLooked = 8u << 10;
    std::string text(output.substr(0, kLooked));
    if (output.size() > kLooked) text += output.substr(output.size() - std::min(kLooked, output.size() - kLooked));
    const std::string low = lower(text);
    if (speaks_of_failure(low)) return CheckEnd::failed;
    for (const std::string_view word : {"passed", "passing", "pass", "ok", "success", "successfully", "succeeded", "0 errors",
                                        "0 failures", "0 failed", "no issues", "no errors", "built in", "finished", "up to date", "no fixes applied",
                                        "build complete", "build completed", "build] complete"}) {
        if (has_word(low, word)) return CheckEnd::passed;
    }
    return low.find("\u2713") != low.npos || low.find("\u2714") != low.npos ? CheckEnd::passed : CheckEnd::unclear;
}

namespace {

bool hides_errors(const Part& part) {
    const auto to = std::ranges::find(part.words, "2>");
    return to != part.words.end() && to + 1 != part.words.end() && *(to + 1) == "/dev/null";
}

// "cat x || echo none" and "ls; cat x 2>/dev/null" print something whether or not there is an x.
bool tells_if_missing(const std::vector<Part>& parts, std::size_t at, std::size_t files) {
    std::size_t last = at;
    while (parts[last].end == "|" && last + 1 < parts.size()) ++last;
    if (parts[last].end == "||") return false;
    if (!hides_errors(parts[at])) return true;
    const auto prints = [&](const Part& part) { return &part < &parts[at] || &part > &parts[last] ? part.words[0] != "cd" : false; };
    return files == 1 && std::ranges::none_of(parts, prints);
}

}  // namespace

namespace {

bool goes_elsewhere(const Part& part) { return part.words.size() == 2 && part.words[0] == "cd"; }

// The files of one part, below the directory that the command is in by then.
void add_files(const CommandEffects& one, const std::string& base, CommandEffects& out) {
    for (const std::string& path : one.changed) add(out.changed, joined_path(base, path));
    for (const std::string& path : one.created) add(out.created, joined_path(base, path));
    for (const std::string& path : one.deleted) add(out.deleted, joined_path(base, path));
    for (const CommandEffects::Move& move : one.moved) out.moved.push_back({joined_path(base, move.from), joined_path(base, move.to)});
}

// The first line below a here-document's mark.
std::string_view here_document(std::string_view command) {
    const std::size_t mark = command.find("<<");
    const std::size_t begin = mark == command.npos ? mark : command.find('\n', mark);
    if (begin == command.npos) return {};
    const std::string_view body = command.substr(std::min(command.find_first_not_of(" \t\r\n", begin), command.size()));
    return body.substr(0, body.find_first_of("\r\n"));
}

// git commit -F - <<'EOF'
bool reads_message(const Part& part) {
    for (std::size_t i = 0; i < part.words.size(); ++i) {
        const std::string& word = part.words[i];
        if (word == "-F-" || word == "--file=-" || ((word == "-F" || word == "--file") && i + 1 < part.words.size() && part.words[i + 1] == "-")) return true;
    }
    return false;
}

// Code that stands in the command itself, and speaks of nothing that changes a file.
bool only_computes(const Part& part, std::string_view command) {
    const bool given = has_option(part.words, "-c") || has_option(part.words, "-e") || has_option(part.words, "-p") || part.text.find('<') != part.text.npos;
    if (!given) return false;
    constexpr std::array<std::string_view, 15> kChanges{"write", "'w'", "\"w\"", "'a'", "\"a\"", "rename", "unlink", "remove", "shutil", "subprocess", "system", "exec", "spawn", "save", "dump("};
    return std::ranges::none_of(kChanges, [&](std::string_view word) { return command.find(word) != command.npos; });
}

// Git by its verbs: which bring other contents into the work tree.
bool git_changes_tree(const Words& words, std::size_t at) {
    constexpr std::array<std::string_view, 12> kVerbs{"pull", "merge", "rebase", "checkout", "switch", "reset", "stash", "cherry-pick", "revert", "am", "apply", "restore"};
    const bool elsewhere = at + 1 < words.size() && words[at + 1] == "-C";
    const Words rest = arguments(words, std::min(at + (elsewhere ? 3 : 1), words.size()));
    if (rest.empty() || std::ranges::find(kVerbs, std::string_view(rest[0])) == kVerbs.end()) return false;
    if (rest[0] == "checkout" || rest[0] == "switch") return rest.size() > 2 || !(has_letter(words, 'b') || has_letter(words, 'c'));
    if (rest[0] == "stash") return rest.size() < 2 || (rest[1] != "list" && rest[1] != "show");
    if (rest[0] == "reset") return has_option(words, "--hard") || has_option(words, "--merge") || has_option(words, "--keep");
    return rest[0] != "restore" || !has_option(words, "--staged");
}

// What may change files of the project that it does not name.
bool changes_unnamed(const Part& part, std::string_view command) {
    constexpr std::array<std::string_view, 20> kRuns{"python", "python3", "node", "ruby", "php", "deno", "tsx", "ts-node", "bash", "sh", "zsh", "pwsh", "powershell", "make", "just", "task", "mise", "rake", "npx", "bunx"};
    constexpr std::array<std::string_view, 10> kWrites{"patch", "rsync", "unzip", "tar", "black", "isort", "goimports", "prettier", "gofmt", "rustfmt"};
    constexpr std::array<std::string_view, 3> kFixes{"--fix", "--write", "--in-place"};
    const auto among = [](const auto& list, std::string_view word) { return std::ranges::find(list, word) != list.end(); };
    const auto [program, at] = program_of(part.words);
    if (program.empty() || only_asks(part)) return false;
    const Words rest = arguments(part.words, at + 1);
    const std::string_view first = rest.empty() ? std::string_view() : std::string_view(rest[0]);
    if (program == "git") return git_changes_tree(part.words, at);
    if (program == "gh") return rest.size() > 1 && first == "pr" && rest[1] == "checkout";
    if (std::ranges::any_of(part.words, [&](const std::string& word) { return among(kFixes, word); })) return true;
    if ((program == "sed" || program == "perl") && has_letter(part.words, 'i')) {
        CommandEffects named;
        part_effects(part, named);
        return named.changed.empty();
    }
    if (is_verify(part)) return false;
    if (program == "xargs") return first == "sed" || first == "perl" || first == "rm" || first == "mv";
    if (program == "find") return has_option(part.words, "-exec") || has_option(part.words, "-delete");
    if (program == "go") return first == "generate" || first == "fmt" || first == "mod" || first == "get";
    if (program == "cargo") return first == "fmt" || first == "fix" || first == "add" || first == "update";
    if (program == "npm" || program == "pnpm" || program == "yarn" || program == "bun") return first == "run" && !script_checks(part).value_or(false);
    if (among(kRuns, program)) return !only_computes(part, command);
    // ./release.sh, scripts/gen
    const std::string& run = part.words[at];
    return among(kWrites, program) || run.starts_with("./") || run.ends_with(".sh") || run.ends_with(".py");
}

}  // namespace

CommandEffects effects_of(std::string_view command, std::string_view directory) {
    CommandEffects out;
    std::string base(directory);
    bool inits = false;
    const std::vector<Part> parts = split(command);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        if (goes_elsewhere(part)) {
            base = joined_path(base, part.words[1]);
            continue;
        }
        CommandEffects one;
        part_effects(part, one);
        add_files(one, base, out);
        out.may_change = out.may_change || changes_unnamed(part, command);
        inits = inits || !one.makes_repository.empty();
        if (!one.makes_repository.empty()) out.makes_repository = joined_path(base, one.makes_repository);
        if (const auto deed = deed_of(part); deed && out.done.size() < kMostDeeds) out.done.push_back({*deed, one_line(unredirected(part.text), 120)});
        if (!one.read.empty() && !tells_if_missing(parts, i, one.read.size())) one.read.clear();
        for (const std::string& path : one.read) add(out.read, joined_path(base, path));
        for (const std::string& path : one.undone) out.undone.push_back(joined_path(base, path));
        if (one.undoes && (one.undone.empty() || !out.undoes)) out.undone = one.undone.empty() ? Words{} : out.undone;
        out.undoes |= one.undoes;
        out.stashes |= one.stashes;
        out.unstashes |= one.unstashes;
        if (!one.branch.empty()) out.branch = one.branch;
        out.dropped.insert(out.dropped.end(), one.dropped.begin(), one.dropped.end());
        out.drops_commits |= one.drops_commits;
        if (!one.commits) continue;
        out.commits = true;
        out.amends |= one.amends;
        out.repository = joined_path(base, one.repository);
        out.scratch = out.scratch || (inits && (out.repository.find_first_of("$`") != out.repository.npos || command.find("mktemp") != command.npos));
        if (out.message.empty()) out.message = one.message;
        if (out.message.empty() && reads_message(part)) out.message = here_document(command);
    }
    if (command.find("*** ") == command.npos) return out;
    CommandEffects patch;
    add_patched_files(command, patch);
    add_files(patch, base, out);
    return out;
}

SettledEffects settled_effects(std::string_view command, std::string_view directory) {
    SettledEffects out;
    if (command.find_first_of(";\n") == command.npos) return out;
    const std::vector<Part> parts = split(command);
    std::size_t last = parts.size();  // where the commands begin of which the exit code is
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i - 1].end == ";") last = i;
    }
    if (last == parts.size()) return out;
    std::string base(directory);
    bool runs = true;  // whatever came of the part before it
    for (std::size_t i = 0; i < last; ++i) {
        const Part& part = parts[i];
        const std::string program = program_of(part.words).name;
        // `set -e` ends at the first that fails, and `exit` may have stood before all that follows.
        if (program == "exit" || program == "return" || (program == "set" && (has_letter(part.words, 'e') || has_option(part.words, "errexit")))) return {};
        const bool moves_on = goes_elsewhere(part);
        if (moves_on) base = joined_path(base, part.words[1]);
        const bool depends = program == "then" || program == "else" || program == "elif" || program == "do";
        if (runs && !moves_on && !depends) {
            CommandEffects one;
            part_effects(part, one);
            add_files(one, base, out.effects);
            if (!one.empty()) out.programs.push_back(program);
        }
        runs = part.end == ";" || (runs && (part.end == "|" || (moves_on && part.end == "&&")));
    }
    if (out.effects.empty()) return {};
    out.ends_looking = std::ranges::all_of(parts.begin() + static_cast<std::ptrdiff_t>(last), parts.end(), [](const Part& part) {
        const ToolClass what = detectors::classify_command({part.text, TextForm::plain});
        return what == ToolClass::read || what == ToolClass::search || goes_elsewhere(part);
    });
    return out;
}

bool denies(std::string_view output, const SettledEffects& settled) {
    constexpr std::array<std::string_view, 6> kShells{"bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: ", "cd: "};
    if (output.find("syntax error") != output.npos || output.find("unexpected EOF") != output.npos) return true;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        if (std::ranges::any_of(kShells, [&](std::string_view shell) { return line.starts_with(shell); })) return true;
        for (const std::string& program : settled.programs) {
            if (!program.empty() && line.starts_with(program) && line.substr(program.size()).starts_with(": ")) return true;
        }
    }
    return false;
}

std::vector<ToldCommit> commits_told(std::string_view output) {
    constexpr std::size_t kMost = 16, kLongestHead = 200;
    std::vector<ToldCommit> out;
    for (std::size_t at = output.find('['); at != output.npos && out.size() < kMost; at = output.find('[', at + 1)) {
        if (at > 0 && output[at - 1] != '\n') continue;
        const std::string_view line = output.substr(at + 1, output.substr(at + 1).find_first_of("\r\n"));
        const std::size_t close = line.substr(0, kLongestHead).find("] ");
        if (close == line.npos) continue;
        const std::string_view head = line.substr(0, close);  // main 5efdc56; main (root-commit) 5efdc56
        const std::size_t blank = head.rfind(' ');
        const std::string_view hash = blank == head.npos ? std::string_view() : head.substr(blank + 1);
        const bool is_hash = hash.size() >= 7 && hash.size() <= 64 && hash.find_first_not_of("0123456789abcdef") == hash.npos;
        if (is_hash && close + 2 < line.size()) out.push_back({std::string(head.substr(0, head.find(' '))), std::string(line.substr(close + 2))});
    }
    return out;
}

bool says_nothing_to_commit(std::string_view output) {
    return output.find("nothing to commit") != output.npos || output.find("nothing added to commit") != output.npos || output.find("no changes added to commit") != output.npos;
}

std::string joined_path(std::string_view directory, std::string_view path) {
    const std::string whole = directory.empty() || is_absolute(path) ? std::string(path) : std::string(directory) + "/" + std::string(path);
    if (whole.find("./") == whole.npos && whole.find("//") == whole.npos && !whole.ends_with("/..")) return whole;
    std::vector<std::string_view> parts;
    const bool rooted = whole[0] == '/';
    for (std::string_view rest = whole; !rest.empty();) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (part.empty() || part == ".") continue;
        if (part == ".." && !parts.empty() && parts.back() != "..") {
            parts.pop_back();
        } else {
            parts.push_back(part);
        }
    }
    std::string out = rooted ? "/" : "";
    for (const std::string_view part : parts) out.append(out.empty() || out == "/" ? "" : "/").append(part);
    return out;
}

void add_patched_files(std::string_view text, CommandEffects& effects) {
    constexpr std::array<std::string_view, 3> kChanged{"*** Update File: ", "*** Add File: ", "+++ b/"};
    constexpr std::string_view kDeleted = "*** Delete File: ", kMoved = "*** Move to: ";
    std::string before;  // the file that a move is about stands on the line above it
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (const std::string_view mark : kChanged) {
            if (!line.starts_with(mark)) continue;
            before = one_line(line.substr(mark.size()), kLongestPath);
            add_any(effects.changed, before);
            if (mark == kChanged[1]) add_any(effects.created, before);
        }
        if (line.starts_with(kDeleted)) add_any(effects.deleted, one_line(line.substr(kDeleted.size()), kLongestPath));
        if (line.starts_with(kMoved) && !before.empty() && effects.moved.size() < kMostPaths) {
            std::erase(effects.changed, before);
            effects.moved.push_back({before, one_line(line.substr(kMoved.size()), kLongestPath)});
        }
    }
}

bool is_prose(std::string_view path) {
    constexpr std::array<std::string_view, 13> kEndings{".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".log"};
    const std::string low = lower(path.substr(path.find_last_of("/\\") == path.npos ? 0 : path.find_last_of("/\\") + 1));
    if (low == "cmakelists.txt" || low.starts_with("requirements") || low.starts_with("constraints")) return false;
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return low.ends_with(ending); });
}

std::string masked(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit) out += c;
        if (digit && (out.empty() || out.back() != '#')) out += '#';
    }
    return out;
}

int check_rank(std::string_view words) {
    const std::string low = lower(words);
    const auto says = [&](std::initializer_list<std::string_view> list) { return std::ranges::any_of(list, [&](std::string_view word) { return has_word(low, word); }); };
    const bool places = low.find('/') != low.npos || low.find("::") != low.npos || low.find(".test.") != low.npos || low.find("_test.") != low.npos || low.find(".py") != low.npos ||
                        says({"-k", "-t", "--filter", "-run", "--grep"});
    // "./..." is everything.
    const bool whole = !places || low.find("/...") != low.npos;
    if (says({"test", "tests", "pytest", "vitest", "jest", "ctest", "rspec", "phpunit", "mocha", "nox", "tox", "verify"})) return whole ? 5 : 4;
    if (says({"typecheck", "type-check", "check-types", "check:types", "types", "tsc", "tsgo", "vue-tsc", "svelte-check", "mypy", "pyright", "basedpyright", "pyrefly", "ty check", "vet"})) return 2;
    if (says({"build", "make", "ninja", "compile", "check", "mvn", "gradle", "gradlew", "xcodebuild", "bazel"})) return 3;
    return 1;
}

CheckTarget target_of_check(std::string_view words) {
    CheckTarget out;
    for (const Part& part : split(words)) {
        for (const std::string& word : arguments(part.words, 0)) {
            const bool place = word.find_first_of("/.") != word.npos || word.find("::") != word.npos;
            const bool runner = out.words.empty() && (word == "npx" || word == "bunx" || word == "pnpm" || word == "exec");
            if (!runner && word.find('=') == word.npos) (place ? out.places : out.words).push_back(word);
        }
    }
    return out;
}

bool covers_check(const CheckTarget& passed, const CheckTarget& failed) {
    const auto has_all = [](const Words& list, const Words& wanted) {
        return std::ranges::all_of(wanted, [&](const std::string& word) { return std::ranges::find(list, word) != list.end(); });
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

namespace {

// The part of a tree that a path lies in: "packages/core" of packages/core/src/a.ts, "src" of src/a.ts; "" for the root.
std::string_view tree_of(std::string_view path) {
    constexpr std::array<std::string_view, 12> kCollections{"apps", "crates", "examples", "extensions", "libs", "modules", "packages", "plugins", "projects", "services", "tools", "cmd"};
    while (path.starts_with("./")) path.remove_prefix(2);
    const std::size_t first = path.find('/');
    if (first == path.npos) return {};
    const std::string_view head = path.substr(0, first);
    if (std::ranges::find(kCollections, head) == kCollections.end()) return head;
    return path.substr(0, std::min(path.find('/', first + 1), path.size()));
}

// Tests and what was built stand beside what they are about.
bool stands_beside(std::string_view tree) {
    for (const std::string_view word : {"test", "spec", "__test", "build", "cmake-build", "out", "target", "dist", "e2e", "integration"}) {
        if (tree.starts_with(word)) return true;
    }
    return tree.empty() || tree == "." || tree == "..";
}

// The places that a check names, without those that only say where to build or what to read its settings from.
Words places_of(const Part& part) {
    constexpr std::array<std::string_view, 15> kOptions{"-C", "-c", "-f", "-p", "--build", "--config", "--cwd", "--directory", "--file", "--manifest-path", "--prefix", "--project", "--rootdir", "--test-dir", "--outDir"};
    Words out;
    const auto [program, at] = program_of(part.words);
    for (std::size_t i = at + 1; i < part.words.size() && part.words[i] != ">" && part.words[i] != "2>"; ++i) {
        const std::string& word = part.words[i];
        if (std::ranges::find(kOptions, std::string_view(word)) != kOptions.end()) ++i;
        else if (word.find('/') != word.npos && word[0] != '-' && word[0] != '@' && word.find("://") == word.npos && word.find('=') == word.npos) out.push_back(word);
    }
    return out;
}

}  // namespace

bool check_reaches(std::string_view check, std::string_view path) {
    const std::string_view tree = tree_of(path);
    bool named = false;
    for (const Part& part : split(check)) {
        const Words places = places_of(part);
        if (places.empty()) return true;
        for (const std::string& place : places) {
            const std::string_view of = tree_of(place);
            if (stands_beside(of) || is_absolute(place) || of == "..." || of == tree) return true;
            named = true;
        }
    }
    return !named;
}

namespace {

// What only places, waits or prints.
bool only_places(std::string_view program) {
    constexpr std::array<std::string_view, 10> kPlaces{"cd", "echo", "export", "set", "sleep", "source", "true", "pushd", "popd", "printf"};
    return program.empty() || std::ranges::find(kPlaces, program) != kPlaces.end();
}

std::string words_before_redirection(const Part& part) {
    std::string out;
    for (const std::string& word : part.words) {
        if (word == ">" || word == "2>") break;
        out += word + " ";
    }
    return out;
}

std::string without_quotes(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\'' || c == '"' || c == '(' || c == ')' || c == '\\'; });
    return masked(text);
}

}  // namespace

std::vector<std::uint64_t> command_parts(std::string_view command) {
    constexpr std::size_t kMost = 8;
    std::vector<std::uint64_t> out;
    bool piped = false;
    for (const Part& part : split(command)) {
        const bool of_pipe = piped;
        piped = part.end == "|";
        if (of_pipe || only_places(program_of(part.words).name) || out.size() == kMost) continue;
        out.push_back(stable_hash(without_quotes(words_before_redirection(part))));
    }
    return out;
}

std::string command_target(std::string_view command) {
    std::string target;
    bool piped = false;
    for (const Part& part : split(command)) {
        const bool of_pipe = piped;
        piped = part.end == "|";
        const auto [program, at] = program_of(part.words);
        if (of_pipe || only_places(program)) continue;
        if (const auto deed = deed_of(part)) {
            const Words rest = arguments(part.words, at + 1);
            target = program;
            for (std::size_t i = 0; i < std::min<std::size_t>(rest.size(), program == "git" ? 1 : 2); ++i) target += " " + rest[i];
            continue;
        }
        if (program == "git" && at + 1 < part.words.size() && part.words[at + 1] == "commit") {
            target = "git commit";
            continue;
        }
        if (target == "git commit" || target.starts_with("git push")) continue;
        target += words_before_redirection(part);
    }
    return without_quotes(target.empty() ? std::string(command) : std::move(target));
}

bool is_risky_command(std::string_view command) {
    const std::string low = lower(command);
    for (const std::string_view words : {"drop table", "drop database", "truncate table", "terraform destroy", "terraform apply",
                                         "kubectl delete", "npm publish", "cargo publish", "twine upload", "docker system prune"}) {
        if (has_word(low, words)) return true;
    }
    for (const Part& part : split(command)) {
        const auto [program, at] = program_of(part.words);
        const Words& w = part.words;
        if (program == "rm" && (has_letter(w, 'r') || has_letter(w, 'R'))) return true;
        if (program == "dd" || program.starts_with("mkfs") || program == "shred") return true;
        if (program == "find" && has_option(w, "-delete")) return true;
        if (program != "git" || at + 1 >= w.size()) continue;
        const std::string& verb = w[at + 1];
        if (verb == "push" || verb == "clean" || verb == "rebase" || verb == "filter-branch") return true;
        if (verb == "reset" && has_option(w, "--hard")) return true;
        CommandEffects git;
        git_effects(w, at, git);
        if (git.undoes || git.stashes) return true;
    }
    return false;
}

}  // namespace agent_audit::advice
