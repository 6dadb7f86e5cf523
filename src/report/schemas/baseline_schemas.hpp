#pragma once

#include <string>

namespace agent_audit::report {

/// JSON Schemas of what `diff` writes and of the file of `baseline`.
std::string diff_schema();
std::string watch_line_schema();
std::string baseline_schema();

}  // namespace agent_audit::report
