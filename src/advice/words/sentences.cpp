#include "advice/words/sentences.hpp"

#include "advice/words/text.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace agent_audit::advice {
namespace {

template <class List>
bool has_any(std::string_view low, const List& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return has_word(low, word); });
}

template <class List>
bool starts_with_any(std::string_view low, const List& words) {
    return std::ranges::any_of(words, [&](std::string_view word) {
        return low.starts_with(word) &&
               (low.size() == word.size() || !((low[word.size()] >= 'a' && low[word.size()] <= 'z') ||
                                               low[word.size()] == '\'' || low[word.size()] == '-'));
    });
}

// Offers of help in general, which bear on nothing.
constexpr std::array<std::string_view, 9> kPolite{"how can i help",      "how can i assist", "how may i help",
                                                  "how may i assist",    "anything else",    "what can i do for you",
                                                  "any other questions", "any questions",    "further questions"};

// Records, logs and code that people paste: braces and quotes with colons, or hardly any words.
bool is_pasted(std::string_view sentence) {
    if (sentence.find("\":") != sentence.npos || sentence.find("{\"") != sentence.npos ||
        sentence.find("\\n") != sentence.npos || sentence.find("=>") != sentence.npos)
        return true;
    const auto symbols = std::ranges::count_if(
        sentence, [](char c) { return c == '{' || c == '}' || c == ';' || c == '<' || c == '>' || c == '='; });
    return symbols * 12 > static_cast<std::ptrdiff_t>(sentence.size());
}

// "Should we …", "can you …": asks, with or without the mark.
bool is_question(std::string_view low) {
    constexpr std::array<std::string_view, 22> kOpenings{
        "can", "could", "would", "should", "how",    "what", "why", "where", "when",  "which", "who",
        "is",  "are",   "does",  "do we",  "do you", "do i", "did", "will",  "shall", "was",   "has"};
    if (low.ends_with('?')) return true;
    return starts_with_any(low, kOpenings);
}

// Without what people begin orders with.
std::string_view without_opening(std::string_view low) {
    constexpr std::array<std::string_view, 14> kOpenings{
        "please ", "and ",       "but ",        "also ",  "so ",        "then ",  "ok ",
        "okay ",   "critical: ", "important: ", "note: ", "remember: ", "also, ", "("};
    for (bool more = true; more;) {
        const auto known =
            std::ranges::find_if(kOpenings, [&](std::string_view word) { return low.starts_with(word); });
        more = known != kOpenings.end();
        if (more) low.remove_prefix(known->size());
    }
    return low;
}

// An order may begin at any clause: "Refactor it, but never touch the schema".
bool orders_in_a_clause(std::string_view low) {
    constexpr std::array<std::string_view, 10> kOrders{"never", "always",  "do not",    "don't",
                                                       "only",  "must",    "make sure", "under no circumstances",
                                                       "avoid", "use only"};
    constexpr std::array<std::string_view, 13> kClauses{
        ", ",       "; ",   ": ",    " - ", " and ", " but ", "(", " \xE2\x80\x93 ", " \xE2\x80\x94 ", " \xE2\x86\x92 ",
        " please ", " so ", " then "};
    if (starts_with_any(without_opening(low), kOrders)) return true;
    for (const std::string_view clause : kClauses) {
        for (std::size_t at = low.find(clause); at != low.npos; at = low.find(clause, at + 1)) {
            if (starts_with_any(without_opening(low.substr(at + clause.size())), kOrders)) return true;
        }
    }
    return false;
}

