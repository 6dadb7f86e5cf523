#pragma once

#include "cli/settings/options.hpp"

#include <agent_audit/config/saved_findings.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit::cli {

/// Findings of inputs that are results of earlier runs, sessions, or some of each.
struct Found {
    SavedFindings all;
    std::vector<std::string> problems;  ///< inputs that could not be read, one line each
    bool anything = false;              ///< a result or a session was among the inputs
};

/// Reads results and audits everything else by `options`, without a limit on findings and without a baseline. An Error:
/// a result makes no sense, or the plan.
Result<Found> find_all(const std::vector<std::string>& inputs, const ScanOptions& options);

/// A finding of a run as a result keeps it.
SavedFinding saved_finding(const Finding& f, const Report& report);

/// "2 findings were counted and not listed (--max-findings)"
std::string counted_only(std::uint64_t findings);

/// Reads one result; "-" is standard input.
Result<SavedFindings> read_result(const std::string& path);

}  // namespace agent_audit::cli
