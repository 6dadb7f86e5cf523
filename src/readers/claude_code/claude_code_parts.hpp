#pragma once

#include "readers/claude_code/claude_code_line.hpp"
#include "readers/json/json_util.hpp"
#include "readers/json/walk.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

/// Parts of a line that most lines do not have. As the collector that calls them, they read by simdjson or by the quick
/// way. False for broken JSON.
namespace agent_audit::readers::claude_code_parts {

template <class Value>
RawText json_of(Value& v) {
    return {raw_value(v), TextForm::json_value};
}

// {"kind":"human"}, {"kind":"peer","from":…}; of what comes as a notification the second word says more.
template <class Value>
bool collect_writer(Value& v, ClaudeCodeLine& line) {
    return each_field(v, [&line](const char* key, Value& w) {
        if (key_is(key, "kind"))
            line.origin = raw_string(w);
        else if (key_is(key, "subkind") && raw_string(w) == "peer-send-message")
            line.origin = "peer";
        return true;
    });
}

template <class Value>
bool collect_preserved(Value& v, ClaudeCodeLine& line) {
    return each_field(v, [&line](const char* key, Value& w) {
        if (key_is(key, "uuids") || (key_is(key, "allUuids") && line.ids.empty())) line.ids = json_of(w);
        return true;
    });
}

template <class Value>
bool collect_compaction(Value& v, ClaudeCodeLine& line) {
    return each_field(v, [&line](const char* key, Value& w) {
        if (key_is(key, "trigger"))
            line.trigger = raw_string(w);
        else if (key_is(key, "preTokens") || key_is(key, "pre_tokens"))
            line.pre_tokens = as_uint(w);
        else if (key_is(key, "postTokens") || key_is(key, "post_tokens"))
            line.post_tokens = as_uint(w);
        else if (key_is(key, "tokensSaved"))
            line.tokens_saved = as_uint(w);
        else if (key_is(key, "compactedToolIds"))
            line.ids = json_of(w);
        else if (key_is(key, "preservedMessages") || key_is(key, "preserved_messages"))
            return collect_preserved(w, line);
        return true;
    });
}

template <class Value>
bool collect_attachment(Value& v, ClaudeCodeLine& line) {
    if (!is_object(v)) return true;
    ObjectOf<Value> object;
    std::string_view raw;
    if (v.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return false;
    line.attachment = {raw, TextForm::json_value};
    return each_field(object, [&line](const char* key, Value& w) {
        if (key_is(key, "type"))
            line.attachment_type = raw_string(w);
        else if (key_is(key, "prompt"))
            line.attachment_prompt = read_content(w).text;
        else if (key_is(key, "content"))
            line.attachment_content = is_string(w) ? text_of(raw_string(w)) : json_of(w);
        else if (key_is(key, "hookEvent"))
            line.hook_event = raw_string(w);
        else if (key_is(key, "callIds"))
            line.ids = json_of(w);
        else if (key_is(key, "commandMode"))
            line.command_mode = raw_string(w);
        else if (key_is(key, "isMeta"))
            line.attachment_meta = is_true(w);
        else if (key_is(key, "origin"))
            return collect_writer(w, line);
        return true;
    });
}

// [{"content":"<system-reminder>…"}]; of several the array stands for them.
template <class Value>
[[gnu::noinline]] bool collect_rendered(Value& v, ClaudeCodeLine& line) {
    if (!is_array(v)) return true;
    ArrayOf<Value> array;
    std::string_view raw;
    if (v.get_array().get(array) || array.raw_json().get(raw) || array.reset().error()) return false;
    line.has_rendered = true;
    unsigned parts = 0;
    for (auto item : array) {
        Value part;
        if (std::move(item).get(part)) return false;
        const bool whole = each_field(part, [&line](const char* key, Value& w) {
            if (key_is(key, "content")) line.rendered = read_content(w).text;
            return true;
        });
        if (!whole) return false;
        if (++parts > 1) line.rendered = {raw, TextForm::json_value};
    }
    return true;
}

// progress.data: only a sub-agent's message is of interest; its parts are read later, when its type is known.
template <class Value>
bool collect_data(Value& v, ClaudeCodeLine& line) {
    return each_field(v, [&line](const char* key, Value& w) {
        if (key_is(key, "agentId"))
            line.data_agent_id = raw_string(w);
        else if (key_is(key, "message") && is_object(w))
            line.data_message = json_of(w);
        return true;
    });
}

// Of the answer with which a provider refused.
template <class Value>
void keep_status(Value& v, ClaudeCodeLine& line) {
    constexpr std::size_t kDigits = 3;
    const std::string_view status = raw_value(v);
    if (status.size() == kDigits && std::ranges::all_of(status, [](char c) { return c >= '0' && c <= '9'; }))
        line.reason = status;
}

template <class Value>
bool collect_error(Value& v, ClaudeCodeLine& line) {
    if (is_string(v)) {
        line.error_text = raw_string(v);
        return true;
    }
    return each_field(v, [&line](const char* key, Value& w) {
        if (key_is(key, "formatted") || (key_is(key, "message") && line.error_text.empty())) {
            line.error_text = raw_string(w);
        } else if (key_is(key, "status")) {
            keep_status(w, line);
        }
        return true;
    });
}

// ["what went wrong", …]
template <class Value>
bool collect_errors(Value& v, ClaudeCodeLine& line) {
    if (!is_array(v)) return true;
    ArrayOf<Value> errors;
    if (v.get_array().get(errors)) return false;
    for (auto item : errors) {
        Value text;
        if (std::move(item).get(text)) return false;
        if (is_string(text) && line.error_text.empty()) line.error_text = raw_string(text);
    }
    return true;
}

template <class Value>
bool collect_decision(Value& v, std::string_view& refused_by) {
    bool refused = false;
    const bool whole = each_field(v, [&](const char* key, Value& w) {
        if (key_is(key, "decision"))
            refused = raw_string(w) == "reject";
        else if (key_is(key, "source"))
            refused_by = raw_string(w);
        return true;
    });
    if (!refused)
        refused_by = {};
    else if (refused_by.empty())
        refused_by = "unknown";
    return whole;
}

// [{"id":"toolu_…","non_execution_kind":"user-rejected","permission_decision":{"decision":"reject",
//   "source":"config",…}}]: what a stream tells of a call that did not run. A record mostly has one result.
template <class Value>
[[gnu::noinline]] bool collect_result_meta(Value& v, ClaudeCodeLine& line) {
    if (!is_array(v)) return true;
    ArrayOf<Value> results;
    if (v.get_array().get(results)) return false;
    for (auto item : results) {
        Value one;
        if (std::move(item).get(one)) return false;
        std::string_view id, kind, refused_by;
        const bool whole = each_field(one, [&](const char* key, Value& w) {
            if (key_is(key, "id"))
                id = raw_string(w);
            else if (key_is(key, "non_execution_kind"))
                kind = raw_string(w);
            else if (key_is(key, "permission_decision"))
                return collect_decision(w, refused_by);
            return true;
        });
        if (!whole) return false;
        // "user-rejected" stands also where there was nobody to ask; the decision says whose it was.
        if (refused_by == "config" || refused_by == "hook") kind = "permission-rule";
        if (kind.empty() && !refused_by.empty()) kind = "rejected";
        if (kind.empty()) continue;
        line.reason = kind;
        line.refused_call = id;
    }
    return true;
}

}  // namespace agent_audit::readers::claude_code_parts
