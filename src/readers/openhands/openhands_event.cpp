#include "readers/openhands/openhands_event.hpp"

#include <optional>

namespace agent_audit::readers {
namespace {

// Ids are numbers in version 0 and strings in version 1.
std::string_view id_text(json::value& v) {
    if (is_string(v)) return raw_string(v);
    const std::string_view t = token(v);
    return !t.empty() && t[0] >= '0' && t[0] <= '9' ? t : std::string_view{};
}

// The usage of one response, as the provider wrote it.
bool collect_response_usage(json::value& v, TokenCounts& tokens) {
    std::uint64_t prompt = 0, output = 0, read = 0, write = 0, reasoning = 0;
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "prompt_tokens"))
            prompt = as_uint(n);
        else if (key_is(key, "completion_tokens"))
            output = as_uint(n);
        else if (key_is(key, "cache_read_input_tokens"))
            read = as_uint(n);
        else if (key_is(key, "cache_creation_input_tokens"))
            write = as_uint(n);
        else if (is_object(n))
            return each_field(n, [&](const char* k, json::value& d) {
                if (key_is(k, "cached_tokens")) read = std::max(read, as_uint(d));
                if (key_is(k, "reasoning_tokens")) reasoning = as_uint(d);
                return true;
            });
        return true;
    });
    read = std::min(read, prompt);
    write = std::min(write, prompt - read);
    tokens = {prompt - read - write, write, read, output, reasoning};
    return good;
}

bool collect_tool_metadata(OpenHandsEvent& e, json::value& v) {
    return each_field(v, [&e](const char* key, json::value& w) {
        if (key_is(key, "function_name"))
            e.tool_name = raw_string(w);
        else if (key_is(key, "model_response"))
            return each_field(w, [&e](const char* k, json::value& x) {
                if (key_is(k, "id"))
                    e.response_id = raw_string(x);
                else if (key_is(k, "created"))
                    e.responded = as_uint(x);
                else if (key_is(k, "model"))
                    e.model = raw_string(x);
                else if (key_is(k, "usage"))
                    return collect_response_usage(x, e.response_tokens);
                return true;
            });
        return true;
    });
}

template <class Source>
bool add_tokens(Source& v, TokenCounts& sum, std::uint64_t& context) {
    std::uint64_t prompt = 0, output = 0, read = 0, write = 0, reasoning = 0;
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "prompt_tokens"))
            prompt = as_uint(n);
        else if (key_is(key, "completion_tokens"))
            output = as_uint(n);
        else if (key_is(key, "cache_read_tokens"))
            read = as_uint(n);
        else if (key_is(key, "cache_write_tokens"))
            write = as_uint(n);
        else if (key_is(key, "reasoning_tokens"))
            reasoning = as_uint(n);
        else if (key_is(key, "per_turn_token"))
            context = std::max(context, as_uint(n));
        return true;
    });
    read = std::min(read, prompt);
    write = std::min(write, prompt - read);
    sum += {prompt - read - write, write, read, output, reasoning};
    return good;
}

// {accumulated_cost, accumulated_token_usage}
bool add_metrics(OpenHandsEvent& e, json::value& v) {
    std::string_view model;
    const std::uint64_t before = e.total_tokens.total();
    const bool whole = each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "accumulated_cost"))
            e.total_cost_usd += number_or(w, 0);
        else if (key_is(key, "accumulated_token_usage") && is_object(w)) {
            e.has_total = true;
            return add_tokens(w, e.total_tokens, e.context_tokens);
        } else if (key_is(key, "model_name"))
            model = raw_string(w);
        return true;
    });
    // The sum has a model where all that are named and have a share in it are the same.
    if (e.total_tokens.total() > before && !model.empty()) {
        if (before == 0)
            e.model = model;
        else if (e.model != model)
            e.model = {};
    }
    return whole;
}

// Version 1 tells the totals of each of its models: {stats: {usage_to_metrics: {name: metrics}}}, or its inside.
bool collect_state(OpenHandsEvent& e, json::value& v, int depth) {
    return each_field(v, [&e, depth](const char* key, json::value& w) {
        if (key_is(key, "usage_to_metrics"))
            return each_field(w, [&e](const char*, json::value& metrics) { return add_metrics(e, metrics); });
        if (key_is(key, "execution_status")) e.agent_state = raw_string(w);
        if (key_is(key, "stats") && depth < 2) return collect_state(e, w, depth + 1);
        return true;
    });
}

