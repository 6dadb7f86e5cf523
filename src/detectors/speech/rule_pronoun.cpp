#include "detectors/speech/rule_pronoun.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

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

// "Stay away from it", "keep your fingers out of it": "never touch it", behind the same words.
std::string keeps_off_pronoun(std::string_view sentence, std::string_view lower, std::string_view before) {
    constexpr std::string_view kOffs[] = {"stay away from ", "keep away from ", "steer clear of ", "stay clear of ",
                                          "keep clear of ",  "stay out of ",    "keep out of ",    "keep off ",
                                          "stay off ",       "hands off ",      "fingers off ",    "fingers out of ",
                                          "hands out of "},
                               kIts[] = {"it", "them", "there", "this file", "that file"},
                               kKeeps[] = {"please keep your ", "keep your ", "get your "};  // the longest first
    const Hit off = first_of(lower, kOffs);
    if (!off) return {};
    const std::string_view object = lower.substr(off.end);
    const auto its = std::ranges::find_if(kIts, [&](std::string_view it) {
        return object.starts_with(it) && ends_pronoun(trimmed(object.substr(it.size()))) &&
               (object.size() == it.size() || !is_letter(object[it.size()]));
    });
    if (its == std::end(kIts)) return {};
    std::string_view head = sentence.substr(0, off.at);
    const std::string low_head = lowered(head);
    const auto keep = std::ranges::find_if(kKeeps, [&](std::string_view k) { return low_head.ends_with(k); });
    if (keep != std::end(kKeeps)) head.remove_suffix(keep->size());
    // "You should stay away from it" is an order too, "users stay away from it" is none.
    const std::string said = lowered(head);
    if (const std::string_view lead = last_clause(said); !lead.empty() && !leads_into_order(lead)) return {};
    const std::string made = std::string(head).append("never touch it");
    return about_pronoun(made, lowered(made), before);
}

// Where what is said of the file begins: "src/a.ts is mine".
std::size_t state_in(std::string_view said) {
    std::size_t first = said.npos;
    for (const std::string_view state : kStates) first = std::min(first, said.find(state));
    return first;
}

// "run it", behind what is said of the command; nothing: it is no such order.
std::optional<std::string> runs_pronoun(std::string_view rest, std::string_view said, std::string_view before) {
    constexpr std::string_view kRunIt[] = {"run it", "execute it"};
    for (const std::string_view run : kRunIt) {
        if (rest.starts_with(run) && ends_pronoun(trimmed(rest.substr(run.size()))))
            return not_run(said.find_first_of("./`") == said.npos ? before : said);
    }
    return std::nullopt;
}

// "infra/ belongs to the platform team, don't make changes there."
std::optional<std::string> changes_there(std::string_view rest, std::string_view said, std::string_view before) {
    constexpr std::string_view kThere[] = {"make changes there", "make any changes there", "change anything there",
                                           "touch anything there"};
    if (std::ranges::none_of(kThere, [&](std::string_view there) {
            return rest.starts_with(there) && ends_pronoun(trimmed(rest.substr(there.size())));
        }))
        return std::nullopt;
    if (said.empty()) said = before;
    std::size_t state = said.npos;
    for (const std::string_view s : kStates) state = s == ":" ? state : std::min(state, said.find(s));
    const std::string_view subject = state == said.npos ? std::string_view{} : subject_before(said, state);
    return is_names_only(subject) ? "do not change " + std::string(subject) : std::string();
}

// "leave it be" is "do not change it".
bool leaves_it(std::string_view rest) {
    constexpr std::string_view kLeft[] = {"it be",      "it alone",    "them be",
                                          "them alone", "it as it is", "them as they are"};
    return std::ranges::any_of(
        kLeft, [&](std::string_view l) { return rest.starts_with(l) && ends_clause(trimmed(rest.substr(l.size()))); });
}

bool is_pronoun(std::string_view object) {
    return std::ranges::any_of(kPronouns, [&](std::string_view p) {
        return object.starts_with(p) && ends_pronoun(trimmed(object.substr(p.size())));
    });
}

// "Heads up: src/a.ts is mine, don't touch it."
std::string_view behind_heading(std::string_view said) {
    constexpr std::string_view kColon = ": ";
    const std::size_t colon = said.find(kColon);
    const bool heading = colon != said.npos && paths_in(said.substr(0, colon), 1).empty();
    return heading ? said.substr(colon + kColon.size()) : said;
}

// "The .env file is mine", and neither "the comment in src/a.ts is wrong" nor "the src/a.py tests are slow".
bool is_of_files(std::string_view subject, const std::vector<std::string>& files) {
    constexpr std::string_view kLeads[] = {"",  "the file ",  "the files ",  "file ",      "files ", "both ",
                                           "`", "the file `", "the files `", "note that ", "but ",   "and "};
    constexpr std::string_view kThe = "the ", kFiles[] = {"", "`", " file", "` file", " folder", "` folder"};
    const std::string first = lowered(subject.substr(0, subject.find(files.front())));
    const std::string_view tail = subject.substr(subject.rfind(files.back()) + files.back().size());
    const bool whole = first == kThe && std::ranges::find(kFiles, tail) != std::end(kFiles);
    return whole || std::ranges::find(kLeads, std::string_view(first)) != std::end(kLeads);
}

// What "do not `verb` it" forbids, behind `said`.
std::string forbids(std::string_view said, std::string_view verb) {
    said = behind_heading(said);
    const std::size_t state = state_in(said);
    if (state == said.npos) return only_looked_at(said, verb);
    const std::string_view subject = trimmed(said.substr(0, state));
    const std::vector<std::string> files = paths_in(subject, 8);
    std::string made = "do not " + std::string(verb);
    if (files.empty()) {
        if (std::string looked = only_looked_at(said, verb); !looked.empty()) return looked;
        const bool known =
            std::ranges::find(kNamedSubjects, std::string_view(lowered(subject))) != std::end(kNamedSubjects);
        return known ? made.append(subject) : std::string();
    }
    if (!is_of_files(subject, files)) return {};
    for (const std::string& file : files) made.append(file).append(", ");
    return made;
}

}  // namespace

std::string about_pronoun(std::string_view sentence, std::string_view lower, std::string_view before) {
    if (std::string made = keeps_off_pronoun(sentence, lower, before); !made.empty()) return made;
    for (const std::string_view order : kOrders) {
        const std::size_t at = lower.find(order);
        if (at == lower.npos) continue;
        const std::string_view rest = lower.substr(at + order.size()), said = trimmed(sentence.substr(0, at));
        if (auto made = runs_pronoun(rest, said, before)) return std::move(*made);
        if (auto made = changes_there(rest, said, before)) return std::move(*made);
        const bool leave = order == "leave ", left = leave && leaves_it(rest);
        const auto verb =
            left ? std::begin(kPronounVerbs) + 1
                 : std::ranges::find_if(kPronounVerbs, [&](std::string_view v) { return rest.starts_with(v); });
        if (verb == std::end(kPronounVerbs) || (leave && !left)) continue;
        if (!left && !is_pronoun(rest.substr(verb->size()))) return {};
        return forbids(said.empty() ? before : said, *verb);
    }
    return {};
}

}  // namespace agent_audit::detectors
