#include "report/escape/markdown_text.hpp"

#include <algorithm>

namespace agent_audit::report {
namespace {

constexpr std::string_view kBreak = "\u200B";  // shows nothing, and ends every word a service looks for

std::size_t longest_run(std::string_view text, char mark) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == mark ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

bool is_markup(char c) { return std::string_view("\\`*_{}[]|~^$").find(c) != std::string_view::npos; }

// Where a mark at the start of a line would make a heading, list, quote or rule of it: "# a", "- a", "12. a".
std::size_t mark_at_start(std::string_view line) {
    std::size_t at = line.find_first_not_of(' ');
    if (at == line.npos) return line.npos;
    if (std::string_view("#+-=").find(line[at]) != std::string_view::npos) return at;
    const std::size_t digits = at;
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
    return at > digits && at < line.size() && (line[at] == '.' || line[at] == ')') ? at : line.npos;
}

// "www." starts a link in several dialects, in any case.
bool at_www(std::string_view text, std::size_t at) {
    constexpr std::string_view kWww = "www.";
    if (text.size() - at < kWww.size()) return false;
    for (std::size_t i = 0; i < kWww.size(); ++i) {
        const char c = text[at + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != kWww[i]) return false;
    }
    return true;
}

}  // namespace

std::string markdown_prose(std::string_view line) {
    std::string out;
    const std::size_t mark = mark_at_start(line);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        switch (c) {
            case '<': out += "&lt;"; continue;
            case '>': out += "&gt;"; continue;
            case '&': out += "&amp;"; continue;
            case '@': out.append("@").append(kBreak); continue;
            default: break;
        }
        if (at_www(line, i)) {
            out.append(line.substr(i, 3)).append(kBreak);
            i += 2;
            continue;
        }
        if (is_markup(c) || i == mark) out += '\\';
        out += c;
        if (c == ':' && line.substr(i + 1).starts_with("//")) out += kBreak;
        // #12 and !12 are references to issues in several dialects.
        if (c == '#' || c == '!') out += kBreak;
    }
    return out;
}

std::string markdown_code(std::string_view line) {
    if (line.empty()) return {};
    const std::string fence(longest_run(line, '`') + 1, '`');
    // A blank on either side is taken off again, and keeps backticks of the text from joining the fence.
    return fence + " " + std::string(line) + " " + fence;
}

std::string markdown_block(std::string_view lines) {
    const std::string fence(std::max<std::size_t>(longest_run(lines, '`') + 1, 3), '`');
    std::string out = fence + "text\n";
    out += lines;
    if (!out.ends_with('\n')) out += '\n';
    return out + fence + "\n";
}

}  // namespace agent_audit::report
