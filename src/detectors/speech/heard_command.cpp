#include "detectors/speech/heard_command.hpp"

#include "detectors/speech/order_words.hpp"
#include "detectors/speech/stated_commands.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

// A forced push in words of prose.
constexpr std::string_view kForcedPush[] = {"force-push", "force push", "强制推送", "force"};

// Behind what only speaks of it: "force-push failed".
constexpr std::string_view kSpeaksOf[] = {" is ",    " was ",     " were ", " has ", " had ",  " fail", " broke",
                                          " caused", " happened", " does",  " did",  " error", "失败",  "了"};
constexpr std::string_view kIsFine[] = {" is fine",      " is ok",         " is good", " is needed", " is required",
                                        " is necessary", " would be fine", " is okay", " is allowed"};
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
// A request for a review is no use before the branch is there.
constexpr std::string_view kPublishes[] = {"publish",
                                           "release",
                                           "submit it",
                                           "submit this",
                                           "submit the",
                                           "send it for review",
                                           "put it on github",
                                           "put it up",
                                           "merge it",
                                           "ship it",
                                           "deploy it",
                                           "get it on the remote",
                                           "get it onto the remote",
                                           "upload it",
                                           "put it on the remote"};
constexpr std::string_view kDeploys[] = {"roll it out",   "roll out",          "release",        "go live",
                                         "ship it",       "put it on staging", "put it on prod", "put it live",
                                         "bring it live", "take it live"};
constexpr std::string_view kMakes[] = {"open ", "create ", "make ", "raise ", "submit ", "file ", "update ", "merge "};
constexpr std::string_view kRequests[] = {
    " pr", " a pr",  " the pr", " pull request",  " a pull request",  " the pull request",
    " mr", " an mr", " the mr", " merge request", " a merge request", " the merge request"};

}  // namespace

bool has_flag(const Constraint& rule) {
    return rule.kind == Constraint::Kind::forbid_command && rule.target.find(" -") != std::string::npos;
}

namespace {

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
    const auto joins = [](char c) { return is_alnum(c) || c == '_' || c == '-'; };
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

}  // namespace

bool names_flagged(std::string_view lower, std::string_view target) {
    return any_mention(lower, target, [](std::size_t, std::size_t) { return true; });
}

bool orders_flagged(std::string_view lower, std::string_view target) {
    return any_mention(lower, target, [&](std::size_t at, std::size_t size) {
        const std::string_view behind = lower.substr(at + size);
        return starts_with_any(behind, kIsFine) ||
               (!starts_with_any(behind, kSpeaksOf) && leads_in(lower.substr(0, at)));
    });
}

