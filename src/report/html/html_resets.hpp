#pragma once

#include "report/html/html_table.hpp"
#include "report/words/line_words.hpp"

#include <agent_audit/model/advice.hpp>

#include <string>

namespace agent_audit::report {

/// A table of suggested resets without a row.
HtmlTable reset_table(std::string caption);

/// A row of it. `whose` goes before the place; `reason` is reset_cause(), redacted by who knows how.
void add_reset(HtmlTable& table, const ResetSuggestion& reset, const LineWords& lines, const std::string& whose,
               std::string reason);

}  // namespace agent_audit::report
