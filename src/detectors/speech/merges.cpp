#include "detectors/speech/merges.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

bool ends(std::string_view rest) {
    constexpr std::string_view kEnds[] = {"yet",     "for now",  "at all", "directly", "on your own", "by yourself",
                                          "without", "until",    "unless", "because",  "since",       "again",
                                          "or push", "and push", "ever",   "either",   "before"};
    return closes(rest) || starts_with_any(rest, kEnds);
}

// Takes one of the words off, if one stands there whole.
template <std::size_t N>
bool take(std::string_view& text, const std::string_view (&words)[N]) {
    const auto is_there = [&](std::string_view word) {
        return text.starts_with(word) && (text.size() == word.size() || !is_letter(text[word.size()]));
    };
    const auto word = std::ranges::find_if(words, is_there);
    if (word == std::end(words)) return false;
    text = trimmed(text.substr(word->size()));
    return true;
}

}  // namespace

void forbid_merges(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kMerge[] = {"merge"}, kDirectly[] = {"directly", "straight", "back"},
                               kWhat[] = {"it",          "this",        "that",         "anything",  "your branch",
                                          "this branch", "the branch",  "my branch",    "your work", "your changes",
                                          "the changes", "any changes", "these changes"},
                               kInto[] = {"into", "to", "in", "onto"}, kThe[] = {"the", "our"},
                               kBranches[] = {"main", "master"}, kBranch[] = {"branch", "line"},
                               kDefault[] = {"default branch", "trunk"};
    if (!take(clause, kMerge)) return;
    take(clause, kWhat);
    take(clause, kDirectly);
    std::vector<std::string_view> onto{std::begin(kBranches), std::end(kBranches)};
    if (take(clause, kInto)) {
        take(clause, kThe);
        const std::string_view before = clause;
        if (take(clause, kBranches))
            onto = {before.substr(0, letters_of(before).size())};
        else if (!take(clause, kDefault))
            return;
        take(clause, kBranch);
    }
    if (!ends(clause)) return;
    for (const std::string_view branch : onto) {
        rules.push_back(make_rule(Constraint::Kind::forbid_command, "git merge into " + std::string(branch)));
        rules.back().onto = branch;
    }
    forbid_merged_requests(rules);
}

}  // namespace agent_audit::detectors
