#pragma once

#include "pipeline/audit/session_audit.hpp"

#include <agent_audit/readers/input.hpp>

#include <span>
#include <string>

namespace agent_audit {

/// Says of the findings of an input that counts records in which lines of the file they stand (Finding::file_lines).
/// The file is read once more, and only where there are findings; no source of `buffers` may be open.
void find_file_lines(std::span<SessionPart> sessions, const std::string& path, const InputLimits& limits,
                     InputBuffers& buffers);

/// The messages of such findings say "records 9-12" in place of "lines 9-12", but where these are the lines of the file
/// too. What stands in backticks is somebody else's and stays.
void call_lines_records(std::span<SessionPart> sessions);

}  // namespace agent_audit
