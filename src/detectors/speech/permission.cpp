#include "detectors/speech/permission.hpp"

#include "detectors/speech/consent.hpp"
#include "detectors/speech/order_words.hpp"
#include "detectors/speech/ordered_work.hpp"
#include "detectors/speech/stated_commands.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kShort = 120;  // a sentence in which "it" is what was ruled out

// "touch them now", and not "see that it works": the pronoun stands for what was ruled out.
constexpr std::string_view kBehindPronoun[] = {"now",   "too",      "again", "once", "here",   "if",    "as",  "then",
                                               "today", "yourself", "and",   "but",  "please", "after", "from"};
// "You can add a package for it after all": what is installed then has many names.
constexpr std::string_view kInstalled[] = {"dependenc", "package", "librar", "install", " after all"};
constexpr std::string_view kLaunches[] = {"ship it", "go ahead"};
constexpr std::string_view kPronouns[] = {"it", "them", "that", "this", "those", "these"};
// The same of files: "you're free to touch whatever".
constexpr std::string_view kAnything[] = {"whatever", "anything", "everything"};
constexpr std::string_view kWidePronouns[] = {"它", "这个", "那个", "这些", "那些"};
constexpr std::string_view kMore[] = {"now ",      "next, ",       " also ",        "also ",          " as well",
                                      " another ", " in addition", " do the same ", " the same for ", " the same in ",
                                      "也",        "还要",         "另外"};
// A question that orders all the same; any other one only asks.
constexpr std::string_view kPolite[] = {"can you ",       "could you ",     "would you ", "will you ", "can we ",
                                        "could we ",      "shall we ",      "let's ",     "please",    "why not ",
                                        "why don't you ", "why don’t you ", "能不能",     "能否",      "可否",
                                        "可以",           "帮我",           "请"};

std::string_view singular(std::string_view word) {
    if (word.size() > kTellingWord && word.ends_with('s')) word.remove_suffix(1);
    return word;
}

/// "test" and tests/test_tax.py; both in lower case.
bool shares_word(std::string_view text, std::string_view target) {
    return any_word(text, [&](std::string_view word, std::size_t) {
        return word.size() >= kTellingWord &&
               any_word(target, [&](std::string_view known, std::size_t) { return singular(known) == singular(word); });
    });
}

/// An order or permission cannot be in a sentence that only asks. Both are in lower case, the sentence is a part of the
/// text.
bool only_asks(std::string_view text, std::string_view sentence) {
    constexpr std::string_view kMarks[] = {"?", "？"};
    const auto end = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
    if (!sentence.ends_with('?') && !starts_with_any(trimmed(text.substr(end)), kMarks)) return false;
    return !contains_any(sentence, kPolite);
}

/// A sentence in lower case allows what the rule is about.
bool allows(std::string_view lower, const Constraint& rule, std::string_view target) {
    const std::size_t end = permission_in(lower);
    if (end == lower.npos) return false;
    const bool flagged = has_flag(rule);
    constexpr std::string_view kMerge = "merge", kSend = "send";
    const std::string_view known = known_as(target);
    const bool shared = known == kMerge || known == kSend ||
                        (rule.kind == Constraint::Kind::forbid_command &&
                         (target.starts_with("git commit") || target.starts_with("git push")));
    if (shared && !flagged && contains_any(lower, kLaunches)) return true;
    if (flagged && names_flagged(lower, target)) return true;
    const bool installs = rule.kind == Constraint::Kind::forbid_command &&
                          (rule.existing || target.ends_with(" install") || target.ends_with(" add"));  // npm i, go get
    if (installs && contains_any(lower, kInstalled)) return true;
    // "You can push it" allows no force.
    if (shares_word(lower, target)) return !flagged;
    if (lower.size() > kShort || !paths_in(lower, 1).empty()) return false;
    const std::string_view rest = lower.substr(end);
    return contains_any(rest, kWidePronouns) || any_word(rest, [&](std::string_view word, std::size_t at) {
               const bool of_files =
                   rule.kind == Constraint::Kind::forbid_path || rule.kind == Constraint::Kind::only_path;
               if (!among(word, kPronouns) && !(of_files && among(word, kAnything))) return false;
               const std::string_view behind = trimmed(rest.substr(at + word.size()));
               if (behind.empty() || !is_letter(behind[0])) return true;
               const auto letters =
                   static_cast<std::size_t>(std::ranges::find_if_not(behind, is_letter) - behind.begin());
               return std::ranges::find(kBehindPronoun, behind.substr(0, letters)) != std::end(kBehindPronoun);
           });
}

