#pragma once

#include "support/ascii.hpp"

#include <cstddef>
#include <string_view>

/// What the forms of sentences that state rules are made of. Texts are in lower case.
namespace agent_audit::detectors {

/// May stand at the end of an order: "no commits, please".
inline constexpr std::string_view kClosers[] = {
    "please",    "pls", "from now on", "anymore", "any more", "today", "yourself", "at all",      "ever",
    "this time", "tho", "thanks",      "for now", "and ",     "or ",   "again",    "from here on"};
inline constexpr std::string_view kPrograms[] = {"sudo", "npm",    "npx",       "yarn", "pnpm",
                                                 "pip",  "docker", "kubectl",   "curl", "wget",
                                                 "brew", "conda",  "terraform", "helm", "ssh"};
/// May stand behind "off limits".
inline constexpr std::string_view kForYou[] = {
    "for you",      "for this task", "for this session", "for now",      "for today",       "here",
    "today",        "in this task",  "in this session",  "right now",    "at the moment",   "please",
    "and ",         "as ",           "because",          "since",        "until",           "unless",
    "in this repo", "on this host",  "on this machine",  "from here on", "in this project", "again"};
/// What a sentence says that begins so holds at times, and when that is nobody here can tell.
inline constexpr std::string_view kOpenings[] = {"if ",   "when ",   "whenever ", "unless ",    "in case ",
                                                 "once ", "should ", "until ",    "as long as "};

/// "no commits, unless I say so"
inline constexpr std::string_view kOpenEnds[] = {" unless ", ", except", ", if ", " only if "};

/// Where a phrase stands.
struct Hit {
    std::size_t at = std::string_view::npos;
    std::size_t end = 0;
    explicit operator bool() const { return at != std::string_view::npos; }
};

/// The first of the phrases, by place.
template <std::size_t N>
Hit first_of(std::string_view text, const std::string_view (&phrases)[N]) {
    Hit hit;
    for (const std::string_view phrase : phrases) {
        const std::size_t at = text.find(phrase);
        if (at < hit.at) hit = {at, at + phrase.size()};
    }
    return hit;
}

/// Is what follows the end of a clause, or one of kClosers? Behind those that say when ("today") the clause must end
/// too: "no commits today means that something is wrong".
bool closes(std::string_view rest);
/// Is what follows the end of a clause?
bool ends_clause(std::string_view rest);
/// The letters with which a text begins.
std::string_view letters_of(std::string_view text);
/// "again: we use pnpm" is about what is used: the part behind the last comma or colon.
std::string_view last_clause(std::string_view head);
/// Is it all that may stand between the clause before and an order: "but please", "you must"?
bool leads_into_order(std::string_view said);
/// Does it say "not" in one of its forms?
bool negated(std::string_view text);
/// An order to change something begins so.
bool begins_with_change(std::string_view lower);
/// The last thought before a place: "It is old, and src/api" is about src/api.
std::string_view subject_before(std::string_view sentence, std::size_t at);
/// Names of files and folders, and words that only lead to them: "the vendor/ directory", "`a.py` and b.py".
bool is_names_only(std::string_view said);

}  // namespace agent_audit::detectors
