#pragma once

#include "report/text/layout.hpp"

#include <agent_audit/pipeline/replay.hpp>

#include <optional>

namespace agent_audit::cli {

/// What `replay --context` prints: of each session what its figures rest on, and a table of the contexts. `summarizer`
/// is the model that wrote the summaries, if one was asked.
void write_replay_text(report::Page& page, const ReplayOutcome& outcome, const std::optional<RemoteUse>& summarizer);

}  // namespace agent_audit::cli
