#pragma once

#include <string_view>

namespace agent_audit::readers {

inline constexpr std::string_view kWildcards = "*?[";

/// True when `text` holds one of them.
bool has_wildcards(std::string_view text);

/// Matches one part of a path: * any run, ? any byte, [abc] [a-z] [!a-z] one of a set. A leading dot is matched
/// by a dot only, as in a shell. A [ without its ] stands for itself.
bool matches(std::string_view pattern, std::string_view name);
/// The same with a leading dot as any other byte, as in .gitignore: what leaves out *.jsonl means ".a.jsonl" too.
bool matches_dotted(std::string_view pattern, std::string_view name);

}  // namespace agent_audit::readers
