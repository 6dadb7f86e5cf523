#pragma once

#include "detectors/commands/call_target.hpp"

#include <string_view>

namespace agent_audit::detectors {

/// Is a path this file or folder, or one below it, seen from the folder of the session? `folder`: that; empty = not
/// known.
bool lies_at_root(std::string_view path, std::string_view folder, std::string_view target);

/// Does a call name a file or a folder by its way from the folder of the session, or one below it? Then that is what a
/// rule means which names it so.
bool names_at_root(const CallTarget& call, std::string_view target);
/// The same of the words of a text: a command, or a list of files. `from` is the folder in which they lie, with a
/// slash; empty = that of the session.
bool says_at_root(std::string_view text, std::string_view folder, std::string_view target, std::string_view from = {});

}  // namespace agent_audit::detectors
