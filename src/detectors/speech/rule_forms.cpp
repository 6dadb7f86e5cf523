#include "detectors/speech/rule_forms.hpp"

#include "detectors/speech/rule_kept.hpp"
#include "detectors/speech/rule_only.hpp"
#include "detectors/speech/rule_pronoun.hpp"
#include "detectors/speech/sentence_parts.hpp"
#include "detectors/speech/work_forms.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_audit::detectors {
namespace {

// Behind what is not to be changed.
constexpr std::string_view kKept[] = {" is off limits",
                                      " are off limits",
                                      " is off-limits",
                                      " are off-limits",
                                      " must stay unchanged",
                                      " must remain unchanged",
                                      " should stay unchanged",
                                      " should remain unchanged",
                                      " must stay untouched",
                                      " must remain untouched",
                                      " has to stay unchanged",
                                      " has to remain unchanged",
                                      " has to stay untouched",
                                      " has to remain untouched",
                                      " have to stay unchanged",
                                      " have to remain unchanged",
                                      " must be left unchanged",
                                      " must be left untouched",
                                      " is taboo",
                                      " are taboo",
                                      " is sacred",
                                      " are sacred",
                                      " is untouchable",
                                      " are untouchable"};
// "Off limits: src/api"
constexpr std::string_view kOffLimits[] = {"off limits:", "off-limits:"};
// The same, where nothing but names stands behind them.
constexpr std::string_view kOffLimitNames[] = {"out of scope:",
                                               "off-limits files:",
                                               "off limits files:",
                                               "protected files:",
                                               "forbidden files:",
                                               "frozen files:",
                                               "read-only:",
                                               "read-only files:",
                                               "read only files:",
                                               "context files (read-only):",
                                               "reference files (read-only):"};
constexpr std::string_view kAgain = "again";  // a rule that was taken back holds once more
// Behind what is not to be done.
constexpr std::string_view kBanned[] = {" is not allowed",   " are not allowed", " isn't allowed",  " is forbidden",
                                        " are forbidden",    " is prohibited",   " are prohibited", " is not ok",
                                        " is not an option", " is a no-go"};
// The last of them speak of deeds alone: "a.py is not ok" tells that it is broken.
constexpr std::string_view kBannedDeeds[] = {" is not ok", " is not an option", " is a no-go"};
// Behind what is not to be run.
constexpr std::string_view kNeverRun[] = {" must never be run",    " must not be run",    " should never be run",
                                          " should not be run",    " may not be run",     " must never be executed",
                                          " must not be executed", " must never be used", " must not be used",
                                          " should never be used", " should not be used", " must never be called",
                                          " must not be called"};
// Before what is not to be done, as a gerund or as a command.
constexpr std::string_view kAvoid[] = {"stop using ",
                                       "stop running ",
                                       "stop pushing",
                                       "stop committing",
                                       "stop merging",
                                       "stop deploying",
                                       "avoid using ",
                                       "avoid running ",
                                       "avoid pushing",
                                       "avoid committing",
                                       "avoid installing ",
                                       "avoid deleting ",
                                       "avoid calling ",
                                       "avoid executing ",
                                       "avoid deploying",
                                       "avoid merging",
                                       "avoid git ",
                                       "avoid npm",
                                       "avoid pip",
                                       "avoid docker",
                                       "avoid sudo",
                                       "avoid `",
                                       "refrain from using ",
                                       "refrain from running ",
                                       "refrain from pushing",
                                       "refrain from committing",
                                       "refrain from installing ",
                                       "refrain from deleting ",
                                       "hold off on pushing",
                                       "hold off on committing",
                                       "hold off on installing ",
                                       "hold off on running ",
                                       "hold off on deploying",
                                       "hold off on merging",
                                       "hold off on deleting ",
                                       " without pushing",
                                       " without committing",
                                       " without installing ",
                                       " without deploying",
                                       " without adding ",
                                       " without creating ",
                                       " without deleting "};
constexpr std::string_view kNothingBut[] = {" nothing but ", " nothing except ", " nothing other than ",
                                            " nothing outside of ", " nothing outside "};
constexpr std::string_view kRatherThan[] = {", never ", ", not ", " instead of ", " rather than ", " and never "};
constexpr std::string_view kNo[] = {"make no changes",  "no changes yet",      "no changes for now",
                                    "no fixes",         "no code yet",         "no commits",
                                    "no commit",        "no pushes",           "no pushing",
                                    "no committing",    "no force push",       "no force-push",
                                    "no force pushing", "no new dependencies", "no new packages",
                                    "no new branches",  "no new files",        "no edits",
                                    "no code changes",  "no web search",       "no web searches",
                                    "no subagents",     "no sub-agents"};
constexpr std::pair<std::string_view, std::string_view> kNoMeans[] = {
    {"make no changes", "do not change any files"},
    {"no changes", "do not change any files"},
    {"no fixes", "do not change any code"},
    {"no code yet", "do not change any code"},
    {"no commit", "do not commit"},
    {"no push", "do not push"},
    {"no force", "do not force push"},
    {"no new dependencies", "do not install packages"},
    {"no new packages", "do not install packages"},
    {"no new branches", "do not create new branches"},
    {"no new files", "do not create new files"},
    {"no edits", "do not change any files"},
    {"no code changes", "do not change any code"},
    {"no web search", "do not search the web"},
    {"no subagents", "do not use subagents"},
    {"no sub-agents", "do not use subagents"}};
constexpr std::pair<std::string_view, std::string_view> kGerunds[] = {{"using", "use"},
                                                                      {"running", "run"},
                                                                      {"executing", "execute"},
                                                                      {"calling", "call"},
                                                                      {"invoking", "invoke"},
                                                                      {"installing", "install"},
                                                                      {"pushing", "push"},
                                                                      {"committing", "commit"},
                                                                      {"deploying", "deploy"},
                                                                      {"publishing", "publish"},
                                                                      {"merging", "merge"},
                                                                      {"rebasing", "rebase"},
                                                                      {"editing", "edit"},
                                                                      {"changing", "change"},
                                                                      {"modifying", "modify"},
                                                                      {"touching", "touch"},
                                                                      {"deleting", "delete"},
                                                                      {"removing", "remove"},
                                                                      {"renaming", "rename"},
                                                                      {"moving", "move"},
                                                                      {"overwriting", "overwrite"},
                                                                      {"rewriting", "rewrite"},
                                                                      {"creating", "create"},
                                                                      {"adding", "add"},
                                                                      {"opening", "open"},
                                                                      {"reading", "read"},
                                                                      {"force-pushing", "force-push"},
                                                                      {"force pushing", "force push"}};

template <std::size_t... N>
constexpr auto joined(const std::string_view (&... lists)[N]) {
    std::array<std::string_view, (N + ...)> all{};
    auto end = all.begin();
    ((end = std::copy(std::begin(lists), std::end(lists), end)), ...);
    return all;
}
constexpr auto kForms = joined(kKept, kBanned, kNeverRun, kAvoid, kNothingElse, kNothingBut, kRatherThan, kNo);
constexpr PhraseSet kFormSet(kForms);

enum Form : std::size_t {
    kIsKept,
    kIsBanned,
    kIsNeverRun,
    kIsAvoided,
    kIsNothingElse,
    kIsNothingBut,
    kIsOther,
    kIsNone,
    kFormCount
};
// How many phrases each of them has, in the order of kForms.
constexpr std::array<std::size_t, kFormCount> kFormSizes{
    std::size(kKept),        std::size(kBanned),     std::size(kNeverRun),   std::size(kAvoid),
    std::size(kNothingElse), std::size(kNothingBut), std::size(kRatherThan), std::size(kNo)};

// The first phrase of each form.
std::array<Hit, kFormCount> forms_in(std::string_view sentence) {
    std::array<Hit, kFormCount> hits;
    kFormSet.any(sentence, [&](std::size_t at, std::string_view phrase) {
        auto rank = static_cast<std::size_t>(std::ranges::find(kForms, phrase) - kForms.begin());
        std::size_t form = 0;
        while (rank >= kFormSizes[form]) rank -= kFormSizes[form++];
        if (!hits[form]) hits[form] = {at, at + phrase.size()};
        return false;
    });
    return hits;
}

}  // namespace

