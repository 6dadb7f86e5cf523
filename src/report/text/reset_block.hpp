#pragma once

#include "report/text/context_block.hpp"

namespace agent_audit::report {

/// The section about resets that would have paid; nothing where there is none. The surest few, or all of them.
void draw_resets(Page& page, const Report& report, const ContextWords& words, bool all);

}  // namespace agent_audit::report
