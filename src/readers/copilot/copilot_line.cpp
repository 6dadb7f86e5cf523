#include "readers/copilot/copilot_line.hpp"

namespace agent_audit::readers {

bool CopilotCollector::collect(const char* key, json::value& v) {
    switch (key[0]) {
        case 'a':
            if (key_is(key, "arguments")) {
                if (!is_null(v)) line_.args = args_.digest_value({}, v);
            } else if (key_is(key, "apiCallId"))
                line_.api_call_id = raw_string(v);
            else if (key_is(key, "agentName"))
                line_.agent_name = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "content"))
                line_.content = read_content(v);
            else if (key_is(key, "context"))
                return collect_context(v);
            else if (key_is(key, "copilotVersion"))
                line_.version = raw_string(v);
            else if (key_is(key, "crossSession"))
                line_.other_session = is_object(v);
            else if (key_is(key, "cwd"))
                line_.cwd = raw_string(v);
            else if (key_is(key, "currentTokens"))
                line_.context = as_uint(v);
            else if (key_is(key, "cacheReadTokens"))
                line_.tokens.cache_read = as_uint(v);
            else if (key_is(key, "cacheWriteTokens"))
                line_.tokens.cache_write = as_uint(v);
            else if (key_is(key, "compactionTokensUsed"))
                return collect_usage_record(v);
            break;
        case 'd':
            if (key_is(key, "delivery")) line_.delivery = raw_string(v);
            break;
        case 'e':
            if (key_is(key, "error")) return collect_error(v);
            if (key_is(key, "errorType")) line_.error_code = raw_string(v);
            break;
        case 'i':
            if (key_is(key, "inputTokens"))
                line_.tokens.input = as_uint(v);
            else if (key_is(key, "initialMessage"))
                line_.message = text_of(raw_string(v));
            else if (key_is(key, "isAutopilotContinuation"))
                line_.continues = is_true(v);
            break;
        case 'm':
            if (key_is(key, "messageId"))
                line_.message_id = raw_string(v);
            else if (key_is(key, "model"))
                line_.model = raw_string(v);
            else if (key_is(key, "message"))
                line_.message = text_of(raw_string(v));
            else if (key_is(key, "modelCall"))
                return collect_model_call(v);
            else if (key_is(key, "modelMetrics"))
                return collect_totals(v);
            else if (key_is(key, "maxPromptTokens"))
                line_.window = as_uint(v);
            break;
        case 'n':
            if (key_is(key, "newModel")) line_.model = raw_string(v);
            break;
        case 'o':
            if (key_is(key, "outputTokens"))
                line_.tokens.output = as_uint(v);
            else if (key_is(key, "outcome"))
                line_.outcome = raw_string(v);
            break;
        case 'p':
            if (key_is(key, "parentToolCallId"))
                line_.parent_call_id = raw_string(v);
            else if (key_is(key, "preCompactionTokens") || key_is(key, "preTruncationTokensInMessages"))
                line_.tokens_before = as_uint(v);
            else if (key_is(key, "postCompactionTokens") || key_is(key, "postTruncationTokensInMessages"))
                line_.tokens_after = as_uint(v);
            break;
        case 'r':
            if (key_is(key, "reasoningTokens"))
                line_.tokens.reasoning = as_uint(v);
            else if (key_is(key, "reasoningText"))
                line_.reasoning = text_of(raw_string(v));
            else if (key_is(key, "reasoningOpaque"))
                line_.opaque_bytes = raw_string(v).size();
            else if (key_is(key, "result"))
                return collect_result(v);
            else if (key_is(key, "responseUsage"))
                return collect_response_usage(v);
            break;
        case 's':
            if (key_is(key, "sessionId"))
                line_.session_id = raw_string(v);
            else if (key_is(key, "selectedModel"))
                line_.model = raw_string(v);
            else if (key_is(key, "success")) {
                line_.success = is_true(v);
                line_.failed = v.raw_json_token()[0] == 'f';
            } else if (key_is(key, "shellExecution"))
                return collect_exit(v);
            else if (key_is(key, "summaryContent"))
                line_.summary = text_of(raw_string(v));
            else if (key_is(key, "source"))
                line_.source = raw_string(v);
            break;
        case 't':
            if (key_is(key, "toolCallId"))
                line_.call_id = raw_string(v);
            else if (key_is(key, "toolName"))
                line_.tool_name = raw_string(v);
            else if (key_is(key, "trigger"))
                line_.trigger = raw_string(v);
            else if (key_is(key, "toolRequests"))
                return each_element(v, [this](json::value& request) { return collect_request(request); });
            break;
        case 'u':
            if (key_is(key, "upToEventId"))
                line_.up_to = raw_string(v);
            else if (key_is(key, "usage"))
                return collect_usage_record(v);
            break;
        default: break;
    }
    return true;
}

