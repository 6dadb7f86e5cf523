#pragma once

#include "cli/exit_status.hpp"
#include "cli/settings/options.hpp"

#include <agent_audit/model/report.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {

/// Why one of the outputs cannot be written, found out before the work is done; nothing when all seem possible.
std::optional<Error> output_problem(const OutputOptions& options);

/// Why one of the outputs must not be written: it is one of the inputs.
std::optional<Error> replaced_input(const OutputOptions& options, std::span<const std::string> inputs);

/// Why one of the outputs must not be written: a recording is there.
std::optional<Error> replaced_recording(const OutputOptions& options);

/// Of the inputs of a run those that hold recordings: a result of the last run that lies beside them is none.
std::vector<std::string> recordings_among(std::span<const InputReport> inputs);

/// Renders the report to every output, files first: when the reader of standard output goes away, they are complete.
/// `outcome` is what the run will end with. On a GitHub runner, -f github also appends to the job's summary.
ExitStatus write_all_outputs(const Report& report, const OutputOptions& options, ExitStatus outcome);

/// The exit code that a report calls for.
ExitStatus judge(const Report& report, const OutputOptions& options);

/// What the options keep from being listed or from failing the run, on standard error.
void report_settings_problems(const Report& report, const OutputOptions& options);

/// What was lost of the records, where --strict-input takes exception to it: a problem of the run, so that every format
/// tells why it failed.
std::optional<std::string> lost_records(const Report& report, const OutputOptions& options);

/// That there was no session, and where it was looked for: a problem of a run that has no other.
std::optional<std::string> no_session(const Report& report);

/// What could not be read, on standard error.
void report_input_problems(const Report& report, const OutputOptions& options);

}  // namespace agent_audit::cli