constexpr std::string_view kTests[] = {"test", "assertion", "测试", "テスト", "테스트", "тест"};
bool speaks_of_tests(std::string_view lower) { return contains_any(lower, kTests); }

/// "ok, now run it", "start it and look" behind "do not start the server".
bool runs_it(std::string_view lower) {
    constexpr std::string_view kRuns[] = {"run it",     "run them",  "run that", "start it",
                                          "start them", "launch it", "try it"},
                               kNots[] = {"not ", "n't ", "n’t ", "dont ", "never "};
    return lower.size() <= kShort && std::ranges::any_of(kRuns, [&](std::string_view run) {
               const std::size_t at = lower.find(run);
               if (at == lower.npos || (at > 0 && is_letter(lower[at - 1]))) return false;
               const std::string_view behind = lower.substr(at + run.size());
               return (behind.empty() || !is_letter(behind[0])) &&
                      std::ranges::none_of(kNots,
                                           [&](std::string_view no) { return lower.substr(0, at).ends_with(no); });
           });
}

/// "verify it", "check": behind "don't run the tests, they are slow".
bool orders_check(std::string_view lower) {
    constexpr std::string_view kChecks[] = {"verify", "check", "validate"};
    const std::string_view verb = verb_of_order(lower);
    return !denied(lower) && among(verb, kChecks);
}

/// "ok use it", behind "no new dependencies" and what the agent proposed.
bool takes_package(std::string_view lower, const Constraint& rule) {
    constexpr std::string_view kTakes[] = {"use it",          "take it",      "add it",       "install it",
                                           "use that",        "go with it",   "go with that", "use them",
                                           "install them",    "add the dep",  "add that dep", "add the package",
                                           "add the library", "add this dep", "install the "};
    if (rule.kind != Constraint::Kind::forbid_command || !rule.existing || lower.size() > kShort || denied(lower))
        return false;
    return contains_any(lower, kTakes);
}

/// Where the text names "db.py" of src/db.py, as a word of its own: tests/db.py and db.pyi are other files.
std::size_t file_named_at(std::string_view lower, std::string_view target) {
    const std::size_t slash = target.rfind('/');
    const std::string_view name = slash == target.npos ? std::string_view{} : target.substr(slash + 1);
    if (name.find('.', 1) == name.npos) return lower.npos;
    const auto goes_on = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
    for (std::size_t at = lower.find(name); at != lower.npos; at = lower.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || (!goes_on(lower[at - 1]) && lower[at - 1] != '/' && lower[at - 1] != '.');
        if (begins && (end == lower.size() || !goes_on(lower[end]))) return at;
    }
    return lower.npos;
}

/// The text in lower case names what the rule is about.
bool names(std::string_view lower, const Constraint& rule, std::string_view target) {
    if (rule.which == Constraint::Which::tests) return speaks_of_tests(lower);
    if (has_flag(rule)) return names_flagged(lower, target);
    if (target.ends_with('*')) target.remove_suffix(1);  // README*
    if (lower.find(target) != lower.npos || file_named_at(lower, target) != lower.npos) return true;
    // "now test it" behind "do not run the tests"
    const bool of_deed = rule.kind == Constraint::Kind::forbid_command || rule.kind == Constraint::Kind::forbid_tool;
    const std::string_view word = of_deed ? known_as(target) : std::string_view{};
    if (word == "test" ? speaks_of_tests(lower) : !word.empty() && says_stem(lower, word)) return true;
    // 可以推送 takes back what forbade git push.
    if (rule.kind != Constraint::Kind::forbid_command) return false;
    if (names_in_prose(lower, target)) return true;
    constexpr std::size_t kShortest = 3;
    const std::size_t blank = target.rfind(' ');
    if (blank == target.npos || target.size() - blank <= kShortest || target.find("…") != target.npos) return false;
    return says_stem(lower, target.substr(blank + 1));
}

// ---- what a clause of a later message says about a file ----------------------------------------------------------

// "a.py may be changed", "a.py can go": what is said of a file allows it.
constexpr std::string_view kMay[] = {" can ", " may "},
                           kMayBe[] = {"go",         "be changed", "be edited",  "be modified",
                                       "be touched", "be deleted", "be removed", "be rewritten",
                                       "be updated", "be dropped", "be renamed", "be moved"};
constexpr std::string_view kAsItIs[] = {"as it is",   "as it was", "as they are",  "as they were", " as is",
                                        "untouched",  "unchanged", " alone",       "wie sie ist",  "wie er ist",
                                        "wie es ist", "tel quel",  "telle quelle", "como está",    "com'è",
                                        "как есть",   "原样",      "そのまま",     "그대로"};
