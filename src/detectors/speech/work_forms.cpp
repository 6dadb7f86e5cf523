#include "detectors/speech/work_forms.hpp"

#include "detectors/speech/rule_forms.hpp"
#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::detectors {
namespace {

// What may stand before "no pushes": nothing, an order, or a word that only leads to it.
bool leads_to_none(std::string_view head, bool gerund) {
    constexpr std::string_view kIntros[] = {"from now on",
                                            "there must be",
                                            "there should be",
                                            "there shall be",
                                            "please",
                                            "and",
                                            "but",
                                            "also",
                                            "again",
                                            "still",
                                            "remember",
                                            "so",
                                            "i want",
                                            "we want",
                                            "and please",
                                            "but please",
                                            "ok",
                                            "okay",
                                            "from here on",
                                            "pls",
                                            "plz"};
    constexpr std::string_view kHeads[] = {
        "keep ",   "work ",   "stay ",     "use ",    "do ",   "fix ",   "make ", "add ",  "implement ", "write ",
        "change ", "update ", "refactor ", "review ", "look ", "check ", "read ", "only ", "just ",      "please "};
    head = trimmed(head);
    if (head.empty() || std::string_view(":-(").find(head.back()) != std::string_view::npos) return true;
    const std::string_view last = last_clause(head);
    if (std::ranges::find(kIntros, last) != std::end(kIntros)) return true;
    constexpr std::string_view kBut = " but", kCommits[] = {"commit",        "just commit",    "only commit",
                                                            "please commit", "you can commit", "you may commit"};
    if (head.ends_with(kBut) && (starts_with_any(head, kHeads) || starts_with_any(head, kCommits))) return true;
    return head.ends_with(',') && (gerund || starts_with_any(head, kHeads) || head.ends_with(" only,"));
}

}  // namespace

std::string done_myself(std::string_view, std::string_view lower) {
    constexpr std::string_view kLeads[] = {"i'll ", "i’ll ", "i will ", "i'd rather ", "i want to ", "let me ", "i "},
                               kDo[] = {"do the ", "do all ", "handle the ", "make the ", "do "};
    constexpr std::pair<std::string_view, std::string_view> kDeeds[] = {
        {"commits", "commit"},  {"committing", "commit"}, {"commit", "commit"},    {"pushes", "push"},
        {"pushing", "push"},    {"push", "push"},         {"merge", "merge"},      {"merging", "merge"},
        {"deploys", "deploy"},  {"deployment", "deploy"}, {"deploying", "deploy"}, {"deploy", "deploy"},
        {"release", "publish"}, {"publish", "publish"}};
    // "I'll take care of commits", "let me handle git"
    constexpr std::string_view kHandles[] = {"i'll take care of ", "i’ll take care of ", "i will take care of ",
                                             "i take care of ",    "i'll handle ",       "i’ll handle ",
                                             "i will handle ",     "i handle ",          "let me handle "},
                               kAll[] = {"the ", "all ", "all the "}, kGit = "git";
    for (const std::string_view handles : kHandles) {
        if (!lower.starts_with(handles)) continue;
        std::string_view what = lower.substr(handles.size());
        for (const std::string_view all : kAll) {
            if (what.starts_with(all)) what.remove_prefix(all.size());
        }
        const std::string_view noun = letters_of(what);
        if (!ends_clause(trimmed(what.substr(noun.size())))) return {};
        if (noun == kGit) return "do not commit or push";
        const auto deed = std::ranges::find(kDeeds, noun, &std::pair<std::string_view, std::string_view>::first);
        return deed == std::end(kDeeds) ? std::string() : "do not " + std::string(deed->second);
    }
    constexpr std::string_view kMyself = " myself";
    const std::size_t at = lower.find(kMyself);
    if (at == lower.npos || !ends_clause(trimmed(lower.substr(at + kMyself.size())))) return {};
    std::string_view said = last_clause(lower.substr(0, at));
    const auto take = [&](auto& words) {
        const auto word = std::ranges::find_if(words, [&](std::string_view w) { return said.starts_with(w); });
        if (word != std::end(words)) said.remove_prefix(word->size());
        return word != std::end(words);
    };
    if (!take(kLeads)) return {};
    take(kDo);
    const auto deed = std::ranges::find(kDeeds, said, &std::pair<std::string_view, std::string_view>::first);
    return deed == std::end(kDeeds) ? std::string() : "do not " + std::string(deed->second);
}

