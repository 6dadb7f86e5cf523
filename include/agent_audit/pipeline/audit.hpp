#pragma once

#include <agent_audit/config/baseline.hpp>
#include <agent_audit/config/settings.hpp>
#include <agent_audit/config/suppression.hpp>
#include <agent_audit/model/policy.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/pipeline/input_filter.hpp>
#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit {

/// What to audit and how. Plain values: another program fills them as easily as the command line does.
struct AuditPlan {
    std::vector<std::string> inputs;    ///< files, directories, globs, or "-" for standard input
    bool inputs_found = false;          ///< found by a search and not named: one without a session is no error
    InputFilter filter;                 ///< which of the files meant by `inputs`
    std::string input_format;           ///< reader id; empty = decide by content
    std::vector<std::string> select;    ///< rule ids or group prefixes; empty = all that are on by default
    std::vector<std::string> ignore;    ///< rule ids or group prefixes
    std::vector<std::string> profiles;  ///< emulation profiles to run, or "all"; empty = none
    Settings settings;                  ///< rule parameters and tables (pipeline/run_settings.hpp)
    std::string price_file;  ///< prices beside or instead of the shipped ones (config/price_file.hpp); empty = none
    std::vector<Suppression> suppressions;    ///< findings somebody decided to live with
    std::vector<ToolClassRule> tool_classes;  ///< what calls do, over the table of tools
    std::optional<Baseline> baseline;         ///< findings that were there before
    std::optional<std::int64_t>
        today_days;  ///< days since 1970-01-01, for suppressions that end; absent: none has ended
    Policy policy = Policy::balanced;
    Severity min_severity = Severity::info;
    double min_confidence = 0;                     ///< 0 to 1
    unsigned jobs = 0;                             ///< 0 = number of CPUs, at most 8
    std::uint64_t max_findings_per_rule = 10'000;  ///< the most severe are listed, the rest is counted
    bool empty_is_a_problem = false;  ///< also of a file that was found in a folder: its agent may have died at once
    std::size_t course_points = 0;    ///< of each lane kept for a picture (SessionReport::courses); 0 = none
    std::size_t max_line_bytes = 64u << 20;  ///< at least 1; a longer record is skipped and counted
};

/// Reads every input once and returns what was found. An Error means that the plan itself makes no sense
/// (unknown rule, unknown format, bad setting, a figure out of its range); trouble with inputs is part of the report.
/// The result does not depend on plan.jobs.
Result<Report> audit(const AuditPlan& plan);

}  // namespace agent_audit
