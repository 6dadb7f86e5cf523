#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// What the loop detectors of other agents would have done. One session: where each would have reacted. Several: how
/// often, and each session with `all`.
void draw_peers(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
