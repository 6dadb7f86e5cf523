#include "detectors/engine/rule_forms.hpp"

#include "detectors/engine/path_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "detectors/engine/sentence_parts.hpp"
#include "detectors/engine/work_forms.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

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
constexpr std::string_view kAllowedNames[] = {
    "allowed files:",     "allowed paths:",   "files you may change:", "files you may edit:", "files in scope:",
    "allowed to modify:", "allowed to edit:", "allowed to change:",    "you may only edit:",  "you may only modify:"};
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
constexpr std::string_view kNothingElse[] = {" and nothing else",
                                             ", nothing else",
                                             " but nothing else",
                                             " and don't change anything else",
                                             " and don’t change anything else",
                                             " and dont change anything else",
                                             " and do not change anything else",
                                             " and don't touch anything else",
                                             " and don’t touch anything else",
                                             " and dont touch anything else",
                                             " and do not touch anything else",
                                             ", don't change anything else",
                                             ", do not change anything else",
                                             ", don't touch anything else",
                                             ", do not touch anything else",
                                             " and leave everything else "};
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
// "never edit it"
constexpr std::string_view kOrders[] = {"never ",    "do not ",       "don't ", "don’t ",
                                        "must not ", "please don't ", "leave "};
constexpr std::string_view kPronounVerbs[] = {"edit ",   "change ",    "touch ",  "modify ", "delete ",
                                              "remove ", "overwrite ", "rename ", "move "};
constexpr std::string_view kPronouns[] = {
    "it",     "them",        "this file",         "that file",      "these files",   "those files",
    "either", "any of them", "anything in there", "anything in it", "anything there"};
// What is to be looked at, and no more.
constexpr std::string_view kLooksAt[] = {
    "use ",    "read ",           "look at ",        "see ",     "check ",      "refer to ",
    "follow ", "have a look at ", "take a look at ", "consult ", "import from "};
constexpr std::string_view kMayLook[] = {"please ",       "you can ",    "you may ",
                                         "feel free to ", "it's ok to ", "it's fine to "};
// The file is the subject: what is said of it is a reason not to touch it.
constexpr std::string_view kNamedSubjects[] = {"the tests",      "tests",          "the existing tests",
                                               "the test suite", "the dockerfile", "the readme",
                                               "the changelog",  "the makefile",   "the jenkinsfile"};
constexpr std::string_view kStates[] = {" is ",  " are ",  " was ",   " were ", " belongs", " belong ",
                                        " has ", " have ", " comes ", " come ", ":"};

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

// The last thought before a place: "It is old, and src/api" is about src/api.
std::string_view subject_before(std::string_view sentence, std::size_t at) {
    std::string_view head = sentence.substr(0, at);
    for (const std::string_view cut : {", and ", ", but ", "; ", ": ", ", so "}) {
        if (const std::size_t found = head.rfind(cut); found != head.npos) head.remove_prefix(found + cut.size());
    }
    return trimmed(head);
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
    if (without && (before.empty() || negated(before))) return {};  // "do not finish without pushing"
    if (!without && (before.ends_with(" to") || before == "to" || before.ends_with("can") || before.ends_with("will")))
        return {};
    const std::size_t words = without                          ? std::string_view(" without ").size()
                              : phrase.starts_with("refrain")  ? std::string_view("refrain from ").size()
                              : phrase.starts_with("hold off") ? std::string_view("hold off on ").size()
                              : phrase.starts_with("stop ")    ? std::string_view("stop ").size()
                                                               : std::string_view("avoid ").size();
    const std::string_view rest = sentence.substr(avoid.at + words);
    std::string order = as_order(rest);
    if (order.empty() && !without) order = "use " + std::string(rest);
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
    if (!before.empty() && !behind_look && std::string_view(":-(").find(before.back()) == std::string_view::npos)
        return {};
    std::size_t end = no.end;
    while (end < lower.size() && is_letter(lower[end])) ++end;  // the longest of the words that begin alike
    const std::string_view rest = trimmed(sentence.substr(end));
    if (contains_any(rest, kOpenEnds)) return {};
    if (!ends_clause(rest) && !rest.starts_with("please") && !rest.starts_with("and ") && !rest.starts_with("or "))
        return {};
    for (const auto& [words, means] : kNoMeans) {
        if (lower.substr(no.at).starts_with(words)) return std::string(means);
    }
    return {};
}

