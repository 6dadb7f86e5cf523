#include "detectors/engine/claim_states.hpp"

#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kStates[] = {"green", "clean", "passing", "happy"};
constexpr PhraseSet kStateSet(kStates);
constexpr std::string_view kAdverbs[] = {"now",     "all",  "again", "back",      "still",
                                         "finally", "also", "fully", "completely"};
constexpr std::string_view kCopulas[] = {"is", "are", "'s", "’s", "'re", "’re", "stays", "stay"};
// What may be green, clean or passing and is a check.
constexpr std::string_view kChecks[] = {
    "tests",  "test",      "suite",      "specs",       "build",    "builds",  "lint",      "linter", "linting",
    "types",  "typecheck", "type-check", "compilation", "ci",       "ruff",    "mypy",      "eslint", "tsc",
    "clippy", "pyright",   "flake8",     "pylint",      "prettier", "rubocop", "stylelint", "biome",  "golangci-lint",
    "pytest", "jest",      "vitest",     "mocha",       "rspec",    "ctest",   "tsgo",      "vet"};
constexpr std::string_view kStyle[] = {"eslint", "flake8", "pylint", "rubocop", "stylelint", "biome", "golangci-lint"},
                           kTests[] = {"pytest", "vitest", "mocha", "rspec", "ctest"};

bool in_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

// The word that ends a text, with its apostrophe where it has one: "they're" is two.
std::string_view last_of(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && in_word(text[begin - 1])) --begin;
    constexpr std::string_view kCurly = "’";
    if (begin > 0 && text[begin - 1] == '\'') return text.substr(begin - 1);
    if (text.substr(0, begin).ends_with(kCurly)) return text.substr(begin - kCurly.size());
    return text.substr(begin);
}

// Takes the last word off, and the blanks and quotes before it.
void drop(std::string_view& head, std::string_view word) {
    constexpr std::string_view kMarks = " `*_";
    head.remove_suffix(word.size());
    while (!head.empty() && kMarks.find(head.back()) != kMarks.npos) head.remove_suffix(1);
}

CheckKinds kinds_of(std::string_view check) {
    if (among(check, kStyle)) return kLintCheck;
    if (among(check, kTests)) return kTestCheck;
    return kinds_named_in(check);
}

// Behind the state: the end of the thought, or how, where and since when.
bool ends_state(std::string_view behind) {
    constexpr std::string_view kGoesOn[] = {" now",     " again", " and",  " on ",   " with", " after", " across",
                                            " here",    " too",   " in ",  " as ",   " for ", " so ",   " (",
                                            " locally", " both",  " over", " again", " —",    " –",     " -"};
    constexpr std::string_view kMarks = "`*_";
    while (!behind.empty() && kMarks.find(behind[0]) != kMarks.npos) behind.remove_prefix(1);
    constexpr std::string_view kEnds = ".,;:!)|\n";
    return behind.empty() || kEnds.find(behind[0]) != kEnds.npos || starts_with_any(behind, kGoesOn);
}

}  // namespace

std::vector<SaidState> states_said(std::string_view text) {
    std::vector<SaidState> found;
    const std::string lower_text = lowered(text);
    const std::string_view lower = lower_text;
    kStateSet.any(lower, [&](std::size_t at, std::string_view state) {
        const std::size_t end = at + state.size();
        if (at < 2 || in_word(lower[at - 1]) || !ends_state(lower.substr(end))) return false;
        const std::size_t stop = lower.find_first_of(".!?\n", end);
        if (stop != lower.npos && lower[stop] == '?') return false;
        std::string_view head = lower.substr(0, at);
        drop(head, {});
        std::string_view word = last_of(head);
        bool copula = false;
        for (; among(word, kAdverbs) || (!copula && among(word, kCopulas)); word = last_of(head)) {
            copula = copula || among(word, kCopulas);
            drop(head, word);
        }
        if (!copula) return false;
        constexpr std::string_view kThey = "they", kPassing = "passing";
        const bool they = word == kThey && state == kPassing;
        if (!they && !among(word, kChecks)) return false;
        const std::size_t begin = head.size() - word.size();
        found.push_back({begin, end - begin, they ? CheckKinds{} : kinds_of(word)});
        return false;
    });
    return found;
}

std::string without_more(std::string_view text) {
    static constexpr std::string_view kMores[] = {"no more ", "no further ", "zero ", "not a single "};
    static constexpr PhraseSet mores(kMores);
    if (!mores.in(text)) return {};
    std::string out;
    std::size_t done = 0;
    mores.any(text, [&](std::size_t at, std::string_view more) {
        if (at < done || (at > 0 && is_letter(text[at - 1]))) return false;
        out.append(text.substr(done, at - done)).append("no ");
        done = at + more.size();
        return false;
    });
    return out.append(text.substr(done));
}

}  // namespace agent_audit::detectors
