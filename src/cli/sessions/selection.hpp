#pragma once

#include "cli/arguments/arguments.hpp"

#include <agent_audit/pipeline/discover.hpp>

#include <optional>

namespace agent_audit::cli {

/// The flags that choose sessions by time and project; scan and discover share them.
inline constexpr FlagSpec kProjectFlag{
    "--project", "DIR", "only sessions that began in this folder or below; repeatable", true, kOfferFolder};
inline constexpr FlagSpec kExcludeFlag{"--exclude", "GLOB",
                                       "leave out what matches, as in .gitignore, below a folder, a glob or an archive "
                                       "that is named; a file that is named "
                                       "itself is read all the same; repeatable"};
inline constexpr FlagSpec kSinceFlag{"--since", "WHEN",
                                     "only what was last written since then: 7d, 12h, a date (UTC) or a time"};
inline constexpr FlagSpec kUntilFlag{"--until", "WHEN",
                                     "only what was last written before then; a date means the whole day"};

std::optional<Error> project(const FlagValue& value, InputFilter& filter);
std::optional<Error> exclude(const FlagValue& value, std::vector<std::string>& patterns);
std::optional<Error> since(const FlagValue& value, InputFilter& filter);
std::optional<Error> until(const FlagValue& value, InputFilter& filter);

/// A plan for what is on this machine, by the environment of this process.
DiscoverPlan plan_here(const InputFilter& filter);

/// The files that were found, those of sub-agents included.
std::vector<std::string> files_of(const Discovery& found);

/// The session last written in the project of the working directory, with its sub-agents behind it; empty where there
/// is none.
std::vector<std::string> latest_of_project();

}  // namespace agent_audit::cli