// Where something is told and nothing ordered.
constexpr std::string_view kTelling[] = {
    "the",   "a",  "an",   "this",     "that",  "these", "those", "my",   "our", "his",     "her",   "their",
    "its",   "it", "they", "he",       "she",   "there", "here",  "what", "who", "because", "since", "as",
    "while", "if", "when", "although", "until", "so",    "yes",   "no",   "why", "how"};
constexpr std::string_view kAuxiliaries[] = {"is",    "was",   "are",  "were", "has",    "had",  "have",
                                             "will",  "would", "does", "did",  "fails",  "fail", "failed",
                                             "broke", "says",  "said", "runs", "builds", "uses"};

Heard more(Heard a, Heard b) { return std::max(a, b); }

/// "now the tests", "tests next", "and the tests too": few words, and it is their turn.
bool is_their_turn(std::string_view clause) {
    constexpr std::string_view kTurn[] = {"now", "next", "too"},
                               kRest[] = {"ok", "okay", "and", "the", "tests", "please", "pls", "as", "well"};
    bool turn = false;
    const bool other = any_word(clause, [&](std::string_view word, std::size_t) {
        const bool now = among(word, kTurn);
        turn = turn || now;
        return !now && !among(word, kRest);
    });
    return turn && !other;
}

/// Where the clause names the file or the tests; npos = it does not.
std::size_t named_at(std::string_view clause, const Constraint& rule, std::string_view target) {
    if (rule.which == Constraint::Which::tests) {
        std::size_t at = clause.npos;
        for (const std::string_view word : kTests) at = std::min(at, clause.find(word));
        return at;
    }
    if (target.ends_with('*')) target.remove_suffix(1);  // README*
    const std::size_t whole = clause.find(target);
    return whole != clause.npos ? whole : file_named_at(clause, target);
}

/// A clause that names the file or the tests which are not to be changed.
Heard heard_of_file(std::string_view clause, std::size_t at, const Constraint& rule, bool question) {
    const bool tests = rule.which == Constraint::Which::tests;
    const std::string_view before = clause.substr(0, at);
    if (tests && is_their_turn(clause)) return Heard::frees;
    // "a.py も直してください": the order stands behind the name.
    constexpr std::string_view kEastern[] = {"直して", "修正して", "変更して", "更新して", "編集して",
                                             "変えて", "고쳐",     "수정해",   "바꿔",     "변경해"},
                               kEasternNots[] = {"しない", "ないで", "지 마", "지 말"};
    if (contains_any(clause.substr(at), kEastern) && !contains_any(clause, kEasternNots)) return Heard::frees;
    std::string_view behind = clause.substr(at);
    behind.remove_prefix(std::min(behind.find(' '), behind.size()));
    if (permission_in(clause) != clause.npos || (contains_any(before, kForgets) && !denied(before)))
        return Heard::frees;
    if (denied(before) || starts_with_any(behind, kStillNot) || contains_any(clause, kAsItIs) ||
        is_first_person(before))
        return Heard::nothing;
    for (const std::string_view may : kMay) {
        if (behind.starts_with(may) && starts_with_any(behind.substr(may.size()), kMayBe)) return Heard::frees;
    }
    const std::string_view verb = verb_of_order(clause);
    const std::string_view order = clause.substr(static_cast<std::size_t>(verb.data() - clause.data()));
    const std::string_view second = letters_of(trimmed(order.substr(verb.size())));
    const bool telling = among(verb, kTelling) || among(second, kAuxiliaries) ||
                         (at == 0 && !trimmed(behind).empty()) || (tests && clause.size() - order.size() == at);
    if (telling && contains_any(clause, kWants))
        return tests && clause.find("pass") != clause.npos ? Heard::speaks_of : Heard::frees;
    if (question)
        return clause.starts_with("what about") || clause.starts_with("how about") ? Heard::frees : Heard::speaks_of;
    if (among(verb, kLooks))
        return rule.any_access && verb != "leave" && verb != "keep" && verb != "ignore" && verb != "skip"
                   ? Heard::frees
                   : Heard::nothing;
    if (telling)
        return !tests && (trimmed(behind).empty() || behind.starts_with(" and ")) ? Heard::frees : Heard::speaks_of;
    return tests && (verb == "make" || verb == "get") ? Heard::speaks_of : Heard::frees;
}

/// "also src/tax.ts? no, leave that"
bool is_answered_no(std::string_view text, std::string_view sentence) {
    constexpr std::string_view kNo[] = {"? no", "?no"};
    return starts_with_any(text.substr(static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size()), kNo);
}