bool collect_args(OpenHandsEvent& e, ArgsDigester& args, json::value& v) {
    if (!is_object(v)) return true;
    json::object object;
    if (v.get_object().get(object)) return false;
    // Digested first: what is broken shows there, and then nothing of it may be read again.
    e.args = args.digest_object({}, object);
    e.has_args = true;
    if (e.args.digest.opaque || object.reset().error()) return false;
    // What a tool of an MCP server was given stands one level down: {"data": {…}, "kind": "MCPToolAction"}.
    std::optional<CallArgs> inner;
    bool of_server = false;
    const bool whole = each_field(object, [&](const char* key, json::value& w) {
        if (key_is(key, "kind"))
            of_server = raw_string(w) == "MCPToolAction";
        else if (key_is(key, "data") && is_object(w))
            inner = args.digest_value({}, w);
        else if (key_is(key, "thought"))
            e.args_thought = text_of(raw_string(w));
        else if (key_is(key, "content") && is_string(w))
            e.message = read_content(w);
        else if (key_is(key, "final_thought"))
            e.final_thought = text_of(raw_string(w));
        else if (key_is(key, "agent_state"))
            e.agent_state = raw_string(w);
        else if (key_is(key, "summary"))
            e.summary = text_of(raw_string(w));
        else if (key_is(key, "forgotten_event_ids"))
            e.forgotten_ids = {raw_value(w), TextForm::json_value};
        return true;
    });
    if (of_server && inner && !inner->digest.opaque) e.args = *inner;
    return whole;
}

bool collect_extras(OpenHandsEvent& e, json::value& v) {
    return each_field(v, [&e](const char* key, json::value& w) {
        if (key_is(key, "exit_code")) {
            if (const auto code = small_int(w)) e.exit_code = code;
        } else if (key_is(key, "agent_state"))
            e.agent_state = raw_string(w);
        else if (key_is(key, "metadata"))
            return each_field(w, [&e](const char* k, json::value& x) {
                if (const auto code = key_is(k, "exit_code") ? small_int(x) : std::nullopt) e.exit_code = code;
                return true;
            });
        return true;
    });
}

bool collect_observation(OpenHandsEvent& e, json::value& v) {
    return each_field(v, [&e](const char* key, json::value& w) {
        if (key_is(key, "content") || key_is(key, "output")) {
            if (!is_null(w)) e.message = read_content(w);
        } else if (key_is(key, "is_error"))
            e.is_error = is_true(w);
        else if (key_is(key, "error"))
            e.error = any_text(w);
        else if (key_is(key, "exit_code")) {
            if (const auto code = small_int(w)) e.exit_code = code;
        } else if (key_is(key, "metadata"))
            return each_field(w, [&e](const char* k, json::value& x) {
                if (key_is(k, "exit_code") && !e.exit_code) e.exit_code = small_int(x);
                return true;
            });
        return true;
    });
}

bool collect_llm_message(OpenHandsEvent& e, json::value& v) {
    return each_field(v, [&e](const char* key, json::value& w) {
        if (key_is(key, "content"))
            e.message = read_content(w);
        else if (key_is(key, "reasoning_content"))
            e.reasoning = text_of(raw_string(w));
        return true;
    });
}

// What a call of another agent brought: a text, blocks, or fields of which one is the text.
bool collect_output(OpenHandsEvent& e, json::value& v) {
    if (is_null(v)) return true;
    if (!is_object(v)) {
        e.output = read_content(v).text;
        return true;
    }
    return each_field(v, [&e](const char* key, json::value& w) {
        if (key_is(key, "exit_code"))
            e.exit_code = small_int(w);
        else if ((key_is(key, "formatted_output") || key_is(key, "aggregated_output") || key_is(key, "output") ||
                  key_is(key, "stdout")) &&
                 is_string(w) && e.output.empty())
            e.output = text_of(raw_string(w));
        return true;
    });
}

// Blocks with a text, or with another block around it: {"type":"content","content":{"type":"text","text":"…"}}. The
// first text stands for all.
bool collect_wrapped(OpenHandsEvent& e, json::value& v) {
    const auto take = [&e](const char* key, json::value& w) {
        if (key_is(key, "text") && is_string(w) && e.message.text.empty()) e.message.text = text_of(raw_string(w));
    };
    e.message.seen = true;
    return each_element(v, [&](json::value& block) {
        return each_field(block, [&](const char* key, json::value& w) {
            take(key, w);
            return !key_is(key, "content") || each_field(w, [&](const char* k, json::value& x) {
                take(k, x);
                return true;
            });
        });
    });
}

