#pragma once

#include <agent_audit/model/report.hpp>

#include <string_view>

namespace agent_audit::report {

/// What a part of the fullest prompt is called in reports for people.
std::string_view words_of(ContextPart part, const LaneContext& lane);

}  // namespace agent_audit::report
