#include "pipeline/audit/file_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

}  // namespace

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