bool collect_v0(OpenHandsEvent& e, ArgsDigester& args, const char* key, json::value& v) {
    if (key_is(key, "args")) return collect_args(e, args, v);
    if (key_is(key, "cause"))
        e.cause = id_text(v);
    else if (key_is(key, "content") && !e.has_args) {
        if (is_array(v)) return collect_wrapped(e, v);
        if (!is_null(v)) e.message = read_content(v);
    } else if (key_is(key, "extras"))
        return collect_extras(e, v);
    else if (key_is(key, "exit_code")) {
        if (const auto code = small_int(v)) e.exit_code = code;
    } else if ((key_is(key, "command") || key_is(key, "code") || key_is(key, "path") || key_is(key, "url")) &&
               is_string(v)) {
        e.own_args = args.digest_text({}, text_of(raw_string(v)));
        if (key_is(key, "code")) e.code = raw_string(v);
    } else if (key_is(key, "tool_call_metadata"))
        return collect_tool_metadata(e, v);
    else if (key_is(key, "llm_metrics"))
        return add_metrics(e, v);
    else if (key_is(key, "history"))
        e.has_history = is_array(v);
    return true;
}

// A call that could not be read as an action stands only in the words of the model.
bool collect_tool_call(OpenHandsEvent& e, ArgsDigester& args, json::value& v) {
    return e.has_args || each_field(v, [&](const char* key, json::value& w) {
               if (key_is(key, "arguments") && !is_null(w)) e.own_args = args.digest_value({}, w);
               return true;
           });
}

bool collect_v1(OpenHandsEvent& e, ArgsDigester& args, const char* key, json::value& v) {
    if (key_is(key, "tool_call"))
        return collect_tool_call(e, args, v);
    else if (key_is(key, "tool_name"))
        e.tool_name = raw_string(v);
    else if (key_is(key, "tool_call_id"))
        e.tool_call_id = raw_string(v);
    else if (key_is(key, "action_id"))
        e.action_id = raw_string(v);
    else if (key_is(key, "llm_response_id"))
        e.response_id = raw_string(v);
    else if (key_is(key, "reasoning_content"))
        e.reasoning = text_of(raw_string(v));
    else if (key_is(key, "llm_message"))
        return collect_llm_message(e, v);
    else if (key_is(key, "system_prompt") && is_object(v))
        return each_field(v, [&e](const char* k, json::value& w) {
            if (key_is(k, "text")) e.message = read_content(w);
            return true;
        });
    else if (key_is(key, "rejection_source"))
        e.rejected_by = raw_string(v);
    else if (key_is(key, "error") || key_is(key, "detail") || key_is(key, "rejection_reason"))
        e.error = any_text(v);
    else if (key_is(key, "dynamic_context") && is_object(v))
        return each_field(v, [&e](const char* k, json::value& w) {
            if (key_is(k, "text")) e.added = read_content(w).text;
            return true;
        });
    else if (key_is(key, "extended_content") && is_array(v))
        e.added = read_content(v).text;
    else if (key_is(key, "title"))
        e.title = raw_string(v);
    else if (key_is(key, "status"))
        e.status = raw_string(v);
    else if (key_is(key, "tool_kind"))
        e.tool_kind = raw_string(v);
    else if (key_is(key, "parent_tool_call_id"))
        e.parent = raw_string(v);
    else if (key_is(key, "is_error"))
        e.is_error = is_true(v);
    else if (key_is(key, "raw_input")) {
        if (is_object(v)) e.own_args = args.digest_value({}, v);
    } else if (key_is(key, "raw_output"))
        return collect_output(e, v);
    else if (key_is(key, "key"))
        e.key = raw_string(v);
    else if (key_is(key, "value")) {
        e.value = raw_string(v);
        return collect_state(e, v, 0);
    } else if (key_is(key, "summary"))
        e.summary = text_of(raw_string(v));
    else if (key_is(key, "forgotten_event_ids"))
        e.forgotten_ids = {raw_value(v), TextForm::json_value};
    return true;
}

}  // namespace

bool add_openhands_tokens(json::value& v, TokenCounts& sum, std::uint64_t& context) {
    return add_tokens(v, sum, context);
}

bool add_openhands_tokens(json::object v, TokenCounts& sum, std::uint64_t& context) {
    return add_tokens(v, sum, context);
}

bool collect_openhands(OpenHandsEvent& e, ArgsDigester& args, const char* key, json::value& v) {
    if (key_is(key, "id"))
        e.id = id_text(v);
    else if (key_is(key, "timestamp"))
        e.timestamp = raw_string(v);
    else if (key_is(key, "source"))
        e.source = raw_string(v);
    else if (key_is(key, "kind"))
        e.kind = raw_string(v);
    else if (key_is(key, "hidden"))
        e.hidden = is_true(v);
    else if (key_is(key, "thought")) {
        e.thought = is_string(v) ? text_of(raw_string(v)) : is_array(v) ? read_content(v).text : RawText{};
    } else if (key_is(key, "action")) {
        e.action = raw_string(v);
        if (is_object(v)) return collect_args(e, args, v);
    } else if (key_is(key, "observation")) {
        e.observation = raw_string(v);
        return collect_observation(e, v);
    } else {
        return collect_v0(e, args, key, v) && collect_v1(e, args, key, v);
    }
    return true;
}

}  // namespace agent_audit::readers
