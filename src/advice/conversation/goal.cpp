#include <agent_audit/advice/goal.hpp>

#include "advice/words/error_line.hpp"
#include "advice/words/sentences.hpp"
#include "advice/words/text.hpp"
#include "detectors/speech/remarks.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kLongestApproval = 160;  // bytes
constexpr std::size_t kMostBetween = 16, kBetweenChars = 240, kSameChars = 60;

constexpr std::array<std::string_view, 17> kApprovals{
    "lgtm",       "looks good", "looks great",  "works now",          "it works",          "works great",
    "works well", "that works", "perfect",      "well done",          "great job",         "approved",
    "good job",   "ship it",    "\u5F88\u597D", "\u53EF\u4EE5\u4E86", "\u6CA1\u95EE\u9898"};

// What may stand before praise in its clause: it begins with the praise, or names all that was made.
constexpr std::string_view kBeforePraise[]{
    "ok",   "okay",   "yes",  "yep", "yeah",   "y",       "great", "nice",  "cool",    "good",       "awesome",
    "wow",  "oh",     "ah",   "hey", "thanks", "thank",   "you",   "and",   "now",     "so",         "far",
    "this", "that",   "it",   "its", "it's",   "that's",  "they",  "these", "all",     "everything", "both",
    "very", "really", "much", "i",   "think",  "perfect", "well",  "here",  "already", "indeed"};

// In a sentence with one of these before it, praise is what is to be reached or looked into.
constexpr std::string_view kToBeSeen[]{
    "validate", "verify",  "check",  "make sure", "ensure", "confirm", "test that",    "see that",    "see if",
    "needs to", "need to", "should", "must",      "has to", "have to", "want",         "if",          "whether",
    "until",    "till",    "unless", "once",      "when",   "so that", "\u786E\u8BA4", "\u68C0\u67E5"};

// Whoever says one of these has more to say.
constexpr std::array<std::string_view, 14> kReserves{"but",    "not",     "don't",  "doesn't", "still",
                                                     "except", "however", "error",  "fail",    "fails",
                                                     "wrong",  "instead", "\u4F46", "\u4E0D"};

// Whoever says nothing but these is content; one of them must be praise or thanks.
constexpr std::string_view kThanks[]{"thanks",
                                     "thank",
                                     "thx",
                                     "works",
                                     "perfect",
                                     "great",
                                     "awesome",
                                     "excellent",
                                     "amazing",
                                     "brilliant",
                                     "lgtm",
                                     "good",
                                     "fine",
                                     "beautiful",
                                     "lovely",
                                     "nice",
                                     "cool",
                                     "solved",
                                     "fixed",
                                     "correct",
                                     "danke",
                                     "perfekt",
                                     "funktioniert",
                                     "merci",
                                     "parfait",
                                     "gracias",
                                     "perfecto",
                                     "obrigado",
                                     "grazie",
                                     "\u0441\u043F\u0430\u0441\u0438\u0431\u043E",
                                     "\u3042\u308A\u304C\u3068\u3046",
                                     "\uAC10\uC0AC\uD569\uB2C8\uB2E4",
                                     "\uACE0\uB9C8\uC6CC",
                                     "\u8C22\u8C22",
                                     "\u5F88\u597D",
                                     "\u53EF\u4EE5\u4E86",
                                     "\u6CA1\u95EE\u9898",
                                     "\u5B8C\u7F8E"};
constexpr std::string_view kBesideThanks[]{
    "ok",    "okay",     "yes",      "yep",     "yeah",   "wow",    "oh",     "ah",   "hey",        "you",
    "so",    "very",     "really",   "much",    "a",      "lot",    "and",    "now",  "far",        "this",
    "that",  "it",       "its",      "it's",    "that's", "they",   "these",  "all",  "everything", "both",
    "i",     "think",    "well",     "here",    "is",     "are",    "looks",  "job",  "for",        "the",
    "help",  "as",       "expected", "exactly", "what",   "wanted", "needed", "your", "already",    "indeed",
    "jetzt", "beaucoup", "muchas",   "sehr",    "vielen", "dank"};

// Remarks in other languages: "ja, gerne", "d'accord", \u7EE7\u7EED.
constexpr std::string_view kForeignRemarks[]{"ja",
                                             "gerne",
                                             "danke",
                                             "bitte",
                                             "weiter",
                                             "genau",
                                             "passt",
                                             "oui",
                                             "merci",
                                             "d'accord",
                                             "s\u00ED",
                                             "gracias",
                                             "vale",
                                             "claro",
                                             "\u597D",
                                             "\u597D\u7684",
                                             "\u7EE7\u7EED",
                                             "\u8C22\u8C22",
                                             "\u662F",
                                             "\u662F\u7684",
                                             "\u53EF\u4EE5",
                                             "\u55EF",
                                             "\u5BF9",
                                             "\u884C",
                                             "\u306F\u3044",
                                             "\u304A\u9858\u3044\u3057\u307E\u3059",
                                             "\u0434\u0430",
                                             "\u0445\u043E\u0440\u043E\u0448\u043E",
                                             "\u0441\u043F\u0430\u0441\u0438\u0431\u043E"};

