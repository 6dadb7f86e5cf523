#include "detectors/speech/asked_times.hpp"

#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/find_near.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kRead = 3072;  // bytes of a message: what is wanted stands in front
constexpr std::uint64_t kMost = 1000;

std::string_view without_word(std::string_view text, std::string_view word) {
    return text.ends_with(word) ? trimmed_end(text.substr(0, text.size() - word.size())) : text;
}

// "It failed 5 times": told, not wished.
bool happened(std::string_view before) {
    before = trimmed_end(before);
    for (const std::string_view filler : {"already", "about", "some", "at least", "another", "a"})
        before = without_word(before, filler);
    return before.ends_with("ed") || before.ends_with("happens") || before.ends_with("fails") ||
           before.ends_with("ran") || before.ends_with("了");
}

std::uint32_t times_before(std::string_view head) {
    // "ten more times", "10 consecutive runs".
    for (const std::string_view kind :
         {"more", "consecutive", "successive", "separate", "independent", "identical", "additional", "full", "complete",
          "clean", "fresh", "test", "back-to-back", "straight"}) {
        head = without_word(trimmed_end(head), kind);
    }
    const std::optional<std::uint64_t> times = number_before(head);
    return times && *times >= 2 && *times <= kMost && !happened(head) ? static_cast<std::uint32_t>(*times) : 0;
}

// "soak 10x", and not "10x faster".
std::uint32_t times_as_factor(std::string_view text, std::size_t x) {
    constexpr std::string_view kCompared[] = {"faster",  "slower", "more",   "less",    "speed", "better",
                                              "smaller", "larger", "bigger", "cheaper", "the "};
    std::size_t end = x + 1;
    if (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) return 0;
    while (end < text.size() && (text[end] == ' ' || text[end] == '-')) ++end;
    if (std::ranges::any_of(kCompared, [&](std::string_view word) { return text.substr(end).starts_with(word); }))
        return 0;
    return times_before(text.substr(0, x));
}

// "It may take two hours.", "boot 64 bit images": what the number counts is nothing that could be made.
bool begins_with_measure(std::string_view text) {
    constexpr std::string_view kMeasures[] = {"second", "minute", "hour",  "day", "week",
                                              "month",  "step",   "place", "bit", "byte"};
    std::string_view word =
        text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin()));
    if (word.ends_with('s')) word.remove_suffix(1);
    return std::ranges::find(kMeasures, word) != std::end(kMeasures);
}

// "Send 10 test events": a call for each, and every one of them alike.
std::uint32_t copies_behind(std::string_view text, std::size_t verb_end) {
    const std::size_t blank = text.find(' ', verb_end);
    if (blank == text.npos || begins_with_measure(text.substr(blank + 1))) return 0;
    return times_before(text.substr(verb_end, blank - verb_end));
}

constexpr std::string_view kPolite[] = {"please ", "now ", "can you ", "could you ", "bitte ", "por favor "};
constexpr std::string_view kVerbs[] = {"start ",     "launch ",  "spawn ",     "bring up ", "spin up ", "fire up ",
                                       "provision ", "boot ",    "starte ",    "lance ",    "print ",   "deploy ",
                                       "order ",     "queue ",   "roll back ", "undo ",     "revert ",  "drucke ",
                                       "inicia ",    "arranca ", "avvia ",     "запусти ",  "Запусти "};

// "Start 8 workers", "Please bring up six servers": the same where a message begins with it. Elsewhere such words are
// many.
[[gnu::noinline]] std::uint32_t copies_in_front(std::string_view text) {
    constexpr std::size_t kHead = 40;  // bytes: "Task: …"
    const std::size_t behind_head = text.substr(0, kHead).find(": ");
    if (behind_head != text.npos) text.remove_prefix(behind_head + 2);
    const auto first =
        text.empty() ? 0U : static_cast<unsigned>(text[0]) & 31U;  // of a letter its place in the alphabet
    constexpr auto kFirst = [] {
        unsigned letters = 0;
        for (const std::string_view word : kPolite) letters |= 1U << (static_cast<unsigned char>(word[0]) & 31U);
        for (const std::string_view word : kVerbs) letters |= 1U << (static_cast<unsigned char>(word[0]) & 31U);
        return letters;
    }();
    if ((kFirst >> first & 1U) == 0) return 0;
    const auto take = [&text](std::string_view word) {
        const bool begins = !text.empty() && (text[0] == word[0] || (text[0] | 0x20) == word[0]) &&
                            text.substr(1).starts_with(word.substr(1));
        if (begins) text.remove_prefix(word.size());
        return begins;
    };
    for (const std::string_view word : kPolite) take(word);
    if (!std::ranges::any_of(kVerbs, take)) return 0;
    std::string_view word = text.substr(0, text.find(' '));
    if (word.size() < text.size() && begins_with_measure(text.substr(word.size() + 1))) return 0;
    const std::optional<std::uint64_t> copies = number_before(word);
    return copies && *copies >= 2 && *copies <= kMost ? static_cast<std::uint32_t>(*copies) : 0;
}

