#pragma once

#include "report/drift_block.hpp"

namespace agent_audit::report {

bool has_sub_agents(const SessionReport& session);
/// "7 responses", of the main conversation where there are others: sub-agents have no goal and no course of their own.
std::string responses_of(const SessionReport& session, std::uint64_t n);
/// `n` of what the limit counts: "3 tool calls".
std::string limit_amount(const StatedLimit& limit, std::uint64_t n);

/// A goal's text as one line: line breaks and tabs are spaces.
std::string goal_line(std::string text);

/// What each session was for, as it was understood, and as which segments of work it went.
void draw_goals(Page& page, const Report& report, const DriftWords& words);

/// How near what was said is to the goal, by each measure that was asked for.
void draw_similarity(Page& page, const Report& report, const DriftWords& words, bool all);

}  // namespace agent_audit::report
