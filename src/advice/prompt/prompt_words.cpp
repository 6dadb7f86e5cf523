#include "advice/prompt/prompt_words.hpp"

#include "advice/words/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace agent_audit::advice::prompt {
namespace {

constexpr std::size_t kFailureChars = 240;

// A code span that its text cannot leave.
std::string code(std::string_view text) {
    const std::string fence(longest_run(text, '`') + 1, '`');
    const bool pad = !text.empty() && (text.front() == '`' || text.back() == '`');
    return fence + (pad ? " " : "") + std::string(text) + (pad ? " " : "") + fence;
}

std::string class_of(ErrorClass error) {
    return error == ErrorClass::unknown ? std::string() : fmt::format(" ({} error)", name(error));
}

}  // namespace

std::size_t longest_run(std::string_view text, char of) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = c == of ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

std::string unmarked(std::string text) {
    for (const auto& [mark, harmless] : {std::pair<std::string_view, std::string_view>{"<|", "< |"}, {"|>", "| >"}}) {
        for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + harmless.size()))
            text.replace(at, mark.size(), harmless);
    }
    return text;
}

std::string Words::safe(std::string_view text) const { return clean(redact_ ? redact_(text) : std::string(text)); }

std::string Words::line_of(std::string_view text, std::size_t chars) const { return one_line(safe(text), chars); }

std::string Words::span_of(std::string_view text, std::size_t chars) const {
    return code(unmarked(line_of(text, chars)));
}

std::string Words::line(std::uint64_t line) const { return fmt::format("{} {}", noun_, line); }

std::string Words::place(std::uint32_t turn, std::uint64_t at) const {
    return turn > 0 ? fmt::format("turn {}, {}", turn, line(at)) : line(at);
}

std::string Words::lines(std::uint64_t first, std::uint64_t last) const {
    return first == last ? line(last) : fmt::format("{}s {}-{}", noun_, first, last);
}

std::string Words::times(std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string Words::block_quote(std::string_view text, std::size_t chars) const {
    const std::string words = unmarked(head_and_tail(safe(text), chars));
    std::string out = "> ";
    bool blank = false;
    for (const char c : words) {
        if (c == '\n') {
            if (!blank) out += "\n> ";
            blank = true;
            continue;
        }
        blank = blank && c == ' ';
        out += c;
    }
    return out;
}

std::string Words::quoted(const Quote& q, std::size_t chars) const {
    return fmt::format("- \"{}\" ({})", unmarked(line_of(q.text, chars)), place(q.turn, q.line));
}

std::string Words::call_of(std::string_view call) const {
    return call.empty() ? "without arguments" : span_of(call, 160);
}

std::string Words::check_of(const std::string& command, const std::string& directory, std::size_t chars) const {
    const bool told =
        directory.empty() || (command + " ").find(" " + directory + " ") != std::string::npos;  // make -C build
    return span_of(command, chars) + (told ? std::string() : " in " + span_of(directory, 120));
}

std::string Words::failure(const Failure& f, const std::string& how) const {
    const std::string tool = span_of(f.tool, 40);
    const std::size_t left = kFailureChars - std::min(kFailureChars - 40, how.size() + tool.size() + 6);
    return fmt::format("- {} {}{}", tool, f.call.empty() ? "without arguments" : span_of(f.call, left), how);
}

std::string Words::how_often(const Failure& f, bool with_class) {
    if (f.error == ErrorClass::user_denied)
        return fmt::format("refused {} (by the user or a policy)", times(f.count, "time"));
    return fmt::format("failed {}{}", times(f.count, "time"), with_class ? class_of(f.error) : std::string());
}

}  // namespace agent_audit::advice::prompt
