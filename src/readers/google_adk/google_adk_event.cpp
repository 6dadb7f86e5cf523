#include "readers/google_adk/google_adk_event.hpp"

#include "readers/json/any_time.hpp"
#include "readers/messages/tool_output.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

bool transcription(json::value& v, RawText& text) {
    return each_field(v, [&text](const char* key, json::value& w) {
        if (key_is(key, "text")) text = text_of(raw_string(w));
        return true;
    });
}

bool outcome(const char* key, json::value& v, AdkPart& part) {
    if (key_is(key, "output"))
        part.text = text_of(raw_string(v));
    else if (key_is(key, "outcome"))
        part.status = raw_string(v) == "OUTCOME_OK" ? ResultStatus::ok : ResultStatus::error;
    return true;
}

// A call that a person has to allow gets a result before and one after that.
void note_refusal(std::string_view words, AdkPart& part) {
    if (part.status != ResultStatus::error) return;
    if (words == "This tool call is rejected.")
        part.status = ResultStatus::denied;
    else if (words.starts_with("This tool call requires confirmation"))
        part.status = ResultStatus::running;
}

bool response(json::value& v, AdkPart& part) {
    ToolOutput out;
    if (!read_tool_output(v, out)) return false;
    part.text = out.text;
    part.status = out.status;
    part.exit_code = out.exit_code;
    part.media = out.media;
    note_refusal(out.text.bytes, part);
    return true;
}

}  // namespace

bool AdkCollector::collect(const char* key, json::value& v) {
    switch (key[0]) {
        case 'a':
            if (key_is(key, "author"))
                event_.author = raw_string(v);
            else if (key_is(key, "actions"))
                return actions(v);
            break;
        case 'b':
            if (key_is(key, "branch")) event_.branch = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "content")) return content(v);
            break;
        case 'e':
            if (key_is(key, "event_metadata", "eventMetadata"))  // of the service that keeps sessions
                return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
            if (key_is(key, "error_code", "errorCode"))
                event_.error_code = raw_string(v);
            else if (key_is(key, "error_message", "errorMessage"))
                event_.error_message = raw_string(v);
            break;
        case 'i':
            if (key_is(key, "id"))
                event_.id = raw_string(v);
            else if (key_is(key, "invocation_id", "invocationId"))
                event_.invocation = raw_string(v);
            else if (key_is(key, "input_transcription", "inputTranscription"))
                return transcription(v, event_.heard);
            break;
        case 'l':
            if (key_is(key, "long_running_tool_ids", "longRunningToolIds"))
                return each_element(v, [this](json::value& id) {
                    std::string_view* const entry = event_.long_running.next();
                    if (entry) *entry = raw_string(id);
                    return true;
                });
            break;
        case 'm':
            if (key_is(key, "model_version", "modelVersion")) event_.model = raw_string(v);
            break;
        case 'o':
            if (key_is(key, "output_transcription", "outputTranscription")) return transcription(v, event_.said);
            break;
        case 'p':
            if (key_is(key, "partial")) event_.partial = is_true(v);
            break;
        case 't':
            if (key_is(key, "timestamp"))
                event_.time_ms = any_time(v);
            else if (key_is(key, "turn_id", "turnId"))
                event_.turn_id = raw_string(v);
            break;
        case 'u':
            if (key_is(key, "usage_metadata", "usageMetadata")) return usage(v);
            break;
        default: break;
    }
    return true;
}

bool AdkCollector::actions(json::value& v) {
    event_.has_actions |= is_object(v);
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "rewind_before_invocation_id", "rewindBeforeInvocationId"))
            event_.rewind_to = raw_string(w);
        else if (key_is(key, "compaction") && is_object(w)) {
            event_.compaction = true;
            return each_field(w, [this](const char* k, json::value& x) {
                return !key_is(k, "compacted_content", "compactedContent") || summary(x);
            });
        }
        return true;
    });
}

