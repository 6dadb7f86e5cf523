#include "advice/calls/command_effects.hpp"

#include "advice/calls/checks.hpp"
#include "advice/calls/work_files.hpp"
#include "advice/words/text.hpp"
#include "detectors/commands/tool_class.hpp"
#include "support/ascii.hpp"

#include <agent_audit/advice/checkpointer.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostPaths = 32;
constexpr std::size_t kMostDeeds = 8;

void add(std::vector<std::string>& paths, const std::string& path) {
    if (paths.size() < kMostPaths && is_path(path) && std::ranges::find(paths, path) == paths.end())
        paths.push_back(path);
}

// A path that may have characters of patterns in it, as the names of routes have; no option and no substitution.
void add_any(std::vector<std::string>& paths, const std::string& path) {
    if (paths.size() < kMostPaths && !path.empty() && path[0] != '-' && path.size() <= kLongestPath &&
        path.find_first_of("`*?\n") == path.npos)
        paths.push_back(path);
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
        if (takes_message(words[i]) && i + 1 < words.size())
            out.message = subject_of(words[++i]);
        else if (words[i].starts_with(kLong))
            out.message = subject_of(std::string_view(words[i]).substr(kLong.size()));
        else if (words[i].starts_with("-m") && words[i].size() > 3)
            out.message = subject_of(std::string_view(words[i]).substr(2));
    }
}

// HEAD~2, HEAD^, @~1: how far back; 0 = it is none of these.
std::size_t commits_back(std::string_view name) {
    const std::size_t head = name.starts_with("HEAD") ? 4 : name.starts_with('@') ? 1 : 0;
    if (head == 0) return 0;
    name.remove_prefix(head);
    if (!name.empty() && name.find_first_not_of('^') == name.npos) return name.size();
    if (!name.starts_with('~') || name.size() > 3) return 0;
    name.remove_prefix(1);
    if (name.empty()) return 1;
    if (name.find_first_not_of("0123456789") != name.npos) return 0;
    std::size_t count = 0;
    for (const char c : name) count = count * 10 + static_cast<std::size_t>(c - '0');
    return count;
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
    } else if (verb == "branch" &&
               (has_letter(words, 'd') || has_letter(words, 'D') || has_option(words, "--delete"))) {
        out.dropped = rest;
        out.drops_commits = has_letter(words, 'D');
    } else if (verb == "worktree" && rest.size() > 1 && rest[0] == "remove") {
        out.dropped = {rest[1]};
    } else if (verb == "stash") {
        const std::string what = rest.empty() ? "push" : rest[0];
        out.stashes = what == "push" || what == "save";
        out.unstashes = what == "pop" || what == "apply";
    } else if (verb == "reset") {
        out.undoes = has_option(words, "--hard");
        if (rest.size() == 1) out.uncommits = commits_back(rest[0]);
    } else if (verb == "revert" && rest.size() == 1 && !has_option(words, "--abort") &&
               !has_option(words, "--no-commit") && !has_letter(words, 'n')) {
        out.commits = true;
        out.reverts_last = rest[0] == "HEAD";
        out.repository = repository;
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
        if (dashes == words.end() && (rest.empty() || rest[0] != ".")) {
            const bool makes = has_letter(words, 'b') || has_letter(words, 'B') || has_option(words, "--orphan");
            if (!makes) out.perhaps_undone.assign(rest.begin(), rest.end());
            return;
        }
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
        if (to == "." || to.ends_with('/'))
            to = (to == "." ? "" : to) + rest.front().substr(rest.front().rfind('/') + 1);
        add(out.changed, to);
        add(out.created, to);
    } else if (program == "sed" || program == "perl") {
        // The script comes first; after -i some seds want a suffix, which is mostly empty.
        for (std::size_t i = 1; i < rest.size(); ++i) {
            if (is_file(rest[i]) && rest[i].find_first_of("^#=,;@ ") == rest[i].npos)
                add(in_place ? out.changed : out.read, rest[i]);
        }
    } else if (program == "cat" || program == "head" || program == "tail" || program == "nl" || program == "less" ||
               program == "bat") {
        for (const std::string& path : rest) {
            if (is_file(path)) add(out.read, path);
        }
    }
}

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
    const auto prints = [&](const Part& part) {
        return &part < &parts[at] || &part > &parts[last] ? part.words[0] != "cd" : false;
    };
    return files == 1 && std::ranges::none_of(parts, prints);
}

