#pragma once

#include "report/text/text_words.hpp"

#include <string>
#include <vector>

namespace agent_audit::report {

/// The section about what was read and what was not: files, records and their fates, rules that ran and rules that had
/// nothing to look at, what is lived with. With `all` names instead of counts.
void draw_inspected(Page& page, const Report& report, TextWords& words, bool all);

/// A line for each group of rules that were skipped for one reason in as many sessions: half of them may need one
/// signal. With `all` they are all named.
std::vector<std::string> skipped_lines(const Report& report, bool all);

}  // namespace agent_audit::report
