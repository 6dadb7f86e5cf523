#pragma once

#include "cli/exit_status.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>
#include <agent_audit/pipeline/replay.hpp>
#include <agent_audit/report/renderer.hpp>

#include <string>

namespace agent_audit::cli {

/// What is thought of records that cannot be read.
struct InputManners {
    bool strict = false;   ///< any of them is an input problem
    bool verbose = false;  ///< each is named
};

/// Says on standard error what went wrong with the input of a replay under contexts, and which exit status that is:
/// `status` where that is not clean.
ExitStatus judge(const ReplayOutcome& outcome, const std::string& input, InputManners manners, ExitStatus status);

/// The same under policies, each name redacted; a failed run is a finding if `runs_may_fail`.
ExitStatus judge(const PolicyReplay& replay, Redact redact, InputManners manners, bool runs_may_fail);

}  // namespace agent_audit::cli