// What stands behind the number; with a blank at its end, before it.
constexpr std::string_view kMarks[] = {
    " times",   " runs", " rounds", " iterations", " repetitions", " laps", "次",    "遍",    "send ",   "post ",
    "publish ", "fire ", "emit ",   "trigger ",    "enqueue ",     "roll ", "flip ", "take ", "create ", "make "};
// What stands behind the number in other languages.
constexpr std::string_view kForeignMarks[] = {"mal",   " fois",   " veces", " volte", " vezes",
                                              " keer", " gånger", " razy",  " раз",   "回"};
// One list: a message is looked through once.
constexpr PhraseSet kMarkSet([] {
    std::array<std::string_view, std::size(kMarks) + std::size(kForeignMarks)> all{};
    std::ranges::copy(kForeignMarks, std::ranges::copy(kMarks, all.begin()).out);
    return all;
}());

// "I tried it ten times", "do not run it ten times", "handle 10 times more", "send 10 events in one call": no wish for
// calls.
bool is_no_wish(std::string_view text, std::size_t at, std::size_t end) {
    constexpr std::string_view kBefore[] = {"i tried", "i ran",  "i've ",  "we tried",      "we ran",     "do not ",
                                            "don't ",  "don’t ", "never ", "should handle", "has failed", "was "};
    constexpr std::string_view kBehind[] = {" more ",  " faster", " slower",  " as many",      " as much", " as fast",
                                            " larger", " bigger", " in one ", " in a single ", " at once"};
    constexpr std::size_t kBehindLooked = 40;
    const std::size_t begin = text.substr(0, at).find_last_of(".!?\n") + 1;  // npos + 1 = 0
    const std::string before = lowered(text.substr(begin, at - begin)),
                      behind = lowered(text.substr(end, kBehindLooked));
    const std::size_t stop = std::min(behind.find_first_of(".!?\n"), behind.size());
    return contains_any(before, kBefore) || contains_any(std::string_view(behind).substr(0, stop), kBehind);
}

// ---- the same in other languages ------------------------------------------------------------------------------------

constexpr std::pair<std::string_view, std::uint32_t> kForeignNumbers[] = {
    {"zwei", 2},     {"drei", 3},     {"vier", 4},      {"fünf", 5},    {"sechs", 6},     {"sieben", 7},
    {"acht", 8},     {"neun", 9},     {"zehn", 10},     {"zwölf", 12},  {"fünfzehn", 15}, {"zwanzig", 20},
    {"dreißig", 30}, {"fünfzig", 50}, {"hundert", 100}, {"deux", 2},    {"trois", 3},     {"quatre", 4},
    {"cinq", 5},     {"six", 6},      {"sept", 7},      {"huit", 8},    {"neuf", 9},      {"dix", 10},
    {"douze", 12},   {"quinze", 15},  {"vingt", 20},    {"trente", 30}, {"cent", 100},    {"dos", 2},
    {"tres", 3},     {"cuatro", 4},   {"cinco", 5},     {"seis", 6},    {"siete", 7},     {"ocho", 8},
    {"nueve", 9},    {"diez", 10},    {"doce", 12},     {"quince", 15}, {"veinte", 20},   {"treinta", 30},
    {"cien", 100},   {"due", 2},      {"tre", 3},       {"quattro", 4}, {"cinque", 5},    {"sei", 6},
    {"sette", 7},    {"otto", 8},     {"nove", 9},      {"dieci", 10},  {"dodici", 12},   {"venti", 20},
    {"cento", 100},  {"duas", 2},     {"três", 3},      {"quatro", 4},  {"sete", 7},      {"oito", 8},
    {"dez", 10},     {"doze", 12},    {"vinte", 20},    {"twee", 2},    {"drie", 3},      {"vijf", 5},
    {"zes", 6},      {"zeven", 7},    {"negen", 9},     {"tien", 10},   {"twintig", 20},  {"två", 2},
    {"fyra", 4},     {"fem", 5},      {"tio", 10},      {"trzy", 3},    {"два", 2},       {"три", 3},
    {"четыре", 4},   {"пять", 5},     {"шесть", 6},     {"семь", 7},    {"восемь", 8},    {"девять", 9},
    {"десять", 10},  {"двадцать", 20}};

// The number at the end of what stands before the mark: digits, or a word of its own.
std::uint32_t foreign_number(std::string_view head) {
    head = trimmed_end(head);
    if (!head.empty() && is_digit(head.back())) {
        const std::optional<std::uint64_t> number = number_before(head);
        return number && *number >= 2 && *number <= kMost ? static_cast<std::uint32_t>(*number) : 0;
    }
    const std::string word = lowered(head.substr(head.find_last_of(" \n\t(,;:*`\"'-") + 1));
    const auto found =
        std::ranges::find(kForeignNumbers, std::string_view(word), &std::pair<std::string_view, std::uint32_t>::first);
    return found == std::end(kForeignNumbers) ? 0 : found->second;
}

