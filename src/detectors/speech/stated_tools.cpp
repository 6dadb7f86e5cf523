#include "detectors/speech/stated_tools.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostNames = 16;
constexpr std::size_t kShortestName = 3;
constexpr std::size_t kMostWords = 3;  // of what is listed and has no name of a tool: "web search"

constexpr std::string_view kUses[] = {"use ", "call ", "invoke ", "run ", "execute ",
                                      "使用", "调用",  "运行",    "执行", "用"};
constexpr std::string_view kBeforeName[] = {" ",      "`",         "the ",      "any ",    "your ",
                                            "a ",     "an ",       "either ",   "both ",   "tool ",
                                            "tools ", "function ", "built-in ", "one of ", "of "};
// "tools like WebSearch"
constexpr std::string_view kExamples[] = {" like ", " such as ", " including ", " e.g. "};
constexpr std::string_view kTool[] = {"`", " ", "tools", "tool", "工具"};
// What may stand behind a name. Another word would make it a part of something else: "user_id columns".
constexpr std::string_view kBehindName[] = {
    "or",       "and",    "nor",      "for",       "to",      "in",      "on",  "at",      "as",
    "by",       "with",   "from",     "under",     "during",  "here",    "now", "ever",    "any",
    "anymore",  "please", "this",     "yourself",  "so",      "i",       "we",  "because", "since",
    "directly", "either", "function", "functions", "command", "commands"};
constexpr std::string_view kNext[] = {" ", ",", "/", "、", "，", "or ", "and ", "nor ", "或者", "以及", "或", "和"};

// Behind such a comma the prohibition goes on.
constexpr std::string_view kLinks[] = {"and ", "or ", "nor ", "the ", "any "};
constexpr std::string_view kGoesOn[] = {"`",      "-",           "including ",  "such as ",  "like ",
                                        "e.g.",   "for example", "especially ", "not even ", "neither ",
                                        "under ", "in any ",     "for any ",    "no matter", "whatever",
                                        "ever ",  "please",      "git ",        "npm "};

bool is_name(char c) { return is_alnum(c) || c == '_' || c == '-'; }

bool has_hump(std::string_view name) {
    for (std::size_t i = 1; i < name.size(); ++i) {
        const bool lower_before = is_lower(name[i - 1]);
        if (name[i] == '_' || (lower_before && is_upper(name[i]))) return true;
    }
    return false;
}

bool ends_name(std::string_view behind) {
    if (behind.size() > 1 && behind[0] == '.') return !is_alnum(behind[1]);  // and no file
    const std::string_view word = behind.starts_with(' ') ? letters_of(trimmed(behind)) : std::string_view{};
    return word.empty() || std::ranges::find(kBehindName, word) != std::end(kBehindName);
}

/// Goes through a clause word by word.
class ToolList {
public:
    ToolList(std::string_view said, std::string_view lower) : said_(said), lower_(lower) {}

    std::vector<std::string> read() {
        if (!take(kUses)) return {};
        skip_to_examples();
        while (found_.size() < kMostNames) {
            while (take(kBeforeName)) {
            }
            name();
            more_words();
            if (!next()) break;
        }
        return std::move(found_);
    }

private:
    template <std::size_t N>
    bool take(const std::string_view (&words)[N]) {
        const std::string_view rest = lower_.substr(std::min(at_, lower_.size()));
        const auto word = std::ranges::find_if(words, [&](std::string_view w) { return rest.starts_with(w); });
        if (word == std::end(words)) return false;
        at_ += word->size();
        return true;
    }

    void skip_to_examples() {
        const std::string_view head = lower_.substr(0, lower_.find(','));
        for (const std::string_view example : kExamples) {
            if (const std::size_t found = head.find(example); found != head.npos)
                at_ = std::max(at_, found + example.size());
        }
    }

    void name() {
        const std::size_t begin = at_;
        while (at_ < said_.size() && is_name(said_[at_])) ++at_;
        const std::string_view name = said_.substr(begin, at_ - begin);
        constexpr std::string_view kTick[] = {"`"};
        take(kTick);
        const std::size_t behind = at_;
        bool before_tool = false;
        for (std::size_t from = at_; take(kTool); from = at_) before_tool = before_tool || at_ > from + 1;
        if (!before_tool) at_ = behind;
        if (name.size() >= kShortestName && (before_tool || (has_hump(name) && ends_name(lower_.substr(at_)))))
            found_.emplace_back(name);
    }

    // "web search or WebFetch"
    void more_words() {
        for (std::size_t n = 1; n < kMostWords && at_ < lower_.size() && lower_[at_] == ' '; ++n) {
            const std::string_view word = letters_of(lower_.substr(at_ + 1));
            if (word.empty() || std::ranges::find(kBehindName, word) != std::end(kBehindName)) return;
            at_ += 1 + word.size();
        }
    }

    bool next() {
        bool listed = false;
        for (std::size_t from = at_; take(kNext); from = at_) listed = listed || lower_[from] != ' ';
        return listed;
    }

    std::string_view said_, lower_;
    std::size_t at_ = 0;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> ruled_out_tools(std::string_view said, std::string_view lower) {
    return ToolList(said, lower).read();
}

std::size_t length_of_ban(std::string_view lower) {
    bool ticked = false;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        if (lower[i] == '`') ticked = !ticked;
        if (ticked || !lower.substr(i).starts_with(", ")) continue;
        std::string_view rest = trimmed(lower.substr(i + 1));
        for (const std::string_view link : kLinks) {
            if (rest.starts_with(link)) rest.remove_prefix(link.size());
        }
        if (!starts_with_any(rest, kGoesOn)) return i;
    }
    return lower.size();
}

}  // namespace agent_audit::detectors