// The files of one part, below the directory that the command is in by then.
void add_files(const CommandEffects& one, const std::string& base, CommandEffects& out) {
    for (const std::string& path : one.changed) add(out.changed, joined_path(base, path));
    for (const std::string& path : one.created) add(out.created, joined_path(base, path));
    for (const std::string& path : one.deleted) add(out.deleted, joined_path(base, path));
    for (const CommandEffects::Move& move : one.moved)
        out.moved.push_back({joined_path(base, move.from), joined_path(base, move.to)});
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
        if (word == "-F-" || word == "--file=-" ||
            ((word == "-F" || word == "--file") && i + 1 < part.words.size() && part.words[i + 1] == "-"))
            return true;
    }
    return false;
}

// Code that stands in the command itself, and speaks of nothing that changes a file.
bool only_computes(const Part& part, std::string_view command) {
    const bool given = has_option(part.words, "-c") || has_option(part.words, "-e") || has_option(part.words, "-p") ||
                       part.text.find('<') != part.text.npos;
    if (!given) return false;
    constexpr std::array<std::string_view, 15> kChanges{"write",  "'w'",    "\"w\"",  "'a'",    "\"a\"",
                                                        "rename", "unlink", "remove", "shutil", "subprocess",
                                                        "system", "exec",   "spawn",  "save",   "dump("};
    return std::ranges::none_of(kChanges, [&](std::string_view word) { return command.find(word) != command.npos; });
}

// Git by its verbs: which bring other contents into the work tree.
bool git_changes_tree(const Words& words, std::size_t at) {
    constexpr std::array<std::string_view, 12> kVerbs{"pull",   "merge", "rebase", "checkout",
                                                      "switch", "reset", "stash",  "cherry-pick",
                                                      "revert", "am",    "apply",  "restore"};
    const bool elsewhere = at + 1 < words.size() && words[at + 1] == "-C";
    const Words rest = arguments(words, std::min(at + (elsewhere ? 3 : 1), words.size()));
    if (rest.empty() || std::ranges::find(kVerbs, std::string_view(rest[0])) == kVerbs.end()) return false;
    if (rest[0] == "checkout" || rest[0] == "switch")
        return rest.size() > 2 || !(has_letter(words, 'b') || has_letter(words, 'c'));
    if (rest[0] == "stash") return rest.size() < 2 || (rest[1] != "list" && rest[1] != "show");
    if (rest[0] == "reset")
        return has_option(words, "--hard") || has_option(words, "--merge") || has_option(words, "--keep");
    return rest[0] != "restore" || !has_option(words, "--staged");
}

// What may change files of the project that it does not name.
bool changes_unnamed(const Part& part, std::string_view command) {
    constexpr std::array<std::string_view, 20> kRuns{"python",  "python3", "node", "ruby", "php",  "deno",       "tsx",
                                                     "ts-node", "bash",    "sh",   "zsh",  "pwsh", "powershell", "make",
                                                     "just",    "task",    "mise", "rake", "npx",  "bunx"};
    constexpr std::array<std::string_view, 10> kWrites{"patch", "rsync",     "unzip",    "tar",   "black",
                                                       "isort", "goimports", "prettier", "gofmt", "rustfmt"};
    constexpr std::array<std::string_view, 3> kFixes{"--fix", "--write", "--in-place"};
    const auto among = [](const auto& list, std::string_view word) {
        return std::ranges::find(list, word) != list.end();
    };
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
    if (program == "npm" || program == "pnpm" || program == "yarn" || program == "bun")
        return first == "run" && !script_checks(part).value_or(false);
    if (among(kRuns, program)) return !only_computes(part, command);
    // ./release.sh, scripts/gen
    const std::string& run = part.words[at];
    return among(kWrites, program) || run.starts_with("./") || run.ends_with(".sh") || run.ends_with(".py");
}

}  // namespace

