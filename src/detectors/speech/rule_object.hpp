#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Whether a prohibition of change, from its verb on and in lower case, speaks of less than the files it names: of a
/// part
/// ("the signature of run() in core.py", "how a.py parses dates") or of a way ("config.yml with sed", "a.py and b.py in
/// one commit", "a.py first"). Of those a step tells nothing.
bool names_less(std::string_view lower, const std::vector<std::string>& paths);

/// The part of a prohibition that says what it is about: up to the end of its list of files. "a.py or b.py, edit c.py"
/// ends behind b.py, "the tests: src/a.py is wrong" at the colon, which after "these files" begins the list.
std::string_view object_of(std::string_view said);

}  // namespace agent_audit::detectors
