#include "detectors/speech/follow_up.hpp"

#include "detectors/speech/spoken_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestAside = 200;  // bytes; who writes more wants something
constexpr std::size_t kLongestGoOn = 32;

// As plainly() has them, with single blanks in the place of marks.
std::string words_of(std::string_view text) {
    std::string out;
    for (const char c : plainly(text)) {
        if (is_alnum(c) || static_cast<unsigned char>(c) >= 0x80 || c == '\'')
            out.push_back(c);
        else if (!out.empty() && out.back() != ' ')
            out.push_back(' ');
    }
    while (out.ends_with(' ')) out.pop_back();
    for (const std::string_view mark : {"。", "！", "，"}) {
        if (out.ends_with(mark)) out.erase(out.size() - mark.size());
    }
    return out;
}

bool goes_on(std::string_view words) {
    constexpr std::string_view kBefore[] = {"ok ", "okay ", "please ", "pls ", "yes ", "好的，", "好，", "请"};
    constexpr std::string_view kBehind[] = {" please", " pls", "吧"};
    constexpr std::string_view kOn[] = {"continue", "go on", "keep going", "carry on", "resume",
                                        "继续",     "接着",  "接着做",     "继续做"};
    for (const std::string_view before : kBefore) {
        if (words.starts_with(before)) words.remove_prefix(before.size());
    }
    for (const std::string_view behind : kBehind) {
        if (words.ends_with(behind)) words.remove_suffix(behind.size());
    }
    return std::ranges::find(kOn, words) != std::end(kOn);
}

// "Why are there two handlers?" asks. "Why doesn't it work?", "did you run the tests?" and "what about the docs?" want
// something done.
bool is_plain_question(std::string_view text, std::string_view words) {
    constexpr std::string_view kAsks[] = {"why ", "what ",  "what's ", "where ", "where's ", "when ",
                                          "who ", "which ", "whose ",  "how ",   "is ",      "are ",
                                          "was ", "were ",  "does ",   "do "};
    constexpr std::string_view kWants[] = {"n't",     " not ",  "why not", "what about", "how about", "what if",
                                           "are you", "do you", "can you", "could you",  "would you", "will ",
                                           "should",  "shall",  "please",  "let's",      "lets ",     "instead",
                                           "error",   "fail",   "broken",  "wrong",      "missing",   "still",
                                           "again",   "fix",    "change ", "remove ",    "add "};
    if (!text.ends_with('?') || text.find_first_of("?!\n;") + 1 != text.size() || text.find(". ") != text.npos)
        return false;
    return (starts_with_any(words, kAsks) || words == "why") && !contains_any(words, kWants);
}

}  // namespace

FollowUp follow_up_of(std::string_view text) {
    constexpr std::string_view kFine[] = {"ok",   "okay",    "k",         "thanks", "thank you", "ok thanks",
                                          "fine", "alright", "all right", "好",     "好的"};
    text = trimmed(text);
    if (text.empty() || text.size() > (text.back() == '?' ? kLongestAside : kLongestGoOn)) return FollowUp::order;
    const std::string words = words_of(text);
    if (goes_on(words)) return FollowUp::goes_on;
    if (std::ranges::find(kFine, words) != std::end(kFine) || is_plain_question(text, words)) return FollowUp::aside;
    return FollowUp::order;
}

}  // namespace agent_audit::detectors
