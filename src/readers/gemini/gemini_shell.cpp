#include "readers/gemini/gemini_shell.hpp"

#include "readers/gemini/gemini_marks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 5> kTail{
    "Process Group PGID: ", "Background PIDs: ", "Signal: ", "Exit Code: ", "Error: (none)"};

std::string_view without_tail(std::string_view text, std::string_view line_end) {
    constexpr std::size_t kLongestLine = 400;  // many background processes
    for (std::size_t lines = 0; lines < kTail.size(); ++lines) {
        const std::size_t end = text.rfind(line_end);
        if (end == text.npos || text.size() - end > kLongestLine) break;
        const std::string_view line = text.substr(end + line_end.size());
        if (std::ranges::none_of(kTail, [&](std::string_view begin) { return line.starts_with(begin); })) break;
        text = text.substr(0, end);
    }
    return text;
}

std::string_view without_head(std::string_view text, std::string_view line_end) {
    constexpr std::string_view kOutput = "Output: ";
    if (text.starts_with(kOutput)) return text.substr(kOutput.size());
    if (!text.starts_with("Command: ")) return text;
    for (const std::string_view begin : {kOutput, std::string_view("Stdout: ")}) {
        std::size_t at = text.find(begin);
        while (at != text.npos && !text.substr(0, at).ends_with(line_end)) at = text.find(begin, at + 1);
        if (at != text.npos) return text.substr(at + begin.size());
    }
    return text;
}

}  // namespace

RawText shell_answer(RawText answer) {
    const std::string_view line_end = answer.form == TextForm::plain ? "\n" : "\\n";
    answer = without_marks(answer);
    const std::string_view whole = answer.bytes;
    if (answer.form == TextForm::json_value || !(whole.starts_with("Command: ") || whole.starts_with("Output: "))) {
        return answer;
    }
    answer.bytes = without_head(without_tail(whole, line_end), line_end);
    if (answer.bytes == "(empty)") answer.bytes = {};
    return answer;
}

}  // namespace agent_audit::readers
