#include "pipeline/audit/file_lines.hpp"

#include "model/record_words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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