bool begins_with_change(std::string_view lower) {
    constexpr std::string_view kChanges[] = {"change ", "edit ",    "modify ",        "touch ",       "update ",
                                             "fix ",    "rewrite ", "please change ", "please edit ", "please fix "};
    return starts_with_any(lower, kChanges);
}

bool ends_pronoun(std::string_view rest) {
    constexpr std::string_view kFree[] = {"yet",    "for now", "directly", "by hand", "manually",
                                          "at all", "please",  "ever",     "yourself"};
    return ends_clause(rest) || starts_with_any(rest, kFree);
}

// "Use src/core.ts as a reference but don't modify it."
std::string only_looked_at(std::string_view said, std::string_view verb) {
    const std::string lowered_said = lowered(said);
    std::string_view lower = lowered_said;
    for (const std::string_view may : kMayLook) {
        if (lower.starts_with(may)) lower.remove_prefix(may.size());
    }
    // "Someone else is editing db.py, don't touch it."
    constexpr std::string_view kOthers[] =
        {"someone else is ", "somebody else is ", "another agent is ", "i'm ", "i’m ", "i am ", "we're ", "we are "},
                               kWorking[] = {"editing ",           "working on ",          "working in ",
                                             "changing ",          "refactoring ",         "rewriting ",
                                             "currently editing ", "currently working on "};
    const auto other = std::ranges::find_if(kOthers, [&](std::string_view who) { return lower.starts_with(who); });
    const bool worked_on = other != std::end(kOthers) && starts_with_any(lower.substr(other->size()), kWorking);
    if (!worked_on && !starts_with_any(lower, kLooksAt)) return {};
    std::string made = "do not " + std::string(verb);
    const std::vector<std::string> files = paths_in(said, 8);
    for (const std::string& file : files) made.append(file).append(", ");
    return files.empty() ? std::string() : made;
}

bool is_names_only(std::string_view said);

// "The deploy script is ./deploy.sh, don't run it": the command that is named there.
std::string not_run(std::string_view said) {
    const std::size_t open = said.find('`'), close = open == said.npos ? open : said.find('`', open + 1);
    if (close != said.npos && close > open + 1) return "do not run " + std::string(said.substr(open, close - open + 1));
    constexpr std::string_view kScripts[] = {".sh", ".bash", ".py", ".js", ".rb", ".ps1"};
    for (const std::string& path : paths_in(said, 4)) {
        if (std::ranges::any_of(kScripts, [&](std::string_view ending) { return path.ends_with(ending); }))
            return "do not run " + path;
    }
    return {};
}

