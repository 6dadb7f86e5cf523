#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <string_view>

namespace agent_audit::readers {

/// What a trajectory says of itself, before its steps and behind them. All texts are views of the record.
struct AtifHeader {
    std::string_view cwd;  // where all of it took place
    bool other_cwd = false;
    std::string_view schema, session_id, trajectory_id, agent, version, model, parent;
    bool has_steps = false, has_sub_agents = false, has_totals = false;
    TokenCounts totals;
    double total_cost_usd = 0;

    /// The fields of a trajectory; its steps and those of its sub-agents are only seen to be there. False for broken
    /// JSON.
    bool collect(json::object& object);

private:
    bool collect_agent(const char* key, json::value& v);
    void collect_cwd(json::value& v);
    bool collect_totals(json::value& v);
};

}  // namespace agent_audit::readers
