#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// What each session was for, as it was understood, and as which segments of work it went.
void draw_goals(Page& page, const Report& report, TextWords& words);

/// How near what was said is to the goal, by each measure that was asked for.
void draw_similarity(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
