#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>

/// How much a few records look like Codex'.
namespace agent_audit::readers {

/// As a rollout file.
Score codex_score_rollout(std::span<const ProbeRecord> sample, Framing framing);
/// As one from before September 2025: bare items.
Score codex_score_legacy(std::span<const ProbeRecord> sample, Framing framing);

}  // namespace agent_audit::readers
