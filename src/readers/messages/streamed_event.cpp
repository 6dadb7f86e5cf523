#include "readers/messages/streamed_event.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/walk.hpp"

#include <array>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 6> kConverseEvents{"messageStart",     "contentBlockStart", "contentBlockDelta",
                                                          "contentBlockStop", "messageStop",       "metadata"};

}  // namespace

bool StreamedEvent::collect(json::object fields) {
    return each_field(fields, [this](const char* key, json::value& v) {
        if (key_is(key, "type"))
            type = raw_string(v);
        else if (key_is(key, "object"))
            object = raw_string(v);
        else if (key_is(key, "id"))
            id = raw_string(v);
        else if (key_is(key, "model"))
            model = raw_string(v);
        else if (key_is(key, "index"))
            index = token(v);
        else if (key_is(key, "message"))
            message = raw_value(v);
        else if (key_is(key, "content_block"))
            block = raw_value(v);
        else if (key_is(key, "delta"))
            delta = raw_value(v);
        else if (key_is(key, "usage"))
            usage = raw_value(v);
        else if (key_is(key, "error"))
            error = raw_value(v);
        else if (key_is(key, "done"))
            done = token(v);
        else if (key_is(key, "prompt_eval_count"))
            prompt_count = token(v);
        else if (key_is(key, "eval_count"))
            answer_count = token(v);
        else if (key_is(key, "thinking"))
            thinking = raw_string(v);
        else if (key_is(key, "choices"))
            choices = raw_value(v);
        else if (key_is(key, "response"))
            response = raw_value(v);
        else if (key_is(key, "item"))
            item = raw_value(v);
        else if (key_is(key, "candidates"))
            candidates = raw_value(v);
        else if (key_is(key, "usageMetadata"))
            gemini_usage = raw_value(v);
        else if (key_is(key, "responseId"))
            gemini_id = raw_string(v);
        else if (key_is(key, "modelVersion"))
            gemini_model = raw_string(v);
        else if (key_is(key, "chunk"))
            chunk = raw_value(v);
        else if (is_one_of(key_text(key), kConverseEvents) && is_object(v)) {
            converse_key = key_text(key);
            converse = raw_value(v);
        }
        return true;
    });
}

bool is_only_stream_event(const ProbeRecord& r) {
    if (r.text("object") == "chat.completion.chunk") return r.has("choices");
    if (is_ollama_event(r)) return true;
    const std::string_view type = r.text("type");
    if (type == "message_start") return r.child("message").text("type") == "message";
    if (type == "content_block_delta") return r.has("index") && r.has("delta");
    if (r.has("messageStart")) return r.child("messageStart").has("role");
    return r.has("contentBlockDelta") && r.child("contentBlockDelta").has("delta");
}

bool is_ollama_event(const ProbeRecord& r) {
    if (!r.has("done") || !r.has("model")) return false;
    return r.has("message") ? r.child("message").has("role") : r.raw("response").value_or("").starts_with('"');
}

bool is_stream_event(const ProbeRecord& r) {
    if (is_only_stream_event(r)) return true;
    if (r.text("type").starts_with("response.")) return r.has("response") || r.has("item") || r.has("sequence_number");
    const ProbeRecord inner = r.child("response");
    const auto candidates = r.has("candidates") ? r.raw("candidates") : inner.raw("candidates");
    return candidates && candidates->find("\"parts\"") != candidates->npos;
}

}  // namespace agent_audit::readers