// "… it" in "src/a.ts is generated. Never edit it.": the files that the sentence begins with.
std::string about_pronoun(std::string_view sentence, std::string_view lower, std::string_view before) {
    for (const std::string_view order : kOrders) {
        const std::size_t at = lower.find(order);
        if (at == lower.npos) continue;
        const std::string_view rest = lower.substr(at + order.size());
        constexpr std::string_view kRunIt[] = {"run it", "execute it"};
        for (const std::string_view run : kRunIt) {
            if (!rest.starts_with(run) || !ends_pronoun(trimmed(rest.substr(run.size())))) continue;
            const std::string_view said = trimmed(sentence.substr(0, at));
            return not_run(said.find_first_of("./`") == said.npos ? before : said);
        }
        // "infra/ belongs to the platform team, don't make changes there."
        constexpr std::string_view kThere[] = {"make changes there", "make any changes there", "change anything there",
                                               "touch anything there"};
        if (std::ranges::any_of(kThere, [&](std::string_view there) {
                return rest.starts_with(there) && ends_pronoun(trimmed(rest.substr(there.size())));
            })) {
            std::string_view said = trimmed(sentence.substr(0, at));
            if (said.empty()) said = before;
            std::size_t state = said.npos;
            for (const std::string_view s : kStates) state = s == ":" ? state : std::min(state, said.find(s));
            const std::string_view subject = state == said.npos ? std::string_view{} : subject_before(said, state);
            return is_names_only(subject) ? "do not change " + std::string(subject) : std::string();
        }
        // "leave it be" is "do not change it".
        constexpr std::string_view kLeft[] = {"it be",      "it alone",    "them be",
                                              "them alone", "it as it is", "them as they are"};
        const bool left = order == "leave " && std::ranges::any_of(kLeft, [&](std::string_view l) {
                              return rest.starts_with(l) && ends_clause(trimmed(rest.substr(l.size())));
                          });
        const auto verb =
            left ? std::begin(kPronounVerbs) + 1
                 : std::ranges::find_if(kPronounVerbs, [&](std::string_view v) { return rest.starts_with(v); });
        if (verb == std::end(kPronounVerbs) || (order == "leave " && !left)) continue;
        const std::string_view object = left ? std::string_view("it") : rest.substr(verb->size());
        const bool pronoun = std::ranges::any_of(kPronouns, [&](std::string_view p) {
            return object.starts_with(p) && ends_pronoun(trimmed(object.substr(p.size())));
        });
        if (!pronoun) return {};
        std::string_view said = trimmed(sentence.substr(0, at));
        if (said.empty()) said = before;
        const std::size_t state = [&] {
            std::size_t first = said.npos;
            for (const std::string_view s : kStates) first = std::min(first, said.find(s));
            return first;
        }();
        if (state == said.npos) return only_looked_at(said, *verb);
        std::string_view subject = trimmed(said.substr(0, state));
        const std::vector<std::string> files = paths_in(subject, 8);
        if (files.empty()) {
            if (std::string made = only_looked_at(said, *verb); !made.empty()) return made;
            const bool known =
                std::ranges::find(kNamedSubjects, std::string_view(lowered(subject))) != std::end(kNamedSubjects);
            return known ? "do not " + std::string(*verb).append(subject) : std::string();
        }
        // "The comment in src/a.ts is wrong" is about the comment.
        const std::string first = lowered(subject.substr(0, subject.find(files.front())));
        constexpr std::string_view kLeads[] = {"",  "the file ",  "the files ",  "file ",      "files ", "both ",
                                               "`", "the file `", "the files `", "note that ", "but ",   "and "};
        if (std::ranges::find(kLeads, std::string_view(first)) == std::end(kLeads)) return {};
        std::string made = "do not " + std::string(*verb);
        for (const std::string& file : files) made.append(file).append(", ");
        return made;
    }
    return {};
}

// "Keep src/api as it is."
std::string kept_as_is(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kKeeps[] = {"keep ", "please keep ", "and keep ", "but keep "};
    constexpr std::string_view kStays[] = {" unchanged", " untouched", " unmodified", " intact",
                                           " as is",     " as it is",  " as they are"};
    constexpr std::size_t kLongestName = 120;
    constexpr std::string_view kAlso[] = {", but keep ", ", and keep ", ", keep ", " but keep "},
                               kWhy[] = {"since ", "because ", "as it", "as they", "for now", "please"};
    for (const std::string_view also : kAlso) {
        const std::size_t at = lower.find(also);
        const std::size_t verb = at == lower.npos ? at : at + also.size() - kKeeps[0].size();
        if (verb != lower.npos) return kept_as_is(sentence.substr(verb), lower.substr(verb));
    }
    const auto keep = std::ranges::find_if(kKeeps, [&](std::string_view k) { return lower.starts_with(k); });
    if (keep == std::end(kKeeps)) return {};
    const Hit state = first_of(lower, kStays);
    if (!state || state.at > kLongestName || state.at <= keep->size()) return {};
    const std::string_view behind = trimmed(lower.substr(state.end));
    if (!ends_clause(behind) && !starts_with_any(behind, kWhy)) return {};
    return "do not change " + std::string(trimmed(sentence.substr(keep->size(), state.at - keep->size())));
}

// 别改 core.py; 保持 core.py 不变, core.py 保持不变.
std::string chinese_rule(std::string_view sentence) {
    constexpr std::string_view kNot = "别", kKeep = "保持", kSame = "不变";
    if (sentence.starts_with(kNot)) return "不要" + std::string(sentence.substr(kNot.size()));
    const std::size_t keep = sentence.find(kKeep);
    const std::size_t same = keep == sentence.npos ? sentence.npos : sentence.find(kSame, keep);
    if (same == sentence.npos) return {};
    std::string_view object = trimmed(sentence.substr(keep + kKeep.size(), same - keep - kKeep.size()));
    if (object.empty()) object = trimmed(sentence.substr(0, keep));
    return "不要修改 " + std::string(object);
}

