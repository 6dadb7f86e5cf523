#include "readers/atif/atif_header.hpp"

#include "readers/json/format_util.hpp"

#include <algorithm>
#include <cstdint>

namespace agent_audit::readers {

bool AtifHeader::collect(json::object& object) {
    return each_field(object, [this](const char* key, json::value& v) {
        if (key_is(key, "schema_version"))
            schema = raw_string(v);
        else if (key_is(key, "session_id"))
            session_id = raw_string(v);
        else if (key_is(key, "trajectory_id"))
            trajectory_id = raw_string(v);
        else if (key_is(key, "steps"))
            has_steps = is_array(v);
        else if (key_is(key, "subagent_trajectories"))
            has_sub_agents = is_array(v);
        else if (key_is(key, "agent"))
            return each_field(v, [this](const char* k, json::value& w) { return collect_agent(k, w); });
        else if (key_is(key, "final_metrics"))
            return collect_totals(v);
        return true;
    });
}

bool AtifHeader::collect_agent(const char* key, json::value& v) {
    if (key_is(key, "name"))
        agent = raw_string(v);
    else if (key_is(key, "version"))
        version = raw_string(v);
    else if (key_is(key, "model_name"))
        model = raw_string(v);
    else if (key_is(key, "extra"))
        return each_field(v, [this](const char* k, json::value& w) {
            if (key_is(k, "parent_session_id"))
                parent = raw_string(w);
            else if (key_is(k, "cwd"))
                collect_cwd(w);
            else if (key_is(k, "cwds"))
                return each_element(w, [this](json::value& one) {
                    collect_cwd(one);
                    return true;
                });
            return true;
        });
    return true;
}

void AtifHeader::collect_cwd(json::value& v) {
    const std::string_view told = raw_string(v);
    other_cwd |= !cwd.empty() && told != cwd;
    cwd = told;
}

bool AtifHeader::collect_totals(json::value& v) {
    has_totals = is_object(v);
    std::uint64_t prompt = 0, output = 0, cached = 0;
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "total_prompt_tokens"))
            prompt = as_uint(n);
        else if (key_is(key, "total_completion_tokens"))
            output = as_uint(n);
        else if (key_is(key, "total_cached_tokens"))
            cached = as_uint(n);
        else if (key_is(key, "total_cost_usd"))
            total_cost_usd = number_or(n, 0);
        return true;
    });
    cached = std::min(cached, prompt);
    totals = {prompt - cached, 0, cached, output, 0};
    return good;
}

}  // namespace agent_audit::readers
