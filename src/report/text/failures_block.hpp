#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"

#include <agent_audit/model/report.hpp>

namespace agent_audit::report {

/// Tools that failed, and requests that a provider refused; only the worst without `all`.
void draw_failures(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
