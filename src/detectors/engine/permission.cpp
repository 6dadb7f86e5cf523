#include "detectors/engine/permission.hpp"

#include "detectors/engine/path_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "detectors/engine/stated_commands.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kShort = 120;      // a sentence in which "it" is what was ruled out
constexpr std::size_t kTellingWord = 4;  // letters of a word by which a target is known

constexpr std::string_view kPermits[] = {"you may ", "you can ", "feel free", "go ahead", "ship it", "allowed", "no longer",
                                         "never mind", "nevermind", "fine to ", "ok to ", "okay to ", "可以", "允许", "不再", "没关系"};
// "touch them now", and not "see that it works": the pronoun stands for what was ruled out.
constexpr std::string_view kBehindPronoun[] = {"now", "too", "again", "once", "here", "if", "as", "then", "today", "yourself", "and", "but", "please", "after", "from"};
// "You can see …" tells, and allows nothing.
constexpr std::string_view kTells[] = {"see ", "find ", "assume ", "look ", "tell ", "ignore "};
constexpr std::string_view kLaunches[] = {"ship it", "go ahead"};
constexpr std::string_view kPronouns[] = {"it", "them", "that", "this", "those", "these"};
constexpr std::string_view kWidePronouns[] = {"它", "这个", "那个", "这些", "那些"};
constexpr std::string_view kMore[] = {"now ", "next, ", " too", " also ", "also ", " as well", " another ", " in addition", "也", "还要", "另外"};
constexpr std::string_view kOrders[] = {"adapt", "add", "adjust", "bring", "change", "commit", "delete", "edit", "extend", "fix", "implement", "install",
                                        "make", "modify", "push", "rebase", "remove", "rename", "rewrite", "run", "touch", "update", "use", "write"};
constexpr std::string_view kWideOrders[] = {"提交", "推送", "修改", "更新", "改", "实现", "修复", "删除"};
// What may stand before an order.
constexpr std::string_view kBeforeOrder[] = {"please", "now", "then", "and", "also", "you", "me"};
// A question that orders all the same; any other one only asks.
constexpr std::string_view kPolite[] = {"can you ", "could you ", "would you ", "will you ", "can we ", "could we ", "shall we ", "let's ", "please",
                                        "why not ", "why don't you ", "why don’t you ", "能不能", "能否", "可否", "可以", "帮我", "请"};
// A forced push in words of prose, and before what such a thing may stand to be ordered: "just force-push it", "do a force push".
constexpr std::string_view kForcedPush[] = {"force-push", "force push", "强制推送", "force"};
constexpr std::string_view kBetween[] = {"a", "the", "one", "that", "this", "it", "them", "your", "with", "using", "via", "by", "git", "branch", "changes"};
constexpr std::string_view kLeadsIn[] = {"push", "commit", "rebase", "reset", "use", "run", "do", "execute", "make", "need", "needs", "want", "try", "retry", "rerun", "again",
                                         "please", "now", "then", "just", "you", "and", "or", "also", "to", "let's", "let’s", "s", "can", "may", "should", "must", "will", "ok", "okay",
                                         "yes", "sure", "once", "instead", "ahead", "so", "time"};