/// "fix the login on mobile too", behind "don't touch src/login.ts": work near the file is ordered, and may need it.
bool orders_work_near(std::string_view sentence, const Constraint& rule, std::string_view target) {
    if (rule.kind != Constraint::Kind::forbid_path || rule.which != Constraint::Which::named) return false;
    std::string_view name = target.substr(target.rfind('/') + 1);  // npos + 1 = 0
    name = name.substr(0, name.find('.', 1));
    // Asked for each rule about every sentence: what few sentences have comes first.
    return name.size() >= kTellingWord && shares_word(sentence, name) && !denied(sentence) &&
           (orders(sentence) || is_wide_order(sentence));
}

/// "now make it faster", "it is still too slow": the same work goes on, and nothing new is named.
bool goes_on_with_it(std::string_view sentence) {
    constexpr std::string_view kIt[] = {"it", "this", "that", "them"},
                               kMoreOfIt[] = {" in ", " to ",  " for ", " into ", " from ",   " with ", " on ",
                                              " at ", " and ", ",",     " also",  " as well", " too."};
    const std::string_view verb = verb_of_order(sentence);
    if (!among(verb, kOrders)) return false;
    const std::string_view object =
        trimmed(sentence.substr(static_cast<std::size_t>(verb.data() - sentence.data()) + verb.size()));
    return among(letters_of(object), kIt) && !contains_any(object, kMoreOfIt) && !object.ends_with(" too");
}

/// "the footer too", and not "too slow".
bool says_too(std::string_view sentence) {
    constexpr std::string_view kToo = " too", kEnds[] = {" and ", " but ", " please", " pls", " while ", " then "};
    for (std::size_t at = sentence.find(kToo); at != sentence.npos; at = sentence.find(kToo, at + 1)) {
        const std::string_view behind = sentence.substr(at + kToo.size());
        if (behind.empty() || (!is_letter(behind[0]) && behind[0] != ' ') || starts_with_any(behind, kEnds))
            return true;
    }
    return false;
}

/// More places than the only ones that were allowed so far.
bool widens(std::string_view message, std::string_view lower, std::string_view target) {
    return any_sentence(message, [&](std::string_view said) {
        const std::string_view sentence =
            lower.substr(static_cast<std::size_t>(said.data() - message.data()), said.size());
        if (is_answered_no(message, said)) return false;
        constexpr std::string_view kThen = "then ";  // "then add the field to the API", said to what the agent found
        if (!paths_in(said, 1).empty() || sentence.starts_with(kThen) || says_too(sentence) ||
            (contains_any(std::string(" ").append(sentence).append(" "), kMore) && !goes_on_with_it(sentence)) ||
            (is_wide_order(sentence) && stated_rules(said).empty()))
            return true;
        // What has a name that everybody knows: "now write a changelog entry".
        constexpr std::string_view kDocuments[] = {"changelog", "readme", "release notes", "docs", "documentation"};
        const auto is_named = [&](std::string_view document) {
            return sentence.find(document) != sentence.npos && target.find(document) == target.npos;
        };
        constexpr std::size_t kFewWords = 24;  // "tests?", "changelog entry pls"
        constexpr std::string_view kTold[] = {" is ", " are ", " was ", " were ", " look"};  // "the docs are fine"
        const bool wanted =
            orders(sentence) || (sentence.size() <= kFewWords && !denied(sentence) && !contains_any(sentence, kTold));
        if (std::ranges::any_of(kDocuments, is_named) && wanted) return true;
        return speaks_of_tests(sentence) && !speaks_of_tests(target) && wanted && sentence.find("run") == sentence.npos;
    });
}

/// "yarn is broken, switch to npm": in the place of what was to be used.
bool switches_to(std::string_view lower, const Constraint& rule, std::string_view target) {
    constexpr std::string_view kSwitches[] = {"switch to ",    "switch back to ", "go back to ", "go with ",
                                              "fall back to ", "move to ",        "back to ",    "change to "};
    if (rule.kind != Constraint::Kind::forbid_command || has_flag(rule) || denied(lower)) return false;
    return std::ranges::any_of(kSwitches, [&](std::string_view words) {
        const std::string said = std::string(words).append(target);
        const std::size_t at = lower.find(said);
        if (at == lower.npos || (at > 0 && is_letter(lower[at - 1]))) return false;
        const std::size_t end = at + said.size();
        return end == lower.size() || (!is_letter(lower[end]) && lower[end] != '-');
    });
}

}  // namespace