// "Es ist schon 5 Mal gescheitert", "10 fois plus vite", "в 10 раз", 第10回: told, compared or counted off, not wished.
bool is_no_foreign_wish(std::string_view text, std::size_t at, std::size_t end) {
    constexpr std::string_view kBefore[] = {
        " ist ",   "es ist", " wurde",   " hat ",  " habe ", " haben ", " war ", "schon ", "bereits ", "nicht ",
        "nie ",    " il a ", " elle a ", " ça a ", "j'ai ",  " ai ",    "déjà",  "échoué", "ne pas ",  "falló",
        "fallado", " ya ",   "no lo ",   " ha ",   " ho ",   " già ",   " è ",   "falhou", " já ",     "não ",
        "heeft ",  " is ",   " har ",    "уже",    "упал",   "было",    "не "};
    constexpr std::string_view kBehind[] = {
        " so ",     " schneller",   " langsamer",      " mehr", " weniger", " größer",
        " kleiner", " gescheitert", " fehlgeschlagen", " plus", " moins",   " más",
        " menos",   " più",         " meno",           " mais", " sneller", " meer",
        " быстрее", " больше",      " меньше",         "目",    "失敗",     "しました",
        "以上",     "以内"};
    const std::size_t begin = text.substr(0, at).find_last_of(".!?\n,;:") + 1;  // of the clause; npos + 1 = 0
    const std::string before = ' ' + lowered(text.substr(begin, at - begin));
    const std::string behind = lowered(text.substr(end, 40));
    const std::size_t stop = std::min(behind.find_first_of(".!?\n"), behind.size());
    if (contains_any(before, kBefore) || contains_any(std::string_view(behind).substr(0, stop), kBehind)) return true;
    std::string_view head = trimmed_end(before);
    while (!head.empty() && is_digit(head.back())) head.remove_suffix(1);
    head = trimmed_end(head);
    return head.ends_with(" в") || head.ends_with("第");
}

std::uint32_t asked_by_foreign(std::string_view text, std::size_t at, std::string_view mark) {
    const std::size_t end = at + mark.size();
    if (static_cast<unsigned char>(mark.front()) < 0x80 && end < text.size() && is_letter(text[end])) return 0;
    const std::uint32_t times = foreign_number(text.substr(0, at));
    return times > 0 && is_no_foreign_wish(text, at, end) ? 0 : times;
}

// "five patrol laps", "three sparring rounds": what they are of stands between. "Five failed rounds" were made.
std::uint32_t laps_before(std::string_view head) {
    if (const std::uint32_t times = times_before(head); times > 0) return times;
    const std::size_t blank = head.find_last_of(' ');
    if (blank == head.npos || head.ends_with("ed")) return 0;
    const std::string_view kind = head.substr(blank + 1);
    return !kind.empty() && std::ranges::all_of(kind, is_lower) ? times_before(head.substr(0, blank)) : 0;
}

std::uint32_t asked_by(std::string_view text, std::size_t at, std::string_view mark) {
    constexpr std::string_view kLaps = " laps", kRounds = " rounds";
    const std::size_t end = at + mark.size();
    std::uint32_t times = 0;
    if (mark.ends_with(' ')) {
        times = at > 0 && is_letter(text[at - 1]) ? 0 : copies_behind(text, end);
    } else if (!mark.starts_with(' ') || end == text.size() || !is_letter(text[end])) {
        const std::string_view head = text.substr(0, at);
        times = mark == kLaps || mark == kRounds ? laps_before(head) : times_before(head);
    }
    return times > 0 && is_no_wish(text, at, end) ? 0 : times;
}

}  // namespace

std::uint32_t asked_times(std::string_view text) {
    text = text.substr(0, kRead);
    std::uint32_t most = copies_in_front(text);
    kMarkSet.any(text, [&](std::size_t at, std::string_view mark) {
        const bool foreign = std::ranges::find(kForeignMarks, mark) != std::end(kForeignMarks);
        most = std::max(most, foreign ? asked_by_foreign(text, at, mark) : asked_by(text, at, mark));
        return false;
    });
    for (std::size_t x = find_near(text, 0, 'x'); x != text.npos; x = find_near(text, x + 1, 'x')) {
        if (x > 0 && is_digit(text[x - 1])) most = std::max(most, times_as_factor(text, x));
    }
    return most;
}

std::uint32_t asked_times(RawText text) {
    constexpr std::size_t kLongestEscape = 6;  // of one letter: \u6b21
    const std::string_view head = text.bytes.substr(0, kRead * kLongestEscape / 2);
    if (text.form == TextForm::plain || head.substr(0, kRead).find("\\u") == head.npos) return asked_times(head);
    return asked_times(std::string_view(decode_json_string(without_torn_escape(head), kRead)));
}

}  // namespace agent_audit::detectors
