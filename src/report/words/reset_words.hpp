#pragma once

#include "report/words/line_words.hpp"

#include <agent_audit/model/report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace agent_audit::report {

/// Where to go back to: "after line 120, where a check had passed on all changes".
std::string reset_place(const ResetSuggestion& reset, const LineWords& lines);
/// "a human said that ..." and no "going in circles".
bool cause_is_a_sentence(const ResetSuggestion& reset);
/// What speaks for it, with the lines that show it. On one line, not redacted.
std::string reset_cause(const ResetSuggestion& reset, const LineWords& lines);
/// The same, with how sure that is.
std::string reset_reason(const ResetSuggestion& reset, const LineWords& lines);
/// What it changes in each request, and when it has paid.
std::string reset_gain(const ResetSuggestion& reset);

/// A suggestion and the session it is for.
struct SessionReset {
    std::size_t session = 0;  ///< index into Report::sessions
    ResetSuggestion reset;
};
/// All of a report, the surest first, else in their order.
std::vector<SessionReset> surest_resets(const Report& report);

}  // namespace agent_audit::report
