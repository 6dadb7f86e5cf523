#include "detectors/speech/order_words.hpp"

#include "support/among.hpp"

#include <algorithm>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kWideOrders[] = {"提交", "推送", "修改", "更新", "改", "实现", "修复", "删除"};
// What may stand before an order.
constexpr std::string_view kBeforeOrder[] = {"please", "now", "then", "and", "also", "you", "me"};
// Before what a forced push and its like may stand to be ordered: "just force-push it", "do a force push".
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

constexpr std::string_view kNots[] = {"no",   "not",    "never", "nothing", "none",   "nobody", "without", "cannot",
                                      "dont", "cant",   "wont",  "nicht",   "nichts", "kein",   "keine",   "keinen",
                                      "pas",  "jamais", "nunca", "non",     "nao",    "ne"};
constexpr std::string_view kWideNots[] = {"n't", "n’t", "não ", "не ", "Не ", "instead of", "rather than",
                                          "不",  "别",  "勿",   "没",  "未",  "禁"};
// Such a "not" asks for it, and such a "no" allows it.
constexpr std::string_view kNoNots[] = {"why not ",   "why don't you ", "why don’t you ",
                                        "no problem", "no objection",   "not a problem",
                                        "no longer",  "never mind",     "nevermind"};
// "I want it pushed", "I think you can push" are no words about what the human does.
constexpr std::string_view kWishes[] = {"want",    "need",     "like",    "d",        "you",    "think",      "guess",
                                        "suppose", "wish",     "prefer",  "fine",     "ok",     "okay",       "approve",
                                        "allow",   "allowed",  "agree",   "expect",   "see",    "notice",     "noticed",
                                        "realize", "realized", "realise", "realised", "know",   "understand", "du",
                                        "sie",     "ihr",      "tu",      "vous",     "puedes", "podes",      "pode",
                                        "puoi",    "peux",     "möchte",  "voudrais", "veux",   "quiero"};
constexpr std::string_view kFirstPersons[] = {"i", "ich", "je", "yo", "eu", "io"};
// Behind a comma or "and" these begin a new thought.
constexpr std::string_view kBegins[] = {
    "i",     "we",     "you",  "it", "this",   "that",    "the",     "there", "no",   "not",  "do",    "don",   "dont",
    "never", "please", "just", "so", "but",    "because", "since",   "why",   "what", "how",  "which", "if",    "when",
    "as",    "now",    "then", "go", "submit", "publish", "release", "merge", "ship", "send", "put",   "create"};

}  // namespace

std::string_view last_word(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    return text.substr(begin);
}

std::size_t clause_mark(std::string_view rest) {
    constexpr std::string_view kAlways[] = {" but ", "; ", " - ", " then ", "，"};
    constexpr std::string_view kPerhaps[] = {", ", " and "};
    const auto cut = [&](std::string_view mark) { return rest.starts_with(mark); };
    std::size_t size = 0;
    if (const auto always = std::ranges::find_if(kAlways, cut); always != std::end(kAlways)) size = always->size();
    if (const auto perhaps = std::ranges::find_if(kPerhaps, cut); perhaps != std::end(kPerhaps)) {
        const std::string_view next = letters_of(rest.substr(perhaps->size()));
        if (among(next, kBegins) || among(next, kLooks) || among(next, kOrders) || among(next, kLeadsIn))
            size = perhaps->size();
    }
    return size;
}

bool denied(std::string_view before) {
    if (contains_any(before, kNoNots)) return false;
    return contains_any(before, kWideNots) ||
           any_word(before, [](std::string_view word, std::size_t) { return among(word, kNots); });
}

bool is_first_person(std::string_view before) {
    bool own = false;
    any_word(before, [&](std::string_view word, std::size_t at) {
        if (among(word, kFirstPersons) || (word == "me" && trimmed(before.substr(0, at)).ends_with("let")))
            own = true;
        else if (own && among(word, kWishes))
            own = false;
        return false;
    });
    return own;
}

std::string_view verb_of_order(std::string_view sentence) {
    for (std::string_view word = letters_of(sentence); among(word, kFillers); word = letters_of(sentence)) {
        sentence.remove_prefix(word.size());
        while (!sentence.empty() && !is_letter(sentence[0]) && static_cast<unsigned char>(sentence[0]) < 0x80)
            sentence.remove_prefix(1);
    }
    return letters_of(sentence);
}

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

}  // namespace agent_audit::detectors
