#include "detectors/commands/typed_echo.hpp"

#include "detectors/words/raw_lines.hpp"
#include "support/shell_prompt.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kSurelyOneLine = 60;  // bytes; the screen may wrap longer ones

std::string_view trimmed(std::string_view text, Spelling spelling) {
    for (;;) {
        if (text.ends_with(' '))
            text.remove_suffix(1);
        else if (text.size() >= line_end_size(spelling) &&
                 is_line_end(text, text.size() - line_end_size(spelling), spelling))
            text.remove_suffix(line_end_size(spelling));
        else
            return text;
    }
}

struct Echo {
    std::string_view prompt;
    std::size_t begin = 0;
    std::size_t end = std::string_view::npos;  ///< of its line, which begins with the prompt
};

// The last one: what stands above it was there before.
Echo find_echo(std::string_view screen, std::string_view line, Spelling spelling) {
    for (std::size_t at = screen.rfind(line); at != screen.npos; at = screen.substr(0, at).rfind(line)) {
        const std::size_t before = line_end_before(screen, at, spelling);
        const std::size_t begin = before == screen.npos ? 0 : before + line_end_size(spelling);
        const std::string_view prompt = screen.substr(begin, at - begin);
        const std::size_t end = std::min(line_end(screen, at, spelling), screen.size());
        const bool whole = line.size() + 1 >= kSurelyOneLine ||  // a blank at its end was taken off
                           trimmed(screen.substr(at + line.size(), end - at - line.size()), spelling).empty();
        if (whole && ends_with_prompt(prompt)) return {prompt, at, end};
        if (at == 0) break;
    }
    return {};
}

// A line that is too long for the screen goes on in the next one, which may swallow a blank: so many bytes are missing
// yet.
std::string_view behind_wrapped(std::string_view printed, std::size_t missing, Spelling spelling) {
    RawLines lines(printed, spelling);
    std::size_t begin = 0, blanks = 0;
    for (std::string_view line; missing > blanks && lines.next(line); begin = lines.position()) {
        if (line.size() > missing) return printed;
        missing -= line.size();
        ++blanks;
    }
    return missing <= blanks ? printed.substr(begin) : printed;
}

// Of a here-document each line is shown at a prompt of its own.
std::string_view behind_continued(std::string_view printed, Spelling spelling) {
    RawLines lines(printed, spelling);
    std::size_t begin = 0;
    for (std::string_view line; lines.next(line) && line.starts_with("> ");) begin = lines.position();
    return printed.substr(begin);
}

}  // namespace

RawText behind_echo(RawText screen, RawText typed, std::size_t typed_bytes) {
    if (screen.form != typed.form) return screen;
    const Spelling spelling = screen.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    const std::size_t end = line_end(typed.bytes, 0, spelling);
    const std::string_view line = trimmed(typed.bytes.substr(0, std::min(end, kSurelyOneLine)), spelling);
    if (line.empty()) return screen;
    const Echo echo = find_echo(screen.bytes, line, spelling);
    if (echo.end == screen.bytes.npos) return screen;
    std::string_view printed = screen.bytes.substr(echo.end);
    if (!printed.empty()) printed.remove_prefix(line_end_size(spelling));
    const bool one_line = end == typed.bytes.npos || end + line_end_size(spelling) == typed_bytes;
    const std::size_t whole = typed_bytes - std::min(typed_bytes, line_end_size(spelling));
    const std::size_t shown = echo.end - echo.begin;
    if (one_line && shown < whole) printed = behind_wrapped(printed, whole - shown, spelling);
    if (!one_line) printed = behind_continued(printed, spelling);
    printed = trimmed(printed, spelling);
    const std::string_view prompt = trimmed(echo.prompt, spelling);
    const std::string_view rest = printed.substr(0, printed.size() - std::min(printed.size(), prompt.size()));
    const bool at_line_begin = rest.empty() || trimmed(rest, spelling).size() < rest.size();
    if (printed.ends_with(prompt) && at_line_begin) printed = trimmed(rest, spelling);
    return {printed, screen.form};
}

RawText behind_command(RawText said, RawText command, std::size_t command_bytes) {
    if (command.empty() || said.form != command.form || said.size() < command_bytes ||
        !said.bytes.starts_with(command.bytes))
        return said;
    const Spelling spelling = said.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    std::string_view printed = said.bytes.substr(command_bytes);  // of a long command only the beginning is kept
    constexpr std::string_view kReturns[] = {"\r", "\\r"};        // before a line end of a terminal
    for (const std::string_view mark : kReturns) {
        if (printed.starts_with(mark)) printed.remove_prefix(mark.size());
    }
    if (printed.empty()) return {printed, said.form};
    if (!is_line_end(printed, 0, spelling)) return said;
    printed.remove_prefix(line_end_size(spelling));
    return {printed, said.form};
}

}  // namespace agent_audit::detectors