bool names_what_is_used(std::string_view clause) {
    constexpr std::string_view kUses[] = {
        "use ",           "please use ",      "always use ",        "we use ",
        "we always use ", "this repo uses ",  "this project uses ", "this codebase uses ",
        "the repo uses ", "the project uses "};
    return starts_with_any(clause, kUses) ||
           ((clause.starts_with("it's ") || clause.starts_with("it is ")) && clause.ends_with(" here"));
}

// "src/api stays as it is", "the lock file must remain unmodified", "prod.yml is read-only for you".
std::string left_as_it_is(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kStays[] = {" stays ", " stay ", " remains ", " remain ", " be left ", " be kept "};
    constexpr std::string_view kStayStates[] = {"as it is",  "as they are", "as is",  "as-is",        "untouched",
                                                "unchanged", "unmodified",  "intact", "the way it is"};
    constexpr std::string_view kModals[] = {" must",     " should",  " has to", " have to",
                                            " needs to", " need to", " shall",  " to"};
    constexpr std::string_view kReadOnly = " read-only for you";
    constexpr std::string_view kNoSubjects[] = {"why ", "how ", "does ", "do ",    "did ",  "is ",         "are ",
                                                "so ",  "can ", "will ", "leave ", "then ", "the problem", "now "};
    constexpr std::size_t kReports = 5;  // from here on a state that is reported as well: "it stays unchanged"
    std::string_view subject, behind;
    if (const Hit only = first_of(lower, {kReadOnly});
        only && (lower.substr(0, only.at).ends_with(" is") || lower.substr(0, only.at).ends_with(" are"))) {
        subject = sentence.substr(0, lower.substr(0, only.at).rfind(' '));
    } else {
        const Hit stays = first_of(lower, kStays);
        if (!stays) return {};
        const std::string_view rest = lower.substr(stays.end), head = lower.substr(0, stays.at);
        const auto state = std::ranges::find_if(kStayStates, [&](std::string_view s) { return rest.starts_with(s); });
        if (state == std::end(kStayStates)) return {};
        const auto modal = std::ranges::find_if(kModals, [&](std::string_view m) { return head.ends_with(m); });
        if (modal == std::end(kModals) && (state - std::begin(kStayStates) >= static_cast<std::ptrdiff_t>(kReports) ||
                                           lower.substr(stays.at).starts_with(" be ")))
            return {};
        behind = trimmed(rest.substr(state->size()));
        if (!ends_clause(behind) && !starts_with_any(behind, kForYou)) return {};
        subject = sentence.substr(0, stays.at - (modal == std::end(kModals) ? 0 : modal->size()));
    }
    if (starts_with_any(lower, kNoSubjects)) return {};
    return "do not change " + std::string(subject_before(subject, subject.size())).append(" ").append(behind);
}

bool is_names_only(std::string_view said);

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
    constexpr std::string_view kAny = "any ";
    std::size_t at = 0;
    const auto take = [&](auto& words) {
        const auto word =
            std::ranges::find_if(words, [&](std::string_view w) { return lower.substr(at).starts_with(w); });
        if (word != std::end(words)) at += word->size();
        return word != std::end(words);
    };
    if (!take(kWants)) return {};
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

// "- a", "* a"
std::string_view without_list_mark(std::string_view line) {
    for (const std::string_view mark : {"- ", "* ", "• ", "– "}) {
        if (line.starts_with(mark)) return trimmed(line.substr(mark.size()));
    }
    return line;
}

