#pragma once

#include "report/text/layout.hpp"
#include "report/text/text_words.hpp"
#include "report/words/line_words.hpp"

#include <agent_audit/model/report.hpp>

#include <string>

namespace agent_audit::report {

/// "$0.61 at line 945: 162,953 tokens in, 76 out".
std::string dear_request_words(const DearRequest& request, const LineWords& lines);

/// The section about windows: the fullest conversation of the run, or with `all` every one.
void draw_context(Page& page, const Report& report, TextWords& words, bool all);

}  // namespace agent_audit::report
