#pragma once

#include "detectors/words/raw_lines.hpp"

#include <agent_audit/detectors/step.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// Notes in `touch` that `before` became `after` at one place: hashes of both, of the lines that really differ, and of
/// their neighbours. Call it once for each place; several places together make one change.
void add_change(FileTouch& touch, std::string_view before, std::string_view after, Spelling spelling);

/// Notes what a patch does: unified diffs, the "*** Begin Patch" form, and SEARCH/REPLACE blocks. A patch without a
/// file name changes the file that `touch` already names; one that changes several files leaves `touch` empty. False:
/// there is no patch in the text.
bool add_patch(FileTouch& touch, std::string_view text, Spelling spelling);

/// Beginning of the patch in the text, npos when there is none.
std::size_t find_patch(std::string_view text);

/// "@@ -10,3 +12,4 @@": 12. 0 when the line is no hunk header with numbers.
std::uint32_t hunk_line(std::string_view line);

/// Hash of a path without ./ and doubled slashes; 0 for an empty or redacted one.
std::uint64_t file_hash(std::string_view path);

}  // namespace agent_audit::detectors
