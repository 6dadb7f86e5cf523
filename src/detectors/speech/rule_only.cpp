#include "detectors/speech/rule_only.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kAllowedNames[] = {
    "allowed files:",     "allowed paths:",   "files you may change:", "files you may edit:", "files in scope:",
    "allowed to modify:", "allowed to edit:", "allowed to change:",    "you may only edit:",  "you may only modify:"};

}  // namespace

// "from now on only a.py", "edit docs/guide.md only", "the only file you may change is a.py".
std::string only_these(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kFrom[] = {"from now on only ", "from now on, only ", "from here on only ",
                                          "from here on, only "};
    constexpr std::string_view kOnlyFile[] = {
        "the only file you ",        "the only files you ",  "the only file that you ", "the only files that you ",
        "the only place you ",       "the only places you ", "the only directory you ", "the only folder you ",
        "the only directories you ", "the only folders you "};
    constexpr std::string_view kIs[] = {" is ", " are ", " is: ", " are: "}, kOnly = " only";
    const auto made = [](std::string_view names, std::string_view behind) {
        if (behind.starts_with(',')) behind = trimmed(behind.substr(1));  // ", then update b.py" orders more
        constexpr std::string_view kAlso[] = {"and ", "or "},
                                   kNoChange[] = {"and nothing", "and don't",  "and don’t", "and dont",
                                                  "and do not",  "and never",  "and run ",  "and commit",
                                                  "and push",    "and report", "and tell",  "and leave "};
        if (starts_with_any(behind, kAlso) && !starts_with_any(behind, kNoChange)) return std::string();
        const bool over = behind.empty() || starts_with_any(behind, kClosers);
        return over && is_names_only(names) ? "only change " + std::string(names) : std::string();
    };
    for (const std::string_view allowed : kAllowedNames) {
        if (lower.starts_with(allowed)) return made(sentence.substr(allowed.size()), {});
    }
    // "Just README.md, nothing else"
    constexpr std::string_view kJust[] = {"just ", "only "};
    for (const std::string_view just : kJust) {
        const Hit nothing = lower.starts_with(just) ? first_of(lower, kNothingElse) : Hit{};
        if (nothing && ends_clause(trimmed(lower.substr(nothing.end))))
            return made(sentence.substr(just.size(), nothing.at - just.size()), {});
    }
    for (const std::string_view from : kFrom) {
        if (!lower.starts_with(from)) continue;
        std::size_t end = sentence.size();
        for (const std::string_view closer : kClosers) {
            if (lower.ends_with(" " + std::string(closer))) end = sentence.size() - closer.size() - 1;
        }
        return made(sentence.substr(from.size(), end - from.size()), {});
    }
    constexpr std::string_view kOnlyOne[] = {"the only file that should change is ", "the only file to change is ",
                                             "the only file that changes is ", "the only file that may change is ",
                                             "the only file that needs to change is "};
    for (const std::string_view one : kOnlyOne) {
        if (lower.starts_with(one)) return made(sentence.substr(one.size()), {});
    }
    // "You may read anything, but the only folder you may write to is out/."
    constexpr std::string_view kTheOnly = "the only ", kBut = "but ";
    if (const std::size_t the = lower.find(kTheOnly);
        the != lower.npos && the > 0 && lower.substr(0, the).ends_with(kBut))
        return only_these(sentence.substr(the), lower.substr(the));
    if (starts_with_any(lower, kOnlyFile)) {
        const Hit is = first_of(lower, kIs);
        constexpr std::string_view kMays[] = {"may ", "can ", "should ", "must ", "are allowed to "},
                                   kChanges[] = {"change",   "edit",       "modify",  "touch",          "write to",
                                                 "write in", "write into", "work in", "make changes in"};
        const std::string_view may =
            is ? lower.substr(lower.find("you ") + 4, is.at - lower.find("you ") - 4) : std::string_view{};
        const bool changes = starts_with_any(may, kMays) &&
                             std::ranges::any_of(kChanges, [&](std::string_view c) { return may.ends_with(c); });
        return changes ? made(sentence.substr(is.end), {}) : std::string();
    }
    const std::size_t at = lower.rfind(kOnly);
    if (at == lower.npos || !begins_with_change(lower)) return {};
    const std::size_t verb = lower.find(' ', lower.starts_with("please ") ? 7 : 0);
    return verb < at ? made(sentence.substr(verb, at - verb), trimmed(lower.substr(at + kOnly.size()))) : std::string();
}

