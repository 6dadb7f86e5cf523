#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// True when a command of the line begins with the words of `target` (`git push` in `cd x && git push -f`). Flags of
/// the target, and words behind " … ", may stand anywhere in that command: `git push --force` in `git push origin x
/// --force`.
bool runs_command(std::string_view command_line, std::string_view target);

}  // namespace agent_audit::detectors
