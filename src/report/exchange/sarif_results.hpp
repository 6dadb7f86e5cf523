#pragma once

#include "report/exchange/sarif_parts.hpp"

namespace agent_audit::report {

/// Writes the results of a run: its findings, and what a baseline lists and nothing showed any more.
void write_sarif_results(SarifParts& parts);

}  // namespace agent_audit::report