// "Use relative paths only", "keep it under 300 lines", "no network access": without one of the words of orders.
bool limits_the_work(std::string_view low) {
    constexpr std::array<std::string_view, 10> kWithin{"under",   "below", "within", "unchanged", "as is",
                                                       "minimal", "short", "simple", "small",     "backward"};
    constexpr std::array<std::string_view, 22> kThings{
        "dependency",   "dependencies", "library",   "libraries", "package",    "packages",
        "framework",    "frameworks",   "network",   "internet",  "mocks",      "stubs",
        "placeholders", "comments",     "emojis",    "globals",   "force push", "breaking changes",
        "new files",    "third-party",  "any types", "hardcoded"};
    constexpr std::array<std::string_view, 16> kVerbs{"is",    "are",   "was",   "were",  "has",   "have",
                                                      "had",   "can",   "could", "found", "shows", "show",
                                                      "seems", "works", "left",  "needed"};
    constexpr std::array<std::string_view, 8> kGoesOn{"keep going",  "keep in mind", "keep me", "keep working",
                                                      "keep trying", "keep it up",   "keep on", "keep at it"};
    constexpr std::array<std::string_view, 4> kSoFar{"yet", "so far", "anymore", "any more"};
    constexpr std::size_t kLongestItem = 80;  // bytes
    low = without_opening(low);
    const std::string_view words = low.substr(0, low.find_last_not_of(".! ") + 1);
    if (low.starts_with("use ") && words.ends_with(" only")) return true;
    if (low.size() > kLongestItem) return false;
    if (low.starts_with("keep ")) return has_any(low, kWithin) && !starts_with_any(low, kGoesOn);
    return low.starts_with("no ") && has_any(low, kThings) && !has_any(low, kVerbs) && !has_any(low, kSoFar);
}

// How things are to be, in a report of what is wrong: "Expected: you must see a message".
bool tells_expected(std::string_view low) {
    constexpr std::array<std::string_view, 8> kParts{"expected:",          "actual:",         "expected behavior",
                                                     "expected behaviour", "expected result", "actual behavior",
                                                     "actual behaviour",   "actual result"};
    return std::ranges::any_of(kParts, [&](std::string_view part) { return low.starts_with(part); });
}

// What is ruled out in other languages. "Die Seite l\u00E4dt niemals" tells something, "\u00C4ndere niemals …" orders
// it.
bool forbids_in_other_languages(std::string_view low) {
    constexpr std::array<std::string_view, 33> kPhrases{"auf keinen fall",
                                                        "keinesfalls",
                                                        "unter keinen umst\u00E4nden",
                                                        "darf nicht",
                                                        "d\u00FCrfen nicht",
                                                        "bitte nicht",
                                                        "nicht anfassen",
                                                        "en aucun cas",
                                                        "ne touche pas",
                                                        "ne touchez pas",
                                                        "ne modifie pas",
                                                        "ne modifiez pas",
                                                        "ne change pas",
                                                        "ne changez pas",
                                                        "ne jamais",
                                                        "ne doit pas",
                                                        "ne doivent pas",
                                                        "en ning\u00FAn caso",
                                                        "no toques",
                                                        "no modifiques",
                                                        "no cambies",
                                                        "no debe",
                                                        "n\u00E3o altere",
                                                        "n\u00E3o modifique",
                                                        "n\u00E3o mexa",
                                                        "\u043D\u0438\u043A\u043E\u0433\u0434\u0430 \u043D\u0435",
                                                        "\u043D\u0435 \u0442\u0440\u043E\u0433\u0430\u0439",
                                                        "\u043D\u0435 \u043C\u0435\u043D\u044F\u0439",
                                                        "\u043D\u0435\u043B\u044C\u0437\u044F",
                                                        "\u3057\u306A\u3044\u3067",
                                                        "\u3066\u306F\u3044\u3051\u306A\u3044",
                                                        "\u5FC5\u305A",
                                                        "\uD558\uC9C0 \uB9C8"};
    constexpr std::array<std::string_view, 3> kNever{"niemals", "nunca", "jamais"};
    if (has_any(low, kPhrases)) return true;
    // The first word or the second.
    const std::size_t first = std::min(low.find(' '), low.size());
    const std::string_view rest = low.substr(std::min(first + 1, low.size()));
    return starts_with_any(low, kNever) || starts_with_any(rest, kNever);
}

