#pragma once

#include <agent_audit/pipeline/replayer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace agent_audit {

/// Where a policy would have ended a run, or begun it anew. What comes after it, up to the next word of a person, is
/// what the policy would have saved, or lost.
struct RunCut {
    std::uint64_t line;
    std::int64_t time_ms;
    std::size_t turn;               ///< index of the first turn after it
    std::size_t end = SIZE_MAX;     ///< and of the first one that a person asked for anew: what is done there
    std::int64_t end_ms = kNoTime;  ///< would have been asked for after the intervention, too
    bool over() const { return end != SIZE_MAX; }
};

/// How a run went on after the interventions in it.
struct RunCourse {
    std::span<const RunTurn> turns;
    std::span<const RunCut> restarts, stops;  ///< interventions that begin the run anew, and that end it
    std::int64_t last_ms = kNoTime;           ///< of the run
};

// Each needs what stands above it: the run with its findings and decisions, what came after the cut, the verdicts.

/// What came after the cut: SupervisedRun::cut and ::after.
void account_for_cuts(SupervisedRun& run, const RunCourse& course);
/// What is thought of each decision: SupervisedRun::verdicts.
void judge_decisions(SupervisedRun& run);
/// Whether the run fails, and why.
void decide_failure(SupervisedRun& run, policy::FailOn on);

}  // namespace agent_audit
