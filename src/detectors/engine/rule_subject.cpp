#include "detectors/engine/rule_subject.hpp"

#include "detectors/engine/phrases.hpp"

#include <algorithm>
#include <cctype>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kModals[] = {"must", "should", "may", "shall", "can", "could", "will", "would", "might", "have to", "has to", "ought to", "are to", "is to"};
constexpr std::string_view kCopulas[] = {"are", "is", "'re", "’re"};  // "you are not allowed to"
// Where the last thought before the prohibition begins.
constexpr std::string_view kCuts[] = {", ", "; ", ": ", " - ", " — ", " – ", "(", " and ", " but ", " so ", " then ", "，", "：", "；"};
constexpr std::string_view kAgents[] = {"you",         "we",           "nobody",       "no one",     "anyone",      "anybody",       "the agent",    "agents",
                                        "claude",      "codex",        "gemini",       "the assistant", "the ai",   "ai",            "your changes", "your change",
                                        "the change",  "the changes",  "this change",  "these changes", "the fix",  "this fix",      "your fix",     "the patch",
                                        "your patch",  "this patch",   "the pr",       "this pr",    "your pr",     "the refactoring", "your work",  "the solution",
                                        "your solution", "please",     "also",         "just",       "always",      "therefore",     "still",        "now",
                                        "then",        "again",        "and",          "but",        "so",          "or"};
constexpr std::string_view kPrepositions[] = {"for ",   "in ",    "on ",    "at ",     "under ",  "during ", "while ",      "as ",       "with ", "from ",
                                              "until ", "within ", "before ", "after ", "by ",    "since ",  "throughout ", "whatever ", "even ", "when ", "once "};
constexpr std::string_view kDeterminers[] = {"the", "a",  "an",    "this", "that",  "these", "those", "my",    "our", "his", "her", "its",
                                             "their", "it", "they", "he",  "she",   "each",  "every", "all",   "some", "i"};

bool ends_with_word(std::string_view text, std::string_view word) {
    if (!text.ends_with(word)) return false;
    return text.size() == word.size() || std::isalnum(static_cast<unsigned char>(text[text.size() - word.size() - 1])) == 0 || word[0] == '\'';
}

template <std::size_t N>
bool drop_last(std::string_view& text, const std::string_view (&words)[N]) {
    const auto word = std::ranges::find_if(words, [&](std::string_view w) { return ends_with_word(text, w); });
    if (word == std::end(words)) return false;
    text = trimmed(text.substr(0, text.size() - word->size()));
    return true;
}

std::string_view last_thought(std::string_view before) {
    for (const std::string_view cut : kCuts) {
        if (const std::size_t at = before.rfind(cut); at != before.npos) before.remove_prefix(at + cut.size());
    }
    return trimmed(before);
}

}  // namespace

bool speaks_to_agent(std::string_view before, std::string_view phrase) {
    if (static_cast<unsigned char>(phrase[0]) >= 0x80) return true;
    before = trimmed(before);
    if (before.empty() || std::string_view(",;:-(").find(before.back()) != std::string_view::npos) return true;
    bool modal = phrase.starts_with("must") || phrase.starts_with("may") || phrase.starts_with("should") || phrase.starts_with("not allowed") || phrase.ends_with("not to ");
    if (phrase.starts_with("rather")) return before.ends_with("i'd") || before.ends_with("i’d") || before.ends_with("would");
    if (phrase.starts_with("not allowed")) drop_last(before, kCopulas);
    modal = drop_last(before, kModals) || modal;
    const std::string_view subject = last_thought(before);
    if (subject.empty() || std::ranges::any_of(kAgents, [&](std::string_view agent) { return ends_with_word(subject, agent); })) return true;
    // "Make the codemod edit only .ts files"
    constexpr std::string_view kMakes[] = {"make the ", "make it ", "make a ", "let the ", "let it ", "have the ", "have it "};
    if (modal || starts_with_any(subject, kMakes)) return false;
    if (starts_with_any(subject, kPrepositions)) return true;
    const std::string_view first = subject.substr(0, subject.find(' '));
    const bool plural = first.size() == subject.size() && first.ends_with('s') && first.size() > 3;  // "uploads never"
    return !plural && std::ranges::find(kDeterminers, first) == std::end(kDeterminers);
}

bool under_condition(std::string_view before) {
    constexpr std::string_view kIfs[] = {"if ", "in case ", "should ", "as long as ", "whenever ", "once ", "otherwise", "in prod", "on prod", "in ci ", "in ci,", "on ci ", "on ci,"};
    constexpr std::string_view kWhens[] = {"when ", "while "};
    before = trimmed(before);
    if (!before.ends_with(',') && before.find(", ") == before.npos && !before.ends_with(" then")) {
        // "In case of errors don't commit."
        constexpr std::string_view kBare[] = {"in case ", "if ", "in prod", "on prod", "in ci ", "on ci "};
        if (std::ranges::none_of(kBare, [&](std::string_view word) { return before.starts_with(word); })) return false;
    }
    if (std::ranges::any_of(kIfs, [&](std::string_view word) { return before.starts_with(word); })) return true;
    for (const std::string_view when : kWhens) {
        if (!before.starts_with(when)) continue;
        const std::string_view subject = before.substr(when.size());
        const std::string_view first = subject.substr(0, subject.find_first_of(" ,"));
        return first != "you" && first != "you're" && !first.ends_with("ing");
    }
    return false;
}

}  // namespace agent_audit::detectors