bool AdkCollector::summary(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        return !key_is(key, "parts") || each_element(w, [this](json::value& part) {
            return each_field(part, [this](const char* k, json::value& x) {
                if (key_is(k, "text") && event_.summary.empty()) event_.summary = text_of(raw_string(x));
                return true;
            });
        });
    });
}

// Cached tokens are a part of the prompt. Thoughts stand beside the answer, except where a model behind an adapter
// counts them in it.
bool AdkCollector::usage(json::value& v) {
    std::uint64_t prompt = 0, tools = 0, cached = 0, answer = 0, thoughts = 0, total = 0;
    const bool whole = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "prompt_token_count", "promptTokenCount"))
            prompt = as_uint(n);
        else if (key_is(key, "tool_use_prompt_token_count", "toolUsePromptTokenCount"))
            tools = as_uint(n);
        else if (key_is(key, "cached_content_token_count", "cachedContentTokenCount"))
            cached = as_uint(n);
        else if (key_is(key, "candidates_token_count", "candidatesTokenCount") ||
                 key_is(key, "response_token_count", "responseTokenCount"))
            answer = as_uint(n);
        else if (key_is(key, "thoughts_token_count", "thoughtsTokenCount"))
            thoughts = as_uint(n);
        else if (key_is(key, "total_token_count", "totalTokenCount"))
            total = as_uint(n);
        return true;
    });
    TokenCounts& t = event_.tokens;
    t.cache_read = std::min(cached, prompt);
    t.input = prompt - t.cache_read + tools;
    const bool inside = thoughts <= answer && total == prompt + tools + answer;
    t.output = inside ? answer : answer + thoughts;
    t.reasoning = thoughts;
    return whole;
}

bool AdkCollector::content(json::value& v) {
    event_.has_content |= is_object(v);
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "role"))
            event_.role = raw_string(w);
        else if (key_is(key, "parts"))
            return each_element(w, [this](json::value& element) {
                AdkPart* part = is_object(element) ? event_.parts.next() : nullptr;
                return !part || each_field(element, [this, part](const char* k, json::value& x) {
                    return collect_part(k, x, *part);
                });
            });
        return true;
    });
}

// All fields but one of a part are absent or null.
bool AdkCollector::collect_part(const char* key, json::value& v, AdkPart& part) {
    if (key_is(key, "thought"))
        part.thought = is_true(v);
    else if (key_is(key, "text") && is_string(v)) {
        part.what = AdkWhat::text;
        part.text = text_of(raw_string(v));
    } else if (key_is(key, "function_call", "functionCall"))
        return function(v, AdkWhat::call, part);
    else if (key_is(key, "function_response", "functionResponse"))
        return function(v, AdkWhat::result, part);
    else if (key_is(key, "executable_code", "executableCode") && is_object(v)) {
        part.what = AdkWhat::call;
        part.name = "run_code";
        part.args = args_.digest_value({}, v);
    } else if (key_is(key, "code_execution_result", "codeExecutionResult") && is_object(v)) {
        part.what = AdkWhat::result;
        return each_field(v, [&part](const char* k, json::value& w) { return outcome(k, w, part); });
    } else if (key_is(key, "inline_data", "inlineData") || key_is(key, "file_data", "fileData")) {
        if (is_object(v)) part.what = AdkWhat::media;
    }
    return true;
}

bool AdkCollector::function(json::value& v, AdkWhat what, AdkPart& part) {
    if (!is_object(v)) return true;
    part.what = what;
    return each_field(v, [this, &part](const char* key, json::value& w) {
        if (key_is(key, "id"))
            part.id = raw_string(w);
        else if (key_is(key, "name"))
            part.name = raw_string(w);
        else if (key_is(key, "args") && !is_null(w))
            part.args = args_.digest_value({}, w);
        else if (key_is(key, "response"))
            return response(w, part);
        return true;
    });
}

bool AdkCollector::functions(json::value& v, AdkWhat what, AdkParts& into) {
    return each_element(v, [this, what, &into](json::value& element) {
        AdkPart* part = is_object(element) ? into.next() : nullptr;
        return !part || function(element, what, *part);
    });
}

}  // namespace agent_audit::readers
