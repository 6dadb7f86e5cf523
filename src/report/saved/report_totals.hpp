#pragma once

#include <agent_audit/model/report.hpp>

#include <vector>

namespace agent_audit::report {

/// Sums of several results, row by row; in the order in which a single result has them.
void add_totals(TokenLedgerTotals& into, TokenLedgerTotals more);
void add_totals(std::vector<ToolStats>& into, std::vector<ToolStats> more);
void add_totals(std::vector<RuleRun>& into, std::vector<RuleRun> more);
void add_totals(std::vector<PeerTotals>& into, std::vector<PeerTotals> more);

}  // namespace agent_audit::report
