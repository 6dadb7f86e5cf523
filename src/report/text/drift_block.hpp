#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// The section about the goal: the score of sessions with drift points as a line of marks, with `all` of every session;
/// and the reflection points where they were asked for.
void draw_drift(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
