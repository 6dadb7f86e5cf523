#pragma once

#include <string>

namespace agent_audit::report {

// Schemas of what commands other than scan write.
std::string discover_schema();
std::string discover_line_schema();
std::string formats_schema();
std::string doctor_schema();

}  // namespace agent_audit::report
