#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The files and folders that a rule names. In a rule more words are places than elsewhere: "packages/core" behind
/// "in",
/// ".yml files" (as *.yml). Each once, at most `most`.
std::vector<std::string> rule_places(std::string_view said, std::size_t most);

/// The same of a prohibition, in which "the lib folder" is one too: a name that no file has forbids nothing.
std::vector<std::string> forbidden_places(std::string_view said, std::size_t most);

}  // namespace agent_audit::detectors