std::string as_order(std::string_view words) {
    const std::string lower = lowered(words);
    for (const auto& [gerund, verb] : kGerunds) {
        if (!lower.starts_with(gerund)) continue;
        if (words.size() > gerund.size() && is_letter(words[gerund.size()])) continue;
        return std::string(verb).append(words.substr(gerund.size()));
    }
    return {};
}

namespace {

// "to avoid using docker" tells what something is good for.
std::string avoided(std::string_view sentence, std::string_view lower, const Hit& avoid) {
    const std::string_view before = trimmed(lower.substr(0, avoid.at)), phrase = lower.substr(avoid.at);
    const bool without = phrase.starts_with(" without");
    if (without && before.empty()) return {};
    // "Do not finish without pushing", "don't stop pushing"
    if ((without || phrase.starts_with("stop ")) && negated(before)) return {};
    if (!without && (before.ends_with(" to") || before == "to" || before.ends_with("can") || before.ends_with("will")))
        return {};
    const std::size_t words = without                          ? std::string_view(" without ").size()
                              : phrase.starts_with("refrain")  ? std::string_view("refrain from ").size()
                              : phrase.starts_with("hold off") ? std::string_view("hold off on ").size()
                              : phrase.starts_with("stop ")    ? std::string_view("stop ").size()
                                                               : std::string_view("avoid ").size();
    const std::string_view rest = sentence.substr(avoid.at + words);
    constexpr std::string_view kSo = " so ";  // "stop pushing so many commits"
    if (phrase.starts_with("stop ") && rest.find(kSo) != rest.npos) return {};
    std::string order = as_order(rest);
    if (order.empty() && !without) order = "use " + std::string(rest);
    return order.empty() ? order : "do not " + order;
}

// "Don't even think about editing src/db.ts."
std::string not_thought_of(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kThinks[] = {"don't even think about ", "don’t even think about ",
                                            "dont even think about ",  "do not even think about ",
                                            "don't even think of ",    "don't even consider "};
    const Hit thinks = first_of(lower, kThinks);
    if (!thinks) return {};
    const std::string order = as_order(sentence.substr(thinks.end));
    return order.empty() ? order : "do not " + order;
}

std::string none_wanted(std::string_view sentence, std::string_view lower, const Hit& no) {
    // "It broke today, no commits since" tells; what is asked for without edits begins with the word for it.
    constexpr std::string_view kLooks[] = {"review",      "look",   "check",   "explain",       "read",
                                           "analy",       "only ",  "just ",   "please review", "please explain",
                                           "investigate", "fix ",   "make ",   "add ",          "implement ",
                                           "refactor ",   "write ", "change ", "update "};
    const std::string_view before = trimmed(lower.substr(0, no.at));
    const bool behind_look = before.ends_with(',') && starts_with_any(before, kLooks);
    constexpr std::string_view kCode = "no code changes";  // "it failed: no code changes" tells as well
    if (!behind_look && lower.substr(no.at).starts_with(kCode)) return {};
    const bool led = leads_into_order(before) || before.ends_with(" sake");
    if (!before.empty() && !behind_look && !led &&
        std::string_view(":-(").find(before.back()) == std::string_view::npos)
        return {};
    std::size_t end = no.end;
    while (end < lower.size() && is_letter(lower[end])) ++end;  // the longest of the words that begin alike
    const std::string_view rest = trimmed(sentence.substr(end));
    if (contains_any(rest, kOpenEnds)) return {};
    if (!closes(rest)) return {};
    for (const auto& [words, means] : kNoMeans) {
        if (lower.substr(no.at).starts_with(words)) return std::string(means);
    }
    return {};
}

bool names_what_is_used(std::string_view clause) {
    constexpr std::string_view kUses[] = {
        "use ",           "please use ",      "always use ",        "we use ",
        "we always use ", "this repo uses ",  "this project uses ", "this codebase uses ",
        "the repo uses ", "the project uses "};
    return starts_with_any(clause, kUses) ||
           ((clause.starts_with("it's ") || clause.starts_with("it is ")) && clause.ends_with(" here"));
}

// What is the human's own to do: "only I run `terraform apply`", "pushing is my job", "leave committing to me".
std::string reserved(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kOnlyMe[] = {"nobody but me ", "no one but me ", "only i "};
    constexpr std::string_view kMay[] = {"should ", "may ",           "can ",          "will ",
                                         "must ",   "is allowed to ", "am allowed to "};
    constexpr std::pair<std::string_view, std::string_view> kDoes[] = {
        {"runs", "run"},       {"executes", "execute"}, {"pushes", "push"},      {"deploys", "deploy"},
        {"commits", "commit"}, {"merges", "merge"},     {"touches", "touch"},    {"edits", "edit"},
        {"changes", "change"}, {"deletes", "delete"},   {"publishes", "publish"}};
    for (const std::string_view me : kOnlyMe) {
        if (!lower.starts_with(me)) continue;
        std::size_t at = me.size();
        for (const std::string_view may : kMay) {
            if (lower.substr(at).starts_with(may)) at += may.size();
        }
        for (const auto& [does, verb] : kDoes) {
            const std::size_t size = lower.substr(at).starts_with(does)   ? does.size()
                                     : lower.substr(at).starts_with(verb) ? verb.size()
                                                                          : 0;
            if (size > 0 && !(at + size < lower.size() && is_letter(lower[at + size])))
                return "do not " + std::string(verb).append(sentence.substr(at + size));
        }
        return {};
    }
    // "Nobody touches config/prod.yml but me."
    constexpr std::string_view kNobody[] = {"nobody ", "no one ", "noone "}, kButMe[] = {" but me", " except me"};
    for (const std::string_view nobody : kNobody) {
        const Hit me = lower.starts_with(nobody) ? first_of(lower, kButMe) : Hit{};
        if (!me || !ends_clause(trimmed(lower.substr(me.end)))) continue;
        const std::string_view said = lower.substr(nobody.size());
        for (const auto& [does, verb] : kDoes) {
            if (said.starts_with(does) && said.substr(does.size()).starts_with(' '))
                return "do not " + std::string(verb).append(sentence.substr(nobody.size() + does.size(),
                                                                            me.at - nobody.size() - does.size()));
        }
    }
    constexpr std::string_view kMine[] = {" is mine to run", " is mine to execute", " are mine to run"};
    if (const Hit mine = first_of(lower, kMine)) return "do not run " + std::string(subject_before(sentence, mine.at));
    constexpr std::string_view kJob[] = {" is my job", " are my job"};
    if (const Hit job = first_of(lower, kJob); job && ends_clause(trimmed(lower.substr(job.end)))) {
        const std::string order = as_order(subject_before(sentence, job.at));
        return order.empty() ? order : "do not " + order;
    }
    constexpr std::string_view kLeaves[] = {"leave ", "please leave ", "and leave "}, kToMe[] = {" to me"};
    for (const std::string_view leave : kLeaves) {
        const Hit me = lower.starts_with(leave) ? first_of(lower, kToMe) : Hit{};
        if (!me || me.at <= leave.size() || !ends_clause(trimmed(lower.substr(me.end)))) continue;
        std::string_view what = sentence.substr(leave.size(), me.at - leave.size());
        if (lowered(what).starts_with("the ")) what.remove_prefix(4);
        if (is_names_only(what)) return "do not change " + std::string(what);
        const std::string order = as_order(what);
        return order.empty() ? order : "do not " + order;
    }
    return {};
}

// "I don't want any changes in src/auth."
std::string not_wanted(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kWants[] = {"i don't want ",  "i don’t want ",  "i dont want ",   "i do not want ",
                                           "we don't want ", "we don’t want ", "we do not want "},
                               kChanges[] = {"changes ", "edits ", "modifications "},
                               kWhere[] = {"to ", "in ", "under ", "inside ", "within "};
    constexpr std::string_view kRathers[] = {"i'd rather not have ",     "i’d rather not have ",
                                             "we'd rather not have ",    "we’d rather not have ",
                                             "i would rather not have ", "we would rather not have "};
    constexpr std::string_view kAny = "any ";
    std::size_t at = 0;
    const auto take = [&](auto& words) {
        const auto word =
            std::ranges::find_if(words, [&](std::string_view w) { return lower.substr(at).starts_with(w); });
        if (word != std::end(words)) at += word->size();
        return word != std::end(words);
    };
    const bool wants = take(kWants);
    if (!wants && !take(kRathers)) return {};
    // "I don't want any new dependencies", "I'd rather not have any commits".
    const std::size_t none = at + (lower.substr(at).starts_with(kAny) ? kAny.size() : 0);
    const std::string no = "no " + std::string(sentence.substr(none));
    if (std::string made = nothing_of(no, lowered(no)); !made.empty()) return made;
    if (!wants) return {};
    // "I don't want any code changed."
    constexpr std::string_view kThings[] = {"any code ", "any files ", "any file ", "anything ", "code "},
                               kChanged[] = {"changed", "touched", "modified", "edited"};
    const std::size_t thing = at;
    if (take(kThings) && take(kChanged) && ends_clause(trimmed(lower.substr(at))))
        return lower.substr(thing).find("code") < at - thing ? "do not change any code" : "do not change any files";
    at = thing;
    if (lower.substr(at).starts_with(kAny)) at += kAny.size();
    return take(kChanges) && take(kWhere) ? "do not change " + std::string(sentence.substr(at)) : std::string();
}

// "src/a.ts is off limits"
std::string kept_rule(std::string_view sentence, std::string_view lower, const Hit& kept) {
    // "… for the crawler", "… when scrolling" is about something else.
    const std::string_view rest = trimmed(lower.substr(kept.end));
    if (!ends_clause(rest) && !starts_with_any(rest, kForYou)) return {};
    const std::string_view subject = subject_before(sentence, kept.at);
    // "Docker is off limits on this machine."
    if (among(lowered(subject), kPrograms)) return "do not use " + std::string(subject);
    const std::string_view behind = rest.starts_with(kAgain) ? trimmed(rest.substr(kAgain.size())) : rest;
    return "do not change " + std::string(subject) + (behind.empty() ? "" : " ") +
           std::string(sentence.substr(sentence.size() - behind.size()));
}

// "Pushing to main is not allowed"
std::string banned_rule(std::string_view sentence, std::string_view lower, const Hit& banned) {
    const std::string_view subject = subject_before(sentence, banned.at);
    const bool of_deeds = starts_with_any(lower.substr(banned.at), kBannedDeeds);
    std::string order = as_order(subject);
    // "Editing config.json by users is not allowed" is about the product.
    constexpr std::string_view kBy = " by ", kOfAgent[] = {"hand", "you", "the agent"};
    const std::size_t by = order.find(kBy);
    if (by != order.npos && !starts_with_any(std::string_view(order).substr(by + kBy.size()), kOfAgent)) return {};
    if (order.empty() && of_deeds) return {};
    if (order.empty()) order.append("use ").append(subject);
    return "do not " + order.append(of_deeds ? std::string_view{} : sentence.substr(banned.end));
}

// "Nothing but the docs may be changed."
std::string nothing_but(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kNothing[] = {"nothing but ", "nothing except ", "nothing other than ",
                                             "nothing outside of ", "nothing outside "},
                               kBe[] = {" may be ", " is to be ", " should be ", " must be ", " can be "};
    for (const std::string_view nothing : kNothing) {
        const Hit be = lower.starts_with(nothing) ? first_of(lower, kBe) : Hit{};
        if (be) return "only change " + std::string(sentence.substr(nothing.size(), be.at - nothing.size()));
    }
    return {};
}

// "Nothing below deploy/ may be changed."
std::string nothing_below(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kNothingIn[] = {"nothing below ", "nothing in ", "nothing under ", "nothing inside ",
                                               "nothing within "},
                               kBeChanged[] = {" may be changed",    " may be edited",     " may be touched",
                                               " may be modified",   " should be changed", " should be edited",
                                               " should be touched", " must be changed",   " must be edited",
                                               " must be touched",   " is to be changed",  " is to be touched"};
    for (const std::string_view nothing : kNothingIn) {
        const Hit be = lower.starts_with(nothing) ? first_of(lower, kBeChanged) : Hit{};
        if (!be || !ends_clause(trimmed(lower.substr(be.end)))) continue;
        const std::string_view place = sentence.substr(nothing.size(), be.at - nothing.size());
        if (is_names_only(place)) return "do not change " + std::string(place);
    }
    return {};
}

// "Use pnpm, never npm". In the middle of a sentence only a program is meant: "use a script to do it instead of trying
// it by hand".
std::string rather_than(std::string_view sentence, std::string_view lower, const Hit& other) {
    constexpr std::string_view kUses[] = {"use ", "please use ", "always use ", "we use "};
    const bool anything = starts_with_any(lower, kUses) && lower.substr(0, other.at).find(" to ") == lower.npos;
    return (anything ? "do not use " : "do not run ") + std::string(sentence.substr(other.end));
}

// "- a", "* a"
std::string_view without_list_mark(std::string_view line) {
    for (const std::string_view mark : {"- ", "* ", "• ", "– "}) {
        if (line.starts_with(mark)) return trimmed(line.substr(mark.size()));
    }
    return line;
}

}  // namespace

