#include "detectors/speech/remarks.hpp"

#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestGreeting = 60, kLongestRemark = 80, kLongestGoOn = 100;  // bytes

constexpr std::string_view kGreetings[] = {"hello",
                                           "hi",
                                           "hey",
                                           "yo",
                                           "hiya",
                                           "howdy",
                                           "good morning",
                                           "good afternoon",
                                           "good evening",
                                           "good day",
                                           "greetings",
                                           "hallo",
                                           "guten morgen",
                                           "guten tag",
                                           "guten abend",
                                           "servus",
                                           "moin",
                                           "hola",
                                           "buenos días",
                                           "buenos dias",
                                           "buenas tardes",
                                           "bonjour",
                                           "bonsoir",
                                           "salut",
                                           "ciao",
                                           "buongiorno",
                                           "bom dia",
                                           "boa tarde",
                                           "olá",
                                           "ola",
                                           "oi",
                                           "hej",
                                           "merhaba",
                                           "привет",
                                           "Привет",
                                           "здравствуйте",
                                           "Здравствуйте",
                                           "добрый день",
                                           "Добрый день",
                                           "namaste",
                                           "你好",
                                           "您好",
                                           "早上好",
                                           "下午好",
                                           "晚上好",
                                           "嗨",
                                           "哈喽",
                                           "こんにちは",
                                           "おはようございます",
                                           "おはよう",
                                           "こんばんは",
                                           "안녕하세요",
                                           "안녕",
                                           "하이",
                                           "헬로"};
// Who is greeted, and how gladly.
constexpr std::string_view kGreeted[] = {
    "there",   "all",    "everyone",  "guys",  "team", "folks", "again", "friend", "mate", "claude", "codex", "gemini",
    "copilot", "cursor", "assistant", "agent", "bot",  "ai",    "啊",    "呀",     "👋",    "😊",      "🙂"};
constexpr std::string_view kMarks[] = {" ", "\n", "\r", "\t", ",",  ".",  "!",  "?", "~",
                                       "-", ":)", "，", "。", "！", "～", "、", "…"};

// What people say to keep an agent going. The rest of the message may only be words of this kind.
constexpr std::string_view kRemarks[] = {
    "there",   "yes",    "y",      "yep",    "yeah",  "ok",    "okay", "sure", "continue", "go",      "on",     "ahead",
    "proceed", "please", "thanks", "thank",  "you",   "great", "good", "nice", "perfect",  "cool",    "right",  "done",
    "keep",    "going",  "do",     "it",     "that",  "no",    "next", "the",  "all",      "correct", "fine",   "lgtm",
    "and",     "then",   "now",    "resume", "carry", "looks", "so",   "far",  "well",     "agreed",  "awesome"};

constexpr std::string_view kPolite[] = {"ok ",  "okay ",    "yes ",       "please ", "now ",  "so ",   "then ",
                                        "and ", "can you ", "could you ", "let's ",  "just ", "yes, ", "ok, "};
constexpr std::string_view kOn[] = {"continue", "go on",  "go ahead",  "keep going",   "carry on",
                                    "proceed",  "resume", "try again", "try it again", "继续"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

// Takes one of the words off the front; one of ASCII letters must end there.
template <std::size_t N>
bool take(std::string_view& text, const std::string_view (&words)[N]) {
    const auto begins = [&](std::string_view word) {
        if (!text.starts_with(word)) return false;
        const bool ascii = word.back() >= 'a' && word.back() <= 'z';
        return !ascii || text.size() == word.size() || !is_letter(text[word.size()]);
    };
    const auto word = std::ranges::find_if(words, begins);
    if (word == std::end(words)) return false;
    text.remove_prefix(word->size());
    return true;
}

}  // namespace

bool is_greeting(std::string_view text) {
    if (text.size() > kLongestGreeting) return false;
    const std::string lower = lowered(text);
    bool greets = false;
    for (std::string_view rest = lower; !rest.empty();) {
        if (take(rest, kMarks)) continue;
        const bool greeting = take(rest, kGreetings);
        greets = greets || greeting;
        if (!greeting && !(greets && take(rest, kGreeted))) return false;
    }
    return greets;
}

bool is_remark(std::string_view text) {
    if (text.size() > kLongestRemark) return false;
    if (is_greeting(text)) return true;
    const std::string low = lowered(text);
    std::size_t words = 0;
    for (std::size_t at = 0; at < low.size();) {
        if (!is_letter(low[at])) {
            if (low[at] >= '0' && low[at] <= '9') return false;  // "do 3" chooses something
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < low.size() && is_letter(low[end])) ++end;
        const std::string_view word = std::string_view(low).substr(at, end - at);
        if (std::ranges::find(kRemarks, word) == std::end(kRemarks) &&
            std::ranges::find(kGreetings, word) == std::end(kGreetings))
            return false;
        ++words;
        at = end;
    }
    return words > 0 || text.empty();
}

bool is_command_word(std::string_view text) {
    constexpr std::size_t kLongest = 40;  // bytes
    text = trimmed(text);
    if (!text.starts_with('/') || text.size() > kLongest) return false;
    return std::ranges::all_of(text.substr(1), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == ':';
    });
}

bool goes_on(std::string_view text) {
    if (text.size() > kLongestGoOn) return false;
    const std::string low = lowered(text);
    std::string_view rest = low;
    for (bool more = true; more;) {
        const auto polite =
            std::ranges::find_if(kPolite, [&](std::string_view word) { return rest.starts_with(word); });
        more = polite != std::end(kPolite);
        if (more) rest.remove_prefix(polite->size());
    }
    return std::ranges::any_of(kOn, [&](std::string_view word) {
        if (!rest.starts_with(word)) return false;
        const char next = rest.size() > word.size() ? rest[word.size()] : ' ';
        return next < 'a' || next > 'z';
    });
}

}  // namespace agent_audit::detectors
