#pragma once

#include "report/html/html_chart.hpp"
#include "report/words/finding_words.hpp"

#include <agent_audit/model/report.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit::report {

/// What a lane is called: empty for the main conversation.
std::string lane_name(const SessionReport& session, std::uint32_t lane, FindingWords& words);

/// The picture of one lane, and its name; the main conversation has none.
struct LaneChart {
    std::string lane_name;
    Chart chart;
};

/// Pictures of a session: the main conversation first, then those of sub-agents that have a course or a finding.
/// Without anything to show there is none.
std::vector<LaneChart> charts_of(const SessionReport& session, const std::vector<const Finding*>& findings,
                                 FindingWords& words);

/// What the fullest prompt of each lane was made of: tiles and tables by part, tool and file; what was read again, what
/// compactions freed, how the cache did.
void draw_fillers(Html& html, const SessionReport& session, FindingWords& words);

}  // namespace agent_audit::report
