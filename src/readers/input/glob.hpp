#pragma once

#include <string_view>

namespace agent_audit::readers {

/// True when `text` holds * ? or [.
bool has_wildcards(std::string_view text);

/// Matches one part of a path: * any run, ? any byte, [abc] [a-z] [!a-z] one of a set. A leading dot is matched
/// by a dot only, as in a shell. A [ without its ] stands for itself.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace agent_audit::readers