// "I don't think", "you don't have to", "we only have": says how things are.
bool only_tells(std::string_view low) {
    constexpr std::array<std::string_view, 28> kTells{
        "never mind",         "nevermind",     "i don't think",  "i do not think", "i don't know",  "i do not know",
        "i don't understand", "i don't see",   "don't have to",  "do not have to", "don't need to", "do not need to",
        "don't worry",        "we don't have", "we do not have", "i don't have",   "i only see",    "it only",
        "they only",          "there must be", "must have been", "i know",         "doesn't",       "does not",
        "don't you",          "i always",      "not only",       "if only"};
    return has_any(low, kTells);
}

}  // namespace

namespace {

// "dont push": many leave the apostrophe out, and it is the same word.
void put_apostrophes(std::string& low) {
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    };
    constexpr std::array<std::string_view, 12> kWithout{"dont",    "doesnt",   "didnt",   "isnt",   "arent",  "wasnt",
                                                        "couldnt", "shouldnt", "wouldnt", "mustnt", "havent", "hasnt"};
    for (std::size_t at = low.find("nt"); at != low.npos; at = low.find("nt", at + 2)) {
        const std::size_t end = at + 2;
        if (end < low.size() && is_word(low[end])) continue;
        std::size_t begin = at;
        while (begin > 0 && is_word(low[begin - 1])) --begin;
        const std::string_view word = std::string_view(low).substr(begin, end - begin);
        if (std::ranges::find(kWithout, word) != kWithout.end()) low.insert(at + 1, 1, '\'');
    }
}

}  // namespace

std::string folded(std::string_view sentence) {
    std::string out = lowered(sentence);
    for (std::size_t at = out.find("\u2019"); at != out.npos; at = out.find("\u2019", at)) out.replace(at, 3, "'");
    put_apostrophes(out);
    return out;
}

bool is_constraint(std::string_view sentence) {
    constexpr std::array<std::string_view, 6> kWide{"\u5FC5\u987B", "\u4E0D\u8981", "\u7981\u6B62",
                                                    "\u53EA\u80FD", "\u5207\u52FF", "\u52A1\u5FC5"};
    constexpr std::array<std::string_view, 27> kDemands{
        "must be",     "must not",      "mustn't",          "must never",       "must always", "must have",
        "must use",    "must stay",     "must keep",        "must only",        "must work",   "must pass",
        "you must",    "we must",       "should never",     "should not",       "shouldn't",   "should always",
        "should only", "you may not",   "without changing", "without touching", "do not want", "don't want",
        "only want",   "you will only", "you may only"};
    if (is_pasted(sentence)) return false;
    const std::string low = folded(sentence);
    if (low.ends_with("\uFF1F")) return false;
    if (std::ranges::any_of(kWide, [&](std::string_view word) { return low.find(word) != low.npos; })) return true;
    if (is_question(low) || tells_expected(low)) return false;
    if (limits_the_work(low) || forbids_in_other_languages(low)) return true;
    const bool demands = has_any(low, kDemands);
    if (!demands && !orders_in_a_clause(low))
        return has_word(low, "must") && !only_tells(low) && low.find('`') == low.npos;
    return !only_tells(low);
}

bool is_proposal(std::string_view sentence) {
    constexpr std::array<std::string_view, 24> kOffers{
        "if you",  "i can",     "we can",      "we could",       "i could", "you could", "you can",  "would",
        "should",  "recommend", "recommended", "recommendation", "suggest", "propose",   "proposed", "option",
        "options", "want me",   "let me know", "maybe",          "might",   "consider",  "shall",    "i'd"};
    constexpr std::array<std::string_view, 10> kOrders{"use",  "take", "keep",   "drop", "replace",
                                                       "move", "make", "remove", "add",  "switch"};
    const std::string low = folded(sentence);
    if (low.ends_with('?')) return true;
    if (has_any(low, kPolite)) return false;
    // "If you had typed it, it would have been …": says how things were.
    if (has_any(low, std::array<std::string_view, 3>{"would have", "if you had", "could have"})) return false;
    return has_any(low, kOffers) || starts_with_any(low, kOrders);
}

