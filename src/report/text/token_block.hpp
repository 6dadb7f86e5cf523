#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// Tokens and prices: of sessions and models, and of the turns that took most; of every session with `all`.
void draw_tokens(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