Heard heard(std::string_view message, const Constraint& rule) {
    const std::string lowered_message = lowered(message), target = lowered(rule.target);
    const std::string_view lower = lowered_message;
    if (rule.kind == Constraint::Kind::only_path && widens(message, lower, target)) return Heard::frees;
    // A review is over when the person speaks again.
    if (rule.which == Constraint::Which::all_files || rule.which == Constraint::Which::code) return Heard::frees;
    Heard most = Heard::nothing;
    const bool command = rule.kind == Constraint::Kind::forbid_command || rule.kind == Constraint::Kind::forbid_tool;
    any_sentence(lower, [&](std::string_view sentence) {
        const bool question = only_asks(lower, sentence);
        if (command && question) return false;
        if (most == Heard::nothing && orders_work_near(sentence, rule, target)) most = Heard::speaks_of;
        if (rule.kind == Constraint::Kind::forbid_command && rule.onto.empty() && !known_as(target).empty() &&
            (runs_it(sentence) || (known_as(target) == "test" && orders_check(sentence))))
            most = Heard::frees;
        if (allows(sentence, rule, target) || takes_package(sentence, rule)) most = Heard::frees;
        if (has_flag(rule)) {
            if (orders_flagged(sentence, target)) most = Heard::frees;
        } else if (rule.kind != Constraint::Kind::only_path) {
            any_clause(sentence, [&](std::string_view clause) {
                if (command) {
                    // To commit, one must add.
                    if (target.starts_with("git add") && heard_in_clause(clause, "git commit") == Heard::frees)
                        most = Heard::frees;
                    if (most == Heard::frees) return true;
                    most = implies(clause, target) ? Heard::frees : more(most, heard_in_clause(clause, target));
                } else if (const std::size_t at = named_at(clause, rule, target); at != clause.npos) {
                    most = more(most, heard_of_file(clause, at, rule, question));
                }
                return most == Heard::frees;
            });
        }
        return most == Heard::frees;
    });
    return most;
}

bool takes_back(std::string_view message, const Constraint& rule) {
    const std::string target = lowered(rule.target);
    return any_sentence(message, [&](std::string_view said) {
        const std::string sentence = lowered(said);
        if (has_flag(rule))
            return stated_rules(said).empty() && (orders_flagged(sentence, target) || allows(sentence, rule, target));
        // "If the tests need it, tests/a.ts is fine as well."
        constexpr std::string_view kFine[] = {" is fine too",  " is fine as well",  " is ok too",    " is ok as well",
                                              " is okay too",  " is okay as well",  " is also fine", " is also ok",
                                              " are fine too", " are fine as well", " are ok too",   " are also fine"};
        const bool fine =
            rule.kind == Constraint::Kind::only_path && contains_any(sentence, kFine) && !denied(sentence);
        const bool permitted = fine || permission_in(sentence) != std::string::npos;
        if (switches_to(sentence, rule, target)) return stated_rules(said).empty();
        const bool ordered = orders(sentence);
        if ((!permitted && !ordered) || !stated_rules(said).empty()) return false;
        if (rule.kind == Constraint::Kind::only_path) return widens(said, sentence, target);
        if (rule.which == Constraint::Which::all_files || rule.which == Constraint::Which::code) return true;
        return names(sentence, rule, target) || shares_word(sentence, target) || allows(sentence, rule, target);
    });
}

bool agrees_to(std::string_view answer, std::string_view question, const Constraint& rule) {
    constexpr std::string_view kStillNo[] = {"but do not", "but don't", "but don’t", "but not", "however", "instead"};
    constexpr std::string_view kDoIt[] = {"do it", "fix it there", "change it", "edit it", "go ahead"};
    const std::string said = lowered(trimmed(answer)), asked = lowered(question), target = lowered(rule.target);
    const bool yes = agrees(answer) || (said.size() <= kShort && contains_any(said, kDoIt));
    if (!yes || contains_any(said, kStillNo) || !stated_rules(answer).empty()) return false;
    // "core.py" of src/core.py is enough.
    const std::string_view name =
        std::string_view(target).substr(target.rfind('/') == target.npos ? 0 : target.rfind('/') + 1);
    if (rule.kind == Constraint::Kind::only_path && !paths_in(question, 1).empty()) return true;
    // "Can I add zod?"
    constexpr std::string_view kAdds[] = {"add ", "install", "dependenc", "package", "librar", "need "};
    if (rule.kind == Constraint::Kind::forbid_command && rule.existing && contains_any(asked, kAdds)) return true;
    return names(asked, rule, target) || (name.size() > 3 && asked.find(name) != asked.npos);
}

}  // namespace agent_audit::detectors