// "Fix the date bug. Only a.py please.": names alone, behind an order to change something.
std::string only_named(std::string_view sentence, std::string_view lower, std::string_view before) {
    constexpr std::string_view kOnly = "only ", kOnlyBehind = " only";
    constexpr std::string_view kWorks[] = {"tidy ",     "clean ",   "sort ",    "format ",  "refactor ", "rename ",
                                           "simplify ", "improve ", "correct ", "replace ", "remove "};
    constexpr std::string_view kScope = "scope: ";
    const bool scope = lower.starts_with(kScope);  // "Scope: src/x.ts only."
    if (scope) {
        lower.remove_prefix(kScope.size());
        sentence.remove_prefix(kScope.size());
        before = {};
    }
    const std::string order = lowered(before);
    if (!scope && !begins_with_change(order) && !starts_with_any(order, kWorks)) return {};
    while (std::ranges::any_of(kClosers, [&](std::string_view closer) {
        if (!lower.ends_with(closer) || !trimmed(closer).ends_with(closer)) return false;
        lower.remove_suffix(closer.size());
        return true;
    }))
        lower = lower.substr(0, lower.find_last_not_of(" ,!") + 1);  // npos + 1 = 0
    const bool front = lower.starts_with(kOnly), behind = lower.ends_with(kOnlyBehind);
    if (front == behind) return {};
    const std::string_view names = front ? sentence.substr(kOnly.size(), lower.size() - kOnly.size())
                                         : sentence.substr(0, lower.size() - kOnlyBehind.size());
    return paths_in(before, 1).empty() && is_names_only(names) ? "only change " + std::string(names) : std::string();
}

// "You can change anything except payment/."
std::string all_but(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kAll[] = {
        "you can change anything",   "you may change anything",  "you can edit anything",
        "you may edit anything",     "you can touch anything",   "change anything",
        "change whatever you want",  "change whatever you like", "anything goes",
        "everything may be changed", "anything may be changed",  "feel free to change anything"};
    constexpr std::string_view kBut[] = {" but ", " except for ", " except ", " apart from ", " other than "},
                               kChanges[] = {"changes in ", "changes to "};
    const auto all = std::ranges::find_if(kAll, [&](std::string_view a) { return lower.starts_with(a); });
    if (all == std::end(kAll)) return {};
    std::string_view rest = lower.substr(all->size());
    if (rest.starts_with(',')) rest.remove_prefix(1);
    const auto but = std::ranges::find_if(kBut, [&](std::string_view b) { return rest.starts_with(b); });
    if (but == std::end(kBut)) return {};
    rest.remove_prefix(but->size());
    for (const std::string_view changes : kChanges) {
        if (rest.starts_with(changes)) rest.remove_prefix(changes.size());
    }
    return "do not change " + std::string(sentence.substr(sentence.size() - rest.size()));
}

std::string nothing_beside(std::string_view sentence, std::string_view before) {
    constexpr std::string_view kElse[] = {"don't change anything else",
                                          "don’t change anything else",
                                          "dont change anything else",
                                          "do not change anything else",
                                          "don't touch anything else",
                                          "don’t touch anything else",
                                          "dont touch anything else",
                                          "do not touch anything else",
                                          "don't modify anything else",
                                          "do not modify anything else",
                                          "don't edit anything else",
                                          "do not edit anything else",
                                          "don't edit other files",
                                          "don’t edit other files",
                                          "do not edit other files",
                                          "don't touch other files",
                                          "don’t touch other files",
                                          "do not touch other files",
                                          "don't change other files",
                                          "do not change other files",
                                          "don't edit any other files",
                                          "do not edit any other files",
                                          "don't touch any other files",
                                          "do not touch any other files",
                                          "don't change any other files",
                                          "do not change any other files",
                                          "nothing else",
                                          "change nothing else",
                                          "touch nothing else",
                                          "leave everything else alone",
                                          "leave everything else as is",
                                          "leave everything else as it is",
                                          "leave everything else untouched"};
    constexpr std::string_view kColon = ": ";  // "Hi, quick one: fix a.py"
    if (const std::size_t colon = before.find(kColon);
        colon != before.npos && paths_in(before.substr(0, colon), 1).empty())
        before.remove_prefix(colon + kColon.size());
    const std::string lower = lowered(sentence), order = lowered(before);
    std::string_view said = lower;
    constexpr std::string_view kPlease = "please ";
    if (said.starts_with(kPlease)) said.remove_prefix(kPlease.size());
    const auto other = std::ranges::find_if(kElse, [&](std::string_view words) { return said.starts_with(words); });
    if (other == std::end(kElse)) return {};
    // "In src/contracts.py, change the default from 3 to 4."
    constexpr std::string_view kIn = "in ";
    const std::size_t behind_in = order.starts_with(kIn) ? order.find(' ', kIn.size()) : order.npos;
    const std::size_t comma = behind_in == order.npos       ? behind_in
                              : order[behind_in - 1] == ',' ? behind_in - 1
                                                            : behind_in;
    const bool in_front = comma != order.npos && begins_with_change(std::string_view(order).substr(behind_in + 1));
    if (!in_front && !begins_with_change(order)) return {};
    const std::string_view rest = trimmed(said.substr(other->size()));
    if (!rest.empty() && !starts_with_any(rest, kClosers)) return {};
    if (in_front) before = before.substr(0, comma);
    const std::size_t verb = order.find(' ', order.starts_with(kPlease) ? kPlease.size() : 0);
    return paths_in(before, 1).empty() ? std::string() : "only change" + std::string(before.substr(verb));
}

}  // namespace agent_audit::detectors