bool is_decision(std::string_view sentence) {
    constexpr std::array<std::string_view, 8> kChose{"decided",     "chose",        "chosen",     "opted",
                                                     "i went with", "we went with", "settled on", "\u51B3\u5B9A"};
    constexpr std::array<std::string_view, 4> kReasons{"instead of", "rather than", "because", "\u56E0\u4E3A"};
    constexpr std::array<std::string_view, 15> kDid{"i did",     "i didn't", "i kept",    "i used",  "i switched",
                                                    "i moved",   "i made",   "i removed", "i added", "i left",
                                                    "i skipped", "we use",   "we keep",   "we used", "\u6211"};
    std::string low = folded(sentence);
    // "Because I made a change, I'm running it again": what was done is the reason here, and no decision.
    if (low.starts_with("because ")) low.erase(0, std::min(low.find(','), low.size()));
    if (is_proposal(sentence) || low.starts_with("i'm ") || low.starts_with("i'll ") || low.starts_with("let me"))
        return false;
    return has_any(low, kChose) || (has_any(low, kReasons) && has_any(low, kDid));
}

bool is_unsolved(std::string_view sentence) {
    constexpr std::array<std::string_view, 23> kOpen{
        "still flaky",      "still broken",   "still not",  "remains to", "remains open", "remains unresolved",
        "remains unsolved", "remains broken", "remaining:", "still fail", "still fails",  "still failing",
        "still need",       "still needs",    "not yet",    "blocked",    "blocker",      "couldn't",
        "could not",        "unable to",      "left to do", "unresolved", "not done"};
    constexpr std::array<std::string_view, 3> kNone{"no remaining", "nothing remaining", "no blockers"};
    const std::string low = folded(sentence);
    // "The remaining 20 ms are the look-up": how things are, and nothing that is to be done.
    constexpr std::array<std::string_view, 17> kWork{"work",   "task",    "tasks",    "issue",   "issues",   "step",
                                                     "steps",  "problem", "problems", "failure", "failures", "error",
                                                     "errors", "item",    "items",    "gap",     "gaps"};
    const bool remaining = has_word(low, "remaining") && has_any(low, kWork);
    return (remaining || has_any(low, kOpen)) && !has_any(low, kNone) && !low.ends_with('?');
}

namespace {

// "+ 15 - …", "@@ -1,4 +1,9 @@", "diff --git …": of a difference, with line numbers or without.
bool is_of_difference(std::string_view line) {
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.starts_with("@@ -") || line.starts_with("diff --git ") || line.starts_with("+++ ")) return true;
    if (!line.starts_with('+')) return false;  // "- 3 retries at most" is an item of a list
    const std::size_t number = std::min(line.find_first_not_of(' ', 1), line.size());
    const std::size_t end = std::min(line.find_first_not_of("0123456789", number), line.size());
    return end > number && (end == line.size() || line[end] == ' ');
}

// "2026-01-01 12:00:01 ERROR …", "[12:00:01] WARN …", "INFO: …": of a log.
bool is_of_log(std::string_view line) {
    constexpr std::array<std::string_view, 8> kLevels{"ERROR", "WARN",  "WARNING", "INFO",
                                                      "DEBUG", "TRACE", "FATAL",   "NOTICE"};
    while (line.starts_with(' ') || line.starts_with('[')) line.remove_prefix(1);
    const auto digits = [&](std::size_t at, std::size_t count) {
        return line.size() >= at + count &&
               line.substr(at, count).find_first_not_of("0123456789") == std::string_view::npos;
    };
    const auto time_at = [&](std::size_t at) {
        return digits(at, 2) && digits(at + 3, 2) && line[at + 2] == ':' && line.size() > at + 5 && line[at + 5] == ':';
    };
    const bool date = digits(0, 4) && digits(5, 2) && (line[4] == '-' || line[4] == '/');
    if (time_at(0) || (date && line.size() > 11 && time_at(11))) return true;
    const std::string_view head = line.substr(0, 40);
    const auto level = std::ranges::find_if(kLevels, [&](std::string_view word) { return has_word(head, word); });
    return level != kLevels.end() &&
           (date || line.starts_with(std::string(*level) + ":") || line.starts_with(std::string(*level) + " ["));
}

}  // namespace

