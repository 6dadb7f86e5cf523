#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Does a command line change the file or directory `target` (rm, mv, tee, sed -i, >, git checkout, …)? `copies`: see
/// names_path().
bool changes_path(std::string_view command_line, std::string_view target, bool copies = true);

}  // namespace agent_audit::detectors