constexpr std::string_view kWideLeadsIn[] = {"请", "现在", "就", "直接", "可以", "帮我", "需要", "再", "来", "用"};
// Behind what only speaks of it: "force-push failed".
constexpr std::string_view kSpeaksOf[] = {" is ", " was ", " were ", " has ", " had ", " fail", " broke", " caused", " happened", " does", " did", " error", "失败", "了"};
constexpr std::string_view kIsFine[] = {" is fine", " is ok", " is good", " is needed", " is required", " is necessary"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

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

std::string_view singular(std::string_view word) {
    if (word.size() > kTellingWord && word.ends_with('s')) word.remove_suffix(1);
    return word;
}

/// "test" and tests/test_tax.py; both in lower case.
bool shares_word(std::string_view text, std::string_view target) {
    return any_word(text, [&](std::string_view word, std::size_t) {
        return word.size() >= kTellingWord && any_word(target, [&](std::string_view known, std::size_t) { return singular(known) == singular(word); });
    });
}

/// Where the permission of a sentence in lower case ends; npos = it allows nothing.
std::size_t permission_in(std::string_view lower) {
    if (lower.find("not allowed") != lower.npos || lower.find("n't allowed") != lower.npos || lower.find("longer allowed") != lower.npos) return lower.npos;
    for (const std::string_view permit : kPermits) {
        for (std::size_t at = lower.find(permit); at != lower.npos; at = lower.find(permit, at + 1)) {
            const std::string_view before = lower.substr(0, at), after = lower.substr(at + permit.size());
            if (before.ends_with("不") || before.ends_with("not ") || before.ends_with("n't ") || after.starts_with("not ")) continue;
            if (at > 0 && is_letter(before.back()) && is_letter(permit[0])) continue;
            if (permit.starts_with("you ") && starts_with_any(after, kTells)) continue;
            return at + permit.size();
        }
    }
    return lower.npos;
}

/// An order or permission cannot be in a sentence that only asks. Both are in lower case, the sentence is a part of the text.
bool only_asks(std::string_view text, std::string_view sentence) {
    constexpr std::string_view kMarks[] = {"?", "？"};
    const auto end = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
    if (!sentence.ends_with('?') && !starts_with_any(trimmed(text.substr(end)), kMarks)) return false;
    return !contains_any(sentence, kPolite);
}

// ---- a command that is ruled out only with its flag --------------------------------------------------------------

bool has_flag(const Constraint& rule) { return rule.kind == Constraint::Kind::forbid_command && rule.target.find(" -") != std::string::npos; }

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
    for (bool more = true; more;) {
        while (!before.empty() && (before.back() == ' ' || before.back() == '`')) before.remove_suffix(1);
        if (before.empty() || std::string_view(",:;(").find(before.back()) != std::string_view::npos) return true;
        if (!is_letter(before.back())) return std::ranges::any_of(kWideLeadsIn, [&](std::string_view word) { return before.ends_with(word); });
        std::size_t begin = before.size();
        while (begin > 0 && is_letter(before[begin - 1])) --begin;
        const std::string_view word = before.substr(begin);
        if (std::ranges::find(kLeadsIn, word) != std::end(kLeadsIn)) return true;
        more = std::ranges::find(kBetween, word) != std::end(kBetween);
        before = before.substr(0, begin);
    }
    return false;
}

/// A sentence in lower case orders the command with its flag.
bool orders_flagged(std::string_view lower, std::string_view target) {
    return any_mention(lower, target, [&](std::size_t at, std::size_t size) {
        const std::string_view behind = lower.substr(at + size);
        return starts_with_any(behind, kIsFine) || (!starts_with_any(behind, kSpeaksOf) && leads_in(lower.substr(0, at)));
    });
}

// ------------------------------------------------------------------------------------------------------------------

/// A sentence in lower case allows what the rule is about.
bool allows(std::string_view lower, const Constraint& rule, std::string_view target) {
    const std::size_t end = permission_in(lower);
    if (end == lower.npos) return false;
    const bool flagged = has_flag(rule);
    const bool shared = rule.kind == Constraint::Kind::forbid_command && (target.starts_with("git commit") || target.starts_with("git push"));
    if (shared && !flagged && contains_any(lower, kLaunches)) return true;
    if (flagged && names_flagged(lower, target)) return true;
    // "You can push it" allows no force.
    if (shares_word(lower, target)) return !flagged;
    if (lower.size() > kShort || !paths_in(lower, 1).empty()) return false;
    const std::string_view rest = lower.substr(end);
    return contains_any(rest, kWidePronouns) || any_word(rest, [&](std::string_view word, std::size_t at) {
               if (std::ranges::find(kPronouns, word) == std::end(kPronouns)) return false;
               const std::string_view behind = trimmed(rest.substr(at + word.size()));
               if (behind.empty() || !is_letter(behind[0])) return true;
               const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(behind, is_letter) - behind.begin());
               return std::ranges::find(kBehindPronoun, behind.substr(0, letters)) != std::end(kBehindPronoun);
           });
}

bool speaks_of_tests(std::string_view lower) { return lower.find("test") != lower.npos || lower.find("测试") != lower.npos; }

/// A sentence in lower case tells the agent to do something.
bool orders(std::string_view lower) {
    if (contains_any(lower, kWideOrders)) return true;
    return any_word(lower, [&](std::string_view word, std::size_t at) {
        if (std::ranges::find(kOrders, word) == std::end(kOrders)) return false;
        const std::string_view before = trimmed(lower.substr(0, at));
        return before.empty() || before.back() == ',' || before.back() == ':' ||
               std::ranges::any_of(kBeforeOrder, [&](std::string_view w) {
                   return before.ends_with(w) && (before.size() == w.size() || !is_letter(before[before.size() - w.size() - 1]));
               });
    });
}

