#include "pipeline/audit/file_lines.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
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

// "lines 9-12" at the beginning of a text: how much of it is the word. 0 = something else stands there.
std::size_t word_for_lines(std::string_view text) {
    constexpr std::string_view kWords[] = {"lines ", "line "};
    const auto word = std::ranges::find_if(kWords, [text](std::string_view w) { return text.starts_with(w); });
    const bool numbered = word != std::end(kWords) && text.size() > word->size() && is_digit(text[word->size()]);
    return numbered ? word->size() : 0;
}

std::string with_records(std::string_view message) {
    std::string out;
    bool quoted = false, within_word = false;
    for (std::string_view rest = message; !rest.empty();) {
        const std::size_t word = quoted || within_word ? 0 : word_for_lines(rest);
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
        part.session.open().counts_records = true;
        part.session.rest();
        for (Finding& f : part.findings) {
            if (!has_own_lines(f)) f.message = with_records(f.message);
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
