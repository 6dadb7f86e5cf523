#include "detectors/speech/rule_subject.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kModals[] = {"must",  "should", "may",     "shall",  "can",      "could",  "will",
                                        "would", "might",  "have to", "has to", "ought to", "are to", "is to"};
constexpr std::string_view kCopulas[] = {"are", "is", "'re", "’re"};  // "you are not allowed to"
// Where the last thought before the prohibition begins.
constexpr std::string_view kCuts[] = {", ",    "; ",    ": ",   " - ",    " — ", " – ", "(",
                                      " and ", " but ", " so ", " then ", "，",  "：",  "；"};
constexpr std::string_view kAgents[] = {"you",
                                        "u",
                                        "we",
                                        "nobody",
                                        "no one",
                                        "anyone",
                                        "anybody",
                                        "the agent",
                                        "agents",
                                        "all changes",
                                        "all edits",
                                        "any changes",
                                        "all your changes",
                                        "claude",
                                        "codex",
                                        "gemini",
                                        "the assistant",
                                        "the ai",
                                        "ai",
                                        "your changes",
                                        "your change",
                                        "the change",
                                        "the changes",
                                        "this change",
                                        "these changes",
                                        "the fix",
                                        "this fix",
                                        "your fix",
                                        "the patch",
                                        "your patch",
                                        "this patch",
                                        "the pr",
                                        "this pr",
                                        "your pr",
                                        "the refactoring",
                                        "your work",
                                        "the solution",
                                        "your solution",
                                        "please",
                                        "also",
                                        "just",
                                        "always",
                                        "therefore",
                                        "still",
                                        "now",
                                        "then",
                                        "again",
                                        "and",
                                        "but",
                                        "so",
                                        "or"};
constexpr std::string_view kPrepositions[] = {
    "for ",    "in ",     "on ",    "at ", "under ", "during ",     "while ",    "as ",   "with ", "from ", "until ",
    "within ", "before ", "after ", "by ", "since ", "throughout ", "whatever ", "even ", "when ", "once "};
constexpr std::string_view kDeterminers[] = {"the", "a",    "an",    "this", "that",  "these", "those", "my",
                                             "our", "his",  "her",   "its",  "their", "it",    "they",  "he",
                                             "she", "each", "every", "all",  "some",  "i"};

bool ends_with_word(std::string_view text, std::string_view word) {
    if (!text.ends_with(word)) return false;
    return text.size() == word.size() || !is_alnum(text[text.size() - word.size() - 1]) || word[0] == '\'';
}

template <std::size_t N>
bool drop_last(std::string_view& text, const std::string_view (&words)[N]) {
    const auto word = std::ranges::find_if(words, [&](std::string_view w) { return ends_with_word(text, w); });
    if (word == std::end(words)) return false;
    text = trimmed(text.substr(0, text.size() - word->size()));
    return true;
}

// 用户不能删除文件 is about what the product does. The words that say what may or can be done need somebody who is not
// told; an order (不要, 请勿) is for the agent.
bool wide_speaks_to_agent(std::string_view before, std::string_view phrase) {
    constexpr std::string_view kMays[] = {"不能", "不得", "不可以", "不准", "不许"};
    constexpr std::string_view kTold[] = {
        "你", "您",   "你们", "我们", "请",   "这里", "此处", "环境里", "项目里", "项目中", "机器上",
        "也", "都",   "绝",   "绝对", "千万", "一定", "但",   "但是",   "而且",   "并且",   "并",
        "且", "同时", "另外", "所以", "务必", "代理", "ai",   "agent",  "助手",   "过程中", "期间",
        "时", "这次", "本次", "今天", "现在", "目前", "暂时", "仍然",   "还是",   "，",     "。",
        "：", "；",   "、",   "！",   ",",    ":",    "-",    "*"};
    if (std::ranges::find(kMays, phrase) == std::end(kMays)) return true;
    before = trimmed(before);
    return before.empty() || std::ranges::any_of(kTold, [&](std::string_view told) { return before.ends_with(told); });
}

