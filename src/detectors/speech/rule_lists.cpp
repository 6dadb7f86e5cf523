#include "detectors/speech/rule_lists.hpp"

#include "detectors/speech/rule_forms.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace agent_audit::detectors {
namespace {

// "- a", "* a", "1. a"
bool is_item(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (digits > 0 && digits < 3) return line.substr(digits).starts_with(". ") || line.substr(digits).starts_with(") ");
    return line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ");
}

// "Do not:", "## DON'T", "Don'ts": nothing but that what follows is not to be done.
bool is_bare_ban(std::string_view line) {
    constexpr std::string_view kBans[] = {
        "do not",         "don't",         "don’t",        "dont",         "do nots",      "don'ts",
        "don’ts",         "donts",         "never",        "must not",     "you must not", "you should not",
        "you may not",    "please do not", "please don't", "please don’t", "please never", "things not to do",
        "what not to do", "avoid",         "please avoid"};
    const bool heading = line.starts_with('#');
    line = trimmed(line.substr(std::min(line.find_first_not_of("#❌🚫⛔"), line.size())));
    const bool opens = line.ends_with(':');
    if (opens) line = trimmed(line.substr(0, line.size() - 1));
    return (opens || heading) && std::ranges::find(kBans, std::string_view(lowered(line))) != std::end(kBans);
}

}  // namespace

std::string with_bans_spelled(std::string_view text, bool (*tells)(std::string_view)) {
    std::string out;
    bool banned = false, listed = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end), inner = trimmed(line);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool item = is_item(inner);
        if (banned && item) {
            const std::string_view words = trimmed(inner.substr(inner.find(' ')));
            const std::string order = as_order(words);
            listed = true;
            out.append(tells(inner) ? std::string(inner) : "do not " + (order.empty() ? std::string(words) : order))
                .push_back('\n');
            continue;
        }
        // A list may stand behind a blank line, and ends with one.
        banned = is_bare_ban(inner) || (banned && inner.empty() && !listed);
        listed = false;
        out.append(line).push_back('\n');
    }
    return out;
}

std::string with_lists_joined(std::string_view text, bool (*tells)(std::string_view)) {
    constexpr std::size_t kLongest = 360;
    std::string out;
    std::size_t sentence = 0;  // length so far of the sentence that takes up items; 0 = none does
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end), inner = trimmed(line);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool item = is_item(inner);
        const std::string_view words = item ? trimmed(inner.substr(inner.find(' '))) : inner;
        const bool joins = sentence > 0 && item && sentence + inner.size() < kLongest && !tells(words);
        if (joins) {
            out.pop_back();
            out.append(out.ends_with(':') ? " " : ", ").append(words);
            sentence += inner.size();
        } else if (sentence > 0 && inner.empty() && out.ends_with(":\n")) {
            continue;  // a blank line before its list
        } else if (inner.starts_with('#') && tells(inner)) {
            const std::string_view heading =
                trimmed(inner.substr(std::min(inner.find_first_not_of('#'), inner.size())));
            out.append(heading);
            if (!heading.ends_with(':')) out.push_back(':');
            sentence = inner.size();
        } else {
            out.append(line);
            sentence = inner.ends_with(':') && tells(inner) ? inner.size() : 0;
        }
        out.push_back('\n');
    }
    return out;
}

}  // namespace agent_audit::detectors