namespace {

/// The words by which a command without flags is known in prose.
std::vector<std::string_view> words_of_command(std::string_view target) {
    constexpr std::size_t kShortest = 3;
    std::vector<std::string_view> words{target};
    const std::size_t blank = target.rfind(' ');
    if (blank != target.npos && target.size() - blank > kShortest && target.find("…") == target.npos)
        words.push_back(target.substr(blank + 1));
    constexpr std::string_view kMerge = "merge", kMerges[] = {"fusionn", "мерж", "мердж", "сливай", "слей"},
                               kSend = "send",
                               kSends[] = {"schick", "envoie", "envía", "envia",  "envie",    "manda", "invia",
                                           "отправ", "发送",   "发吧",  "送って", "送信して", "보내"};
    if (const std::string_view word = known_as(target); !word.empty()) {
        words.push_back(word);
        if (word == kMerge) words.insert(words.end(), std::begin(kMerges), std::end(kMerges));
        if (word == kSend) words.insert(words.end(), std::begin(kSends), std::end(kSends));
    }
    for (const auto& [verb, wide] : {std::pair{"git push", "推送"},
                                     {"git commit", "提交"},
                                     {"git push", "プッシュ"},
                                     {"git commit", "コミット"},
                                     {"git push", "푸시"},
                                     {"git commit", "커밋"},
                                     {"git push", "пуш"},
                                     {"git commit", "коммит"},
                                     {"git push", "pousse"},
                                     {"git push", "subir los cambios"},
                                     {"git push", "sube los cambios"},
                                     {"git push", "subirlo"},
                                     {"git push", "subir as mudanças"}}) {
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
    if (denied(before) || starts_with_any(behind, kStillNot) || starts_with_any(behind, kOtherPush))
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
    constexpr std::string_view kNotBehind[] = {"しない", "はしない", "せず",    "禁止",    "してはいけ", "してはだめ",
                                               "しちゃ", "하지 마",  "하지 말", "은 하지", "는 하지"};
    constexpr std::string_view kNotBefore[] = {"не", "Не"};
    if (std::ranges::any_of(kNotBefore, [&](std::string_view no) { return trimmed(before).ends_with(no); }))
        return Heard::nothing;
    if (denied(before) || starts_with_any(behind, kNotBehind)) return Heard::nothing;
    if (behind.starts_with("した")) return Heard::speaks_of;
    return behind.starts_with("了") && !contains_any(before, kAllows) ? Heard::speaks_of : Heard::frees;
}

Heard more(Heard a, Heard b) { return std::max(a, b); }

}  // namespace

Heard heard_in_clause(std::string_view clause, std::string_view target) {
    const auto joins = [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; };
    Heard most = Heard::nothing;
    for (const std::string_view word : words_of_command(target)) {
        for (std::size_t at = clause.find(word); at != clause.npos; at = clause.find(word, at + 1)) {
            const std::string_view before = clause.substr(0, at), behind = clause.substr(at + word.size());
            if (static_cast<unsigned char>(word[0]) >= 0x80) {
                most = more(most, heard_of_wide(before, behind));
                continue;
            }
            const std::string_view ending = letters_of(behind), rest = behind.substr(ending.size());
            if ((at > 0 && joins(before.back())) || (!rest.empty() && rest[0] != '.' && joins(rest[0]))) continue;
            if (word == "commit" && starts_with_any(rest, kOtherCommit)) continue;
            most = more(most, heard_of_command(before, ending, rest));
        }
    }
    return most;
}

bool implies(std::string_view clause, std::string_view target) {
    constexpr std::string_view kOpening[] = {"gh pr create", "glab mr create", "create_pull_request",
                                             "create_merge_request"};
    constexpr std::string_view kMerging[] = {"gh pr merge", "glab mr merge", "merge_pull_request",
                                             "merge_merge_request"};
    constexpr std::string_view kMerge = "merge ", kUpdate = "update ";
    constexpr std::string_view kDeploy = "deploy";
    const bool opens = among(target, kOpening), merges = among(target, kMerging), deploys = known_as(target) == kDeploy;
    if (!opens && !merges && !deploys && target != "git push" && target != "git commit") return false;
    if (denied(clause) || is_first_person(clause)) return false;
    while (among(letters_of(clause), kFillers)) {
        clause = trimmed(clause.substr(letters_of(clause).size()));
        while (!clause.empty() && !is_letter(clause[0])) clause.remove_prefix(1);
    }
    if (deploys) return starts_with_any(clause, kDeploys);
    if (!opens && !merges && starts_with_any(clause, kPublishes)) return true;
    const auto make = std::ranges::find_if(kMakes, [&](std::string_view verb) { return clause.starts_with(verb); });
    if (make == std::end(kMakes)) return false;
    if (merges ? *make != kMerge : opens && (*make == kMerge || *make == kUpdate)) return false;
    const std::string_view object = clause.substr(make->size() - 1);
    return std::ranges::any_of(kRequests, [&](std::string_view request) {
        return object.starts_with(request) && (object.size() == request.size() || !is_letter(object[request.size()]));
    });
}

}  // namespace agent_audit::detectors
