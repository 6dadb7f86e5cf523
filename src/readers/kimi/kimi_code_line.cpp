#include "readers/kimi/kimi_code_line.hpp"

namespace agent_audit::readers {

bool KimiCodeCollector::collect(const char* key, json::value& v) {
    KimiCodeLine& l = line_;
    switch (key[0]) {
        case 'a':
            if (key_is(key, "agentId")) l.agent = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "count") || key_is(key, "cutoff")) l.count = as_uint(v);
            if (key_is(key, "cwd")) l.cwd = text_of(raw_string(v));
            break;
        case 'd':
            if (key_is(key, "delayMs")) l.delay_ms = as_int(v, -1);
            break;
        case 'e':
            if (key_is(key, "event") && is_object(v)) {
                l.has_event = true;
                return each_field(v, [this](const char* k, json::value& w) { return collect_event(k, w); });
            }
            if (key_is(key, "error")) return collect_error(v);
            if (key_is(key, "errorName")) l.error_name = raw_string(v);
            if (key_is(key, "errorMessage")) l.error = text_of(raw_string(v));
            break;
        case 'f':
            if (key_is(key, "failedAttempt")) l.attempt = as_uint(v);
            break;
        case 'i':
            if (key_is(key, "input") && !is_null(v)) {
                l.input = read_content(v);
                l.has_input = true;
            }
            break;
        case 'm':
            if (key_is(key, "message") && is_object(v)) {
                l.has_message = true;
                return each_field(v, [this](const char* k, json::value& w) { return collect_message(k, w); });
            }
            if (key_is(key, "model")) l.model = raw_string(v);
            if (key_is(key, "modelAlias")) l.alias = raw_string(v);
            break;
        case 'o':
            if (key_is(key, "origin")) return collect_origin(v);
            break;
        case 'p':
            if (key_is(key, "protocol_version")) l.protocol = raw_string(v);
            break;
        case 'r':
            if (key_is(key, "reason")) l.reason = raw_string(v);
            break;
        case 's':
            if (key_is(key, "source")) l.source = raw_string(v);
            if (key_is(key, "summary")) l.summary = raw_string(v);
            if (key_is(key, "systemPrompt")) l.system_bytes = raw_string(v).size();
            break;
        case 't':
            if (key_is(key, "type"))
                l.type = raw_string(v);
            else if (key_is(key, "time"))
                l.time_ms = is_string(v) ? time_ms(raw_string(v)) : unix_time(v);
            else if (key_is(key, "tokensBefore"))
                l.before = as_uint(v);
            else if (key_is(key, "tokensAfter"))
                l.after = as_uint(v);
            else if (key_is(key, "tokenCount"))
                l.context_tokens = as_uint(v);
            break;
        case 'u':
            if (key_is(key, "usage")) return collect_usage(v);
            break;
        default: break;
    }
    return true;
}

bool KimiCodeCollector::collect_error(json::value& v) {
    if (is_string(v)) line_.error = text_of(raw_string(v));
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "message"))
            line_.error = text_of(raw_string(w));
        else if (key_is(key, "name") || key_is(key, "code"))
            line_.error_name = raw_string(w);
        return true;
    });
}

bool KimiCodeCollector::collect_origin(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "kind"))
            line_.origin = raw_string(w);
        else if (key_is(key, "trigger"))
            line_.trigger = raw_string(w);
        else if (key_is(key, "phase"))
            line_.phase = raw_string(w);
        return true;
    });
}

bool KimiCodeCollector::collect_message(const char* key, json::value& v) {
    KimiCodeLine& l = line_;
    if (key_is(key, "role"))
        l.role = raw_string(v);
    else if (key_is(key, "content"))
        return collect_content(v);
    else if (key_is(key, "toolCalls"))
        return each_element(v, [this](json::value& call) { return collect_call(call); });
    else if (key_is(key, "toolCallId"))
        l.call_id = raw_string(v);
    else if (key_is(key, "isError"))
        l.is_error = is_true(v);
    else if (key_is(key, "origin"))
        return collect_origin(v);
    return true;
}