// "The linter says: do not edit", "npm error: do not run": words of a program.
bool is_output(std::string_view before) {
    constexpr std::string_view kMarks[] = {"error", "fatal", "hint", "remote", "err!"};
    constexpr std::string_view kPrograms[] = {"output", "log",    "linter", "compiler", "header", "comment",
                                              "banner", "eslint", "npm",    "git",      "docs",   "documentation",
                                              "readme", "ci",     "hook",   "tool",     "it",     "file"};
    constexpr std::string_view kSays[] = {" says",     " say",       " said",    " reads", " prints",
                                          " tells me", " complains", " reports", " states"};
    if (!before.ends_with(':')) return false;
    before.remove_suffix(1);
    if (std::ranges::any_of(kMarks, [&](std::string_view mark) { return ends_with_word(before, mark); })) return true;
    const auto says = std::ranges::find_if(kSays, [&](std::string_view word) { return before.ends_with(word); });
    if (says == std::end(kSays)) return false;
    before.remove_suffix(says->size());
    return std::ranges::any_of(kPrograms, [&](std::string_view program) { return ends_with_word(before, program); });
}

std::string_view last_thought(std::string_view before) {
    for (const std::string_view cut : kCuts) {
        if (const std::size_t at = before.rfind(cut); at != before.npos) before.remove_prefix(at + cut.size());
    }
    return trimmed(before);
}

}  // namespace

bool speaks_to_agent(std::string_view before, std::string_view phrase) {
    if (static_cast<unsigned char>(phrase[0]) >= 0x80) return wide_speaks_to_agent(before, phrase);
    before = trimmed(before);
    if (is_output(before)) return false;
    if (before.empty() || std::string_view(",;:-(").find(before.back()) != std::string_view::npos) return true;
    bool modal = phrase.starts_with("must") || phrase.starts_with("may") || phrase.starts_with("should") ||
                 phrase.starts_with("not allowed") || phrase.ends_with("not to ");
    if (phrase.starts_with("rather"))
        return before.ends_with("i'd") || before.ends_with("i’d") || before.ends_with("would");
    if (phrase.starts_with("not allowed") || phrase.starts_with("only allowed")) drop_last(before, kCopulas);
    modal = drop_last(before, kModals) || modal;
    const std::string_view subject = last_thought(before);
    if (subject.empty() ||
        std::ranges::any_of(kAgents, [&](std::string_view agent) { return ends_with_word(subject, agent); }))
        return true;
    // "Make the codemod edit only .ts files"
    constexpr std::string_view kMakes[] = {"make the ", "make it ",  "make a ", "let the ",
                                           "let it ",   "have the ", "have it "};
    if (modal || starts_with_any(subject, kMakes)) return false;
    if (starts_with_any(subject, kPrepositions)) return true;
    const std::string_view first = subject.substr(0, subject.find(' '));
    const bool plural = first.size() == subject.size() && first.ends_with('s') && first.size() > 3;  // "uploads never"
    return !plural && std::ranges::find(kDeterminers, first) == std::end(kDeterminers);
}

bool under_condition(std::string_view before) {
    constexpr std::string_view kIfs[] = {"if ",    "in case ",  "should ", "as long as ", "whenever ",
                                         "once ",  "otherwise", "in prod", "on prod",     "in ci ",
                                         "in ci,", "on ci ",    "on ci,"};
    constexpr std::string_view kWhens[] = {"when ", "while "};
    constexpr std::string_view kWideIfs[] = {"如果", "假如", "要是", "倘若", "万一", "的话", "为什么", "为何",
                                             "怎么", "以前", "从前", "原来", "曾经", "过去", "原本"};
    constexpr std::string_view kIfYou[] = {" if you", " if we", " whether you",
                                           " when you"};  // "it's fine if you don't …"
    before = trimmed(before);
    if (contains_any(before, kWideIfs)) return true;
    if (std::ranges::any_of(kIfYou, [&](std::string_view word) { return before.ends_with(word); })) return true;
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
