#include "readers/cursor_prompt.hpp"

#include <algorithm>
#include <string_view>

namespace agent_audit::readers {
namespace {

constexpr std::string_view kOpen = "<user_query>", kClose = "</user_query>";
constexpr std::string_view kEscapedBlanks[] = {"\\n", "\\r", "\\t"};

bool drop_blank_front(RawText& text) {
    const auto drops = [&](std::string_view blank) {
        const bool drop = text.bytes.starts_with(blank);
        if (drop) text.bytes.remove_prefix(blank.size());
        return drop;
    };
    if (std::ranges::any_of(std::string_view(" \n\r\t"), [&](const char& c) { return drops({&c, 1}); })) return true;
    return text.form != TextForm::plain && std::ranges::any_of(kEscapedBlanks, drops);
}

bool drop_blank_end(RawText& text) {
    // A backslash before an escape may be one that escapes the backslash.
    const auto drops = [&](std::string_view blank) {
        const std::string_view kept = text.bytes.substr(0, text.bytes.size() - std::min(blank.size(), text.size()));
        const bool drop = text.bytes.ends_with(blank) && (blank.size() == 1 || !kept.ends_with('\\'));
        if (drop) text.bytes = kept;
        return drop;
    };
    if (std::ranges::any_of(std::string_view(" \n\r\t"), [&](const char& c) { return drops({&c, 1}); })) return true;
    return text.form != TextForm::plain && std::ranges::any_of(kEscapedBlanks, drops);
}

RawText trimmed(RawText text) {
    while (drop_blank_front(text)) {
    }
    while (drop_blank_end(text)) {
    }
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
