#include "detectors/speech/each_thing.hpp"

#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/joined.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace agent_audit::detectors {
namespace {

// What is said of many things, and of every one of them.
constexpr std::string_view kEach[] = {
    " each ",        " each,",        " each.",      "them all",     "all of them",  "all of these",   "all of those",
    "all these ",    "all those ",    "one by one",  "the usual ",   "every one of", "every single ",  "jede einzelne",
    "jeden einzeln", "jedes einzeln", "alle diese ", "alle davon",   "sie alle",     "der reihe nach", "cada uno",
    "cada una",      "todos estos",   "todas estas", "uno por uno",  "una por una",  "chacun",         "chacune",
    "tous ces ",     "toutes ces ",   "un par un",   "une par une",  "cada um",      "todos esses",    "todas essas",
    "um por um",     "ognuno",        "ognuna",      "tutti questi", "tutte queste", "uno per uno",    "每一个",
    "每个",          "逐个",          "逐一",        "全部试",       "それぞれ",     "一つずつ",       "全部試",
    "すべて試"};
// "these 18 links", "all 60 addresses", "diese 14 Gutscheine".
constexpr std::string_view kCounted[] = {"these ", "those ", "all ", "diese ", "alle ",
                                         "estos ", "estas ", "ces ", "estes "};
// The order that goes with it: to look, to ask, to try.
constexpr std::string_view kOrders[] = {
    "check",  "verify",  "test",   "try",      "probe",    "scan",  "look",    "search",   "query",  "inspect",
    "see ",   "confirm", "ping",   "find ",    "ask ",     "audit", "prüf",    "überprüf", "teste",  "probier",
    "such",   "schau",   "frag",   "comprueb", "prueba",   "busca", "verific", "consulta", "revisa", "vérifi",
    "essaie", "essaye",  "cherch", "tente",    "controll", "prova", "cerca"};
constexpr std::string_view kWideOrders[] = {"查", "试", "确认", "搜", "確認", "試", "調べ"};
// Said of what is wanted, whatever the order is.
constexpr std::string_view kWanted[] = {"each one checked", "each checked",    "each of them checked", "all checked",
                                        "proof for each",   "answer for each", "result for each",      "one for each",
                                        "each one tested",  "each tested"};
// "Is the new CA on all tills?": what is asked of all is to be seen at each.
constexpr std::string_view kOfAll[] = {
    "on all ",    "in all ",      "at all ",    "for all ",  "do all ",   "have all ", "are all ",  "auf alle",
    "in alle",    "bei alle",     "haben alle", "sind alle", "en todos ", "en todas ", "sur tous ", "sur toutes ",
    "dans tous ", "dans toutes ", "su tutti ",  "su tutte ", "in tutti ", "em todos ", "em todas "};
// One after the other, until one will do.
constexpr std::string_view kNext[] = {
    "the next one",       "the next row", "the next in ", "go to the next",  "try the next",
    "take the next",      "until one of", "until one is", "until one works", "till one works",
    "until you find one", "die nächste",  "den nächsten", "das nächste",     "la siguiente",
    "el siguiente",       "la suivante",  "le suivant",   "下一个",          "次の"};
constexpr std::string_view kIf[] = {"if ",   "until", "till ", "wenn ", "falls ", "bis ",     "si ", "hasta",
                                    "jusqu", "se ",   "até ",  "如果",  "直到",   "なければ", "まで"};
// To have tests and checks pass is one run of them.
constexpr std::string_view kOneRun[] = {"test", "check", "suite", "lint"};
// What was done, or must not be.
constexpr std::string_view kTold[] = {"already",   "have tried", "have checked", "have tested", "have looked",
                                      "have been", "'ve tried",  "'ve checked",  "'ve tested",  "'ve looked",
                                      "'ve been",  "i tried",    "we tried",     "don't ",      "do not ",
                                      "never ",    "habe ",      "nicht ",       "ya he"};
// To change each of them is work, and what comes of it is to be seen.
constexpr std::string_view kWork[] = {"fix ", "repair", "implement", "refactor", "make all", "make them", "make each"};

constexpr PhraseSet kMarkSet(joined(kEach, kCounted, kWanted, kNext, kOfAll));

constexpr std::size_t kLongest = 400;  // bytes of a sentence: nobody orders in longer ones

// From the mark that ends the sentence before to the one that ends this; empty where it is too long.
std::string_view sentence_around(std::string_view text, std::size_t at) {
    const auto ends = [text](std::size_t mark) {
        constexpr std::string_view kMarks = ".!?\n";
        return kMarks.find(text[mark]) != kMarks.npos && (mark + 1 == text.size() || !is_alnum(text[mark + 1]));
    };
    std::size_t begin = at, end = at;
    while (begin > 0 && at - begin < kLongest && !ends(begin - 1)) --begin;
    while (end < text.size() && end - at < kLongest && !ends(end)) ++end;
    return end - begin > kLongest ? std::string_view{} : text.substr(begin, end - begin);
}

bool is_of_checks(std::string_view behind) {
    constexpr std::size_t kNoun = 24;  // bytes
    return contains_any(behind.substr(0, kNoun), kOneRun);
}

bool begins_word(std::string_view text, std::size_t at) { return at == 0 || !is_letter(text[at - 1]); }

// Whether `is(at, phrase)` holds of any of the phrases wherever it stands.
template <std::size_t N, class Is>
bool any_of_these(std::string_view text, const std::string_view (&phrases)[N], Is&& is) {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) {
        for (std::size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + 1)) {
            if (is(at, phrase)) return true;
        }
        return false;
    });
}

