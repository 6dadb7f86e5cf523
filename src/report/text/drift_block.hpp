#pragma once

#include "report/text/layout.hpp"

#include <agent_audit/model/report.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// How the block names what a recording says: redacted and made visible.
struct DriftWords {
    std::function<std::string(std::string_view)> text;
    std::function<std::string(std::string_view, std::string_view)> word;  ///< taken out of the second
    std::function<std::string(const SessionReport&)> session;
};

/// The section about the goal: the score of sessions with drift points as a line of marks, with `all` of every session;
/// and the reflection points where they were asked for.
void draw_drift(Page& page, const Report& report, const DriftWords& words, bool all);

}  // namespace agent_audit::report