// Names of files and folders, and words that only lead to them: "the vendor/ directory", "`a.py` and b.py".
bool is_names_only(std::string_view said) {
    constexpr std::string_view kLeads[] = {"the",     "file",       "files",    "directory", "directories", "folder",
                                           "folders", "module",     "both",     "and",       "or",          "all",
                                           "of",      "everything", "anything", "in",        "under",       "note",
                                           "that",    "remember",   "please",   "also"};
    bool named = false;
    for (said = trimmed(said); !said.empty(); said = trimmed(said)) {
        std::string_view word = said.substr(0, said.find_first_of(" \t\n"));
        said.remove_prefix(word.size());
        while (!word.empty() && std::string_view("`'\",:").find(word.front()) != std::string_view::npos)
            word.remove_prefix(1);
        while (!word.empty() && std::string_view("`'\",:").find(word.back()) != std::string_view::npos)
            word.remove_suffix(1);
        const bool name =
            looks_like_path(word) || (word.find('/') != word.npos && word.size() > 2 && word.find("//") == word.npos);
        if (!name && std::ranges::find(kLeads, std::string_view(lowered(word))) == std::end(kLeads)) return false;
        named = named || name;
    }
    return named;
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

// "schema.prisma: hands off"
std::string hands_off(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kHands = "hands off";
    const std::size_t at = lower.find(kHands);
    if (at == lower.npos || at == 0 || !ends_clause(trimmed(lower.substr(at + kHands.size())))) return {};
    std::string_view names = trimmed(sentence.substr(0, at));
    constexpr std::string_view kMarks = ":,-";
    if (kMarks.find(names.back()) == kMarks.npos) return {};
    names.remove_suffix(1);
    return is_names_only(names) ? "do not change " + std::string(names) : std::string();
}

constexpr std::string_view kFixed[] = {" read-only", " read only", " readonly", " frozen"};

// "src/core/money.py is read-only.", "treat src/legacy as read-only".
std::string read_only(std::string_view sentence, std::string_view lower) {
    constexpr std::string_view kTreats[] = {"treat ", "please treat ", "consider ", "please consider "},
                               kAs[] = {" as", " to be"},
                               kIs[] = {" is", " are", " must be treated as", " should be treated as"};
    // Behind a comma only what goes on about the work: "…, so the build fails" tells of a fault.
    constexpr std::string_view kGoesOn[] = {", work around", ", don't",  ", don’t",    ", dont",
                                            ", do not",      ", please", ", so don't", ", so dont",
                                            ", so do not",   ", leave",  ", never"};
    constexpr std::string_view kTasks[] = {"this is a read-only ", "this is a read only "},
                               kKinds[] = {"task", "investigation", "review", "analysis", "audit", "session"},
                               kAlone[] = {"read-only ", "read only ", "just a read-only ", "only a read-only "},
                               kPlease = "please";
    for (const std::string_view task : kTasks) {
        if (lower.starts_with(task) &&
            std::ranges::find(kKinds, letters_of(lower.substr(task.size()))) != std::end(kKinds))
            return "do not change any files";
    }
    // "Read-only investigation please: why does it hang?"
    for (const std::string_view alone : kAlone) {
        if (!lower.starts_with(alone)) continue;
        const std::string_view kind = letters_of(lower.substr(alone.size())),
                               rest = trimmed(lower.substr(alone.size() + kind.size()));
        if (std::ranges::find(kKinds, kind) != std::end(kKinds) && (ends_clause(rest) || rest.starts_with(kPlease)))
            return "do not change any files";
    }
    const Hit fixed = first_of(lower, kFixed);
    if (!fixed) return {};
    const std::string_view behind = trimmed(lower.substr(fixed.end));
    const bool over = behind.starts_with(',') ? starts_with_any(behind, kGoesOn)
                                              : ends_clause(behind) || starts_with_any(behind, kForYou);
    std::string_view head = lower.substr(0, fixed.at), subject;
    const auto treat = std::ranges::find_if(kTreats, [&](std::string_view t) { return head.starts_with(t); });
    if (treat != std::end(kTreats)) {
        for (const std::string_view as : kAs) {
            if (head.ends_with(as)) head.remove_suffix(as.size());
        }
        subject = sentence.substr(0, head.size()).substr(treat->size());
    } else {
        const auto is = std::ranges::find_if(kIs, [&](std::string_view i) { return head.ends_with(i); });
        if (is == std::end(kIs) || !over) return {};
        subject = sentence.substr(0, head.size() - is->size());
    }
    // "Everything outside packages/api is read-only"
    constexpr std::string_view kAllBut[] = {
        "everything except for ", "everything except ", "everything outside of ", "everything outside ",
        "everything other than ", "everything but ",    "all files except ",      "all files outside "};
    const std::string low = lowered(subject);
    for (const std::string_view but : kAllBut) {
        if (low.starts_with(but))
            return is_names_only(subject.substr(but.size())) ? "only change " + std::string(subject.substr(but.size()))
                                                             : std::string();
    }
    return is_names_only(subject) ? "do not change " + std::string(subject) : std::string();
}

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

}  // namespace

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

