#pragma once

#include "report/text/layout.hpp"
#include "report/words/line_words.hpp"

#include <agent_audit/model/report.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// How the block names what a recording says: redacted and made visible.
struct ContextWords {
    std::function<std::string(std::string_view)> text;
    std::function<std::string(std::string_view)> path;
    std::function<std::string(const SessionReport&)> session;
};

/// "$0.61 at line 945: 162,953 tokens in, 76 out".
std::string dear_request_words(const DearRequest& request, const LineWords& lines);

/// The section about windows: the fullest conversation of the run, or with `all` every one.
void draw_context(Page& page, const Report& report, const ContextWords& words, bool all);

}  // namespace agent_audit::report
