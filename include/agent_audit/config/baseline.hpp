#pragma once

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// One pattern of findings that is known.
struct BaselineEntry {
    std::string rule;
    std::string pattern;                ///< agentAuditPattern/v1
    std::uint64_t count = 0;            ///< findings of this pattern
    std::string first_seen;             ///< time of the earliest session with it, RFC 3339; empty = unknown
    std::string reason;                 ///< why it is lived with; empty = nobody said
    std::vector<std::string> findings;  ///< agentAuditFinding/v1 of the known ones, at most kBaselineFindings: they are
                                        ///< the old ones when there are more than `count`
    std::string severity = {};  ///< of the worst of them: what is worse counts again; empty = nobody said, however bad
    std::string policy = {};    ///< that decided it; under another one severities are not compared
};
inline constexpr std::size_t kBaselineFindings = 100;

/// Findings that were there before a gate was put up. Entries are sorted by rule and pattern.
struct Baseline {
    std::string source;  ///< the file, as named
    std::vector<BaselineEntry> entries;

    const BaselineEntry* find(std::string_view rule, std::string_view pattern) const;
};

inline constexpr std::string_view kBaselineFile = ".agent-audit-baseline.json";

/// Reads what baseline_text() wrote. Errors name the source.
Result<Baseline> parse_baseline(std::string_view text, std::string_view source);

/// JSON, one entry a line, so that changes can be reviewed.
std::string baseline_text(const Baseline& baseline, std::string_view tool_version);

}  // namespace agent_audit
