#include "readers/gemini/gemini_line.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

constexpr std::string_view kMasked = "<tool_output_masked>";
constexpr std::size_t kMostMasked = 1u << 20;  // bytes of ids

// {"id":"…","name":"…","response":{"output":"<tool_output_masked>…"}}
bool collect_masked(json::value& v, std::string& masked) {
    std::string_view id;
    bool is_masked = false;
    const bool good = each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "id")) id = raw_string(w);
        if (!key_is(key, "response")) return true;
        return each_field(w, [&](const char* k, json::value& x) {
            if (key_is(k, "output")) is_masked = raw_string(x).starts_with(kMasked);
            return true;
        });
    });
    if (is_masked && !id.empty() && masked.size() < kMostMasked)
        masked.append(masked.empty() ? "[\"" : ",\"").append(id).append("\"");
    return good;
}

bool collect_text(json::value& v, Content& content, std::string& joined, std::string* masked) {
    std::string_view text;
    bool thought = false;
    if (is_string(v)) {
        text = raw_string(v);
    } else if (!each_field(v, [&](const char* key, json::value& w) {
                   if (key_is(key, "text"))
                       text = raw_string(w);
                   else if (key_is(key, "thought"))
                       thought = is_true(w);
                   else if (key_is(key, "inlineData") || key_is(key, "fileData"))
                       ++content.media;
                   else if (masked && key_is(key, "functionResponse"))
                       return collect_masked(w, *masked);
                   return true;
               })) {
        return false;
    }
    if (text.empty() || thought) return true;
    if (content.text.empty()) {
        content.text = text_of(text);
        return true;
    }
    if (content.text.bytes.data() != joined.data()) joined.assign(content.text.bytes);
    joined += text;
    content.text = text_of(joined);
    return true;
}

bool collect_response(json::value& v, GeminiCall& call) {
    return each_field(v, [&call](const char* key, json::value& text) {
        if (key_is(key, "output"))
            call.output = any_text(text);
        else if (key_is(key, "error"))
            call.error = any_text(text);
        return true;
    });
}

// A picture stands beside the response to older models, and in it, among its parts, to those since Gemini 3.
bool collect_part(json::value& part, GeminiCall& call) {
    return each_field(part, [&call](const char* key, json::value& v) {
        if (key_is(key, "inlineData") || key_is(key, "fileData")) {
            ++call.media;
            call.media_hash = with_media(call.media_hash, raw_value(v));
        }
        if (!key_is(key, "functionResponse")) return true;
        return each_field(v, [&call](const char* k, json::value& w) {
            if (key_is(k, "response")) return collect_response(w, call);
            if (!key_is(k, "parts")) return true;
            return each_element(w, [&call](json::value& inner) { return collect_part(inner, call); });
        });
    });
}

}  // namespace

bool GeminiCollector::collect(json::object& object) {
    return each_field(object, [this](const char* key, json::value& v) { return collect_field(key, v); });
}

bool GeminiCollector::collect_field(const char* key, json::value& v) {
    switch (key[0]) {
        case '$':
            if (key_is(key, "$rewindTo")) line_.rewind_to = raw_string(v);
            if (key_is(key, "$patch")) {
                line_.has_patch = true;
                return each_field(v, [this](const char* k, json::value& w) {
                    return !key_is(k, "removeIds") ||
                           each_element(w, [this](json::value& id) { return collect_removed(raw_string(id)); });
                });
            }
            if (key_is(key, "$set")) {
                line_.has_set = true;
                return each_field(v, [this](const char* k, json::value& w) {
                    if (key_is(k, "messages")) line_.set_has_messages = is_array(w);
                    return true;
                });
            }
            break;
        case 'c':
            if (key_is(key, "content")) return collect_gemini_content(v, line_.content, line_.joined, before_.masked);
            break;
        case 'd':
            if (key_is(key, "displayContent")) return collect_gemini_content(v, line_.shown, line_.joined_shown);
            break;
        case 'i':
            if (key_is(key, "id")) line_.id = raw_string(v);
            break;
        case 'k':
            if (key_is(key, "kind")) header_.kind = raw_string(v);
            break;
        case 'm':
            if (key_is(key, "model"))
                line_.model = raw_string(v);
            else if (key_is(key, "messages"))
                line_.has_messages = is_array(v);
            break;
        case 'p':
            if (key_is(key, "projectHash")) header_.project_hash = raw_string(v);
            break;
        case 's':
            if (key_is(key, "sessionId"))
                header_.session_id = raw_string(v);
            else if (key_is(key, "startTime"))
                header_.start_time = raw_string(v);
            break;
        case 't':
            if (key_is(key, "type"))
                line_.type = raw_string(v);
            else if (key_is(key, "timestamp"))
                line_.timestamp = raw_string(v);
            else if (key_is(key, "tokens"))
                return collect_tokens(v);
            else if (key_is(key, "thoughts"))
                return each_element(v, [this](json::value& thought) { return collect_thought(thought); });
            else if (key_is(key, "toolCalls"))
                return each_element(v, [this](json::value& call) { return collect_call(call); });
            break;
        default: break;
    }
    return true;
}

bool GeminiCollector::collect_removed(std::string_view id) {
    if (line_.first_removed.empty()) line_.first_removed = id;
    line_.newest_removed |= before_.newest != 0 && id_hash(id) == before_.newest;
    return true;
}

// The input includes what was cached; thoughts come on top of the output, tool prompts on top of the input.
bool GeminiCollector::collect_tokens(json::value& v) {
    if (!is_object(v)) return true;
    std::uint64_t input = 0, output = 0, cached = 0, thoughts = 0, tool = 0;
    const bool good = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "input"))
            input = as_uint(n);
        else if (key_is(key, "output"))
            output = as_uint(n);
        else if (key_is(key, "cached"))
            cached = as_uint(n);
        else if (key_is(key, "thoughts"))
            thoughts = as_uint(n);
        else if (key_is(key, "tool"))
            tool = as_uint(n);
        return true;
    });
    cached = std::min(cached, input);
    line_.tokens = {input - cached + tool, 0, cached, output + thoughts, thoughts};
    return good;
}

bool GeminiCollector::collect_thought(json::value& v) {
    GeminiThought* thought = is_object(v) ? line_.thoughts.next() : nullptr;
    if (!thought) return true;
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "subject"))
            thought->subject = text_of(raw_string(w));
        else if (key_is(key, "description"))
            thought->description = text_of(raw_string(w));
        return true;
    });
}

bool GeminiCollector::collect_call(json::value& v) {
    GeminiCall* call = is_object(v) ? line_.calls.next() : nullptr;
    if (!call) return true;
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "id"))
            call->id = raw_string(w);
        else if (key_is(key, "name"))
            call->name = raw_string(w);
        else if (key_is(key, "status"))
            call->status = raw_string(w);
        else if (key_is(key, "timestamp"))
            call->timestamp = raw_string(w);
        else if (key_is(key, "resultDisplay"))
            call->display = any_text(w);
        else if (key_is(key, "args") && !is_null(w))
            call->args = args_.digest_value({}, w);
        else if (key_is(key, "result"))
            return each_element(w, [&](json::value& part) { return collect_part(part, *call); });
        return true;
    });
}

bool collect_gemini_content(json::value& v, Content& content, std::string& joined, std::string* masked) {
    content.seen = is_string(v) || is_object(v) || is_array(v);
    if (!is_array(v)) return collect_text(v, content, joined, masked);
    return each_element(v, [&](json::value& part) { return collect_text(part, content, joined, masked); });
}

}  // namespace agent_audit::readers
