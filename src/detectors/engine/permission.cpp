#include "detectors/engine/permission.hpp"

#include "detectors/engine/path_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "detectors/engine/stated_commands.hpp"
#include "detectors/engine/unnamed_rules.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kShort = 120;      // a sentence in which "it" is what was ruled out
constexpr std::size_t kTellingWord = 4;  // letters of a word by which a target is known

constexpr std::string_view kPermits[] = {"you may ",  "you can ",   "feel free", "go ahead", "ship it", "allowed",
                                         "no longer", "never mind", "nevermind", "fine to ", "ok to ",  "okay to ",
                                         "free to ",  "可以",       "允许",      "不再",     "没关系"};
constexpr PhraseSet kPermitSet(kPermits);
// "touch them now", and not "see that it works": the pronoun stands for what was ruled out.
constexpr std::string_view kBehindPronoun[] = {"now",   "too",      "again", "once", "here",   "if",    "as",  "then",
                                               "today", "yourself", "and",   "but",  "please", "after", "from"};
// "You can see …" tells, and allows nothing.
constexpr std::string_view kTells[] = {"see ", "find ", "assume ", "look ", "tell ", "ignore "};
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
constexpr std::string_view kOrders[] = {"adapt",   "add",    "adjust", "bring",  "change",    "commit",
                                        "delete",  "edit",   "extend", "fix",    "implement", "install",
                                        "make",    "modify", "push",   "rebase", "remove",    "rename",
                                        "rewrite", "run",    "touch",  "update", "use",       "write"};
constexpr std::string_view kWideOrders[] = {"提交", "推送", "修改", "更新", "改", "实现", "修复", "删除"};
// What may stand before an order.
constexpr std::string_view kBeforeOrder[] = {"please", "now", "then", "and", "also", "you", "me"};
// A question that orders all the same; any other one only asks.
constexpr std::string_view kPolite[] = {"can you ",       "could you ",     "would you ", "will you ", "can we ",
                                        "could we ",      "shall we ",      "let's ",     "please",    "why not ",
                                        "why don't you ", "why don’t you ", "能不能",     "能否",      "可否",
                                        "可以",           "帮我",           "请"};
// A forced push in words of prose, and before what such a thing may stand to be ordered: "just force-push it", "do a
// force push".
constexpr std::string_view kForcedPush[] = {"force-push", "force push", "强制推送", "force"};
constexpr std::string_view kBetween[] = {"a",    "the",   "one", "that", "this", "it",     "them",   "your",
                                         "with", "using", "via", "by",   "git",  "branch", "changes"};
constexpr std::string_view kLeadsIn[] = {
    "push", "commit", "rebase", "reset",  "use",   "run",     "do",    "execute", "make",   "need",  "needs",
    "want", "try",    "retry",  "rerun",  "again", "please",  "now",   "then",    "just",   "you",   "and",
    "or",   "also",   "to",     "let's",  "let’s", "s",       "can",   "may",     "should", "must",  "will",
    "ok",   "okay",   "yes",    "sure",   "once",  "instead", "ahead", "so",      "time",   "start", "begin",
    "get",  "have",   "after",  "before", "when",  "finally", "fine"};
// Articles: with nothing before them they begin what something is said of.
constexpr std::string_view kArticles[] = {"a", "the", "that", "this", "your"};
// Between "make" and "commits".
constexpr std::string_view kNumbers[] = {"one",   "two",     "three", "single", "separate",
                                         "small", "another", "new",   "more"};
constexpr std::string_view kWideLeadsIn[] = {"请", "现在", "就", "直接", "可以", "帮我", "需要", "再", "来", "用"};
// Behind what only speaks of it: "force-push failed".
constexpr std::string_view kSpeaksOf[] = {" is ",    " was ",     " were ", " has ", " had ",  " fail", " broke",
                                          " caused", " happened", " does",  " did",  " error", "失败",  "了"};
constexpr std::string_view kIsFine[] = {" is fine",      " is ok",         " is good", " is needed", " is required",
                                        " is necessary", " would be fine", " is okay", " is allowed"};

/// Whether one of the words of a text, of letters alone, is as asked for.
template <class F>
bool any_word(std::string_view text, F&& is) {
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        while (begin < text.size() && !is_letter(text[begin])) ++begin;
        for (end = begin; end < text.size() && is_letter(text[end]);) ++end;
        if (end > begin && is(text.substr(begin, end - begin), begin)) return true;
    }
    return false;
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin()));
}
std::string_view last_word(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    return text.substr(begin);
}

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

