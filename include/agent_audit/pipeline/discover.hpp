#pragma once

#include <agent_audit/pipeline/input_filter.hpp>
#include <agent_audit/readers/locations.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// How much a search may look at, so that no machine makes it endless.
struct DiscoverLimits {
    std::size_t entries = 2'000'000;  ///< directory entries
    std::size_t heads = 200'000;      ///< files opened for what their first records say
};

/// What to look for.
struct DiscoverPlan {
    std::function<std::string(std::string_view)> variable;  ///< the environment; empty = not set
    std::vector<std::string> agents;                        ///< empty = all
    InputFilter filter;                                     ///< filter.latest = how many are listed; 0 = all
    bool sub_agents = false;                                ///< files of sub-agents as entries of their own
    bool readable_only = false;                             ///< only what there is a reader for
    DiscoverLimits limits;
};

/// One session, or a store of sessions, on this machine.
struct FoundSession {
    const Location* where = nullptr;
    std::string path;
    std::uint64_t size = 0;
    std::int64_t modified_ms = 0;
    std::string id;                       ///< empty: the first records do not tell
    std::string project;                  ///< working directory; empty: the first records do not tell
    std::vector<std::string> sub_agents;  ///< files of its sub-agents, where they lie in its folder
};

/// What was found of one agent.
struct AgentTotals {
    std::string agent;
    std::uint64_t sessions = 0;
    std::uint64_t bytes = 0;
};

/// What was found.
struct Discovery {
    std::vector<FoundSession> sessions;  ///< last written first
    std::vector<AgentTotals> agents;     ///< of all that was found and not filtered out; sorted by name
    std::uint64_t found = 0;             ///< sessions found and not filtered out; filter.latest cuts the list only
    std::uint64_t sub_agents = 0;        ///< files of sub-agents among everything found
    std::vector<std::string> problems;   ///< one line each: unreadable folders, limits that were reached
};

/// Looks in every place of the table. Files are not read but for the first bytes of those that are listed.
Discovery discover(const DiscoverPlan& plan);

/// The id of the format of the sessions in a file, told from its first records; empty where it holds none or cannot be
/// read.
std::string_view recorded_format(const std::string& path);

/// The folders that stand for a location on this machine, whether they exist or not.
std::vector<std::string> roots_of(const Location& location,
                                  const std::function<std::string(std::string_view)>& variable);

}  // namespace agent_audit