bool tells_of_file_modes(std::string_view sentence, std::string_view text) {
    static constexpr std::string_view kFaults[] = {
        "writable",    "writeable",    "permission", "chmod", "eacces",  "erofs", "denied", "can't save", "cannot save",
        "can't write", "cannot write", "won't save", "fails", "failing", "error", "mount",  "container",  "why "};
    static constexpr PhraseSet fixed(kFixed);
    static constexpr PhraseSet faults(kFaults);
    constexpr std::string_view kTask = "this is a ";
    constexpr std::size_t kMostText = 16'384;  // asked of each such sentence: what is longer is pasted
    return fixed.in(sentence) && lowered(sentence.substr(0, kTask.size())) != kTask &&
           faults.in(text.substr(0, kMostText));
}

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
    for (const auto frame :
         {left_as_it_is, read_only, only_these, reserved, done_myself, only_when_asked, nothing_of_git,
          one_not_the_other, on_this_branch, nothing_of, working_without, not_wanted, hands_off, all_but}) {
        if (std::string made = frame(sentence, lower); !made.empty()) return made;
    }
    if (const Hit& kept = forms[kIsKept]) {
        // "… for the crawler", "… when scrolling" is about something else.
        const std::string_view rest = trimmed(lower.substr(kept.end));
        if (!ends_clause(rest) && !starts_with_any(rest, kForYou)) return {};
        return "do not change " + std::string(subject_before(sentence, kept.at)).append(sentence.substr(kept.end));
    }
    if (const Hit& never = forms[kIsNeverRun])
        return "do not run " + std::string(subject_before(sentence, never.at)).append(sentence.substr(never.end));
    if (const Hit& banned = forms[kIsBanned]) {
        const std::string_view subject = subject_before(sentence, banned.at);
        std::string order = as_order(subject);
        // "Editing config.json by users is not allowed" is about the product.
        constexpr std::string_view kBy = " by ", kOfAgent[] = {"hand", "you", "the agent"};
        const std::size_t by = order.find(kBy);
        if (by != order.npos && !starts_with_any(std::string_view(order).substr(by + kBy.size()), kOfAgent)) return {};
        if (order.empty() && starts_with_any(lower.substr(banned.at), kBannedDeeds)) return {};
        if (order.empty()) order.append("use ").append(subject);
        return "do not " + order.append(starts_with_any(lower.substr(banned.at), kBannedDeeds)
                                            ? std::string_view{}
                                            : sentence.substr(banned.end));
    }
    if (const Hit& nothing = forms[kIsNothingElse];
        nothing && begins_with_change(lower) && ends_clause(trimmed(lower.substr(nothing.end))))
        return "only change " + std::string(sentence.substr(lower.find(' '), nothing.at - lower.find(' ')));
    constexpr std::string_view kNothingMay[] = {"nothing but ", "nothing except ", "nothing other than ",
                                                "nothing outside of ", "nothing outside "};
    for (const std::string_view nothing : kNothingMay) {
        constexpr std::string_view kBe[] = {" may be ", " is to be ", " should be ", " must be ", " can be "};
        const Hit be = lower.starts_with(nothing) ? first_of(lower, kBe) : Hit{};
        if (be) return "only change " + std::string(sentence.substr(nothing.size(), be.at - nothing.size()));
    }
    if (const Hit& but = forms[kIsNothingBut]; but && begins_with_change(lower.substr(0, but.at + 1)))
        return "only change " + std::string(sentence.substr(but.end));
    if (const Hit& other = forms[kIsOther]; other && names_what_is_used(last_clause(lower.substr(0, other.at)))) {
        // In the middle of a sentence only a program is meant: "use a script to do it instead of trying it by hand".
        constexpr std::string_view kUses[] = {"use ", "please use ", "always use ", "we use "};
        const bool anything = starts_with_any(lower, kUses) && lower.substr(0, other.at).find(" to ") == lower.npos;
        return (anything ? "do not use " : "do not run ") + std::string(sentence.substr(other.end));
    }
    if (const Hit& no = forms[kIsNone]) {
        if (std::string made = none_wanted(sentence, lower, no); !made.empty()) return made;
    }
    if (std::string made = only_named(sentence, lower, before); !made.empty()) return made;
    if (std::string made = about_pronoun(sentence, lower, before); !made.empty()) return made;
    if (const Hit& avoid = forms[kIsAvoided]) return avoided(sentence, lower, avoid);
    return {};
}

}  // namespace agent_audit::detectors