std::string only_when_asked(std::string_view sentence, std::string_view lower) {
    static constexpr std::string_view kWaits[] = {
        "wait for my ",    "wait for me",        "wait until i ",      "wait till i ",     "ask me",
        "ask first",       "check with me",      "let me review",      "let me look",      "let me check",
        "let me test",     "let me see the",     "i want to review",   "i want to look",   "i want to check",
        "i want to test",  "i'd like to review", "i’d like to review", "i need to review", "get my ok",
        "get my approval", "get my review"};
    constexpr std::string_view kNoNeed[] = {"no need", "needn't", "needn’t"};
    constexpr std::string_view kBefore = "before ", kYou = "you ";
    const std::size_t at = lower.find(kBefore);
    if (at == lower.npos || (at > 0 && is_letter(lower[at - 1]))) return {};
    std::string_view order = sentence.substr(at + kBefore.size());
    if (lowered(order).starts_with(kYou)) order.remove_prefix(kYou.size());
    std::string_view asks = lower.substr(0, at);
    if (at == 0) {  // "Before you commit, wait for my review."
        const std::size_t comma = order.find(',');
        if (comma == order.npos) return {};
        asks = lower.substr(lower.size() - order.size() + comma);
        order = order.substr(0, comma);
    }
    Hit wait;  // the last
    static constexpr PhraseSet waits(kWaits);
    waits.any(asks, [&wait](std::size_t found, std::string_view phrase) {
        if (!wait || found > wait.at) wait = {found, found + phrase.size()};
        return false;
    });
    // "The tool should wait for my input before committing" is about the tool.
    const std::string_view lead = wait ? last_clause(asks.substr(0, wait.at)) : std::string_view{};
    if (!lead.empty() && !leads_into_order(lead)) return {};
    if (!wait || negated(asks) || contains_any(asks, kNoNeed) ||
        contains_any(asks, std::array<std::string_view, 2>{" if ", " when "}))
        return {};
    const std::string gerund = as_order(order);
    const std::string done = gerund.empty() ? std::string(order) : gerund;
    return "do not " + done + " for now";
}

std::string nothing_of_git(std::string_view, std::string_view lower) {
    constexpr std::string_view kAll[] = {"no git stuff", "no git operations", "no git commands", "no git actions",
                                         "do any git ",  "run any git ",      "do git ",         "leave git alone"};
    constexpr std::string_view kBegins[] = {"don't ", "don’t ", "dont ", "do not ", "never "};
    constexpr std::string_view kWhat[] = {"stuff", "operations", "commands", "actions", "things"};
    const Hit hit = first_of(lower, kAll);
    if (!hit) return {};
    const std::string_view phrase = lower.substr(hit.at, hit.end - hit.at), head = lower.substr(0, hit.at);
    std::string_view rest = lower.substr(hit.end);
    if (phrase.ends_with(' ')) {
        const auto what = std::ranges::find_if(kWhat, [&](std::string_view w) { return rest.starts_with(w); });
        const bool ordered = std::ranges::any_of(
            kBegins, [&](std::string_view o) { return head == o || head.ends_with(" " + std::string(o)); });
        if (what == std::end(kWhat) || !ordered) return {};
        rest.remove_prefix(what->size());
    } else if (!trimmed(head).empty() && !trimmed(head).ends_with(',') && !trimmed(head).ends_with("please") &&
               !trimmed(head).ends_with("and")) {
        return {};
    }
    if (!ends_clause(trimmed(rest)) && !starts_with_any(trimmed(rest), kClosers)) return {};
    return "do not run git commit, git push, git add, git stash, git reset, git rebase, git merge or git checkout";
}

std::string one_not_the_other(std::string_view, std::string_view lower) {
    constexpr std::string_view kUses[] = {"use ", "please use ", "always use ", "we use "};
    const auto use = std::ranges::find_if(kUses, [&](std::string_view u) { return lower.starts_with(u); });
    if (use == std::end(kUses)) return {};
    const std::string_view one = letters_of(lower.substr(use->size())), rest = lower.substr(use->size() + one.size());
    constexpr std::string_view kNot = " not ";
    if (!rest.starts_with(kNot)) return {};
    const std::string_view other = letters_of(rest.substr(kNot.size())),
                           behind = trimmed(rest.substr(kNot.size() + other.size()));
    const bool programs = std::ranges::find(kPrograms, one) != std::end(kPrograms) &&
                          std::ranges::find(kPrograms, other) != std::end(kPrograms);
    return programs && (ends_clause(behind) || starts_with_any(behind, kClosers)) ? "do not run " + std::string(other)
                                                                                  : std::string();
}

std::string on_this_branch(std::string_view, std::string_view lower) {
    constexpr std::string_view kStays[] = {"stay on this branch", "stay on the current branch",
                                           "please stay on this branch", "please stay on the current branch"};
    for (const std::string_view stay : kStays) {
        if (!lower.starts_with(stay)) continue;
        const std::string_view rest = trimmed(lower.substr(stay.size()));
        if (ends_clause(rest) || starts_with_any(rest, kForYou))
            return contains_any(rest, kOpenings) ? std::string() : "do not create new branches";
    }
    return {};
}

