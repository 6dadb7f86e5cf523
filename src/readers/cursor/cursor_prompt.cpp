#include "readers/cursor/cursor_prompt.hpp"

#include "readers/json/raw_blanks.hpp"

#include <algorithm>
#include <string_view>

namespace agent_audit::readers {
namespace {

constexpr std::string_view kOpen = "<user_query>", kClose = "</user_query>";

// In plain text \n are two characters, and stay.
RawText trimmed(RawText text) {
    constexpr std::string_view kBlanks = " \n\r\t";
    if (text.form != TextForm::plain) {
        text.bytes = without_blanks_behind(without_blanks_in_front(text.bytes));
        return text;
    }
    text.bytes.remove_prefix(std::min(text.bytes.find_first_not_of(kBlanks), text.size()));
    text.bytes = text.bytes.substr(0, text.bytes.find_last_not_of(kBlanks) + 1);  // npos + 1 = 0
    return text;
}

}  // namespace

// The last query: a page that was added may hold such a tag as well, and the query stands behind what was added.
CursorPrompt split_cursor_prompt(RawText text) {
    if (!text.bytes.starts_with('<')) return {{}, text, {}};
    const std::size_t open = text.bytes.rfind(kOpen);
    if (open == text.bytes.npos) return {text, {}, {}};
    const std::size_t begin = open + kOpen.size(), end = std::min(text.bytes.find(kClose, begin), text.size());
    const auto part = [&](std::size_t from, std::size_t to) {
        return trimmed({text.bytes.substr(std::min(from, text.size()), to - from), text.form});
    };
    return {part(0, open), part(begin, end), part(end + kClose.size(), text.bytes.npos)};
}

}  // namespace agent_audit::readers
