#pragma once

#include <agent_audit/support/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// A finding of an earlier run, as far as baselines and comparisons need it. Texts come from a file somebody may have
/// changed: they are printed like texts of a recording.
struct SavedFinding {
    std::string rule;
    std::string severity;  ///< error, warning, info
    std::string message;
    std::string path;
    std::uint64_t first_line = 0, last_line = 0;
    std::uint64_t first_file_line = 0, last_file_line = 0;  ///< of the file, where records are counted; 0 = not said
    std::string session_id;
    std::string first_time;  ///< of its session, RFC 3339; empty = unknown
    std::string id;          ///< agentAuditFinding/v1
    std::string pattern;     ///< agentAuditPattern/v1
    std::string policy;      ///< that decided the severity, once several results are together; empty = not said
    std::size_t run = 0;     ///< which of several results it is from
    bool silenced = false;   ///< known to the baseline of that run
    bool suppressed = false;
};

/// What a saved result says, as far as baselines and comparisons need it.
struct SavedFindings {
    std::string source;
    std::vector<SavedFinding> findings;
    std::vector<std::string> rules;                        ///< those that ran
    std::vector<std::string> problems;                     ///< what could not be read, one line each
    std::optional<std::uint64_t> sessions;                 ///< audited; absent = not said
    std::uint64_t not_shown = 0;                           ///< findings that were counted and left out (--max-findings)
    std::array<std::uint64_t, 3> not_shown_by_severity{};  ///< of these: info, warning, error; older results do not say
    std::string least;   ///< severity below which findings were left out; empty = none, or not said
    std::string policy;  ///< that decided their severity; empty = not said
};

/// True when this looks like what --format json or ndjson wrote; the beginning of a file is enough.
bool looks_like_result(std::string_view text);

/// Reads what --format json or ndjson wrote. Errors name the source.
Result<SavedFindings> parse_saved_findings(std::string_view text, std::string_view source);

}  // namespace agent_audit
