#pragma once

#include "report/html/html_chart.hpp"
#include "report/words/finding_words.hpp"

#include <agent_audit/model/report.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// What the drift score of a session did, in one sentence; empty where nothing was scored.
std::string drift_words(const SessionReport& session);

/// The points at which a rule dates a departure, the score response by response (folded, neighbours put together where
/// there are many), and the reflections that were asked for. Nothing where nothing was scored.
void draw_drift_tables(Html& html, const SessionReport& session, FindingWords& words,
                       const std::function<std::string(std::string_view)>& rule_anchor);

}  // namespace agent_audit::report
