#include "readers/cline/cline_message.hpp"

#include "readers/cline/cline_result.hpp"

#include <array>

namespace agent_audit::readers {
namespace {

// Kinds of messages of the SDK's program that are given to the model as the user's.
constexpr std::array<std::string_view, 7> kNotices{
    "auto_compaction",   "compaction_budget_emergency", "completion_reminder", "loop_detection_notice",
    "manual_compaction", "mistake_stop_notice",         "recovery_notice"};

}  // namespace

bool ClineMessageCollector::collect(json::object object) {
    return each_field(object, [this](const char* key, json::value& v) { return collect_field(key, v); });
}

bool ClineMessageCollector::collect_field(const char* key, json::value& v) {
    switch (key[0]) {
        case 'a':
            if (key_is(key, "ask")) parts_.shown = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "content")) {
                parts_.has_content = is_string(v) || is_array(v);
                return collect_cline_blocks(v, parts_.blocks, args_);
            }
            break;
        case 'e':
            if (key_is(key, "encrypted_content")) parts_.opaque_bytes = raw_string(v).size();
            break;
        case 'i':
            if (key_is(key, "id"))
                parts_.id = raw_string(v);
            else if (key_is(key, "isSummary"))
                parts_.is_summary = is_true(v);
            else if (key_is(key, "isTruncationMarker"))
                parts_.is_truncation = is_true(v);
            break;
        case 'm':
            if (key_is(key, "modelInfo")) return collect_model(v);
            if (key_is(key, "metrics")) return collect_metrics(v);
            if (key_is(key, "metadata")) return collect_metadata(v);
            break;
        case 'r':
            if (key_is(key, "role"))
                parts_.role = raw_string(v);
            else if (key_is(key, "reasoning_content") && is_string(v))
                parts_.reasoning = text_of(raw_string(v));
            break;
        case 's':
            if (key_is(key, "summary"))
                parts_.summary = read_content(v).text;
            else if (key_is(key, "say"))
                parts_.shown = raw_string(v);
            break;
        case 't':
            if (key_is(key, "ts"))
                parts_.time_ms = unix_time(v);
            else if (key_is(key, "type"))
                parts_.type = raw_string(v);
            else if (key_is(key, "text"))
                parts_.shown_text = raw_string(v);
            break;
        default: break;
    }
    return true;
}

bool ClineMessageCollector::collect_model(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "modelId") || key_is(key, "id")) parts_.model = raw_string(w);
        return true;
    });
}

bool ClineMessageCollector::collect_metrics(json::value& v) {
    return each_field(v, [this](const char* key, json::value& n) {
        if (key_is(key, "tokens"))
            return each_field(n, [this](const char* k, json::value& d) {
                if (key_is(k, "prompt"))
                    parts_.tokens.input = as_uint(d);
                else if (key_is(k, "completion"))
                    parts_.tokens.output = as_uint(d);
                else if (key_is(k, "cached"))
                    parts_.tokens.cache_read = as_uint(d);  // reads and writes in one figure
                return true;
            });
        if (key_is(key, "inputTokens")) {
            parts_.tokens.input = as_uint(n);
            parts_.input_holds_cache = true;
        } else if (key_is(key, "outputTokens"))
            parts_.tokens.output = as_uint(n);
        else if (key_is(key, "cacheReadTokens"))
            parts_.tokens.cache_read = as_uint(n);
        else if (key_is(key, "cacheWriteTokens"))
            parts_.tokens.cache_write = as_uint(n);
        else if (key_is(key, "cost"))
            parts_.cost = number_or(n, 0);
        return true;
    });
}

bool ClineMessageCollector::collect_metadata(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "kind"))
            collect_kind(raw_string(w));
        else if (key_is(key, "displayRole"))
            collect_shown_as(raw_string(w));
        else if (key_is(key, "modelToolActivities"))
            return each_element(w, [this](json::value& element) { return collect_activity(element); });
        else if (key_is(key, "userRunSpan"))
            parts_.steering = as_int(w, 1) == 0;
        else if (key_is(key, "summary") && is_string(w))
            parts_.summary = text_of(raw_string(w));
        else if (key_is(key, "tokensBefore"))
            parts_.tokens_before = as_uint(w);
        return true;
    });
}

void ClineMessageCollector::collect_shown_as(std::string_view role) {
    parts_.program |= role == "system" || role == "status";
    parts_.failed |= role == "error";
}

// A call that the provider ran while it answered, with what came of it.
bool ClineMessageCollector::collect_activity(json::value& v) {
    ContentBlock* call = is_object(v) ? parts_.activities.next() : nullptr;
    return !call || each_field(v, [this, call](const char* key, json::value& w) {
        if (key_is(key, "toolCallId"))
            call->id = raw_string(w);
        else if (key_is(key, "toolName"))
            call->name = raw_string(w);
        else if (key_is(key, "input") && !is_null(w))
            call->args = args_.digest_value({}, w);
        else if (key_is(key, "output"))
            return collect_cline_result(w, *call);
        else if (key_is(key, "isError"))
            call->is_error = is_true(w);
        return true;
    });
}

void ClineMessageCollector::collect_kind(std::string_view kind) {
    parts_.is_summary |= kind == "compaction_summary" || kind == "compaction";
    parts_.is_truncation |= kind == "overflow_truncation";
    parts_.program |= is_one_of(kind, kNotices);
}

}  // namespace agent_audit::readers