/// Where the permission of a sentence in lower case ends; npos = it allows nothing.
std::size_t permission_in(std::string_view lower) {
    if (!kPermitSet.in(lower)) return lower.npos;
    if (lower.find("not allowed") != lower.npos || lower.find("n't allowed") != lower.npos ||
        lower.find("longer allowed") != lower.npos)
        return lower.npos;
    for (const std::string_view permit : kPermits) {
        for (std::size_t at = lower.find(permit); at != lower.npos; at = lower.find(permit, at + 1)) {
            const std::string_view before = lower.substr(0, at), after = lower.substr(at + permit.size());
            if (before.ends_with("不") || before.ends_with("not ") || before.ends_with("n't ") ||
                after.starts_with("not "))
                continue;
            if (at > 0 && is_letter(before.back()) && is_letter(permit[0])) continue;
            if (permit.starts_with("you ") && starts_with_any(after, kTells)) continue;
            return at + permit.size();
        }
    }
    return lower.npos;
}

/// An order or permission cannot be in a sentence that only asks. Both are in lower case, the sentence is a part of the
/// text.
bool only_asks(std::string_view text, std::string_view sentence) {
    constexpr std::string_view kMarks[] = {"?", "？"};
    const auto end = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
    if (!sentence.ends_with('?') && !starts_with_any(trimmed(text.substr(end)), kMarks)) return false;
    return !contains_any(sentence, kPolite);
}

// ---- a command that is ruled out only with its flag --------------------------------------------------------------

bool has_flag(const Constraint& rule) {
    return rule.kind == Constraint::Kind::forbid_command && rule.target.find(" -") != std::string::npos;
}

/// What such a command is known by: itself, its last flag, and the flag as a word of prose.
std::vector<std::string> names_of_flagged(std::string_view target) {
    constexpr std::size_t kShortest = 3;
    const std::size_t at = target.rfind(" -") + 1;
    const std::string_view flag = target.substr(at, target.find(' ', at) - at);
    std::vector<std::string> names;
    if (target.starts_with("git push")) {
        names.assign(std::begin(kForcedPush), std::end(kForcedPush));
        if (flag == "-f") names.emplace_back("--force");
        if (flag == "--force") names.emplace_back("push -f");
    }
    names.emplace_back(target);
    if (flag.size() >= kShortest) names.emplace_back(flag);
    if (flag.starts_with("--") && flag.size() >= 2 + kTellingWord) {
        names.emplace_back(flag.substr(2));
        if (flag.find('-', 2) == flag.npos) return names;
        names.emplace_back(flag.substr(2));
        std::ranges::replace(names.back(), '-', ' ');
    }
    return names;
}

/// The whole word, and not a part of an identifier or of another flag: backup_and_force_push, --force-with-lease.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
    const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
    if (at > 0 && joins(text[at - 1])) return false;
    std::string_view rest = text.substr(at + size);
    for (const std::string_view ending : {"ing", "es"}) {
        if (rest.starts_with(ending)) rest.remove_prefix(ending.size());
    }
    return rest.empty() || !joins(rest[0]);
}

/// Calls `is` with the place and the size of each mention of the command, until it says true.
template <class Is>
bool any_mention(std::string_view lower, std::string_view target, Is&& is) {
    const std::vector<std::string> names = names_of_flagged(target);
    return std::ranges::any_of(names, [&](const std::string& name) {
        for (std::size_t at = lower.find(name); at != lower.npos; at = lower.find(name, at + 1)) {
            if (stands_alone(lower, at, name.size()) && is(at, name.size())) return true;
        }
        return false;
    });
}

bool names_flagged(std::string_view lower, std::string_view target) {
    return any_mention(lower, target, [](std::size_t, std::size_t) { return true; });
}

/// Whether what stands before a mention makes an order of it.
bool leads_in(std::string_view before) {
    bool article = false;
    for (bool more = true; more;) {
        while (!before.empty() && (before.back() == ' ' || before.back() == '`')) before.remove_suffix(1);
        if (before.empty() || std::string_view(",:;(").find(before.back()) != std::string_view::npos) return !article;
        if (!is_letter(before.back()))
            return std::ranges::any_of(kWideLeadsIn, [&](std::string_view word) { return before.ends_with(word); });
        const std::string_view word = last_word(before);
        if (among(word, kLeadsIn)) return true;
        more = among(word, kBetween) || among(word, kNumbers);
        article = article || among(word, kArticles);
        before.remove_suffix(word.size());
    }
    return false;
}

/// A sentence in lower case orders the command with its flag.
bool orders_flagged(std::string_view lower, std::string_view target) {
    return any_mention(lower, target, [&](std::size_t at, std::size_t size) {
        const std::string_view behind = lower.substr(at + size);
        return starts_with_any(behind, kIsFine) ||
               (!starts_with_any(behind, kSpeaksOf) && leads_in(lower.substr(0, at)));
    });
}

// ------------------------------------------------------------------------------------------------------------------