std::optional<DeedKind> deed_of(const Part& part) {
    const auto [program, at] = program_of(part.words);
    std::size_t verb_at = at + 1;
    while (verb_at + 1 < part.words.size() && (part.words[verb_at] == "-C" || part.words[verb_at] == "-c" ||
                                               part.words[verb_at] == "-R" || part.words[verb_at] == "--repo"))
        verb_at += 2;
    const Words rest = arguments(part.words, std::min(verb_at, part.words.size()));
    const auto word = [&](std::size_t i) { return i < rest.size() ? std::string_view(rest[i]) : std::string_view(); };
    if (program.empty() || has_option(part.words, "--dry-run") || has_option(part.words, "--abort") ||
        has_option(part.words, "--help"))
        return std::nullopt;
    if (program == "git") {
        if (word(0) == "push") return DeedKind::pushed;
        const bool updates =
            has_option(part.words, "--ff-only") || word(1).starts_with("origin/") || word(1).starts_with("upstream/");
        if (word(0) == "merge" && rest.size() > 1 && !updates) return DeedKind::merged;
        if (word(0) == "tag" && rest.size() > 1 && !has_letter(part.words, 'd') && !has_letter(part.words, 'l'))
            return DeedKind::tagged;
        const bool makes = has_letter(part.words, 'b') || has_letter(part.words, 'B') || has_letter(part.words, 'c');
        if ((word(0) == "checkout" || word(0) == "switch") && rest.size() > 1 &&
            (makes || has_option(part.words, "--orphan")))
            return DeedKind::branch;
        if (word(0) == "worktree" && word(1) == "add") return DeedKind::branch;
        return std::nullopt;
    }
    if (program == "gh" || program == "glab" || program == "hub") {
        const bool request = word(0) == "pr" || word(0) == "mr" || word(0) == "pull-request";
        if (request && word(1) == "merge") return DeedKind::merged;
        if (request && word(1) == "checkout") return DeedKind::branch;
        if (request && (word(1) == "create" || word(1) == "close" || word(1) == "ready" || word(1) == "reopen"))
            return DeedKind::pull_request;
        if (word(0) == "issue" && (word(1) == "create" || word(1) == "close" || word(1) == "reopen"))
            return DeedKind::issue;
        if (word(0) == "release" && word(1) == "create") return DeedKind::released;
        return std::nullopt;
    }
    const bool publishes =
        word(0) == "publish" && (program == "npm" || program == "pnpm" || program == "yarn" || program == "cargo" ||
                                 program == "bun" || program == "poetry" || program == "uv");
    // A script of the project that is called so.
    const bool runner = program == "npm" || program == "pnpm" || program == "yarn" || program == "bun";
    const std::string_view script = !runner ? std::string_view() : word(0) == "run" ? word(1) : word(0);
    if (script == "publish" || script.starts_with("publish:")) return DeedKind::published;
    if (script == "release" || script.starts_with("release:")) return DeedKind::released;
    if (publishes || (program == "twine" && word(0) == "upload") || (program == "docker" && word(0) == "push"))
        return DeedKind::published;
    return std::nullopt;
}

bool changes_files(const Part& part) {
    CommandEffects effects;
    part_effects(part, effects);
    return !effects.changed.empty() || !effects.deleted.empty() || !effects.moved.empty() || effects.undoes;
}

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
        if (const auto deed = deed_of(part); deed && out.done.size() < kMostDeeds)
            out.done.push_back({*deed, one_line(unredirected(part.text), 120)});
        if (!one.read.empty() && !tells_if_missing(parts, i, one.read.size())) one.read.clear();
        for (const std::string& path : one.read) add(out.read, joined_path(base, path));
        for (const std::string& path : one.undone) out.undone.push_back(joined_path(base, path));
        for (const std::string& path : one.perhaps_undone) out.perhaps_undone.push_back(joined_path(base, path));
        if (one.undoes && (one.undone.empty() || !out.undoes)) out.undone = one.undone.empty() ? Words{} : out.undone;
        out.undoes |= one.undoes;
        out.stashes |= one.stashes;
        out.unstashes |= one.unstashes;
        out.uncommits +=
            out.commits ? 0 : one.uncommits;  // behind a commit in the same command nobody knows what is meant
        out.reverts_last |= one.reverts_last;
        if (!one.branch.empty()) out.branch = one.branch;
        out.dropped.insert(out.dropped.end(), one.dropped.begin(), one.dropped.end());
        out.drops_commits |= one.drops_commits;
        if (!one.commits) continue;
        out.commits = true;
        out.amends |= one.amends;
        out.repository = joined_path(base, one.repository);
        out.scratch = out.scratch || (inits && (out.repository.find_first_of("$`") != out.repository.npos ||
                                                command.find("mktemp") != command.npos));
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
        if (program == "exit" || program == "return" ||
            (program == "set" && (has_letter(part.words, 'e') || has_option(part.words, "errexit"))))
            return {};
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
    out.ends_looking =
        std::ranges::all_of(parts.begin() + static_cast<std::ptrdiff_t>(last), parts.end(), [](const Part& part) {
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
            if (!program.empty() && line.starts_with(program) && line.substr(program.size()).starts_with(": "))
                return true;
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
        const bool is_hash =
            hash.size() >= 7 && hash.size() <= 64 && hash.find_first_not_of("0123456789abcdef") == hash.npos;
        if (is_hash && close + 2 < line.size())
            out.push_back({std::string(head.substr(0, head.find(' '))), std::string(line.substr(close + 2))});
    }
    return out;
}

bool says_nothing_to_commit(std::string_view output) {
    return output.find("nothing to commit") != output.npos || output.find("nothing added to commit") != output.npos ||
           output.find("no changes added to commit") != output.npos;
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

bool is_risky_command(std::string_view command) {
    const std::string low = lowered(command);
    for (const std::string_view words :
         {"drop table", "drop database", "truncate table", "terraform destroy", "terraform apply", "kubectl delete",
          "npm publish", "cargo publish", "twine upload", "docker system prune"}) {
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
