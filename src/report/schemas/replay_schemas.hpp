#pragma once

#include <string>

namespace agent_audit::report {

std::string replay_schema();
std::string replay_turns_schema();
std::string policy_replay_schema();
std::string policy_replay_line_schema();

}  // namespace agent_audit::report
