#pragma once

#include <agent_audit/model/report.hpp>

#include <string_view>

namespace agent_audit::report {

/// What a part of the fullest prompt is called in reports for people.
std::string_view words_of(ContextPart part, const LaneContext& lane);

/// What follows the tokens that compactions freed where no prompt of the lane can have held so many: a recording that
/// begins with the compaction of what is in another file. Empty elsewhere.
std::string_view unheld_words(const LaneContext& lane);

}  // namespace agent_audit::report