/// The text in lower case names what the rule is about.
bool names(std::string_view lower, const Constraint& rule, std::string_view target) {
    if (rule.which == Constraint::Which::tests) return speaks_of_tests(lower);
    if (has_flag(rule)) return names_flagged(lower, target);
    if (target.ends_with('*')) target.remove_suffix(1);  // README*
    if (lower.find(target) != lower.npos) return true;
    // "now test it" behind "do not run the tests"
    if (rule.kind == Constraint::Kind::forbid_command && target.find("test") != target.npos && speaks_of_tests(lower)) return true;
    // 可以推送 takes back what forbade git push.
    if (rule.kind != Constraint::Kind::forbid_command) return false;
    if (names_in_prose(lower, target)) return true;
    constexpr std::size_t kShortest = 3;
    const std::size_t blank = target.rfind(' ');
    if (blank == target.npos || target.size() - blank <= kShortest || target.find("…") != target.npos) return false;
    return says_stem(lower, target.substr(blank + 1));
}

/// More places than the only ones that were allowed so far.
bool widens(std::string_view message, std::string_view lower, std::string_view target) {
    if (!paths_in(message, 1).empty() || contains_any(lower, kMore)) return true;
    return speaks_of_tests(lower) && !speaks_of_tests(target) &&
           any_sentence(lower, [](std::string_view sentence) { return speaks_of_tests(sentence) && orders(sentence) && sentence.find("run") == sentence.npos; });
}

}  // namespace

bool frees(std::string_view message, const Constraint& rule) {
    const std::string lowered_message = lowered(message), target = lowered(rule.target);
    const std::string_view lower = lowered_message;
    if (rule.kind == Constraint::Kind::only_path && widens(message, lower, target)) return true;
    // A review is over when the person speaks again.
    if (rule.which == Constraint::Which::all_files || rule.which == Constraint::Which::code) return true;
    if (rule.kind == Constraint::Kind::forbid_command) {
        return any_sentence(lower, [&](std::string_view sentence) {
            if (only_asks(lower, sentence)) return false;
            return (has_flag(rule) ? orders_flagged(sentence, target) : names(sentence, rule, target)) || allows(sentence, rule, target);
        });
    }
    if (rule.kind != Constraint::Kind::only_path && names(lower, rule, target)) return true;
    return any_sentence(lower, [&](std::string_view sentence) { return allows(sentence, rule, target); });
}

bool takes_back(std::string_view message, const Constraint& rule) {
    const std::string target = lowered(rule.target);
    return any_sentence(message, [&](std::string_view said) {
        const std::string sentence = lowered(said);
        if (has_flag(rule)) return stated_rules(said).empty() && (orders_flagged(sentence, target) || allows(sentence, rule, target));
        const bool permitted = permission_in(sentence) != std::string::npos;
        const bool ordered = orders(sentence);
        if ((!permitted && !ordered) || !stated_rules(said).empty()) return false;
        if (rule.kind == Constraint::Kind::only_path) return widens(said, sentence, target);
        if (rule.which == Constraint::Which::all_files || rule.which == Constraint::Which::code) return true;
        return names(sentence, rule, target) || shares_word(sentence, target) || allows(sentence, rule, target);
    });
}

bool agrees_to(std::string_view answer, std::string_view question, const Constraint& rule) {
    constexpr std::string_view kYes[] = {"yes", "ok", "sure", "do it", "go ahead", "go for it", "fine", "alright", "all right", "yep", "yeah", "agreed", "please do", "of course",
                                         "right", "good", "可以", "好", "是", "行", "同意"};
    constexpr std::string_view kStillNo[] = {"but do not", "but don't", "but don’t", "but not", "however", "instead"};
    constexpr std::string_view kDoIt[] = {"do it", "fix it there", "change it", "edit it", "go ahead"};
    const std::string said = lowered(trimmed(answer)), asked = lowered(question), target = lowered(rule.target);
    const bool agrees = starts_with_any(said, kYes) || (said.size() <= kShort && contains_any(said, kDoIt));
    if (!agrees || contains_any(said, kStillNo) || !stated_rules(answer).empty()) return false;
    // "core.py" of src/core.py is enough.
    const std::string_view name = std::string_view(target).substr(target.rfind('/') == target.npos ? 0 : target.rfind('/') + 1);
    return names(asked, rule, target) || (name.size() > 3 && asked.find(name) != asked.npos);
}

}  // namespace agent_audit::detectors
