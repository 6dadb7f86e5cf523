#include <agent_audit/advice/goal.hpp>

#include "advice/error_line.hpp"
#include "advice/text.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kLongestRemark = 80;     // bytes
constexpr std::size_t kLongestApproval = 160;
constexpr std::size_t kMostBetween = 16, kBetweenChars = 240, kSameChars = 60;

// What people say to keep an agent going. The rest of the message may only be words of this kind.
constexpr std::array<std::string_view, 51> kRemarks{
    "hello", "hi",     "hey",     "yo",    "there",
    "yes",  "y",      "yep",     "yeah",  "ok",     "okay",  "sure",    "continue", "go",     "on",     "ahead", "proceed",
    "please", "thanks", "thank",  "you",   "great",  "good",  "nice",    "perfect",  "cool",   "right",  "done",  "keep",
    "going", "do",     "it",      "that",  "no",     "next",  "the",     "all",      "correct", "fine",  "lgtm",  "and",
    "then",  "now",    "resume",  "carry", "looks",  "so",    "far",     "well",     "agreed", "awesome"};

constexpr std::array<std::string_view, 17> kApprovals{
    "lgtm",         "looks good", "looks great", "works now",  "it works", "works great", "works well", "that works", "perfect",
    "well done",    "great job",  "approved",    "good job",   "ship it",  "\u5F88\u597D", "\u53EF\u4EE5\u4E86", "\u6CA1\u95EE\u9898"};

// Whoever says one of these has more to say.
constexpr std::array<std::string_view, 14> kReserves{"but", "not", "don't", "doesn't", "still", "except", "however", "error",
                                                     "fail", "fails", "wrong", "instead", "\u4F46", "\u4E0D"};

// "Continue to investigate and tell me how to fix this": it goes on with a request that stands before it. A longer message
// says what it wants by itself.
bool goes_on(std::string_view text) {
    constexpr std::size_t kLongest = 100;
    constexpr std::array<std::string_view, 14> kPolite{"ok ", "okay ", "yes ", "please ", "now ", "so ", "then ", "and ", "can you ",
                                                       "could you ", "let's ", "just ", "yes, ", "ok, "};
    constexpr std::array<std::string_view, 10> kOn{"continue", "go on", "go ahead", "keep going", "carry on", "proceed", "resume",
                                                   "try again", "try it again", "\u7EE7\u7EED"};
    if (text.size() > kLongest) return false;
    const std::string low = lower(text);
    std::string_view rest = low;
    for (bool more = true; more;) {
        const auto polite = std::ranges::find_if(kPolite, [&](std::string_view word) { return rest.starts_with(word); });
        more = polite != kPolite.end();
        if (more) rest.remove_prefix(polite->size());
    }
    return std::ranges::any_of(kOn, [&](std::string_view word) {
        if (!rest.starts_with(word)) return false;
        const char next = rest.size() > word.size() ? rest[word.size()] : ' ';
        return next < 'a' || next > 'z';
    });
}

}  // namespace

std::string folded_request(std::string_view text, std::size_t max_chars) {
    constexpr std::string_view kMark = " [\u2026] ";
    std::string whole = one_line(text, max_chars);
    if (!whole.ends_with("\u2026") || max_chars < 40) return whole;
    const std::string error = error_in(text);
    if (error.empty() || whole.find(error) != whole.npos || error.find(kMark) != error.npos) return one_line(head_and_tail(one_line(text, text.size()), max_chars), max_chars);
    const std::string shown = one_line(error, max_chars / 2);
    return one_line(text, max_chars / 2 - 5) + std::string(kMark) + shown;
}

bool is_request(const UserMessage& message) {
    return !message.quote.text.empty() && !is_remark(message.quote.text) && !goes_on(message.quote.text);
}

bool is_remark(std::string_view text) {
    if (text.size() > kLongestRemark) return false;
    const std::string low = lower(text);
    std::size_t words = 0;
    for (std::size_t at = 0; at < low.size();) {
        const auto letter = [&](std::size_t i) { return (low[i] >= 'a' && low[i] <= 'z') || static_cast<unsigned char>(low[i]) >= 0x80; };
        if (!letter(at)) {
            if (low[at] >= '0' && low[at] <= '9') return false;  // "do 3" chooses something
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < low.size() && letter(end)) ++end;
        if (std::ranges::find(kRemarks, std::string_view(low).substr(at, end - at)) == kRemarks.end()) return false;
        ++words;
        at = end;
    }
    return words > 0 || text.empty();
}

bool is_approval(std::string_view text) {
    if (text.size() > kLongestApproval || text.find('?') != text.npos) return false;
    const std::string low = lower(text);
    const auto says = [&](std::string_view word) { return has_word(low, word); };
    return std::ranges::any_of(kApprovals, says) && std::ranges::none_of(kReserves, says);
}

Goal goal_of(std::span<const UserMessage> messages) {
    Goal goal;
    // What a person wrote counts; where nobody did, whoever gave the agent its task.
    const bool people = std::ranges::any_of(messages, [](const UserMessage& m) { return m.human && !m.quote.text.empty(); });
    std::vector<const UserMessage*> said;
    for (const UserMessage& message : messages) {
        if (!message.quote.text.empty() && (message.human || !people)) said.push_back(&message);
    }
    if (said.empty()) return goal;
    const auto first = std::ranges::find_if(said, [](const UserMessage* m) { return is_request(*m); });
    goal.first = first == said.end() ? said.front()->quote : (*first)->quote;
    const auto latest = std::find_if(said.rbegin(), said.rend(), [](const UserMessage* m) { return is_request(*m); });
    if (latest != said.rend() && (*latest)->quote.line != goal.first.line) goal.latest = (*latest)->quote;
    const std::uint64_t asked = goal.latest ? goal.latest->line : goal.first.line;
    if (said.back()->quote.line > asked) goal.remark = said.back()->quote;
    // What else was asked for on the way, the newest first. A "go on" with words of its own counts here.
    for (auto at = said.rbegin(); at != said.rend(); ++at) {
        const Quote& quote = (*at)->quote;
        if (quote.line <= goal.first.line || quote.line >= asked || is_remark(quote.text) || quote.text.find(' ') == quote.text.npos) continue;
        std::string text = folded_request(quote.text, kBetweenChars);
        // Who was interrupted mostly says the same again.
        if (std::ranges::any_of(goal.between, [&](const Quote& newer) { return newer.text.starts_with(std::string_view(text).substr(0, kSameChars)); })) continue;
        if (goal.between.size() == kMostBetween) {
            ++goal.left_out;
        } else {
            goal.between.push_back({std::move(text), quote.line, quote.turn});
        }
    }
    return goal;
}

}  // namespace agent_audit::advice