std::string nothing_of(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kMore[] = {"more ", "further ", "new ", "other ", "additional ", "extra ", "git "};
    constexpr std::pair<std::string_view, std::string_view> kDeeds[] = {
        {"push", "push"},        {"pushes", "push"},       {"pushing", "push"},   {"commit", "commit"},
        {"commits", "commit"},   {"committing", "commit"}, {"deploys", "deploy"}, {"deployments", "deploy"},
        {"deploying", "deploy"}, {"merging", "merge"},     {"merges", "merge"},   {"rebase", "rebase"},
        {"rebases", "rebase"},   {"rebasing", "rebase"}};
    constexpr std::string_view kChanges[] = {"changes", "edits", "modifications"},
                               kInstalls[] = {"deps", "dependencies", "packages", "libraries"},
                               kBranches[] = {"branches", "branch"};
    constexpr std::string_view kReports[] = {" were ",  " are ",     " was ",  " is ",      " have ", " has ",
                                             " needed", " required", " found", " detected", " made",  " since "};
    std::string deeds;  // "no commit, no push"
    for (std::size_t no = lower.find("no "); no != lower.npos; no = lower.find("no ", no + 1)) {
        if (no > 0 && lower[no - 1] != ' ' && lower[no - 1] != '(') continue;
        std::size_t at = no + 3;
        bool fresh = false;
        for (bool again = true; again;) {
            again = false;
            for (const std::string_view more : kMore) {
                if (!lower.substr(at).starts_with(more)) continue;
                at += more.size();
                again = true;
                fresh = fresh || more != "git ";
            }
        }
        const std::string_view noun = letters_of(lower.substr(at)), tail = trimmed(lower.substr(at + noun.size()));
        if (contains_any(tail, kOpenEnds)) return {};
        const bool listed = !deeds.empty() && trimmed(lower.substr(0, no)).ends_with(',');
        if (!listed && !leads_to_none(lower.substr(0, no), noun.ends_with("ing"))) continue;
        const std::size_t behind = static_cast<std::size_t>(tail.data() - lower.data());
        if (std::ranges::find(kChanges, noun) != std::end(kChanges)) {
            constexpr std::string_view kWhere[] = {"to ", "in ", "under ", "inside ", "within ", "below "};
            if (starts_with_any(tail, kWhere) && !contains_any(std::string(" ").append(tail).append(" "), kReports))
                return "do not change" + std::string(sentence.substr(behind + tail.find(' ')));
            if (tail.starts_with("outside ") && !contains_any(std::string(" ").append(tail).append(" "), kReports))
                return "do not change anything " + std::string(sentence.substr(behind));
            continue;
        }
        // "no new pip packages"
        constexpr std::string_view kOfKind[] = {"pip", "npm", "python", "node", "external", "runtime", "dev"};
        const std::string_view kind_of = letters_of(tail), behind_kind = trimmed(tail.substr(kind_of.size()));
        if (fresh && std::ranges::find(kOfKind, noun) != std::end(kOfKind) &&
            std::ranges::find(kInstalls, kind_of) != std::end(kInstalls) &&
            (ends_clause(behind_kind) || starts_with_any(behind_kind, kClosers)))
            return "do not install packages";
        if (!closes(tail)) continue;
        if (const auto deed = std::ranges::find(kDeeds, noun, &std::pair<std::string_view, std::string_view>::first);
            deed != std::end(kDeeds)) {
            deeds.append(deeds.empty() ? "do not " : " or ").append(deed->second);
            continue;
        }
        if (!deeds.empty()) break;
        if (fresh && std::ranges::find(kInstalls, noun) != std::end(kInstalls)) return "do not install packages";
        if (fresh && std::ranges::find(kBranches, noun) != std::end(kBranches)) return "do not create new branches";
        if (std::ranges::find(kPrograms, noun) != std::end(kPrograms)) return "do not use " + std::string(noun);
    }
    return deeds;
}

std::string working_without(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kWorks[] = {"please ", "work ",      "do ",    "run ", "install ", "build ",
                                           "fix ",    "implement ", "solve ", "set ", "try ",     "make "};
    constexpr std::string_view kWithout = "without ";
    const std::size_t at = lower.find(kWithout);
    if (at == lower.npos) return {};
    const std::string_view rest = lower.substr(at + kWithout.size());
    if (at == 0) {
        const std::string order =
            rest.find(',') == rest.npos ? as_order(sentence.substr(kWithout.size())) : std::string();
        return order.empty() ? order : "do not " + order;
    }
    const std::string_view head = lower.substr(0, at), program = letters_of(rest),
                           tail = trimmed(rest.substr(program.size()));
    if (!starts_with_any(head, kWorks) || negated(head) || (!ends_clause(tail) && !starts_with_any(tail, kClosers)))
        return {};
    return std::ranges::find(kPrograms, program) != std::end(kPrograms) ? "do not use " + std::string(program)
                                                                        : std::string();
}

}  // namespace agent_audit::detectors