/// A sentence in lower case allows what the rule is about.
bool allows(std::string_view lower, const Constraint& rule, std::string_view target) {
    const std::size_t end = permission_in(lower);
    if (end == lower.npos) return false;
    const bool flagged = has_flag(rule);
    const bool shared = rule.kind == Constraint::Kind::forbid_command &&
                        (target.starts_with("git commit") || target.starts_with("git push"));
    if (shared && !flagged && contains_any(lower, kLaunches)) return true;
    if (flagged && names_flagged(lower, target)) return true;
    const bool installs =
        rule.kind == Constraint::Kind::forbid_command && (target.ends_with(" install") || target.ends_with(" add"));
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

constexpr std::string_view kTests[] = {"test", "测试", "テスト", "테스트", "тест"};
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

bool negated(std::string_view before);
std::string_view verb_of_order(std::string_view sentence);

/// "verify it", "check": behind "don't run the tests, they are slow".
bool orders_check(std::string_view lower) {
    constexpr std::string_view kChecks[] = {"verify", "check", "validate"};
    const std::string_view verb = verb_of_order(lower);
    return !negated(lower) && among(verb, kChecks);
}

/// "ok use it", behind "no new dependencies" and what the agent proposed.
bool takes_package(std::string_view lower, const Constraint& rule) {
    constexpr std::string_view kTakes[] = {"use it",     "take it",      "add it",   "install it",  "use that",
                                           "go with it", "go with that", "use them", "install them"};
    if (rule.kind != Constraint::Kind::forbid_command || !rule.existing || lower.size() > kShort || negated(lower))
        return false;
    return contains_any(lower, kTakes);
}

/// A sentence in lower case tells the agent to do something.
bool orders(std::string_view lower) {
    if (contains_any(lower, kWideOrders)) return true;
    return any_word(lower, [&](std::string_view word, std::size_t at) {
        if (std::ranges::find(kOrders, word) == std::end(kOrders)) return false;
        const std::string_view before = trimmed(lower.substr(0, at));
        return before.empty() || before.back() == ',' || before.back() == ':' ||
               std::ranges::any_of(kBeforeOrder, [&](std::string_view w) {
                   return before.ends_with(w) &&
                          (before.size() == w.size() || !is_letter(before[before.size() - w.size() - 1]));
               });
    });
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
    const std::string_view word = rule.kind == Constraint::Kind::forbid_command ? known_as(target) : std::string_view{};
    if (word == "test" ? speaks_of_tests(lower) : !word.empty() && says_stem(lower, word)) return true;
    // 可以推送 takes back what forbade git push.
    if (rule.kind != Constraint::Kind::forbid_command) return false;
    if (names_in_prose(lower, target)) return true;
    constexpr std::size_t kShortest = 3;
    const std::size_t blank = target.rfind(' ');
    if (blank == target.npos || target.size() - blank <= kShortest || target.find("…") != target.npos) return false;
    return says_stem(lower, target.substr(blank + 1));
}

// ---- what a clause of a later message says about a rule ----------------------------------------------------------

constexpr std::string_view kNots[] = {"no",     "not",    "never", "nothing", "none",  "nobody", "without",
                                      "cannot", "dont",   "cant",  "wont",    "nicht", "nichts", "kein",
                                      "keine",  "keinen", "pas",   "jamais",  "nunca", "non",    "nao"};
constexpr std::string_view kWideNots[] = {"n't", "n’t", "não ", "не ", "Не ", "instead of", "rather than",
                                          "不",  "别",  "勿",   "没",  "未",  "禁"};
// The rule is gone.
constexpr std::string_view kForgets[] = {"forget what i",  "forget about ",   "ignore what i",
                                         "scratch what i", "forget the rule", "changed my mind"};
// Such a "not" asks for it, and such a "no" allows it.
constexpr std::string_view kNoNots[] = {"why not ",   "why don't you ", "why don’t you ",
                                        "no problem", "no objection",   "not a problem",
                                        "no longer",  "never mind",     "nevermind"};
// Behind a name: the rule once more.
constexpr std::string_view kStillNot[] = {" is not",
                                          " are not",
                                          " isn't",
                                          " aren't",
                                          " must not",
                                          " should not",
                                          " may not",
                                          " is still not",
                                          " are still not",
                                          " stays",
                                          " stay ",
                                          " remains",
                                          " remain ",
                                          " is off",
                                          " are off",
                                          " is forbidden",
                                          " is still forbidden",
                                          " is banned",
                                          " is frozen",
                                          " is out of",
                                          " is mine",
                                          " is my "};
// "a.py may be changed", "a.py can go": what is said of a file allows it.
constexpr std::string_view kMay[] = {" can ", " may "},
                           kMayBe[] = {"go",         "be changed", "be edited",  "be modified",
                                       "be touched", "be deleted", "be removed", "be rewritten",
                                       "be updated", "be dropped", "be renamed", "be moved"};
constexpr std::string_view kAsItIs[] = {"as it is", "as it was", "as they are", "as they were",
                                        " as is",   "untouched", "unchanged",   " alone"};
// "I want it pushed", "I think you can push" are no words about what the human does.
constexpr std::string_view kWishes[] = {"want",    "need",     "like",    "d",        "you",  "think",     "guess",
                                        "suppose", "wish",     "prefer",  "fine",     "ok",   "okay",      "approve",
                                        "allow",   "allowed",  "agree",   "expect",   "see",  "notice",    "noticed",
                                        "realize", "realized", "realise", "realised", "know", "understand"};
// Before what is only spoken of.
constexpr std::string_view kMentions[] = {
    "the",   "a",     "an",   "this", "that",     "these", "those", "my",   "our",      "his",   "her",
    "their", "its",   "your", "of",   "on",       "in",    "at",    "from", "by",       "about", "since",
    "per",   "every", "each", "last", "previous", "first", "used",  "uses", "mentions", "says",  "called",
    "like",  "as",    "than", "is",   "was",      "are",   "were",  "for"};
// What is behind "push" where no command is meant.
constexpr std::string_view kOtherPush[] = {" notification", " event",   " trigger", " message",    " button",
                                           " hook",         " service", " api",     " model",      " token",
                                           " access",       " rule",    " ban",     " permission", " rights"};
constexpr std::string_view kOtherCommit[] = {" message", " messages", " format",  " author",    " hash",
                                             " hook",    " id",       " history", " sha",       " log",
                                             " count",   " date",     " style",   " convention"};
// Verbs that look, run or keep, and change nothing.
constexpr std::string_view kLooks[] = {
    "look",   "read",     "check",    "see",     "open",    "show",       "explain", "compare", "leave",
    "keep",   "remember", "note",     "run",     "rerun",   "execute",    "ignore",  "use",     "view",
    "review", "tell",     "describe", "analyse", "analyze", "understand", "follow",  "mind",    "skip",
    "find",   "search",   "list",     "print",   "watch",   "consider",   "verify",  "inspect", "test"};
// What such a thing needs is wanted.
constexpr std::string_view kWants[] = {" needs ",   " need ",     " should ", " must ",  " has to ",
                                       " have to ", " ought to ", " still ",  " lacks ", " misses "};
// Where something is told and nothing ordered.
constexpr std::string_view kTelling[] = {
    "the",   "a",  "an",   "this",     "that",  "these", "those", "my",   "our", "his",     "her",   "their",
    "its",   "it", "they", "he",       "she",   "there", "here",  "what", "who", "because", "since", "as",
    "while", "if", "when", "although", "until", "so",    "yes",   "no",   "why", "how"};
constexpr std::string_view kAuxiliaries[] = {"is",    "was",   "are",  "were", "has",    "had",  "have",
                                             "will",  "would", "does", "did",  "fails",  "fail", "failed",
                                             "broke", "says",  "said", "runs", "builds", "uses"};
// Before the verb of an order.
constexpr std::string_view kFillers[] = {"please", "pls",   "now",     "then",  "and",   "also",  "ok",
                                         "okay",   "great", "good",    "next",  "just",  "can",   "could",
                                         "would",  "will",  "you",     "we",    "let's", "lets",  "but",
                                         "so",     "first", "finally", "next:", "yes",   "thanks"};
// Behind a comma or "and" these begin a new thought.
constexpr std::string_view kBegins[] = {
    "i",     "we",     "you",  "it", "this",   "that",    "the",     "there", "no",   "not",  "do",    "don",   "dont",
    "never", "please", "just", "so", "but",    "because", "since",   "why",   "what", "how",  "which", "if",    "when",
    "as",    "now",    "then", "go", "submit", "publish", "release", "merge", "ship", "send", "put",   "create"};
// A request for a review is no use before the branch is there.
constexpr std::string_view kPublishes[] = {
    "publish",          "release",   "submit it", "submit this", "submit the", "send it for review",
    "put it on github", "put it up", "merge it",  "ship it",     "deploy it"};
constexpr std::string_view kMakes[] = {"open ", "create ", "make ", "raise ", "submit ", "file ", "update ", "merge "};
constexpr std::string_view kRequests[] = {
    " pr", " a pr",  " the pr", " pull request",  " a pull request",  " the pull request",
    " mr", " an mr", " the mr", " merge request", " a merge request", " the merge request"};

/// The parts of a sentence in lower case, each with one thought.
template <class Is>
bool any_clause(std::string_view sentence, Is&& is) {
    constexpr std::string_view kAlways[] = {" but ", "; ", " - ", " then ", "，"};
    constexpr std::string_view kPerhaps[] = {", ", " and "};
    std::size_t begin = 0;
    for (std::size_t at = 1; at < sentence.size(); ++at) {
        const std::string_view rest = sentence.substr(at);
        const auto cut = [&](std::string_view mark) { return rest.starts_with(mark); };
        std::size_t size = 0;
        if (const auto always = std::ranges::find_if(kAlways, cut); always != std::end(kAlways)) size = always->size();
        if (const auto perhaps = std::ranges::find_if(kPerhaps, cut); perhaps != std::end(kPerhaps)) {
            const std::string_view next = first_word(rest.substr(perhaps->size()));
            if (among(next, kBegins) || among(next, kLooks) || among(next, kOrders) || among(next, kLeadsIn))
                size = perhaps->size();
        }
        if (size == 0) continue;
        if (is(trimmed(sentence.substr(begin, at - begin)))) return true;
        begin = at + size;
        at = begin;
    }
    return begin < sentence.size() && is(trimmed(sentence.substr(begin)));
}

bool negated(std::string_view before) {
    if (contains_any(before, kNoNots)) return false;
    return contains_any(before, kWideNots) ||
           any_word(before, [](std::string_view word, std::size_t) { return among(word, kNots); });
}

/// "I'll push", "I have changed it", "let me": what stands before the name tells what the human does.
bool is_first_person(std::string_view before) {
    bool own = false;
    any_word(before, [&](std::string_view word, std::size_t at) {
        if (word == "i" || (word == "me" && trimmed(before.substr(0, at)).ends_with("let")))
            own = true;
        else if (own && among(word, kWishes))
            own = false;
        return false;
    });
    return own;
}

/// The words by which a command without flags is known in prose.
std::vector<std::string_view> words_of_command(std::string_view target) {
    constexpr std::size_t kShortest = 3;
    std::vector<std::string_view> words{target};
    const std::size_t blank = target.rfind(' ');
    if (blank != target.npos && target.size() - blank > kShortest && target.find("…") == target.npos)
        words.push_back(target.substr(blank + 1));
    if (const std::string_view word = known_as(target); !word.empty()) words.push_back(word);
    for (const auto& [verb, wide] : {std::pair{"git push", "推送"},
                                     {"git commit", "提交"},
                                     {"git push", "プッシュ"},
                                     {"git commit", "コミット"},
                                     {"git push", "푸시"},
                                     {"git commit", "커밋"},
                                     {"git push", "пуш"},
                                     {"git commit", "коммит"}}) {
        if (!target.starts_with(verb)) continue;
        words.push_back(std::string_view(verb).substr(4));
        words.push_back(wide);
    }
    return words;
}

/// What a mention of a command, at a place of a clause, says; `ending` are the letters by which it is longer than its
/// word.
Heard heard_of_command(std::string_view before, std::string_view ending, std::string_view behind) {
    const bool past = ending.ends_with("ed"), plural = ending == "s" || ending == "es";
    if (contains_any(before, kForgets)) return Heard::frees;
    if (negated(before) || starts_with_any(behind, kStillNot) || starts_with_any(behind, kOtherPush))
        return Heard::nothing;
    if (starts_with_any(behind, kIsFine)) return Heard::frees;
    if (is_first_person(before)) return Heard::nothing;
    if (starts_with_any(behind, kSpeaksOf)) return Heard::speaks_of;
    const std::string_view lead = last_word(trimmed(before));
    if (past && (trimmed(before).empty() || lead == "you")) return Heard::speaks_of;
    if (leads_in(before) && !(plural && trimmed(before).empty())) return Heard::frees;
    return past || plural || among(lead, kMentions) ? Heard::speaks_of : Heard::frees;
}

Heard heard_of_wide(std::string_view before, std::string_view behind) {
    constexpr std::string_view kAllows[] = {"可以", "请", "帮"};
    constexpr std::string_view kNotBehind[] = {"しない",  "はしない", "せず",    "禁止",
                                               "하지 마", "하지 말",  "은 하지", "는 하지"};
    constexpr std::string_view kNotBefore[] = {"не", "Не"};
    if (std::ranges::any_of(kNotBefore, [&](std::string_view no) { return trimmed(before).ends_with(no); }))
        return Heard::nothing;
    if (negated(before) || starts_with_any(behind, kNotBehind)) return Heard::nothing;
    if (behind.starts_with("した")) return Heard::speaks_of;
    return behind.starts_with("了") && !contains_any(before, kAllows) ? Heard::speaks_of : Heard::frees;
}

Heard more(Heard a, Heard b) { return std::max(a, b); }

/// A clause about a command without flags.
Heard heard_in_clause(std::string_view clause, std::string_view target) {
    const auto joins = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    };
    Heard most = Heard::nothing;
    for (const std::string_view word : words_of_command(target)) {
        for (std::size_t at = clause.find(word); at != clause.npos; at = clause.find(word, at + 1)) {
            const std::string_view before = clause.substr(0, at), behind = clause.substr(at + word.size());
            if (static_cast<unsigned char>(word[0]) >= 0x80) {
                most = more(most, heard_of_wide(before, behind));
                continue;
            }
            const std::string_view ending = first_word(behind), rest = behind.substr(ending.size());
            if ((at > 0 && joins(before.back())) || (!rest.empty() && rest[0] != '.' && joins(rest[0]))) continue;
            if (word == "commit" && starts_with_any(rest, kOtherCommit)) continue;
            most = more(most, heard_of_command(before, ending, rest));
        }
    }
    return most;
}