bool CopilotCollector::collect_context(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "cwd")) line_.cwd = raw_string(w);
        return true;
    });
}

bool CopilotCollector::collect_model_call(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "api_id"))
            line_.api_call_id = raw_string(w);
        else if (key_is(key, "model") && line_.model.empty())
            line_.model = raw_string(w);
        return true;
    });
}

bool CopilotCollector::collect_request(json::value& v) {
    CopilotRequest* request = is_object(v) ? line_.requests.next() : nullptr;
    if (!request) return true;
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "toolCallId"))
            request->id = raw_string(w);
        else if (key_is(key, "name"))
            request->name = raw_string(w);
        else if (key_is(key, "arguments") && !is_null(w))
            request->args = args_.digest_value({}, w);
        return true;
    });
}

bool CopilotCollector::collect_result(json::value& v) {
    if (is_string(v)) line_.result = text_of(raw_string(v));
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "content"))
            line_.result = read_content(w).text;
        else if (key_is(key, "kind"))
            line_.outcome = raw_string(w);
        else if (key_is(key, "binaryResultsForLlm"))
            return each_element(w, [this](json::value& one) { return collect_binary(one); });
        else if (key_is(key, "contents"))
            return each_element(w, [this](json::value& block) { return collect_exit(block); });
        return true;
    });
}

// A picture is named by what it is, or stands there itself.
bool CopilotCollector::collect_binary(json::value& v) {
    ++line_.media;
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "assetId") || key_is(key, "data"))
            line_.media_hash = with_media(line_.media_hash, raw_string(w));
        return true;
    });
}

// How a command ended stands beside the result, or in a block of it.
bool CopilotCollector::collect_exit(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "exitCode")) line_.exit_code = small_int(w);
        return true;
    });
}

bool CopilotCollector::collect_error(json::value& v) {
    if (is_string(v)) line_.error = text_of(raw_string(v));
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "message"))
            line_.error = text_of(raw_string(w));
        else if (key_is(key, "code"))
            line_.error_code = raw_string(w);
        return true;
    });
}

bool CopilotCollector::collect_response_usage(json::value& v) {
    return each_field(v, [this](const char* key, json::value& n) {
        if (key_is(key, "prompt_tokens"))
            line_.tokens.input = as_uint(n);
        else if (key_is(key, "completion_tokens"))
            line_.tokens.output = as_uint(n);
        else if (key_is(key, "prompt_tokens_details") || key_is(key, "completion_tokens_details"))
            return each_field(n, [this](const char* k, json::value& w) {
                if (key_is(k, "cached_tokens")) line_.tokens.cache_read = as_uint(w);
                if (key_is(k, "reasoning_tokens")) line_.tokens.reasoning = as_uint(w);
                return true;
            });
        return true;
    });
}

bool CopilotCollector::collect_usage_record(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "usage")) return true;
        if (!key_is(key, "accounting")) return collect(key, w);
        return each_field(w, [this](const char* k, json::value& x) {
            if (key_is(k, "sourceSessionId"))
                line_.source_session = raw_string(x);
            else if (key_is(k, "sequence"))
                line_.sequence = as_uint(x);
            return true;
        });
    });
}

bool CopilotCollector::collect_totals(json::value& v) {
    return each_field(v, [this](const char* key, json::value& metrics) {
        CopilotModelTotal* total = line_.totals.next();
        if (!total) return true;
        total->model = key_text(key);
        return each_field(metrics, [&](const char* k, json::value& usage) {
            if (!key_is(k, "usage")) return true;
            return each_field(usage, [&](const char* name, json::value& n) {
                if (key_is(name, "inputTokens"))
                    total->tokens.input = as_uint(n);
                else if (key_is(name, "outputTokens"))
                    total->tokens.output = as_uint(n);
                else if (key_is(name, "cacheReadTokens"))
                    total->tokens.cache_read = as_uint(n);
                else if (key_is(name, "cacheWriteTokens"))
                    total->tokens.cache_write = as_uint(n);
                else if (key_is(name, "reasoningTokens"))
                    total->tokens.reasoning = as_uint(n);
                return true;
            });
        });
    });
}

}  // namespace agent_audit::readers