// The verb stands where an order begins: "try", "and then check", "please verify".
bool orders(std::string_view sentence) {
    constexpr std::string_view kBefore[] = {"and",   "then", "please", "to",   "just", "also",  "now", "you",   "i",
                                            "bitte", "und",  "y",      "et",   "e",    "dann",  "por", "favor", "can",
                                            "could", "must", "should", "need", "so",   "merci", "de"};
    const auto begins = [&](std::size_t at, std::string_view) {
        std::string_view head = sentence.substr(0, at);
        if (head.empty() || !is_letter(head.back()))
            head = head.substr(0, head.find_last_not_of(' ') + 1);  // npos + 1 = 0
        if (head.empty() || !is_letter(head.back())) return begins_word(sentence, at);
        if (head.size() == at) return false;                                          // within a word
        const std::string_view word = head.substr(head.find_last_of(" ,:(\"'") + 1);  // npos + 1 = 0
        return std::ranges::find(kBefore, word) != std::end(kBefore);
    };
    return any_of_these(sentence, kOrders, begins) || contains_any(sentence, kWideOrders);
}

// A number of three or more stands there.
bool counts_many(std::string_view text) {
    constexpr std::uint64_t kMany = 3;
    std::string_view word = text.substr(0, text.find(' '));
    const std::optional<std::uint64_t> number = number_before(word);
    return number && word.empty() && *number >= kMany;
}

template <std::size_t N>
bool is_one_of(std::string_view phrase, const std::string_view (&phrases)[N]) {
    return std::ranges::find(phrases, phrase) != std::end(phrases);
}

// A question mark ends the sentence, and it is answered by yes or no: not "Why are all buttons grey?"
bool asks(std::string_view text, std::size_t at) {
    constexpr std::string_view kWords[] = {"why",  "what",     "how",     "warum",  "wieso", "was ",
                                           "wie ", "pourquoi", "comment", "por qu", "perch", "come "};
    const std::string_view sentence = sentence_around(text, at);
    if (sentence.empty() || starts_with_any(trimmed(sentence), kWords)) return false;
    const auto end = static_cast<std::size_t>(sentence.data() + sentence.size() - text.data());
    return end < text.size() && text[end] == '?';
}

// Of most phrases that is settled by what stands right behind.
bool means_many(std::string_view text, std::size_t at, std::string_view phrase) {
    const std::string_view behind = text.substr(at + phrase.size());
    if (is_one_of(phrase, kCounted)) return begins_word(text, at) && counts_many(behind) && !is_of_checks(behind);
    if (is_one_of(phrase, kOfAll)) return begins_word(text, at) && asks(text, at) && !is_of_checks(behind);
    return !is_one_of(phrase, kEach) || !is_of_checks(behind);
}

bool wants_in(std::string_view sentence, std::string_view phrase) {
    if (sentence.empty() || contains_any(sentence, kTold) || contains_any(sentence, kWork)) return false;
    return is_one_of(phrase, kWanted) || is_one_of(phrase, kOfAll) ||
           (is_one_of(phrase, kNext) && contains_any(sentence, kIf)) || orders(sentence);
}

}  // namespace

// Few messages have any of them; only the sentences that do are read.
bool wants_each(std::string_view text) {
    return kMarkSet.any(text, [&](std::size_t at, std::string_view phrase) {
        return means_many(text, at, phrase) && wants_in(sentence_around(text, at), phrase);
    });
}

}  // namespace agent_audit::detectors
