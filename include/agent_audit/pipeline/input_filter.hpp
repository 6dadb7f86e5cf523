#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/input.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit {

/// Which of the files that were found are meant. Only modification times and the first records of files are looked
/// at, so that what is left out costs nothing. Pipes and standard input are never left out.
struct InputFilter {
    std::int64_t since_ms = kNoTime;    ///< last written at or after this; kNoTime = whenever
    std::int64_t until_ms = kNoTime;    ///< last written before this
    std::vector<std::string> projects;  ///< absolute folders: the session began in one of them or below; empty = any
    std::vector<std::string> exclude;   ///< patterns of leave_out(): not what they match
    std::uint64_t latest = 0;           ///< only so many sessions, those last written, with their sub-agents; 0 = all

    bool active() const {
        return since_ms != kNoTime || until_ms != kNoTime || !projects.empty() || !exclude.empty() || latest > 0;
    }
    bool in_time(std::int64_t modified_ms) const {
        return (since_ms == kNoTime || modified_ms >= since_ms) && (until_ms == kNoTime || modified_ms < until_ms);
    }
    /// True when `project` is one of the folders or lies below one.
    bool in_project(const std::string& project) const;
};

/// Takes out of `list` what the filter leaves out, and says how much that is but for what `exclude` means. `format` as
/// in AuditPlan.
std::uint64_t filter_inputs(InputList& list, const InputFilter& filter, const std::string& format);

}  // namespace agent_audit
