#include "detectors/speech/courtesy.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// Sorted. What one of these messages is made of.
constexpr std::string_view kWords[] = {"a",
                                       "abend",
                                       "adieu",
                                       "again",
                                       "agree",
                                       "agreed",
                                       "ahead",
                                       "all",
                                       "alles",
                                       "always",
                                       "am",
                                       "and",
                                       "any",
                                       "anything",
                                       "anytime",
                                       "appreciate",
                                       "appreciated",
                                       "are",
                                       "as",
                                       "at",
                                       "au",
                                       "auch",
                                       "aussi",
                                       "be",
                                       "beau",
                                       "best",
                                       "bien",
                                       "bis",
                                       "bitte",
                                       "bonne",
                                       "brilliant",
                                       "bye",
                                       "care",
                                       "cheers",
                                       "ciao",
                                       "collaborating",
                                       "collaboration",
                                       "continued",
                                       "dank",
                                       "danke",
                                       "day",
                                       "de",
                                       "dia",
                                       "dich",
                                       "die",
                                       "dir",
                                       "dito",
                                       "do",
                                       "día",
                                       "else",
                                       "enjoy",
                                       "evening",
                                       "fantastic",
                                       "feel",
                                       "for",
                                       "forward",
                                       "free",
                                       "freue",
                                       "from",
                                       "fun",
                                       "gern",
                                       "gerne",
                                       "glad",
                                       "good",
                                       "goodbye",
                                       "gracias",
                                       "grazie",
                                       "great",
                                       "gut",
                                       "guten",
                                       "happy",
                                       "have",
                                       "hear",
                                       "hearing",
                                       "help",
                                       "here",
                                       "hesitate",
                                       "hope",
                                       "i",
                                       "if",
                                       "igualmente",
                                       "ihnen",
                                       "in",
                                       "indeed",
                                       "is",
                                       "it",
                                       "journée",
                                       "kind",
                                       "know",
                                       "let",
                                       "likewise",
                                       "look",
                                       "looking",
                                       "lot",
                                       "lovely",
                                       "luck",
                                       "me",
                                       "meet",
                                       "merci",
                                       "mich",
                                       "mine",
                                       "moment",
                                       "morning",
                                       "much",
                                       "my",
                                       "need",
                                       "nice",
                                       "not",
                                       "obrigada",
                                       "obrigado",
                                       "of",
                                       "or",
                                       "our",
                                       "plaisir",
                                       "please",
                                       "pleased",
                                       "pleasure",
                                       "reach",
                                       "really",
                                       "rest",
                                       "same",
                                       "schönen",
                                       "see",
                                       "sehr",
                                       "so",
                                       "soon",
                                       "stay",
                                       "success",
                                       "super",
                                       "sure",
                                       "tag",
                                       "take",
                                       "talk",
                                       "teamwork",
                                       "thank",
                                       "thanks",
                                       "that",
                                       "the",
                                       "there",
                                       "this",
                                       "time",
                                       "to",
                                       "together",
                                       "too",
                                       "touch",
                                       "trip",
                                       "tschüss",
                                       "und",
                                       "until",
                                       "very",
                                       "viel",
                                       "vielen",
                                       "vous",
                                       "was",
                                       "week",
                                       "weekend",
                                       "welcome",
                                       "well",
                                       "will",
                                       "wish",
                                       "wishes",
                                       "wishing",
                                       "with",
                                       "wonderful",
                                       "work",
                                       "working",
                                       "would",
                                       "wünsche",
                                       "you",
                                       "your",
                                       "yours",
                                       "à"};
static_assert(std::ranges::is_sorted(kWords));
// One of these, at least, is the courtesy. As words of their own; what is written without blanks stands anywhere.
constexpr std::string_view kHearts[] = {
    "thank",     "thanks",  "welcome",    "pleasure",    "bye",           "goodbye",      "take care",      "likewise",
    "talk soon", "see you", "a great",    "a good",      "a nice",        "a wonderful",  "a lovely",       "you too",
    "cheers",    "danke",   "tschüss",    "bis bald",    "gracias",       "merci",        "obrigado",       "obrigada",
    "grazie",    "ciao",    "igualmente", "schönen tag", "bonne journée", "all the best", "looking forward"};
constexpr std::string_view kHeartsWithoutBlanks[] = {"谢谢", "感谢", "再见", "ありがとう", "どうも", "감사"};

}  // namespace

bool is_courtesy(RawText said) {
    constexpr std::size_t kLongest = 240, kLongestWithoutBlanks = 48;  // bytes
    // A figure, a path or an address is news.
    const auto tells = [](char c) {
        return is_digit(c) || std::string_view("/_=<>{}|@").find(c) != std::string_view::npos;
    };
    if (said.size() > kLongest || (said.form == TextForm::plain && std::ranges::any_of(said.bytes, tells)))
        return false;
    const std::string text = lowered(decoded(said, kLongest));
    if (std::ranges::any_of(text, tells)) return false;
    if (contains_any(text, kHeartsWithoutBlanks)) return text.size() <= kLongestWithoutBlanks;
    bool heart = false;
    std::size_t words = 0, known = 0;
    for (std::string_view rest = text; !rest.empty();) {
        constexpr std::string_view kBetween = " \n\t.,;:!?()\"'*-";
        rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
        const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
        if (word.empty()) break;
        heart = heart || std::ranges::any_of(kHearts, [&](std::string_view one) {
                    return rest.starts_with(one) &&
                           (rest.size() == one.size() || kBetween.find(rest[one.size()]) != kBetween.npos);
                });
        rest.remove_prefix(word.size());
        ++words;
        known += std::ranges::binary_search(kWords, word);
    }
    // Every third word may be a name, a day or the like, or every second of few.
    return heart && (3 * known >= 2 * words || (words <= 6 && 2 * known >= words));
}

}  // namespace agent_audit::detectors
