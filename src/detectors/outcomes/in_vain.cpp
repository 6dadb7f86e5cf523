#include "detectors/outcomes/in_vain.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::uint32_t kLongest = 240;  // bytes of an answer: a longer one has more to tell

constexpr std::string_view kInVain[] = {
    "not find",      "n't find",          "not found", "unable to",      "not be found", "could find", "be determined",
    "nothing found", "nothing was found", "no inform", "not determ",     "was found",    "were found", "could be found",
    "do not tell",   "does not tell",     "found no",  "without result", "no match",     "no trace of"};
// Such words say "no" in any of the above that may say "yes" as well.
constexpr std::string_view kNo[] = {"not ", "n't ", "no ", "nothing", "unable", "without"};

// That nothing is wrong is what a review is to find.
constexpr std::string_view kNoTrouble[] = {"no issue",    "no security issue", "no problem", "no error",   "no bug",
                                           "no vulnerab", "no finding",        "no regress", "no warning", "no defect",
                                           "no conflict", "no concern",        "no critical"};

// A colleague that is asked promises, and gives nothing.
constexpr std::string_view kPromises[] = {"get back to you", "working on it", "i'm on it",    "i am on it",
                                          "look into it",    "looking into",  "let you know", "melde mich",
                                          "kümmere mich",    "me pongo con",  "m'en occupe",  "vou verificar"};
// Words of whoever asks for something, whatever it is.
constexpr std::string_view kAsking[] = {"please", "send", "give", "tell", "need", "want", "would", "like",
                                        "still",  "once", "more", "just", "know", "your", "they"};

bool is_of_word(char c) { return is_word(c) || static_cast<unsigned char>(c) >= 0x80; }

// Calls visit(word) until it returns false.
template <class Visit>
void each_word(std::string_view text, Visit&& visit) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_of_word(text[end])) ++end;
        if (end > i && !visit(text.substr(i, end - i))) return;
        i = end + 1;
    }
}

std::size_t words_in(std::string_view text) {
    std::size_t count = 0;
    each_word(text, [&](std::string_view) { return ++count > 0; });
    return count;
}

// Without what makes it another form of the same word: founded, founding.
std::string_view stem(std::string_view word) { return word.substr(0, 5); }

bool has_stem(std::string_view text, std::string_view wanted) {
    bool found = false;
    each_word(text, [&](std::string_view word) {
        found = stem(word) == wanted;
        return !found;
    });
    return found;
}

// Words that any question and any answer may have.
bool names_nothing(std::string_view word) {
    constexpr std::array<std::string_view, 22> kSmall{
        "when",  "where",  "which", "that",  "this",  "with",  "from",  "what",  "have", "does", "find",
        "found", "search", "could", "there", "about", "other", "again", "under", "were", "been", "into"};
    const bool number = std::ranges::any_of(word, is_digit);
    return !number && (word.size() < 4 || std::ranges::find(kSmall, word) != kSmall.end());
}

// Of a promise nobody knows what it was for: nothing else may be asked for.
bool asks_for_no_more(std::string_view asked, std::string_view known) {
    bool more = false, any = false;
    each_word(asked, [&](std::string_view word) {
        if (names_nothing(word) || std::ranges::find(kAsking, word) != std::end(kAsking)) return true;
        any = true;
        more = !has_stem(known, stem(word));
        return !more;
    });
    return any && !more;
}

}  // namespace

bool says_in_vain(const Step& step) {
    constexpr std::size_t kSentence = 5;  // words
    if (step.tool_class != ToolClass::other || step.failed || step.opaque || step.command_bytes > 0 ||
        step.outcome_bytes > kLongest)
        return false;
    const std::string said = lowered(step.text.outcome().bytes);
    const bool in_vain = contains_any(said, kPromises) ||
                         (contains_any(said, kInVain) && contains_any(said, kNo) && !contains_any(said, kNoTrouble));
    return in_vain && words_in(step.text.argument().bytes) >= kSentence && words_in(said) >= kSentence;
}

bool promises(const Step& step) { return contains_any(lowered(step.text.outcome().bytes), kPromises); }

bool page_says_nothing(const Step& step) {
    constexpr std::uint32_t kLongestReply = 480;  // bytes
    constexpr std::string_view kPage = "http";
    static constexpr std::string_view kLacks[] = {
        "not mention",   "n't mention",      "no mention",      "no information", "not state",
        "not provide",   "not contain",      "n't contain",     "not specif",     "not include",
        "not available", "not list",         "keine angabe",    "nicht erwähnt",  "no menciona",
        "no contiene",   "ne mentionne pas", "ne contient pas", "没有提到",       "記載がありません"};
    if ((step.tool_class != ToolClass::search && step.tool_class != ToolClass::read) || step.failed || step.opaque ||
        step.outcome_bytes > kLongestReply || !step.text.argument().bytes.starts_with(kPage))
        return false;
    return contains_any(lowered(step.text.outcome().bytes), kLacks);
}

bool in_vain_again(const Step& before, const Step& now) {
    constexpr int kPercent = 40;  // of the words of a question that were in the one before
    if (before.tool != now.tool) return false;
    const std::string asked = lowered(now.text.argument().bytes), said = lowered(now.text.outcome().bytes);
    if (contains_any(said, kPromises) != promises(before)) return false;
    const std::string known = lowered(before.text.argument().bytes) + ' ' + lowered(before.text.outcome().bytes);
    if (contains_any(said, kPromises))
        return now.text.argument_size < StepText::kArgument && asks_for_no_more(asked, known);
    // What is cut may have named the thing behind what is kept.
    const bool cut = now.text.argument_size == StepText::kArgument;
    int words = 0, again = 0;
    bool another = false;
    each_word(asked, [&](std::string_view word) {
        if (names_nothing(word)) return true;
        const bool met = has_stem(known, stem(word));
        ++words;
        again += met;
        another = another || (!met && has_stem(said, stem(word)));
        return !another;
    });
    if (another || words == 0 || again * 100 < words * kPercent) return false;
    if (!cut) return true;
    each_word(said, [&](std::string_view word) {
        another = another || (!names_nothing(word) && !has_stem(known, stem(word)));
        return !another;
    });
    return !another;
}

}  // namespace agent_audit::detectors
