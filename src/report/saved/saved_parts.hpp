#pragma once

#include "report/saved/saved_fields.hpp"

#include <agent_audit/model/report.hpp>

#include <optional>
#include <vector>

/// The parts of a saved result, read back from their JSON. What cannot be read is left as it begins.
namespace agent_audit::saved {

InputReport input_report(const Json& j);
SessionCounts session_counts(const Json& j);
void add_counts(SessionCounts& into, const SessionCounts& more);
ProviderErrors provider_errors(const Json& j);
std::vector<ToolStats> tool_stats(const Json& j);
TokenLedgerTotals ledger(const Json& j);
IngestStats ingest_stats(const Json& j);
ContextReport context_report(const Json& j);
PeerOutcome peer_outcome(const Json& j);
PeerTotals peer_totals(const Json& j);
Finding finding_of(const Json& j);
SessionGoal session_goal(const Json& j);
ActivityCourse activity_course(const Json& j);
SimilaritySeries similarity_series(const Json& j);
DriftSeries drift_series(const Json& j);
ResetSuggestion reset_suggestion(const Json& j);
RemoteUse remote_use(const Json& j);
std::optional<BaselineReport> baseline_report(const Json& j);

}  // namespace agent_audit::saved
