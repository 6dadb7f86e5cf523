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

}  // namespace agent_audit
