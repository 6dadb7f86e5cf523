#pragma once

#include <agent_audit/simulator/policy.hpp>

/// Stages of agents other than OpenClaw. Each message is looked at once while a view grows.
namespace agent_audit::simulator {

StageOutcome run(const MaskResults& stage, const View& view, const Moment& moment, Memory& memory);
StageOutcome run(const ClearResults& stage, const View& view, const Moment& moment, Memory& memory);
StageOutcome run(const ClearBeyond& stage, const View& view, const Moment& moment, Memory& memory);
StageOutcome run(const TruncateMiddle& stage, const View& view, const Moment& moment, Memory& memory);
StageOutcome run(const MaskEvents& stage, const View& view, const Moment& moment, Memory& memory);
StageOutcome run(const KeepRecent& stage, const View& view, const Moment& moment, Memory& memory);
StageOutcome run(const DropThinking& stage, const View& view, const Moment& moment, Memory& memory);

/// What the stage knows of this view; of another view than before it starts anew.
Progress& progress_of(const void* stage, const View& view, Memory& memory);
/// What was edited before stands in the view already, or is handed over again.
void hand_over(const Progress& progress, std::size_t fresh, const View& view, Edits& out);

}  // namespace agent_audit::simulator