/// What is pushed is committed, and what is to be published or reviewed is pushed. Requests for a merge are ordered by
/// their name.
bool implies(std::string_view clause, std::string_view target) {
    constexpr std::string_view kOpening[] = {"gh pr create", "glab mr create", "create_pull_request",
                                             "create_merge_request"};
    constexpr std::string_view kMerging[] = {"gh pr merge", "glab mr merge", "merge_pull_request",
                                             "merge_merge_request"};
    constexpr std::string_view kMerge = "merge ", kUpdate = "update ";
    const bool opens = among(target, kOpening), merges = among(target, kMerging);
    if (!opens && !merges && target != "git push" && target != "git commit") return false;
    if (negated(clause) || is_first_person(clause)) return false;
    while (among(first_word(clause), kFillers)) {
        clause = trimmed(clause.substr(first_word(clause).size()));
        while (!clause.empty() && !is_letter(clause[0])) clause.remove_prefix(1);
    }
    if (!opens && !merges && starts_with_any(clause, kPublishes)) return true;
    const auto make = std::ranges::find_if(kMakes, [&](std::string_view verb) { return clause.starts_with(verb); });
    if (make == std::end(kMakes)) return false;
    if (merges ? *make != kMerge : opens && (*make == kMerge || *make == kUpdate)) return false;
    const std::string_view object = clause.substr(make->size() - 1);
    return std::ranges::any_of(kRequests, [&](std::string_view request) {
        return object.starts_with(request) && (object.size() == request.size() || !is_letter(object[request.size()]));
    });
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

/// The first word of an order, behind "ok, now please".
std::string_view verb_of_order(std::string_view sentence) {
    for (std::string_view word = first_word(sentence); among(word, kFillers); word = first_word(sentence)) {
        sentence.remove_prefix(word.size());
        while (!sentence.empty() && !is_letter(sentence[0]) && static_cast<unsigned char>(sentence[0]) < 0x80)
            sentence.remove_prefix(1);
    }
    return first_word(sentence);
}

/// A clause that names the file or the tests which are not to be changed.
Heard heard_of_file(std::string_view clause, std::size_t at, const Constraint& rule, bool question) {
    const bool tests = rule.which == Constraint::Which::tests;
    const std::string_view before = clause.substr(0, at);
    std::string_view behind = clause.substr(at);
    behind.remove_prefix(std::min(behind.find(' '), behind.size()));
    if (permission_in(clause) != clause.npos || (contains_any(before, kForgets) && !negated(before)))
        return Heard::frees;
    if (negated(before) || starts_with_any(behind, kStillNot) || contains_any(clause, kAsItIs) ||
        is_first_person(before))
        return Heard::nothing;
    for (const std::string_view may : kMay) {
        if (behind.starts_with(may) && starts_with_any(behind.substr(may.size()), kMayBe)) return Heard::frees;
    }
    const std::string_view verb = verb_of_order(clause);
    const std::string_view order = clause.substr(static_cast<std::size_t>(verb.data() - clause.data()));
    const std::string_view second = first_word(trimmed(order.substr(verb.size())));
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

/// A sentence in lower case.
bool is_wide_order(std::string_view lower) {
    constexpr std::string_view kWide[] = {" all ",      " every ",    " everywhere",   " whole ",
                                          " entire ",   " the rest ", " the others ",  " the other ",
                                          " whatever ", " any file",  " anything you "};
    constexpr std::string_view kWork[] = {"adapt",    "adjust", "apply",  "change",    "clean",   "convert", "do",
                                          "edit",     "extend", "fix",    "implement", "migrate", "modify",  "port",
                                          "refactor", "remove", "rename", "replace",   "rewrite", "roll",    "update"};
    constexpr std::string_view kNewTask[] = {"next task",  "new task",   "another task", "different task",
                                             "next topic", "new topic",  "next:",        "next up",
                                             "next bug",   "next issue", "next thing"};
    if (starts_with_any(lower, kNewTask)) return true;
    if (negated(lower) || !contains_any(std::string(" ").append(lower).append(" "), kWide)) return false;
    return among(verb_of_order(lower), kWork) || permission_in(lower) != lower.npos;
}

/// "fix the login on mobile too", behind "don't touch src/login.ts": work near the file is ordered, and may need it.
bool orders_work_near(std::string_view sentence, const Constraint& rule, std::string_view target) {
    if (rule.kind != Constraint::Kind::forbid_path || rule.which != Constraint::Which::named) return false;
    std::string_view name = target.substr(target.rfind('/') + 1);  // npos + 1 = 0
    name = name.substr(0, name.find('.', 1));
    // Asked for each rule about every sentence: what few sentences have comes first.
    return name.size() >= kTellingWord && shares_word(sentence, name) && !negated(sentence) &&
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
    return among(first_word(object), kIt) && !contains_any(object, kMoreOfIt) && !object.ends_with(" too");
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
            orders(sentence) || (sentence.size() <= kFewWords && !negated(sentence) && !contains_any(sentence, kTold));
        if (std::ranges::any_of(kDocuments, is_named) && wanted) return true;
        return speaks_of_tests(sentence) && !speaks_of_tests(target) && wanted && sentence.find("run") == sentence.npos;
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
        if (rule.kind == Constraint::Kind::forbid_command && !known_as(target).empty() &&
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

bool orders_widely(std::string_view message) {
    return any_sentence(
        message, [](std::string_view said) { return is_wide_order(lowered(said)) && stated_rules(said).empty(); });
}

bool works_in_files(std::string_view message) {
    constexpr std::string_view kRepairs[] = {"adjust",   "change",  "clean",    "correct",  "debug",  "document",
                                             "edit",     "fix",     "format",   "improve",  "modify", "optimise",
                                             "optimize", "polish",  "refactor", "reformat", "repair", "replace",
                                             "rewrite",  "shorten", "simplify", "tidy",     "touch",  "update"};
    constexpr std::string_view kFaults[] = {
        "wrong",        "broken",       "buggy",     " bug",     "typo",       "off-by",       "off by",
        "outdated",     "incorrect",    "expected",  "chokes",   "crashes",    "throws",       "fails",
        "hangs",        "leaks",        "breaks",    "too slow", "is slow",    " should ",     " must ",
        " needs ",      "doesn't",      "doesn’t",   "does not", "isn't",      "isn’t",        " is not ",
        " is off",      "hard to read", "missing",   "lacks",    "fix needed", "needs fixing", "small thing",
        "small change", "minor change", "correction"};
    // What is pointed at is no place of work: "use the logger from lib/log.ts", "our rounding is in round.ts".
    constexpr std::string_view kPoints[] = {
        "see",       "like",         "like in",  "as in",     "from",         "with",  "use",    "using",
        "to",        "follow-up to", "based on", "on top of", "described in", "is in", "are in", "lives in",
        "stands in", "according to", "such as",  "by",        "than",         "("};
    constexpr std::string_view kMake = "make", kIn = "in", kOf = "of", kMarks = "`'\"@*";
    return any_sentence(message, [&](std::string_view said) {
        const std::vector<std::string> paths = paths_in(said, 1);
        if (paths.empty()) return false;
        if (std::ranges::any_of(said, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
            return true;  // in words that are not known here
        const std::string lower = lowered(said);
        const std::size_t at = std::min(lower.find(lowered(paths.front())), lower.size());
        std::string_view before = trimmed(std::string_view(lower).substr(0, at)),
                         behind = std::string_view(lower).substr(std::min(at + paths.front().size(), lower.size()));
        while (!before.empty() && kMarks.find(before.back()) != kMarks.npos)
            before = trimmed(before.substr(0, before.size() - 1));
        while (!behind.empty() && kMarks.find(behind.front()) != kMarks.npos) behind.remove_prefix(1);
        const auto ends_so = [&](std::string_view word) {
            return before.ends_with(word) && (before.size() == word.size() || !is_letter(word[0]) ||
                                              !is_letter(before[before.size() - word.size() - 1]));
        };
        const bool of_trace =
            behind.size() > 1 && behind[0] == ':' && std::isdigit(static_cast<unsigned char>(behind[1])) != 0;
        if (of_trace || std::ranges::any_of(kPoints, ends_so)) return false;
        if (before == kIn || contains_any(lower, kFaults)) return true;
        const std::string_view verb = verb_of_order(lower);
        return among(verb, kRepairs) || (verb == kMake && (before.ends_with(kMake) || ends_so(kIn) || ends_so(kOf)));
    });
}

bool orders_elsewhere(std::string_view message) {
    constexpr std::string_view kBuilds[] = {
        "add",       "apply",     "build", "change",  "convert", "create",  "do",      "extend", "implement", "improve",
        "integrate", "introduce", "make",  "migrate", "port",    "replace", "support", "update", "write"};
    constexpr std::string_view kAlso[] = {"also ",          "besides ",      "besides, ",
                                          "in addition ",   "in addition, ", "additionally ",
                                          "additionally, ", "plus ",         "furthermore "};
    // The file that was named before, or nothing that is changed: "make it strict", "make sure that", "add a comment".
    constexpr std::string_view kSame[] = {"it",   "its",   "this", "that", "them", "these", "those",
                                          "sure", "there", "so",   "not",  "no",   "what",  "nothing"};
    constexpr std::string_view kBeside[] = {"test",   "spec",   "doc",  "comment",    "changelog",
                                            "readme", "commit", "note", "correction", "release"};
    return any_sentence(message, [&](std::string_view said) {
        const std::string lower = lowered(said);
        std::string_view sentence = lower;
        if (contains_any(sentence, kBeside) || !paths_in(said, 1).empty() || !stated_rules(said).empty()) return false;
        if (starts_with_any(sentence, kAlso) && contains_any(sentence, kWants)) return true;
        const std::string_view verb = verb_of_order(sentence);
        if (!among(verb, kBuilds)) return false;
        const std::string_view object =
            trimmed(sentence.substr(static_cast<std::size_t>(verb.data() - sentence.data()) + verb.size()));
        return !object.empty() && !among(first_word(object), kSame);
    });
}

bool goes_elsewhere(std::string_view message) {
    constexpr std::string_view kElsewhere[] = {"the same ",     "ci is ",     "ci fails",  "build is ",
                                               "build fails",   "type error", "compile",   "tests fail",
                                               "tests are red", "the rest",   "the others"};
    return contains_any(lowered(message), kElsewhere) || orders_elsewhere(message) || orders_widely(message);
}

bool proposes(std::string_view said) {
    constexpr std::string_view kProposes[] = {" would ",    "i'd ",       "i’d ",        " next ",
                                              "next, ",     "next i",     "i could ",    "shall i",
                                              "should i",   "want me to", "do you want", "would you like",
                                              "i can also", "i suggest",  "i propose",   "i recommend"};
    return contains_any(lowered(said), kProposes);
}

bool agrees(std::string_view answer) {
    constexpr std::string_view kYes[] = {"yes",
                                         "ok",
                                         "okay",
                                         "sure",
                                         "do it",
                                         "go ahead",
                                         "go on",
                                         "go for it",
                                         "continue",
                                         "fine",
                                         "alright",
                                         "all right",
                                         "yep",
                                         "yeah",
                                         "yup",
                                         "y",
                                         "k",
                                         "kk",
                                         "agreed",
                                         "please",
                                         "of course",
                                         "if you must",
                                         "if you have to",
                                         "if necessary",
                                         "if needed",
                                         "by all means",
                                         "absolutely",
                                         "definitely",
                                         "proceed",
                                         "approved",
                                         "confirmed",
                                         "lgtm",
                                         "looks good",
                                         "sounds good",
                                         "right",
                                         "good",
                                         "ja",
                                         "oui",
                                         "sí",
                                         "👍",
                                         "👌",
                                         "+1",
                                         "可以",
                                         "好",
                                         "是",
                                         "行",
                                         "同意"};
    constexpr std::string_view kSounds[] = {"hmm", "hm", "well", "oh", "ah", "uh", "um", "mh", ",", ".", "…", " "};
    const std::string lower = lowered(trimmed(answer));
    std::string_view said = lower;
    // "Yes", and not "yesterday".
    const auto begins = [&](std::string_view word) {
        return said.starts_with(word) &&
               (!is_letter(word.back()) || said.size() == word.size() || !is_letter(said[word.size()]));
    };
    for (bool more = true; more;) {  // "hm ok"
        const auto sound = std::ranges::find_if(kSounds, begins);
        more = sound != std::end(kSounds);
        if (more) said.remove_prefix(sound->size());
    }
    return std::ranges::any_of(kYes, begins);
}

bool takes_back(std::string_view message, const Constraint& rule) {
    const std::string target = lowered(rule.target);
    return any_sentence(message, [&](std::string_view said) {
        const std::string sentence = lowered(said);
        if (has_flag(rule))
            return stated_rules(said).empty() && (orders_flagged(sentence, target) || allows(sentence, rule, target));
        const bool permitted = permission_in(sentence) != std::string::npos;
        const bool ordered = orders(sentence);
        if ((!permitted && !ordered) || !stated_rules(said).empty()) return false;
        if (rule.kind == Constraint::Kind::only_path) return widens(said, sentence, target);
        if (rule.which == Constraint::Which::all_files || rule.which == Constraint::Which::code) return true;
        return names(sentence, rule, target) || shares_word(sentence, target) || allows(sentence, rule, target);
    });
}

std::string needs_in(std::string_view said) {
    constexpr std::string_view kNeeds[] = {"need",    "require",       "would have to", "has to ", "have to ", "must ",
                                           "should ", "would like to", "propose",       "suggest", "recommend"};
    std::string out;
    any_sentence(said, [&](std::string_view sentence) {
        const std::string lower = lowered(sentence);
        if (contains_any(lower, kNeeds) && !negated(lower)) out.append(sentence).append("\n");
        return false;
    });
    return out;
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
