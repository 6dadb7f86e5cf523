#pragma once

#include <agent_audit/model/input_sink.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit {

/// What to read, for whoever wants the events themselves.
struct StreamPlan {
    std::vector<std::string> inputs;         ///< files, directories, globs, or "-" for standard input
    std::vector<std::string> exclude;        ///< patterns of leave_out()
    std::string input_format;                ///< reader id; empty = decide by content
    std::size_t max_line_bytes = 64u << 20;  ///< a longer record is skipped and counted
};

/// What was read, and what was not.
struct StreamOutcome {
    std::vector<InputReport> inputs;
    std::vector<std::string> problems;  ///< named inputs that led nowhere, one line each
    std::uint64_t skipped_inputs = 0;   ///< files found in folders that are no session
    std::uint64_t read_inputs = 0;      ///< inputs whose events were handed over
    IngestStats ingest;
};

/// Hands the events of every input to `sink`, one input after the other, in the order of an audit and without the
/// copies an audit leaves out. An Error means that the plan makes no sense; trouble with inputs is in the outcome.
Result<StreamOutcome> stream_events(const StreamPlan& plan, InputSink& sink);

}  // namespace agent_audit
