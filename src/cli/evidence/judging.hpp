#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/remote/endpoint.hpp>
#include <agent_audit/report/renderer.hpp>

#include <cstddef>

namespace agent_audit::cli {

struct JudgingPlan {
    std::size_t max_line_bytes = 64u << 20;
    Redact redact = Redact::secrets;  ///< never less: nothing is sent with its secrets
};

/// Asks the judge about each finding of the groups loop, progress and drift, worst first, and writes its word into the
/// report: who is denied drops from warning to info, an info that the judge confirms becomes a warning, errors stay.
/// Where there is no answer nothing changes.
void judge_findings(Report& report, remote::Endpoint& endpoint, const JudgingPlan& plan);

/// Measures in each session how far what is said lies from its goal: the published figure as a note, and a series turn
/// by turn with the place where it falls for good, cited beside the drift findings.
void measure_similarity(Report& report, remote::Endpoint& endpoint, const JudgingPlan& plan);

}  // namespace agent_audit::cli