// Words that take the message before back, each as a clause of its own; and what says so politely.
constexpr std::string_view kIgnore[]{"ignore", "disregard"};
constexpr std::string_view kWhose[]{"my", "the", "that", "this"};
constexpr std::string_view kLast[]{"last", "previous", "prior"};
constexpr std::string_view kMessage[]{"message", "msg", "prompt"};
constexpr std::string_view kWrongPlace[]{"wrong chat", "wrong window", "wrong session", "wrong terminal"};
constexpr std::string_view kExcuses[]{"sorry", "oops",   "ah",     "oh",  "my",     "bad",   "mistake", "apologies",
                                      "ups",   "whoops", "please", "pls", "thanks", "thank", "you",     "that",
                                      "this",  "was",    "is",     "for", "the",    "in",    "just",    "and",
                                      "ok",    "okay",   "hey",    "no",  "nvm"};

// Behind the last of these marks before `at`; 0 when there is none.
std::size_t behind_last(std::string_view text, std::size_t at, std::span<const std::string_view> marks) {
    std::size_t from = 0;
    for (const std::string_view mark : marks) {
        const std::size_t last = at < mark.size() ? text.npos : text.rfind(mark, at - mark.size());
        if (last != text.npos) from = std::max(from, last + mark.size());
    }
    return from;
}

constexpr std::string_view kSentenceMarks[]{".", "!", "\n", "\u3002", "\uFF01"};
constexpr std::string_view kClauseMarks[]{".", "!", "\n",  "\u3002", "\uFF01", ",",     ";",
                                          ":", "(", " - ", "\u2014", "\u2013", "\uFF0C"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '\'' || static_cast<unsigned char>(c) >= 0x80; }

// Whether all words of a text in lower case are among those of a list.
bool only_words(std::string_view low, std::span<const std::string_view> list) {
    for (std::size_t at = 0; at < low.size();) {
        if (low[at] >= '0' && low[at] <= '9') return false;
        std::size_t end = at;
        while (end < low.size() && is_letter(low[end])) ++end;
        if (end > at && std::ranges::find(list, low.substr(at, end - at)) == list.end()) return false;
        at = std::max(end, at + 1);
    }
    return true;
}

// "It works" as somebody's verdict, not as what is to be reached.
bool praises_with(std::string_view low, std::string_view praise) {
    const bool ascii = static_cast<unsigned char>(praise[0]) < 0x80;
    for (std::size_t at = low.find(praise); at != low.npos; at = low.find(praise, at + 1)) {
        const std::size_t end = at + praise.size();
        if (ascii && ((at > 0 && is_letter(low[at - 1])) || (end < low.size() && is_letter(low[end])))) continue;
        const std::size_t clause = behind_last(low, at, kClauseMarks), sentence = behind_last(low, at, kSentenceMarks);
        const std::string_view before = low.substr(sentence, at - sentence);
        if (std::ranges::any_of(kToBeSeen, [&](std::string_view word) { return has_word(before, word); })) continue;
        if (only_words(low.substr(clause, at - clause), kBeforePraise)) return true;
    }
    return false;
}

std::string_view next_word(std::string_view& low) {
    while (!low.empty() && !is_letter(low.front())) low.remove_prefix(1);
    std::size_t end = 0;
    while (end < low.size() && is_letter(low[end])) ++end;
    const std::string_view word = low.substr(0, end);
    low.remove_prefix(end);
    return word;
}

// Marks and smileys of other writings are no letters.
std::string without_wide_marks(std::string text) {
    for (const std::string_view mark : {"\u3002", "\uFF0C", "\uFF01", "\u3001", "\u2026", "\U0001F44D", "\U0001F389",
                                        "\U0001F64F", "\U0001F600", "\U0001F642"}) {
        for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at))
            text.replace(at, mark.size(), " ");
    }
    return text;
}

// "Please ignore my last message", and nothing else but excuses.
bool ignores_last(std::string_view clause) {
    const auto in = [](std::string_view word, std::span<const std::string_view> list) {
        return std::ranges::find(list, word) != list.end();
    };
    std::string_view word = next_word(clause);
    while (!word.empty() && in(word, kExcuses)) word = next_word(clause);
    if (!in(word, kIgnore)) return false;
    word = next_word(clause);
    if (in(word, kWhose)) word = next_word(clause);
    return in(word, kLast) && in(next_word(clause), kMessage) && only_words(clause, kExcuses);
}

bool is_wrong_place(std::string_view clause) {
    return std::ranges::any_of(kWrongPlace, [&](std::string_view words) {
        const std::size_t at = clause.find(words);
        return at != clause.npos && only_words(clause.substr(0, at), kExcuses) &&
               only_words(clause.substr(at + words.size()), kExcuses);
    });
}

}  // namespace

