#pragma once

#include "report/html/html_chart.hpp"
#include "report/words/finding_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// What the session was for, as it was understood: its goal, what refined it, limits, measures and rules that were
/// said.
void draw_goal(Html& html, const SessionReport& session, FindingWords& words);

/// Limits that were set for the run, how much of each the session used, and where it went over it.
void draw_limits(Html& html, const Report& report, std::size_t session);

/// The stretches of work and the similarity to the goal, in figures.
void draw_course_tables(Html& html, const SessionReport& session, FindingWords& words);

/// The same as lanes of a picture of the main conversation, and the limit on the window as a level of it.
void add_course(Chart& chart, const SessionReport& session, FindingWords& words);
void add_limits(Chart& chart, const Report& report);

}  // namespace agent_audit::report