bool KimiCodeCollector::collect_content(json::value& v) {
    json::array parts;
    std::string_view raw;
    if (!is_array(v)) {
        line_.content = read_content(v);
        return true;
    }
    if (v.get_array().get(parts) || parts.raw_json().get(raw) || parts.reset().error()) return false;
    line_.content.seen = true;
    std::size_t texts = 0;
    for (auto item : parts) {
        json::value part;
        if (std::move(item).get(part)) return false;
        const bool whole = each_field(part, [&](const char* key, json::value& w) {
            if (key_is(key, "think"))
                line_.think = text_of(raw_string(w));
            else if (key_is(key, "text") && is_string(w)) {
                line_.content.text = text_of(raw_string(w));
                ++texts;
            } else if (key_is(key, "imageUrl") || key_is(key, "audioUrl") || key_is(key, "videoUrl"))
                ++line_.content.media;
            return true;
        });
        if (!whole) return false;
    }
    if (texts > 1) line_.content.text = {raw, TextForm::json_value};
    return true;
}

bool KimiCodeCollector::collect_call(json::value& v) {
    KimiCodeCall* call = is_object(v) ? line_.calls.next() : nullptr;
    if (!call) return true;
    const auto field = [&](const char* key, json::value& w) {
        if (key_is(key, "id"))
            call->id = raw_string(w);
        else if (key_is(key, "name"))
            call->name = raw_string(w);
        else if ((key_is(key, "arguments") || key_is(key, "args")) && !is_null(w))
            call->args = args_.digest_value({}, w);
        return true;
    };
    return each_field(v, [&](const char* key, json::value& w) {
        return key_is(key, "function") ? each_field(w, field) : field(key, w);
    });
}

bool KimiCodeCollector::collect_event(const char* key, json::value& v) {
    KimiCodeLine& l = line_;
    if (key_is(key, "type"))
        l.event_type = raw_string(v);
    else if (key_is(key, "uuid")) {
        if (l.step.empty()) l.step = raw_string(v);
    } else if (key_is(key, "stepUuid"))
        l.step = raw_string(v);
    else if (key_is(key, "toolCallId"))
        l.call_id = raw_string(v);
    else if (key_is(key, "name"))
        l.name = raw_string(v);
    else if (key_is(key, "args") && !is_null(v))
        l.args = args_.digest_value({}, v);
    else if (key_is(key, "messageId"))
        l.message_id = raw_string(v);
    else if (key_is(key, "usage"))
        return collect_usage(v);
    else if (key_is(key, "part"))
        return each_field(v, [&l](const char* k, json::value& w) {
            if (key_is(k, "text"))
                l.text = text_of(raw_string(w));
            else if (key_is(k, "think"))
                l.think = text_of(raw_string(w));
            else if (key_is(k, "encrypted"))
                l.encrypted_bytes = raw_string(w).size();
            return true;
        });
    else if (key_is(key, "result"))
        return collect_result(v);
    return true;
}

bool KimiCodeCollector::collect_result(json::value& v) {
    line_.has_result = true;
    if (is_string(v)) line_.output.text = text_of(raw_string(v));
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "output") || key_is(key, "content")) {
            if (!is_null(w)) line_.output = read_content(w);
        } else if (key_is(key, "isError"))
            line_.is_error = is_true(w);
        return true;
    });
}

bool KimiCodeCollector::collect_usage(json::value& v) {
    line_.has_usage = is_object(v);
    return each_field(v, [this](const char* key, json::value& n) {
        TokenCounts& t = line_.tokens;
        if (key_is(key, "inputOther"))
            t.input = as_uint(n);
        else if (key_is(key, "output"))
            t.output = as_uint(n);
        else if (key_is(key, "inputCacheRead"))
            t.cache_read = as_uint(n);
        else if (key_is(key, "inputCacheCreation"))
            t.cache_write = as_uint(n);
        return true;
    });
}

}  // namespace agent_audit::readers
