#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// A simple command without what only leads to it: assignments (`A=1`), programs that run another one (sudo -u ada,
/// timeout 5, env, nice) and words of the shell (then, do, `!`, `{`).
std::string_view without_runners(std::string_view command);

/// Is a command run that stands behind these words? True for none at all.
inline bool leads_to_command(std::string_view head) { return without_runners(head).empty(); }

/// One blank where there are several, also for tabs and for lines that are continued.
std::string with_single_blanks(std::string_view line);

}  // namespace agent_audit::detectors
