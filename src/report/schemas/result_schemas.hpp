#pragma once

#include <string>

namespace agent_audit::report {

std::string result_schema();
std::string ndjson_schema();

}  // namespace agent_audit::report
