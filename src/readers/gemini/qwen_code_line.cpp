#include "readers/gemini/qwen_code_line.hpp"

#include "readers/messages/qwen_deferred.hpp"

#include <algorithm>

namespace agent_audit::readers {

bool QwenCollector::collect(json::object object) {
    return each_field(object, [this](const char* key, json::value& v) { return collect_field(key, v); });
}

bool QwenCollector::collect_field(const char* key, json::value& v) {
    switch (key[0]) {
        case 'a':
            if (key_is(key, "agentId"))
                line_.agent_id = raw_string(v);
            else if (key_is(key, "agentName"))
                line_.agent_name = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "cwd"))
                line_.cwd = raw_string(v);
            else if (key_is(key, "contextWindowSize"))
                line_.window = as_uint(v);
            break;
        case 'f':
            if (key_is(key, "forkedFrom")) line_.forked = !is_null(v);
            break;
        case 'i':
            if (key_is(key, "isSidechain")) line_.sidechain = is_true(v);
            break;
        case 'm':
            if (key_is(key, "model"))
                line_.model = raw_string(v);
            else if (key_is(key, "message"))
                return collect_message(v);
            break;
        case 'p':
            if (key_is(key, "parentUuid")) {
                line_.parent = raw_string(v);
                line_.parent_null = is_null(v);
            } else if (key_is(key, "provenance"))
                line_.provenance = raw_string(v);
            break;
        case 's':
            if (key_is(key, "sessionId"))
                line_.session_id = raw_string(v);
            else if (key_is(key, "subtype"))
                line_.subtype = raw_string(v);
            else if (key_is(key, "systemPayload"))
                return collect_payload(v);
            break;
        case 't':
            if (key_is(key, "type"))
                line_.type = raw_string(v);
            else if (key_is(key, "timestamp"))
                line_.timestamp = raw_string(v);
            else if (key_is(key, "toolCallResult"))
                return collect_call_result(v);
            break;
        case 'u':
            if (key_is(key, "uuid"))
                line_.uuid = raw_string(v);
            else if (key_is(key, "usageMetadata"))
                return collect_usage(v);
            break;
        case 'v':
            if (key_is(key, "version")) line_.version = raw_string(v);
            break;
        default: break;
    }
    return true;
}

bool QwenCollector::collect_message(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (!key_is(key, "parts")) return true;
        line_.has_message = true;  // what has content instead is of another format in a like envelope
        return each_element(w, [this](json::value& part) { return collect_part(part); });
    });
}

bool QwenCollector::collect_part(json::value& v) {
    QwenPart* part = is_object(v) ? line_.parts.next() : nullptr;
    if (!part) return true;
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "text"))
            part->text = text_of(raw_string(w));
        else if (key_is(key, "thought")) {
            if (is_true(w)) part->kind = QwenPart::Kind::thought;
        } else if (key_is(key, "inlineData") || key_is(key, "fileData"))
            part->add_media(raw_value(w));
        else if (key_is(key, "functionCall")) {
            part->kind = QwenPart::Kind::call;
            if (!collect_function(w, *part)) return false;
            see_through(*part, args_, false);
        } else if (key_is(key, "functionResponse")) {
            part->kind = QwenPart::Kind::response;
            return collect_function(w, *part);
        }
        return true;
    });
}

bool QwenCollector::collect_function(json::value& v, QwenPart& part) {
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "id"))
            part.id = raw_string(w);
        else if (key_is(key, "name"))
            part.name = raw_string(w);
        else if (key_is(key, "args") && !is_null(w))
            part.args = args_.digest_value({}, w);
        else if (key_is(key, "response"))
            return each_field(w, [&part](const char* k, json::value& text) {
                if (key_is(k, "output"))
                    part.text = any_text(text);
                else if (key_is(k, "error"))
                    part.error = any_text(text);
                return true;
            });
        else if (key_is(key, "parts"))
            return each_element(w, [&part](json::value& inner) {
                return each_field(inner, [&part](const char* k, json::value& x) {
                    if (key_is(k, "inlineData") || key_is(k, "fileData")) part.add_media(raw_value(x));
                    return true;
                });
            });
        return true;
    });
}

bool QwenCollector::collect_call_result(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "status"))
            line_.call_status = raw_string(w);
        else if (key_is(key, "callId"))
            line_.call_id = raw_string(w);
        else if (key_is(key, "errorType"))
            line_.error_type = raw_string(w);
        else if (key_is(key, "resultDisplay"))
            line_.display = any_text(w);
        return true;
    });
}

// The prompt includes what was cached. Thoughts come on top of the candidates, unless the total says otherwise.
// Without one they come from an OpenAI-style service, whose answers contain them, and may be an estimate.
bool QwenCollector::collect_usage(json::value& v) {
    std::uint64_t prompt = 0, output = 0, cached = 0, thoughts = 0, tool = 0, total = 0;
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "promptTokenCount"))
            prompt = as_uint(n);
        else if (key_is(key, "candidatesTokenCount"))
            output = as_uint(n);
        else if (key_is(key, "cachedContentTokenCount"))
            cached = as_uint(n);
        else if (key_is(key, "thoughtsTokenCount"))
            thoughts = as_uint(n);
        else if (key_is(key, "toolUsePromptTokenCount"))
            tool = as_uint(n);
        else if (key_is(key, "totalTokenCount"))
            total = as_uint(n);
        return true;
    });
    count(prompt, output, cached, thoughts, tool, total);
    return good;
}

void QwenCollector::count(std::uint64_t prompt, std::uint64_t output, std::uint64_t cached, std::uint64_t thoughts,
                          std::uint64_t tool, std::uint64_t total) {
    if (prompt == 0 && output == 0)
        prompt = total > thoughts ? total - thoughts : 0;  // nothing says what of it was answered
    cached = std::min(cached, prompt);
    const bool inside = total > 0 ? total == prompt + output + tool : thoughts <= output;
    if (inside) thoughts = std::min(thoughts, output);
    line_.tokens = {prompt - cached + tool, 0, cached, inside ? output : output + thoughts, thoughts};
}

bool QwenCollector::collect_ui_event(json::value& v) {
    std::uint64_t prompt = 0, output = 0, cached = 0, thoughts = 0, total = 0;
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "event.name"))
            line_.event = raw_string(n);
        else if (key_is(key, "response_id"))
            line_.response_id = raw_string(n);
        else if (key_is(key, "subagent_name"))
            line_.helper = raw_string(n);
        else if (key_is(key, "model"))
            line_.model = raw_string(n);
        else if (key_is(key, "input_token_count"))
            prompt = as_uint(n);
        else if (key_is(key, "output_token_count"))
            output = as_uint(n);
        else if (key_is(key, "cached_content_token_count"))
            cached = as_uint(n);
        else if (key_is(key, "thoughts_token_count"))
            thoughts = as_uint(n);
        else if (key_is(key, "total_token_count"))
            total = as_uint(n);
        return true;
    });
    count(prompt, output, cached, thoughts, 0, total);
    return good;
}

bool QwenCollector::collect_payload(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "truncatedCount")) line_.truncated = as_uint(w);
        if (key_is(key, "state")) line_.turn_state = raw_string(w);
        if (key_is(key, "uiEvent")) return collect_ui_event(w);
        if (!key_is(key, "info")) return true;
        return each_field(w, [this](const char* k, json::value& n) {
            if (key_is(k, "originalTokenCount"))
                line_.tokens_before = as_uint(n);
            else if (key_is(k, "newTokenCount"))
                line_.tokens_after = as_uint(n);
            return true;
        });
    });
}

}  // namespace agent_audit::readers
