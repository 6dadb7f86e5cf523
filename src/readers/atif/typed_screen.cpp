#include "readers/atif/typed_screen.hpp"

#include "support/shell_prompt.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

// Longer lines may be wrapped by the screen: so much of them is enough to know them again.
constexpr std::size_t kSurelyOneLine = 60;  // bytes

std::string_view line_end_of(TextForm form) { return form == TextForm::plain ? "\n" : "\\n"; }

// Where a line ends at `from` or behind it: as one byte, or as the two of a JSON string, whose backslash is none
// itself.
std::size_t find_line_end(std::string_view text, std::string_view line_end, std::size_t from) {
    for (std::size_t at = text.find(line_end, from); at != text.npos; at = text.find(line_end, at + 1)) {
        std::size_t escapes = 0;
        while (escapes < at - from && text[at - escapes - 1] == '\\') ++escapes;
        if (line_end.size() == 1 || escapes % 2 == 0) return at;
    }
    return text.npos;
}

// The first line of what was typed, as far as the screen is sure to show it in one line. Empty = no command line.
std::string_view first_line(RawText keys) {
    const std::size_t end = find_line_end(keys.bytes, line_end_of(keys.form), 0);
    if (end == keys.bytes.npos) return {};
    std::string_view line = keys.bytes.substr(0, std::min(end, kSurelyOneLine));
    while (line.ends_with(' ')) line.remove_suffix(1);
    return line;
}

bool shows(std::string_view line, std::string_view echo) {
    for (std::size_t at = line.find(echo); at != line.npos; at = line.find(echo, at + 1)) {
        if (!ends_with_prompt(line.substr(0, at))) continue;
        const bool whole = line.find_first_not_of(' ', at + echo.size()) == line.npos;
        if (whole || echo.size() >= kSurelyOneLine - 1) return true;  // a blank at its end was taken off
    }
    return false;
}

}  // namespace

bool TypedScreen::cut(RawText screen) {
    screen_ = screen;
    begins_.clear();
    const std::string_view text = screen.bytes, line_end = line_end_of(screen.form);
    std::size_t line = 0;  // where the line begins that is looked at
    for (const RawText& keys : keys_) {
        const std::string_view echo = keys.form == screen.form ? first_line(keys) : std::string_view{};
        if (echo.empty()) return false;
        for (bool found = false; !found;) {
            if (line >= text.size()) return false;
            const std::size_t end = find_line_end(text, line_end, line);
            const std::string_view shown = text.substr(line, end == text.npos ? end : end - line);
            found = shows(shown, echo);
            if (found) begins_.push_back(line);
            line = end == text.npos ? text.size() : end + line_end.size();
        }
    }
    if (!begins_.empty()) begins_.front() = 0;
    return !begins_.empty();
}

RawText TypedScreen::part(std::size_t i) const {
    const std::size_t begin = begins_[i];
    const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] - line_end_of(screen_.form).size() : screen_.size();
    return {screen_.bytes.substr(begin, end - begin), screen_.form};
}

}  // namespace agent_audit::readers
