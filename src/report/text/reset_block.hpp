#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// The section about resets that would have paid; nothing where there is none. The surest few, or all of them.
void draw_resets(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