std::string without_pasted(std::string_view message) {
    std::string out;
    bool pasted = false;
    while (!message.empty()) {
        const std::size_t end = std::min(message.find('\n'), message.size());
        const std::string_view line = message.substr(0, end);
        message.remove_prefix(std::min(end + 1, message.size()));
        const bool blank = line.find_first_not_of(" \t\r") == line.npos;
        // A fence that goes would leave the other one open, and what stands below it inside.
        const bool fence = line.starts_with("```") || line.starts_with("~~~");
        const bool record = line.find("\":") != line.npos || line.find("{\"") != line.npos ||
                            line.find("Error:") != line.npos || line.find("error:") != line.npos ||
                            line.find("Traceback (") != line.npos || line.starts_with("    at ") ||
                            line.starts_with("\tat ") || is_of_difference(line) || is_of_log(line);
        pasted = !blank && !fence && (pasted || record);
        if (!pasted) out.append(line);
        out += '\n';
    }
    return out;
}

bool is_open_question(std::string_view sentence) {
    return (sentence.ends_with('?') || sentence.ends_with("\uFF1F")) && !has_any(folded(sentence), kPolite);
}

std::vector<std::string> options_in(std::string_view text) {
    constexpr std::size_t kMost = 9, kChars = 100;
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        std::erase_if(line, [](char c) { return c == '*' || c == '#' || c == '`'; });
        std::string_view rest = line;
        while (rest.starts_with(' ') || rest.starts_with('-')) rest.remove_prefix(1);
        if (rest.starts_with("Option ")) rest.remove_prefix(7);
        const bool label = rest.size() > 3 &&
                           ((rest[0] >= '1' && rest[0] <= '9') || (rest[0] >= 'A' && rest[0] <= 'E') ||
                            (rest[0] >= 'a' && rest[0] <= 'e')) &&
                           (rest[1] == '.' || rest[1] == ')' || rest[1] == ':') && rest[2] == ' ';
        if (!label) continue;
        if (rest[0] == '1' || rest[0] == 'a' || rest[0] == 'A') out.clear();
        if (out.size() < kMost) out.push_back(one_line(rest, kChars));
    }
    return out;
}

std::vector<std::string> chosen_of(std::string_view reply, std::span<const std::string> options) {
    constexpr std::size_t kLongest = 40;  // bytes
    constexpr std::array<std::string_view, 26> kAround{
        "option", "options", "number", "the",    "one",  "ones", "let's", "do",      "go",
        "with",   "please",  "i",      "choose", "take", "pick", "want",  "variant", "approach",
        "plan",   "ok",      "okay",   "yes",    "and",  "for",  "try",   "like"};
    constexpr std::array<std::string_view, 5> kOrdinals{"first", "second", "third", "fourth", "fifth"};
    if (options.empty()) return {};
    // "the second one, and never cache it": what else is said stands in the answer.
    if (const std::size_t clause = reply.find_first_of(",;");
        clause != reply.npos && clause < kLongest && !reply.ends_with('?')) {
        const std::string_view head = reply.substr(0, clause);
        auto chosen = chosen_of(head, options);
        if (!chosen.empty() && chosen_of(reply.substr(clause + 1), options).empty()) return chosen;
    }
    if (reply.size() > kLongest) return {};
    std::vector<std::string> out;
    const std::string low = folded(reply);
    for (std::size_t at = 0; at < low.size();) {
        std::size_t end = at;
        while (end < low.size() &&
               ((low[end] >= 'a' && low[end] <= 'z') || (low[end] >= '0' && low[end] <= '9') || low[end] == '\''))
            ++end;
        const std::string_view word = std::string_view(low).substr(at, end - at);
        at = end + 1;
        if (word.empty()) continue;
        const auto labelled = std::ranges::find_if(options, [&](const std::string& option) {
            return word.size() == 1 && lowered(option.substr(0, 1)) == word;
        });
        const auto ordinal = std::ranges::find(kOrdinals, word);
        if (labelled != options.end() && (word != "a" || low.size() < 12)) {
            out.push_back(*labelled);
        } else if (const auto which = static_cast<std::size_t>(ordinal - kOrdinals.begin());
                   ordinal != kOrdinals.end() && which < options.size()) {
            out.push_back(options[which]);
        } else if (word == "last") {
            out.push_back(options.back());
        } else if (std::ranges::find(kAround, word) == kAround.end()) {
            return {};
        }
    }
    return out;
}

