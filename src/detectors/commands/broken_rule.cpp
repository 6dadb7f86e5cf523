#include "detectors/commands/broken_rule.hpp"

#include "detectors/commands/branches.hpp"
#include "detectors/commands/broken_words.hpp"
#include "detectors/commands/changes_path.hpp"
#include "detectors/commands/installs.hpp"
#include "detectors/commands/root_paths.hpp"
#include "detectors/commands/runs_command.hpp"
#include "detectors/commands/shell_line.hpp"
#include "detectors/commands/shell_words.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include "support/among.hpp"

#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

namespace agent_audit::detectors {
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

/// A file that nobody misses. What lies in the folder of the session is none, wherever that is: /var/www/shop.
bool is_aside(const CallTarget& call, std::string_view path) {
    constexpr std::string_view kBare[] = {"/tmp", "/var", "/var/tmp", "/private/tmp", "/private/var", "/dev/shm"};
    const bool within = !call.folder.empty() && path.starts_with(call.folder) &&
                        path.substr(call.folder.size()).starts_with('/') && !among(call.folder, kBare);
    return is_scratch(path) && !within;
}

bool is_meant(const CallTarget& call, const Constraint& c, std::string_view path) {
    if (is_aside(call, path) || (c.spares_tests && is_test_file(path))) return false;
    if (c.which == Constraint::Which::tests) return is_test_file(path);
    return c.which != Constraint::Which::code || is_code_file(path);
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
bool changes_in_place(const CallTarget& call, const Constraint& c) {
    constexpr std::string_view kRemovers[] = {"rm ", "git rm ", "unlink "};  // rmdir takes no folder with a file in it
    constexpr std::string_view kChangers[] = {"sed -i", "perl -i", "perl -pi", "patch "};
    return any_command(call.command, [&](std::string_view part) {
        const auto is = [&](std::string_view command) { return part.starts_with(command); };
        if (c.which == Constraint::Which::all_files && deletes_what_it_finds(part)) return true;
        if (!std::ranges::any_of(kRemovers, is) && (c.deletes || !std::ranges::any_of(kChangers, is))) return false;
        if (keeps_files(part)) return false;
        // The last word is a file, whatever stands before it.
        const std::string_view last = part.substr(part.find_last_of(" \t") + 1);
        return !last.starts_with('-') && !last.starts_with('$') && !is_made_again(last) && is_meant(call, c, last) &&
               !names_only_own(call, part);
    });
}

/// Makes a file that there may not be. Whether it was there before, the outcome must tell.
bool makes_file(const Constraint& c, const CallTarget& call) {
    const std::vector<std::string>& made = call.creates ? call.paths : call.added;
    return call.tool_class == ToolClass::mutate && std::ranges::any_of(made, [&](const std::string& path) {
               return c.which == Constraint::Which::named ? path_matches(path, c.target) : !is_aside(call, path);
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

/// "Do not change anything", and a tool that is called for a change of something else than a file: scale_deployment,
/// update_contact. What an agent keeps for itself is not meant.
bool changes_something(const Constraint& c, const CallTarget& call) {
    constexpr std::string_view kDeeds[] = {"update", "delete",  "remove",    "restart", "reboot", "scale",
                                           "deploy", "disable", "overwrite", "rename",  "modify", "change",
                                           "cancel", "drop",    "terminate", "kill",    "purge",  "rollback"};
    constexpr std::string_view kOwn[] = {"plan",    "todo",     "task",     "memory", "note",   "goal",
                                         "file",    "progress", "title",    "draft",  "branch", "cell",
                                         "scratch", "report",   "document", "page"};
    constexpr std::string_view kAnything = "anything";
    if (c.which != Constraint::Which::all_files || c.adds || c.deletes || call.tool_class != ToolClass::other)
        return false;
    const std::string_view deed = std::string_view(call.tool).substr(0, call.tool.find('_'));
    return among(deed, kDeeds) && call.tool.size() > deed.size() && !contains_any(call.tool, kOwn) &&
           lowered(c.sentence).find(kAnything) != std::string::npos;
}

bool breaks_unnamed(const Constraint& c, const CallTarget& call) {
    if (call.command.empty() && changes_something(c, call)) return true;
    if (!call.command.empty()) return changes_in_place(call, c);
    if (c.deletes && call.tool.find("delete") == call.tool.npos && call.tool.find("remove") == call.tool.npos)
        return false;
    if (call.tool_class != ToolClass::mutate || (c.existing && call.creates)) return false;
    const bool old = c.existing || c.deletes;  // what is new is not meant
    return std::ranges::any_of(
        call.paths, [&](const std::string& path) { return is_meant(call, c, path) && !(old && is_own(call, path)); });
}

/// Changes such a file that was there before: neither made by this call nor by one before it.
bool changes_existing(const CallTarget& call, std::string_view target) {
    return !call.creates && std::ranges::any_of(call.paths, [&](const std::string& path) {
        return is_path_of(path, target) && !is_own(call, path) &&
               std::ranges::find(call.added, path) == call.added.end();
    });
}

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

/// Is it the file that a rule names? One of which the name was met in the folder of the session is no other.
bool is_meant_by(const Constraint& c, const CallTarget& call, std::string_view path) {
    const bool unknown = call.folder.empty() && path.starts_with('/');
    return c.at_root && !unknown ? lies_at_root(path, call.folder, c.target) : is_named(call, path, c.target);
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

/// A rule about files that there may be, and that the call may not change, read or remove.
bool breaks_path(const Constraint& c, const CallTarget& call) {
    if (c.which != Constraint::Which::named) return breaks_unnamed(c, call);
    const auto names_it = [&] { return !c.at_root || names_at_root(call, c.target); };
    if (c.deletes) return takes_path_away(call, c.target) && names_it();
    const bool changes = call.tool_class == ToolClass::mutate;
    if (c.existing) return changes && changes_existing(call, c.target);
    const auto is_it = [&](const std::string& path) { return is_meant_by(c, call, path); };
    if ((changes || c.any_access) && std::ranges::any_of(call.paths, is_it)) return true;
    if (call.command.empty()) return false;
    if (changes_path(call.command, c.target, false) && names_it()) return true;
    return c.any_access && names_path(call.command, c.target);
}

bool breaks_command(const Constraint& c, const CallTarget& call) {
    if (!c.onto.empty()) return !call.command.empty() && merges_onto(call.command, c.onto, call.branch);
    return !call.command.empty() && runs_command(call.command, c.target) &&
           !(c.existing && installs_known(call.command, c.target)) && !only_filters(c, call.command);
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
                if (breaks_path(c, call)) return &c;
                break;
            case Constraint::Kind::forbid_command:
                if (breaks_command(c, call)) return &c;
                break;
            case Constraint::Kind::forbid_tool:
                if (c.onto.empty()
                        ? snake_case(c.target) == call.tool
                        : call.command.empty() && !call.said.empty() && breaks_words(c, call.tool, call.said))
                    return &c;
                break;
            case Constraint::Kind::only_path:
                if (!call.changed.empty() && !changed_outside(constraints, call).empty()) return &c;
                if (!changes || call.paths.empty()) break;
                scoped = true;
                if (!scope) scope = &c;
                inside = inside || std::ranges::all_of(call.paths, [&](const std::string& path) {
                             return is_aside(call, path) || is_place(c, path) ||
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
