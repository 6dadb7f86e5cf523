#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The commands that the clause behind "do not" rules out: with the sub-commands and flags that were named ("git reset
/// --hard" is no ban of git reset), "git push … main" for a push to that branch, and "git push … --force main" for a
/// forced one. What is ruled out only for a place, a file or an occasion that no command line shows ("commit .env",
/// "push tags") is left out. `lower` is `said` in lower case, of the same length.
std::vector<std::string> ruled_out_commands(std::string_view said, std::string_view lower);

/// Whether a text says a word, whatever its ending: "commits" and "committing" say "commit", the identifier commit_hash
/// does not.
bool says_stem(std::string_view text, std::string_view word);

/// Whether a text in lower case names a command by a word of prose: "push" and 推送 mean git push, whatever its flags.
bool names_in_prose(std::string_view said, std::string_view command);

/// True when `word` is written like a tool of the agent, and not like a command: WebSearch, web_search.
bool is_tool_name(std::string_view word);

}  // namespace agent_audit::detectors