bool asks_back(std::string_view reply) {
    constexpr std::array<std::string_view, 14> kAnswers{"yes",  "yep", "yeah", "y",     "ok",     "okay", "sure",
                                                        "fine", "no",  "nope", "don't", "do not", "go",   "please"};
    constexpr std::array<std::string_view, 3> kOnlyPolite{"ok?", "okay?", "please?"};
    const std::string low = folded(reply);
    if (std::ranges::any_of(kOnlyPolite, [&](std::string_view end) { return low.ends_with(end); })) return false;
    // "I do not have it here. What else can I do?" says something as well, and "that sounds okay, but is there more?"
    // agrees.
    const auto asks = [](std::string_view sentence) { return sentence.ends_with('?') || sentence.ends_with("\uFF1F"); };
    const auto said = sentences(low);
    const std::string_view opening = std::string_view(low).substr(0, low.find(','));
    return !said.empty() && std::ranges::all_of(said, asks) && !starts_with_any(low, kAnswers) &&
           !has_word(opening, "ok") && !has_word(opening, "okay");
}

bool asks_leave(std::string_view question) {
    constexpr std::size_t kLongest = 80;  // bytes
    constexpr std::array<std::string_view, 8> kOpenings{
        "want me to",        "shall i", "should i", "would you like me to",
        "do you want me to", "may i",   "can i",    "let me know if you want me to"};
    constexpr std::array<std::string_view, 9> kSpokenOf{"it",   "this",    "that",     "these",   "those",
                                                        "them", "proceed", "continue", "go ahead"};
    const std::string low = folded(question);
    if (low.size() > kLongest || !starts_with_any(low, kOpenings)) return false;
    return low == "shall i?" || low == "should i?" || low == "may i?" || has_any(low, kSpokenOf);
}

std::string closing_questions(std::span<const std::string_view> sentences) {
    constexpr std::size_t kEndOfText =
        3;  // sentences: what is asked stands at the end, the questions before it with it
    constexpr std::size_t kMost = 6, kLongest = 600;
    const auto is_number = [](std::string_view s) {
        return s.size() <= 4 && s.find_first_not_of("0123456789.)") == s.npos;
    };
    std::vector<std::string_view> asked;  // the last one first
    std::size_t behind = 0;
    for (auto s = sentences.rbegin(); s != sentences.rend() && asked.size() < kMost; ++s) {
        if (is_number(*s)) continue;
        const bool asks = s->size() <= kLongest && is_open_question(*s);
        if (asks) asked.push_back(*s);
        if (!asks && behind + 1 >= kEndOfText) break;
        ++behind;
    }
    std::string out;
    for (auto s = asked.rbegin(); s != asked.rend(); ++s) out.append(out.empty() ? "" : " ").append(*s);
    return out;
}

