#pragma once

#include "detectors/speech/stated_rules.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::detectors {

/// "use" is no "user": an English verb ends where its letters end. Its -s, -ing are not expected here.
inline bool begins_verb(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    const bool ascii = static_cast<unsigned char>(word[0]) < 0x80;
    return !ascii || text.size() == word.size() || !is_letter(text[word.size()]);
}

template <std::size_t N>
bool begins_any_verb(std::string_view text, const std::string_view (&words)[N]) {
    return std::ranges::any_of(words, [&](std::string_view w) { return begins_verb(text, w); });
}

inline Constraint make_rule(Constraint::Kind kind, std::string target) {
    Constraint c;
    c.kind = kind;
    c.target = std::move(target);
    return c;
}
/// "and its tests", among the only places.
inline Constraint only_the_tests() {
    Constraint c = make_rule(Constraint::Kind::only_path, "the tests");
    c.which = Constraint::Which::tests;
    return c;
}
inline void append(std::vector<Constraint>& rules, std::vector<Constraint> more) {
    for (Constraint& c : more) rules.push_back(std::move(c));
}

/// Rules about what has no name: every file, all code, the tests. `verb` is what must not be done, `object` what stands
/// behind it; both in lower case.
void forbid_unnamed(std::string_view verb, std::string_view object, std::vector<Constraint>& rules);

/// The pattern of a file that is known by half a name ("readme", "license file"), in lower case; empty for others.
std::string_view file_known_as(std::string_view object);

/// "any new files", "a file": behind "do not create". `files_to_add` is what stands behind these words, as in "files in
/// src/"; empty = other words stand there, or nothing is behind them.
void forbid_new_files(std::string_view object, std::vector<Constraint>& rules);
std::string_view files_to_add(std::string_view object);

/// "any new packages", "another branch": what stands behind "do not install", "do not create", in lower case.
void forbid_installing(std::string_view object, std::vector<Constraint>& rules);
void forbid_branches(std::string_view object, std::vector<Constraint>& rules);
/// "the tests", "any migrations", "the dev server": behind "do not run" or "do not start".
void forbid_runs(std::string_view object, std::vector<Constraint>& rules);
/// The word by which people know what such a command or tool, in lower case, does: "test", "migrat", "server",
/// "search", "subagent"; empty for others.
std::string_view known_as(std::string_view command);
/// "bypass the hooks", "skip the pre-commit hook with --no-verify": what git is told so.
void forbid_skipping_hooks(std::string_view clause, std::vector<Constraint>& rules);

/// "search the web", "use subagents", "implement anything": work that tools of several names do. In lower case.
void forbid_kinds_of_work(std::string_view clause, std::vector<Constraint>& rules);

/// "deploy", "publish it yet": the commands that do so. In lower case; where something narrows it, none.
void forbid_shipping(std::string_view clause, std::vector<Constraint>& rules);
/// Is it one of those?
bool is_about_shipping(const Constraint& rule);

/// "restart anything", "cancel my order": what tools do that are called so, restart_service and cancel_order. In lower
/// case.
void forbid_named_deeds(std::string_view clause, std::vector<Constraint>& rules);

/// "make any commits"; "open a pull request", "merge the PR", by command and by the tools of code hosts. In lower case.
void forbid_commits(std::string_view clause, std::vector<Constraint>& rules);
void forbid_pull_requests(std::string_view clause, std::vector<Constraint>& rules);
/// What merges a pull request, by command and by tool.
void forbid_merged_requests(std::vector<Constraint>& rules);

}  // namespace agent_audit::detectors
