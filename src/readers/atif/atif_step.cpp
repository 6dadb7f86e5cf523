#include "readers/atif/atif_step.hpp"

#include <algorithm>
#include <cstdint>

namespace agent_audit::readers {
namespace {

struct Figures {
    std::uint64_t prompt = 0, output = 0, cached = 0, written = 0, written_1h = 0, reasoning = 0;

    // As the converted sessions have them: each API has its own name.
    bool collect_extra(const char* key, json::value& v) {
        if (key_is(key, "cache_write_tokens") || key_is(key, "cache_creation_input_tokens") ||
            key_is(key, "cache_write_input_tokens"))
            written = as_uint(v);
        else if (key_is(key, "ephemeral_1h_input_tokens"))
            written_1h = as_uint(v);
        else if (key_is(key, "reasoning_tokens") || key_is(key, "reasoning_output_tokens"))
            reasoning = as_uint(v);
        else if (key_is(key, "cache_creation"))
            return each_field(v, [this](const char* name, json::value& n) {
                if (key_is(name, "ephemeral_1h_input_tokens")) written_1h = as_uint(n);
                return true;
            });
        return true;
    }

    TokenCounts tokens() const {
        const std::uint64_t read = std::min(cached, prompt);
        const std::uint64_t wrote = std::min(written, prompt - read);
        return {prompt - read - wrote, wrote, read, output, std::min(reasoning, output), std::min(written_1h, wrote)};
    }
};

}  // namespace

bool AtifStepFields::collect(const char* key, json::value& v) {
    switch (key[0]) {
        case 'e':
            if (key_is(key, "extra")) return collect_extra(v);
            break;
        case 'i':
            if (key_is(key, "is_copied_context")) step_.copied = is_true(v);
            break;
        case 'm':
            if (key_is(key, "message"))
                step_.message = read_content(v);
            else if (key_is(key, "model_name"))
                step_.model = raw_string(v);
            else if (key_is(key, "metrics"))
                return collect_metrics(v);
            break;
        case 'o':
            if (key_is(key, "observation"))
                return each_field(v, [this](const char* k, json::value& w) {
                    if (!key_is(k, "results")) return true;
                    return each_element(w, [this](json::value& result) { return collect_result(result); });
                });
            break;
        case 'r':
            if (key_is(key, "reasoning_content")) step_.reasoning = text_of(raw_string(v));
            break;
        case 's':
            if (key_is(key, "source"))
                step_.source = raw_string(v);
            else if (key_is(key, "step_id"))
                step_.id = token(v);
            break;
        case 't':
            if (key_is(key, "timestamp"))
                step_.timestamp = raw_string(v);
            else if (key_is(key, "tool_calls"))
                return each_element(v, [this](json::value& call) { return collect_call(call); });
            break;
        default: break;
    }
    return true;
}

bool AtifStepFields::collect_call(json::value& v) {
    AtifStep::Call* call = is_object(v) ? step_.calls.next() : nullptr;
    if (!call) return true;
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "tool_call_id"))
            call->id = raw_string(w);
        else if (key_is(key, "function_name"))
            call->name = raw_string(w);
        else if (key_is(key, "arguments") && !is_null(w))
            call->args = args_.digest_value({}, w);
        return true;
    });
}

bool AtifStepFields::collect_result(json::value& v) {
    AtifStep::Result* result = is_object(v) ? step_.results.next() : nullptr;
    if (!result) return true;
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "source_call_id"))
            result->call_id = raw_string(w);
        else if (key_is(key, "content")) {
            if (!is_null(w)) result->content = read_content(w);
        } else if (key_is(key, "subagent_trajectory_ref"))
            result->refers = is_array(w) || is_object(w);
        else if (key_is(key, "extra"))
            return each_field(w, [&](const char* k, json::value& x) {
                if (key_is(k, "status"))
                    result->status = raw_string(x);
                else if (key_is(k, "exit_code"))
                    result->exit_code = small_int(x);
                else if (key_is(k, "source_call_id"))
                    result->late_id = raw_string(x);
                else if (key_is(k, "is_error") || key_is(k, "tool_result_is_error"))
                    result->failed = is_true(x);
                return true;
            });
        return true;
    });
}

// What a converter that writes a step for each call keeps of the result beside it.
bool AtifStepFields::collect_extra(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "tool_result_is_error"))
            step_.failed = is_true(w);
        else if (key_is(key, "agent_id"))
            step_.agent = raw_string(w);
        else if (key_is(key, "is_sidechain"))
            step_.sidechain = is_true(w);
        else if (key_is(key, "context_management"))
            return each_field(w, [this](const char* k, json::value& x) {
                if (key_is(k, "type"))
                    step_.change = raw_string(x);
                else if (key_is(k, "boundary"))
                    step_.boundary = raw_string(x);
                return true;
            });
        else if (key_is(key, "tool_metadata"))
            return each_field(w, [this](const char* k, json::value& x) {
                if (key_is(k, "exit_code")) step_.exit_code = small_int(x);
                return true;
            });
        return true;
    });
}

// The prompt includes what was cached.
bool AtifStepFields::collect_metrics(json::value& v) {
    Figures figures;
    step_.has_metrics = is_object(v);
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "prompt_tokens"))
            figures.prompt = as_uint(n);
        else if (key_is(key, "completion_tokens"))
            figures.output = as_uint(n);
        else if (key_is(key, "cached_tokens"))
            figures.cached = as_uint(n);
        else if (key_is(key, "cost_usd"))
            step_.cost_usd = number_or(n, 0);
        else if (key_is(key, "extra"))
            return each_field(n, [&](const char* k, json::value& x) { return figures.collect_extra(k, x); });
        return true;
    });
    step_.tokens = figures.tokens();
    return good;
}

}  // namespace agent_audit::readers