bool is_intention(std::string_view sentence) {
    constexpr std::array<std::string_view, 15> kAbout{"next,",
                                                      "i'll",
                                                      "i will",
                                                      "i'm going to",
                                                      "let me",
                                                      "now i",
                                                      "i need to",
                                                      "i still need",
                                                      "next i",
                                                      "now let's",
                                                      "let's",
                                                      "i'm about to",
                                                      "\u63A5\u4E0B\u6765",
                                                      "\u4E0B\u4E00\u6B65",
                                                      "\u6211\u5C06"};
    constexpr std::array<std::string_view, 10> kOffers{"let me know", "if you",        "say the word", "just say",
                                                       "tell me",     "once you",      "when you",     "whenever you",
                                                       "unless you",  "as soon as you"};
    constexpr std::array<std::string_view, 4> kNot{"i will not", "i'll not", "i'm not going to", "i will never"};
    const std::string low = folded(sentence);
    return has_any(low, kAbout) && !low.ends_with('?') && !has_any(low, kOffers) && !has_any(low, kNot);
}

bool is_report(std::string_view sentence) {
    constexpr std::array<std::string_view, 27> kDone{"done",      "implemented",  "completed",
                                                     "complete",  "finished",     "fixed",
                                                     "pushed",    "merged",       "created",
                                                     "added",     "updated",      "committed",
                                                     "opened",    "published",    "deployed",
                                                     "resolved",  "passing",      "pass",
                                                     "passed",    "works",        "ready",
                                                     "all set",   "removed",      "renamed",
                                                     "installed", "\u5B8C\u6210", "\u5DF2\u5B8C\u6210"};
    constexpr std::array<std::string_view, 13> kNot{"not",    "isn't",  "can't", "cannot", "couldn't", "still", "fails",
                                                    "failed", "let me", "i'll",  "if you", "will",     "once"};
    const std::string low = folded(sentence);
    constexpr std::array<std::string_view, 16> kOrders{"include", "ensure",  "add",   "create", "update", "implement",
                                                       "write",   "run",     "build", "make",   "use",    "keep",
                                                       "define",  "provide", "check", "verify"};
    // What is to be reached or looked into, and what a program printed.
    constexpr std::array<std::string_view, 13> kToBe{
        "we should",  "you should", "i should",     "need to",  "needs to", "to verify",  "to ensure",
        "to confirm", "to check",   "to make sure", "warning:", "error:",   "userwarning"};
    constexpr std::array<std::string_view, 3> kWideToBe{"\u6211\u4EEC\u6765", "\u8BA9\u6211", "\u6211\u6765"};
    const bool shouts = std::ranges::none_of(
        sentence, [](char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; });
    if (low.ends_with('?') || starts_with_any(low, kOrders) || low.starts_with('/') || shouts) return false;
    if (has_any(low, kToBe) ||
        std::ranges::any_of(kWideToBe, [&](std::string_view word) { return low.find(word) != low.npos; }))
        return false;
    if (low.find("\u2705") != low.npos) return !has_any(low, kNot);
    if (has_any(low, kNot)) return false;
    // "It waits for the request to complete": nothing is complete.
    constexpr std::array<std::string_view, 6> kStill{"to ", "must ", "should ", "can ", "would ", "may "};
    const auto is_done = [&](std::string_view word) {
        for (std::size_t at = low.find(word); at != low.npos; at = low.find(word, at + 1)) {
            std::string_view before = std::string_view(low).substr(0, at);
            while (before.ends_with('*') || before.ends_with('`') || before.ends_with('"')) before.remove_suffix(1);
            const bool whole = has_word(std::string_view(low).substr(at > 0 ? at - 1 : 0, word.size() + 2), word);
            if (whole && std::ranges::none_of(kStill, [&](std::string_view still) { return before.ends_with(still); }))
                return true;
        }
        return false;
    };
    return std::ranges::any_of(kDone, is_done);
}

}  // namespace agent_audit::advice
