#include "advice/commands.hpp"

#include "advice/text.hpp"
#include "detectors/engine/tool_class.hpp"

#include <agent_audit/advice/session_memory.hpp>
#include <agent_audit/simulator/js_value.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLongestPath = 300;
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kMostPaths = 32;

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

void git_effects(const Words& words, std::size_t at, CommandEffects& out) {
    if (at + 1 >= words.size()) return;
    std::size_t verb_at = at + 1;
    while (verb_at + 1 < words.size() && (words[verb_at] == "-C" || words[verb_at] == "-c")) verb_at += 2;
    const std::string& verb = words[verb_at];
    const Words rest = arguments(words, verb_at + 1);
    if (verb == "commit") {
        out.commits = !has_option(words, "--dry-run");
        for (std::size_t i = verb_at; i + 1 < words.size(); ++i) {
            const bool says = words[i] == "-m" || words[i] == "-am" || words[i] == "--message";
            if (says && out.message.empty() && !words[i + 1].starts_with("$")) out.message = words[i + 1];
        }
    } else if (verb == "stash") {
        const std::string what = rest.empty() ? "push" : rest[0];
        out.stashes = what == "push" || what == "save";
        out.unstashes = what == "pop" || what == "apply";
    } else if (verb == "reset" && has_option(words, "--hard")) {
        out.undoes = true;
    } else if (verb == "restore" && !has_option(words, "--staged")) {
        out.undoes = true;
        out.undone = rest;
    } else if (verb == "checkout") {
        const auto dashes = std::ranges::find(words, "--");
        if (dashes == words.end() && (rest.empty() || rest[0] != ".")) return;
        out.undoes = true;
        if (dashes != words.end()) out.undone.assign(dashes + 1, words.end());
    } else if (verb == "mv" && rest.size() == 2) {
        add(out.changed, rest[1]);
    } else if (verb == "rm") {
        for (const std::string& path : rest) add(out.changed, path);
    }
    std::erase(out.undone, ".");
}

void part_effects(const Part& part, CommandEffects& out) {
    const Words& words = part.words;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == ">") add(out.changed, words[i + 1]);
    }
    const auto [program, at] = program_of(words);
    if (program.empty()) return;
    const Words rest = arguments(words, at + 1);
    const bool in_place = (program == "sed" || program == "perl") && has_letter(words, 'i');
    if (program == "git") return git_effects(words, at, out);
    if (program == "rm" || program == "touch" || program == "tee" || program == "truncate") {
        for (const std::string& path : rest) {
            if (is_file(path)) add(out.changed, path);
        }
    } else if ((program == "mv" || program == "cp") && rest.size() >= 2) {
        std::string to = rest.back();
        if (to == "." || to.ends_with('/')) to = (to == "." ? "" : to) + rest.front().substr(rest.front().rfind('/') + 1);
        add(out.changed, to);
        if (program == "mv") add(out.changed, rest.front());
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
    constexpr std::array<std::string_view, 20> kOtherTargets{
        "clean", "deploy", "dev",   "distclean", "doc",  "docs",  "down",  "fmt",   "format", "help",
        "init",  "install", "publish", "push",   "release", "run", "serve", "setup", "start", "up"};
    const auto [program, at] = program_of(part.words);
    const auto among = [](const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    const Words rest = arguments(part.words, at + 1);
    const bool looks = std::ranges::any_of(part.words, [&](const std::string& w) { return among(kOnlyLooks, w); });
    if (among(kFormatters, program)) return !looks;
    if (program == "ruff") return !rest.empty() && rest[0] == "format" && !looks;
    if (program == "cmake") return !has_option(part.words, "--build");
    // Targets of make and its like: one that checks is enough.
    Words targets;
    for (const std::string& word : rest) {
        if (word.find('=') == word.npos) targets.push_back(word);
    }
    return !targets.empty() && std::ranges::all_of(targets, [&](const std::string& word) { return among(kOtherTargets, word); });
}

// A test, a build, a lint, a type check.
bool is_verify(const Part& part) {
    return !only_asks(part) && detectors::classify_command({part.text, TextForm::plain}) == ToolClass::verify &&
           !does_something_else(part);
}

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
    return !effects.changed.empty() || effects.undoes;
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
            std::string words = one_line(part.text, 120);
            if (const std::size_t redirected = words.find(" 2>"); redirected != words.npos) words.erase(redirected);
            if (found.words.find(words) == std::string::npos) found.words += (found.words.empty() ? "" : "; ") + words;
        }
        found.edits_after = found.edits_after || (!verifies && found.kind != CheckCommand::no && changes_files(part));
        if (found.kind == CheckCommand::own && !part.end.empty() && part.end != "&&") found.kind = CheckCommand::mixed;
    }
    return found;
}

bool says_success(std::string_view output) {
    constexpr std::size_t kLooked = 8u << 10;
    std::string text(output.substr(0, kLooked));
    if (output.size() > kLooked) text += output.substr(output.size() - std::min(kLooked, output.size() - kLooked));
    const std::string low = lower(text);
    if (speaks_of_failure(low)) return false;
    for (const std::string_view word : {"passed", "passing", "pass", "ok", "success", "successfully", "succeeded", "0 errors",
                                        "0 failures", "0 failed", "no issues", "no errors", "built in", "finished", "up to date"}) {
        if (has_word(low, word)) return true;
    }
    return low.find("\u2713") != low.npos || low.find("\u2714") != low.npos;
}

CommandEffects effects_of(std::string_view command, std::string_view directory) {
    CommandEffects out;
    std::string base(directory);
    for (const Part& part : split(command)) {
        if (part.words.size() == 2 && part.words[0] == "cd") {
            base = joined_path(base, part.words[1]);
            continue;
        }
        CommandEffects one;
        part_effects(part, one);
        for (const std::string& path : one.changed) add(out.changed, joined_path(base, path));
        for (const std::string& path : one.read) add(out.read, joined_path(base, path));
        for (const std::string& path : one.undone) out.undone.push_back(joined_path(base, path));
        if (one.undoes && (one.undone.empty() || !out.undoes)) out.undone = one.undone.empty() ? Words{} : out.undone;
        out.undoes |= one.undoes;
        out.stashes |= one.stashes;
        out.unstashes |= one.unstashes;
        out.commits |= one.commits;
        if (out.message.empty()) out.message = one.message;
    }
    std::vector<std::string> patched;
    if (command.find("*** ") != command.npos) add_patched_files(command, patched);
    for (const std::string& path : patched) add(out.changed, joined_path(base, path));
    return out;
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

void add_patched_files(std::string_view text, std::vector<std::string>& paths) {
    constexpr std::array<std::string_view, 5> kMarks{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (const std::string_view mark : kMarks) {
            if (line.starts_with(mark)) add(paths, one_line(line.substr(mark.size()), kLongestPath));
        }
    }
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
