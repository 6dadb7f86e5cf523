#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>

/// How much a few records look like Claude Code's.
namespace agent_audit::readers {

/// As a session file, or a sub-agent's.
Score claude_code_score_file(std::span<const ProbeRecord> sample, Framing framing);
/// As what the program prints with --output-format stream-json.
Score claude_code_score_stream(std::span<const ProbeRecord> sample, Framing framing);

}  // namespace agent_audit::readers
