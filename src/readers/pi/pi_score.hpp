#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>

/// How much a few records look like a session of pi's, or one of OpenClaw's.
namespace agent_audit::readers {

Score pi_score(std::span<const ProbeRecord> sample, Framing framing);
Score openclaw_score(std::span<const ProbeRecord> sample, Framing framing);

}  // namespace agent_audit::readers
