#include "pipeline/audit/file_lines.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace agent_audit {
namespace {

// Within a document a record has a beginning only, which is where its finding ends as well; elsewhere a finding ends
// at the newline or comma behind its last byte, on the same line.
std::uint64_t last_byte(const Finding& f) { return std::max(f.first_offset, f.end_offset); }

std::uint64_t line_of(std::uint64_t offset, const std::vector<std::uint64_t>& offsets,
                      const std::vector<std::uint64_t>& lines) {
    const auto at = std::ranges::lower_bound(offsets, offset) - offsets.begin();
    return lines[static_cast<std::size_t>(at)];
}

bool has_own_lines(const Finding& f) {
    return f.file_lines && f.file_lines->first == f.first_line && f.file_lines->last == f.last_line;
}

// Is it one of the lines that the finding is about?
bool is_line_of(const Finding& f, std::uint64_t line) {
    return line == f.first_line || line == f.last_line ||
           std::ranges::any_of(f.evidence, [line](const Evidence& e) { return e.line == line; });
}

std::uint64_t take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{} ? number : 0;
}

// "lines 9-12" at the beginning of a text, when the finding is about them: how much of it is the word. 0 = it is not.
std::size_t word_for_lines(std::string_view text, const Finding& f) {
    constexpr std::string_view kWords[] = {"lines ", "line "};
    const auto word = std::ranges::find_if(kWords, [text](std::string_view w) { return text.starts_with(w); });
    if (word == std::end(kWords)) return 0;
    std::string_view rest = text.substr(word->size());
    bool about = is_line_of(f, take_number(rest));
    if (about && rest.starts_with('-')) {
        rest.remove_prefix(1);
        about = is_line_of(f, take_number(rest));
    }
    return about ? word->size() : 0;
}

std::string with_records(const Finding& f) {
    std::string out;
    bool quoted = false, within_word = false;
    for (std::string_view rest = f.message; !rest.empty();) {
        const std::size_t word = quoted || within_word ? 0 : word_for_lines(rest, f);
        if (word > 0)
            out += rest.starts_with("lines") ? "records " : "record ";
        else
            out += rest.front();
        quoted ^= rest.front() == '`';
        within_word = word == 0 && is_letter(rest.front());
        rest.remove_prefix(std::max<std::size_t>(word, 1));
    }
    return out;
}

}  // namespace

void call_lines_records(std::span<SessionPart> sessions) {
    for (SessionPart& part : sessions) {
        for (Finding& f : part.findings) {
            if (!has_own_lines(f)) f.message = with_records(f);
        }
    }
}

void find_file_lines(std::span<SessionPart> sessions, const std::string& path, const InputLimits& limits,
                     InputBuffers& buffers) {
    std::vector<std::uint64_t> offsets;
    for (const SessionPart& part : sessions) {
        for (const Finding& f : part.findings) {
            offsets.push_back(f.first_offset);
            offsets.push_back(last_byte(f));
        }
    }
    if (offsets.empty()) return;
    std::ranges::sort(offsets);
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    const std::vector<std::uint64_t> lines = lines_at(path, offsets, limits, buffers);
    if (lines.empty()) return;
    for (SessionPart& part : sessions) {
        for (Finding& f : part.findings)
            f.file_lines = {line_of(f.first_offset, offsets, lines), line_of(last_byte(f), offsets, lines)};
    }
}

}  // namespace agent_audit
