#pragma once

#include "report/json/json_writer.hpp"

#include <agent_audit/model/advice.hpp>

#include <string_view>
#include <vector>

namespace agent_audit::report {

/// The field "resets" of a session, or of a run of one; nothing where there is none.
void write_resets(JsonWriter& json, const std::vector<ResetSuggestion>& resets);

/// Their entry among the $defs of a schema.
std::string_view reset_schema();

}  // namespace agent_audit::report
