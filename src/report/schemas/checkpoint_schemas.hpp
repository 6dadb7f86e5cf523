#pragma once

#include <string>

namespace agent_audit::report {

/// What `checkpoint write` stores, one file each.
std::string checkpoint_schema();
/// What `checkpoint list --format json` writes.
std::string checkpoints_schema();

}  // namespace agent_audit::report