std::string plain_rule(std::string_view sentence, std::string_view before) {
    sentence = without_list_mark(sentence);
    before = without_list_mark(before);
    const std::array<Hit, kFormCount> forms = forms_in(sentence);
    const std::string lowered_sentence = lowered(sentence);
    const std::string_view lower = lowered_sentence;
    if (starts_with_any(lower, kOpenings)) return {};
    for (const std::string_view off : kOffLimitNames) {
        if (lower.starts_with(off) && is_names_only(sentence.substr(off.size())))
            return "do not change " + std::string(sentence.substr(off.size()));
    }
    if (starts_with_any(lower, kOffLimits))
        return "do not change " + std::string(sentence.substr(sentence.find(':') + 1));
    if (std::string made = kept_as_is(sentence, lower); !made.empty()) return made;
    if (std::string made = chinese_rule(sentence); !made.empty()) return made;
    for (const auto frame : {left_as_it_is, read_only, only_these, reserved, done_myself, only_when_asked,
                             nothing_of_git, one_not_the_other, on_this_branch, nothing_of, working_without, not_wanted,
                             hands_off, all_but, not_part_of_it, not_thought_of}) {
        if (std::string made = frame(sentence, lower); !made.empty()) return made;
    }
    if (const Hit& kept = forms[kIsKept]) return kept_rule(sentence, lower, kept);
    if (const Hit& never = forms[kIsNeverRun])
        return "do not run " + std::string(subject_before(sentence, never.at)).append(sentence.substr(never.end));
    if (const Hit& banned = forms[kIsBanned]) return banned_rule(sentence, lower, banned);
    if (const Hit& nothing = forms[kIsNothingElse];
        nothing && begins_with_change(lower) && ends_clause(trimmed(lower.substr(nothing.end))))
        return "only change " + std::string(sentence.substr(lower.find(' '), nothing.at - lower.find(' ')));
    if (std::string made = nothing_but(sentence, lower); !made.empty()) return made;
    if (std::string made = nothing_below(sentence, lower); !made.empty()) return made;
    if (const Hit& but = forms[kIsNothingBut]; but && begins_with_change(lower.substr(0, but.at + 1)))
        return "only change " + std::string(sentence.substr(but.end));
    if (const Hit& other = forms[kIsOther]; other && names_what_is_used(last_clause(lower.substr(0, other.at))))
        return rather_than(sentence, lower, other);
    if (const Hit& no = forms[kIsNone]) {
        if (std::string made = none_wanted(sentence, lower, no); !made.empty()) return made;
    }
    if (std::string made = only_named(sentence, lower, before); !made.empty()) return made;
    if (std::string made = about_pronoun(sentence, lower, before); !made.empty()) return made;
    if (const Hit& avoid = forms[kIsAvoided]) return avoided(sentence, lower, avoid);
    return {};
}

}  // namespace agent_audit::detectors
