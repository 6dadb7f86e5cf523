#include "detectors/speech/spoken_words.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <iterator>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kCurly = "’";
constexpr std::string_view kWithout[] = {"dont",  "didnt",  "thats",    "isnt", "wasnt",
                                         "youre", "doesnt", "shouldnt", "youve"};
constexpr PhraseSet kWithoutSet(kWithout);

constexpr std::string_view kMarks[] = {",", ".", "!",  "?",  ";",  ":",  "-",  "\n", ")", "…",
                                       "—", "–", "，", "。", "！", "？", "；", "、", "："};

}  // namespace

std::string plainly(std::string_view text) {
    std::string lower = lowered(text);
    if (!kWithoutSet.in(lower) && lower.find(kCurly) == lower.npos) return lower;
    std::string out;
    out.reserve(lower.size() + 8);
    for (std::string_view rest = lower; !rest.empty();) {
        const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin());
        const std::string_view word = rest.substr(0, letters);
        rest.remove_prefix(letters);
        if (std::ranges::find(kWithout, word) != std::end(kWithout)) {
            const std::size_t tail =
                word.ends_with("re") || word.ends_with("ve") ? 2 : 1;  // you're, you've; don't, that's
            out.append(word.substr(0, word.size() - tail)).append("'").append(word.substr(word.size() - tail));
        } else {
            out.append(word);
        }
        if (rest.empty()) break;
        const bool curly = rest.front() == kCurly.front() && rest.starts_with(kCurly);
        out.push_back(curly ? '\'' : rest.front());
        rest.remove_prefix(curly ? kCurly.size() : 1);
    }
    return out;
}

bool ends_here(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text.empty() || (!is_letter(text.front()) && starts_with_any(text, kMarks));
}

std::string_view without_marks(std::string_view text) {
    for (bool more = true; more;) {
        more = false;
        while (text.starts_with(' ')) text.remove_prefix(1);
        if (text.empty() || is_letter(text.front())) return text;
        for (const std::string_view mark : kMarks) {
            if (!text.starts_with(mark)) continue;
            text.remove_prefix(mark.size());
            more = true;
        }
    }
    return text;
}

std::string_view without_leads(std::string_view lower) {
    static constexpr std::string_view kSounds[] = {"hmmm", "hmm", "hm",        "mmh",  "ugh",    "argh", "uh", "um",
                                                   "ah",   "hey", "sorry but", "等等", "等一下", "喂",   "哎", "嗯"};
    static constexpr std::string_view kWaits[] = {"wait", "hold on", "hang on", "hold up"};
    for (bool more = true; more;) {
        lower = without_marks(lower);
        more = take_word(lower, kSounds);
        // "Wait for CI" is an order.
        std::string_view rest = lower;
        static constexpr std::string_view kThen[] = {" no", " stop"};
        if (take_word(rest, kWaits) && !without_marks(rest).empty() && (ends_here(rest) || begins_word(rest, kThen))) {
            lower = rest;
            more = true;
        }
    }
    return lower;
}

std::string_view without_please(std::string_view lower) {
    static constexpr std::string_view kPlease[] = {"please", "pls", "can you", "could you", "just",
                                                   "请",     "先",  "赶紧",    "马上"};
    while (take_word(lower, kPlease)) lower = without_marks(lower);
    return lower;
}

}  // namespace agent_audit::detectors