std::string folded_request(std::string_view text, std::size_t max_chars) {
    constexpr std::string_view kMark = " [\u2026] ";
    std::string whole = one_line(text, max_chars);
    if (!whole.ends_with("\u2026") || max_chars < 40) return whole;
    const std::string error = pasted_error(text);
    if (error.empty() || whole.find(error) != whole.npos || error.find(kMark) != error.npos)
        return one_line(head_and_tail(one_line(text, text.size()), max_chars), max_chars);
    const std::string shown = one_line(error, max_chars / 2);
    return one_line(text, max_chars / 2 - 5) + std::string(kMark) + shown;
}

bool is_request(const UserMessage& message) {
    const std::string& text = message.quote.text;
    return !text.empty() && !is_remark(text) && !is_content(text) && !detectors::goes_on(text) &&
           !detectors::is_command_word(text);
}

bool is_remark(std::string_view text) {
    constexpr std::size_t kLongest = 40;  // bytes
    if (detectors::is_remark(text)) return true;
    if (text.size() > kLongest) return false;
    const std::string low = without_wide_marks(folded(text));
    return low.find_first_not_of(" .,!\n") != low.npos && only_words(low, kForeignRemarks);
}

bool is_content(std::string_view text) {
    constexpr std::size_t kLongest = 120;  // bytes
    if (text.size() > kLongest) return false;
    const std::string low = without_wide_marks(folded(text));
    if (low.find('?') != low.npos) return false;
    bool thanks = false, more = false;
    std::string_view rest = low;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
        const bool praise = std::ranges::find(kThanks, word) != std::end(kThanks);
        thanks = thanks || praise;
        more = more || (!praise && std::ranges::find(kBesideThanks, word) == std::end(kBesideThanks));
    }
    return thanks && !more && low.find_first_of("0123456789/`") == low.npos;
}

bool is_approval(std::string_view text) {
    if (text.size() > kLongestApproval || text.find('?') != text.npos || text.find("\uFF1F") != text.npos) return false;
    const std::string low = folded(text);
    return std::ranges::any_of(kApprovals, [&](std::string_view praise) { return praises_with(low, praise); }) &&
           std::ranges::none_of(kReserves, [&](std::string_view word) { return has_word(low, word); });
}

Withdrawal withdrawal(std::string_view text) {
    constexpr std::size_t kLongest = 400;
    if (text.size() > kLongest || text.find('?') != text.npos) return Withdrawal::no;
    const std::string low = folded(text);
    bool ignores = false, wrong_place = false, more = false;
    for (std::string_view rest = low; !rest.empty();) {
        const std::size_t end = std::min(rest.find_first_of(".!,;\n"), rest.size());
        const std::string_view clause = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (ignores_last(clause))
            ignores = true;
        else if (is_wrong_place(clause))
            wrong_place = true;
        else if (!only_words(clause, kExcuses))
            more = true;
    }
    // "Wrong window: it opens behind the other one" is about a window.
    if (!ignores && (!wrong_place || more)) return Withdrawal::no;
    return more ? Withdrawal::and_more : Withdrawal::alone;
}

Goal goal_of(std::span<const UserMessage> messages) {
    Goal goal;
    // What a person wrote counts; where nobody did, what another agent asked for; where none did, what a program said.
    const auto rank = [](const UserMessage& m) { return m.quote.text.empty() ? 0 : m.human ? 3 : m.program ? 1 : 2; };
    int highest = 1;
    for (const UserMessage& message : messages) highest = std::max(highest, rank(message));
    std::vector<const UserMessage*> said;
    for (const UserMessage& message : messages) {
        if (rank(message) == highest) said.push_back(&message);
    }
    if (said.empty()) return goal;
    goal.from_program = highest == 1;
    // By their order and not by their lines: some sessions stand on one.
    const auto asks = [](const UserMessage* m) { return is_request(*m); };
    const auto found = std::ranges::find_if(said, asks);
    const auto first = static_cast<std::size_t>(found == said.end() ? 0 : found - said.begin());
    const auto behind = std::find_if(said.rbegin(), said.rend(), asks);
    const std::size_t latest =
        behind == said.rend() ? first : said.size() - 1 - static_cast<std::size_t>(behind - said.rbegin());
    goal.first = said[first]->quote;
    if (latest > first) goal.latest = said[latest]->quote;
    if (said.size() - 1 > latest) goal.remark = said.back()->quote;
    // What else was asked for on the way, the newest first. A "go on" with words of its own counts here.
    for (std::size_t at = latest; at-- > first + 1;) {
        const Quote& quote = said[at]->quote;
        if (is_remark(quote.text) || is_content(quote.text) || quote.text.find(' ') == quote.text.npos) continue;
        std::string text = folded_request(quote.text, kBetweenChars);
        // Who was interrupted mostly says the same again.
        if (std::ranges::any_of(goal.between, [&](const Quote& newer) {
                return newer.text.starts_with(std::string_view(text).substr(0, kSameChars));
            }))
            continue;
        if (goal.between.size() == kMostBetween) {
            ++goal.left_out;
        } else {
            goal.between.push_back({std::move(text), quote.line, quote.turn});
        }
    }
    return goal;
}

}  // namespace agent_audit::advice
