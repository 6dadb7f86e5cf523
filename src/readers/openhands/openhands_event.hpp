#pragma once

#include "readers/json/format_util.hpp"

#include <optional>
#include <string_view>

// The fields of one OpenHands event, of both generations: version 0 has `action` or `observation` as a word, version 1
// a `kind` and the action or observation as an object.

namespace agent_audit::readers {

struct OpenHandsEvent {
    std::string_view id, timestamp, source, kind, action, observation, cause;  // id and cause: a number or a string
    std::string_view tool_name, tool_call_id, action_id, response_id, model, agent_state, key, value, code;
    Content message;  // what is said: by v0 in `content` or args.content, by v1 in llm_message
    RawText thought, args_thought, reasoning, error, summary, final_thought, forgotten_ids;
    std::string_view title, status, tool_kind, parent;  // of a call that another agent made, behind its protocol
    std::string_view rejected_by;                       // a user or a hook, where a call was rejected
    RawText output;                                     // what such a call brought, where no message says it
    RawText added;                                      // what the agent's context puts behind a text of the prompt
    CallArgs args, own_args;  // of the call; the old layout's own field, or what the model wrote
    std::optional<int> exit_code;
    TokenCounts response_tokens, total_tokens;
    double total_cost_usd = 0;
    std::uint64_t context_tokens = 0;
    std::uint64_t responded = 0;  // when the response was made, in seconds
    bool has_total = false, is_error = false, rejected = false, hidden = false;
    bool has_args = false, has_history = false;
};

/// Takes one top-level field; false means broken JSON.
bool collect_openhands(OpenHandsEvent& e, ArgsDigester& args, const char* key, json::value& v);

/// {prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens}, added to `sum`: the
/// prompt includes what was cached.
bool add_openhands_tokens(json::value& v, TokenCounts& sum, std::uint64_t& context);
bool add_openhands_tokens(json::object v, TokenCounts& sum, std::uint64_t& context);

}  // namespace agent_audit::readers
