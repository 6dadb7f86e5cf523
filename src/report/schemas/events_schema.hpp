#pragma once

#include <string>

namespace agent_audit::report {

/// JSON Schema of one line of what `convert --to events` writes.
std::string events_schema();

}  // namespace agent_audit::report
