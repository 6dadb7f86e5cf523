#include "readers/traces/otel_span.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace agent_audit::readers {
namespace {

using Kind = TraceSpan::Kind;

constexpr std::size_t kMostFlat = 4096;  // messages, and calls or texts of a message, that are spread over attributes
constexpr int kDeepestValue = 16;
// What tracers of OpenInference write that are to keep contents to themselves.
constexpr std::string_view kRedacted = "__REDACTED__";

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Takes "12." off the beginning.
std::optional<std::size_t> take_index(std::string_view& key) {
    std::size_t index = 0;
    const char* const last = key.data() + key.size();
    const auto [end, failure] = std::from_chars(key.data(), last, index);
    if (failure != std::errc{} || end == last || *end != '.' || index >= kMostFlat) return std::nullopt;
    key.remove_prefix(static_cast<std::size_t>(end - key.data()) + 1);
    return index;
}

/// The place of an index, which may be any: what all of a span take together is bounded. Null beyond it.
template <class T>
T* slot(std::vector<T>& all, std::size_t index, std::size_t& left) {
    if (index >= all.size()) {
        const std::size_t more = index + 1 - all.size();
        if (more > left) return nullptr;
        left -= more;
        all.resize(index + 1);
    }
    return &all[index];
}

bool is_nested(std::string_view key) {
    constexpr std::array<std::string_view, 4> kWhole{"llm", "openinference", "session", "tool"};
    constexpr std::array<std::string_view, 4> kParts{"llm.input_messages", "llm.output_messages", "llm.token_count",
                                                     "llm.cost"};
    return is_one_of(key, kWhole) ||
           std::ranges::any_of(kParts, [key](std::string_view part) { return key.starts_with(part); });
}

// OTLP writes structured values in a way of its own; these write the JSON they stand for. False for broken JSON.
bool write_value(json::value& v, std::string& out, int depth);

bool write_array(json::value& v, std::string& out, int depth) {
    out += '[';
    bool first = true;
    const bool whole = each_field(v, [&](const char* key, json::value& values) {
        if (!key_is(key, "values")) return true;
        return each_element(values, [&](json::value& element) {
            if (!std::exchange(first, false)) out += ',';
            return write_value(element, out, depth + 1);
        });
    });
    out += ']';
    return whole;
}

bool write_object(json::value& v, std::string& out, int depth) {
    out += '{';
    bool first = true;
    const bool whole = each_field(v, [&](const char* key, json::value& values) {
        if (!key_is(key, "values")) return true;
        return each_element(values, [&](json::value& pair) {
            std::string name, text = "null";
            const bool read = each_field(pair, [&](const char* k, json::value& w) {
                if (key_is(k, "key")) name = raw_string(w);
                if (!key_is(k, "value")) return true;
                text.clear();
                return write_value(w, text, depth + 1);
            });
            if (!std::exchange(first, false)) out += ',';
            out += '"' + name + "\":" + text;
            return read;
        });
    });
    out += '}';
    return whole;
}

bool write_value(json::value& v, std::string& out, int depth) {
    const std::size_t before = out.size();
    const bool whole = depth >= kDeepestValue || each_field(v, [&](const char* kind, json::value& w) {
                           if (key_is(kind, "arrayValue")) return write_array(w, out, depth);
                           if (key_is(kind, "kvlistValue")) return write_object(w, out, depth);
                           if (key_is(kind, "intValue") && is_string(w))
                               out += raw_string(w).empty() ? std::string_view("0") : raw_string(w);
                           else
                               out += raw_value(w);
                           return true;
                       });
    if (out.size() == before) out += "null";
    return whole;
}

}  // namespace

std::uint64_t OtelSpan::Value::number() const {
    std::uint64_t n = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), n);
    return result.ec == std::errc{} ? n : 0;
}

double OtelSpan::Value::decimal() const { return std::strtod(std::string(text.substr(0, 40)).c_str(), nullptr); }

void OtelSpan::clear() { *this = OtelSpan{}; }

bool OtelSpan::any_value(std::string_view key, json::value& v) {
    Value value;
    bool structured = false;
    std::string text;
    const bool whole = each_field(v, [&](const char* kind, json::value& w) {
        structured = key_is(kind, "arrayValue") || key_is(kind, "kvlistValue");
        if (structured) return key_is(kind, "arrayValue") ? write_array(w, text, 0) : write_object(w, text, 0);
        if (is_string(w))
            value = {raw_string(w), key_is(kind, "stringValue") ? TextForm::json_string : TextForm::json_value};
        else
            value = {token(w), TextForm::json_value};
        return true;
    });
    if (structured) value = {texts_.emplace_back(std::move(text)), TextForm::json_value};
    attribute(key, value);
    return whole;
}

bool OtelSpan::plain_value(std::string_view key, json::value& v) {
    if (is_null(v)) return true;
    if ((is_object(v) || is_array(v)) && is_nested(key)) return nested_value(std::string(key), v, 0);
    if (is_object(v) && (key == "input" || key == "output")) return value_field(key, v);
    attribute(key, value_of(v));
    return true;
}

/// Attributes within attributes, as Phoenix keeps what its tracers wrote with dots.
bool OtelSpan::nested_value(const std::string& key, json::value& v, int depth) {
    constexpr std::array<std::string_view, 3> kWhole{"content", "arguments", "value"};
    const bool whole = is_one_of(std::string_view(key).substr(key.rfind('.') + 1), kWhole);
    if (whole || depth >= kDeepestValue || is_null(v)) {
        if (!is_null(v)) attribute(key, value_of(v));
        return true;
    }
    if (is_object(v))
        return each_field(v, [&](const char* name, json::value& w) {
            return nested_value(key + '.' + std::string(key_text(name)), w, depth + 1);
        });
    if (!is_array(v)) {
        attribute(key, value_of(v));
        return true;
    }
    std::size_t index = 0;
    return each_element(
        v, [&](json::value& w) { return nested_value(key + '.' + std::to_string(index++), w, depth + 1); });
}

/// {"value":"…","mime_type":"…"}, or an object that is the value itself.
bool OtelSpan::value_field(std::string_view key, json::value& v) {
    json::object object;
    std::string_view raw;
    if (v.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return false;
    Value inner;
    const bool whole = each_field(object, [&inner](const char* name, json::value& w) {
        if (key_is(name, "value") && !is_null(w)) inner = value_of(w);
        return true;
    });
    attribute(key, inner.given() ? inner : Value{trim_blank(raw), TextForm::json_value});
    return whole;
}

OtelSpan::Value OtelSpan::value_of(json::value& v) {
    if (is_string(v)) return {raw_string(v), TextForm::json_string};
    return {raw_value(v), TextForm::json_value};
}

void OtelSpan::event(std::string_view name) {
    in_event_ = !name.empty();
    event_message_ = nullptr;
    if (!take_prefix(name, "gen_ai.")) return;
    const bool answer = name == "choice";
    if (!answer && !name.ends_with(".message")) return;
    FlatMessages& messages = answer ? flat_output_ : flat_input_;
    if (messages.size() >= kMostFlat) return;
    known_ = true;
    event_message_ = &messages.emplace_back();
    event_message_->role = answer ? std::string_view("assistant") : name.substr(0, name.find('.'));
}

/// True when the attribute is the event's own business.
bool OtelSpan::event_attribute(std::string_view key, const Value& value) {
    if (key == "exception.type")
        exception_type_ = value.text;
    else if (key == "exception.message")
        exception_message_ = value.text;
    else if (!event_message_)
        return false;
    else if (key == "tool_calls")
        event_message_->json_calls = value;
    else if (key == "message")
        event_message_->json_message = value;
    else if (key == "id")
        event_message_->call_id = value.text;
    else
        flat_field(*event_message_, key, value);
    return true;
}

// ---- attributes -----------------------------------------------------------------------------------------

void OtelSpan::attribute(std::string_view key, const Value& value) {
    if (in_event_ && event_attribute(key, value)) return;
    if (value.text == kRedacted) return;
    if (take_prefix(key, "gen_ai.")) return gen_ai(key, value);
    if (take_prefix(key, "ai.")) return vercel(key, value);
    if (take_prefix(key, "traceloop.")) return traceloop(key, value);
    if (key.starts_with("llm.") || key.starts_with("openinference.") || key.starts_with("tool"))
        return open_inference(key, value);
    if (take_prefix(key, "gcp.vertex.agent.")) return google(key, value);
    if (take_prefix(key, "langfuse.")) return langfuse(key, value);
    if (take_prefix(key, "mlflow.")) return mlflow(key, value);
    if (key == "input.value" || key == "input")
        input_ = value;
    else if (key == "output.value" || key == "output")
        output_ = value;
    else if (key == "session.id")
        session_ = value.text;
    else if (key == "error.type")
        error_type_ = value.text;
    else if (key == "agent.name")
        agent_ = value.text;
}

void OtelSpan::operation(std::string_view name) {
    known_ = true;
    if (name == "chat" || name == "generate_content" || name == "text_completion" || name == "completion" ||
        name == "LLM")
        kind_ = Kind::request;
    else if (name == "execute_tool" || name == "TOOL" || name == "tool")
        kind_ = Kind::tool;
    else if (name == "invoke_agent" || name == "AGENT" || name == "agent")
        kind_ = Kind::agent;
    else
        ignored_ = true;  // embeddings, retrievals, chains, the making of an agent
}

void OtelSpan::gen_ai(std::string_view key, const Value& value) {
    known_ = true;
    if (take_prefix(key, "usage.")) return usage(key, value);
    if (take_prefix(key, "prompt.")) return flat(flat_input_, key, value);
    if (take_prefix(key, "completion.")) return flat(flat_output_, key, value);
    if (key == "operation.name") return operation(value.text);
    if (key == "request.model")
        request_model_ = value.text;
    else if (key == "response.model")
        response_model_ = value.text;
    else if (key == "response.id")
        response_id_ = value.text;
    else if (key == "conversation.id")
        conversation_ = value.text;
    else if (key == "agent.name")
        agent_ = value.text;
    else if (key == "tool.name")
        tool_ = value.text;
    else if (key == "tool.call.id")
        call_id_ = value.text;
    else if (key == "tool.call.arguments")
        tool_args_ = value;
    else if (key == "tool.call.result")
        tool_result_ = value;
    else if (key == "input.messages" || key == "prompt")
        input_messages_ = value;
    else if (key == "output.messages" || key == "completion") {
        output_messages_ = value;
        own_answer_ |= !in_event_;
    } else if (key == "tool.status")
        tool_failed_ = value.text == "error";
    else if (key == "system_instructions")
        system_ = value;
}

void OtelSpan::usage(std::string_view key, const Value& value) {
    if (key == "input_tokens" || key == "prompt_tokens")
        prompt_ = value.number();
    else if (key == "output_tokens" || key == "completion_tokens")
        output_tokens_ = value.number();
    else if (key == "cache_read.input_tokens" || key == "cache_read_input_tokens" || key == "cachedInputTokens")
        cache_read_ = value.number();
    else if (key == "cache_creation.input_tokens" || key == "cache_creation_input_tokens")
        cache_write_ = value.number();
    else if (key == "reasoning.output_tokens" || key == "reasoning_tokens")
        reasoning_ = value.number();
    else if (key == "cost")
        cost_ = value.decimal();
}

void OtelSpan::open_inference(std::string_view key, const Value& value) {
    if (key == "openinference.span.kind") return operation(value.text);
    if (take_prefix(key, "llm.input_messages.")) return flat(flat_input_, key, value);
    if (take_prefix(key, "llm.output_messages.")) return flat(flat_output_, key, value);
    if (key == "llm.model_name")
        request_model_ = value.text;
    else if (key == "llm.request.type")
        operation(value.text);
    else if (key == "llm.token_count.prompt")
        prompt_ = value.number();
    else if (key == "llm.token_count.completion")
        output_tokens_ = value.number();
    else if (key == "llm.token_count.prompt_details.cache_read")
        cache_read_ = value.number();
    else if (key == "llm.token_count.prompt_details.cache_write")
        cache_write_ = value.number();
    else if (key == "llm.token_count.completion_details.reasoning")
        reasoning_ = value.number();
    else if (key == "llm.cost.total")
        cost_ = value.decimal();
    else if (key == "tool.name")
        tool_ = value.text;
    else if (key == "tool_call.id" || key == "tool.id")
        call_id_ = value.text;
    else if (key == "tool_call.function.arguments" || key == "tool_arguments")
        tool_args_ = value;
    else if (key == "tool_response")
        tool_result_ = value;
}

// Google's ADK. Where it is to keep contents to itself, an empty object stands in their place.
void OtelSpan::google(std::string_view key, const Value& value) {
    if (key == "session_id")
        session_ = value.text;
    else if (value.text == "{}")
        return;
    else if (key == "llm_request")
        google_request_ = value;
    else if (key == "llm_response") {
        google_response_ = value;
        own_answer_ = true;
    } else if (key == "tool_call_args")
        tool_args_ = value;
    else if (key == "tool_response")
        tool_result_ = value;
}

// The kind of an observation stands beside spans of other tracers, too, which Langfuse takes in as they are.
void OtelSpan::langfuse(std::string_view key, const Value& value) {
    if (key == "session.id") session_ = value.text;
    if (!take_prefix(key, "observation.")) return;
    known_ = true;
    if (key == "type")
        langfuse_type_ = value.text;
    else if (key == "input")
        langfuse_input_ = value;
    else if (key == "output")
        langfuse_output_ = value;
    else if (key == "model.name")
        request_model_ = value.text;
    else if (key == "usage_details")
        langfuse_usage_ = value;
    else if (key == "cost_details")
        langfuse_cost_ = value;
    else if (key == "level")
        langfuse_failed_ = value.text == "ERROR";
    else if (key == "status_message")
        langfuse_error_ = value.text;
}

void OtelSpan::traceloop(std::string_view key, const Value& value) {
    if (key == "span.kind")
        operation(value.text);
    else if (key == "entity.name")
        entity_ = value.text;
    else if (key == "entity.input")
        input_ = value;
    else if (key == "entity.output")
        output_ = value;
    else if (key == "association.properties.session_id" || key == "association.properties.thread_id")
        session_ = value.text;
}

// The outer span of a call to the SDK repeats what the requests inside of it say.
void OtelSpan::vercel(std::string_view key, const Value& value) {
    known_ = true;
    if (key == "operationId") {
        if (value.text == "ai.toolCall")
            kind_ = Kind::tool;
        else if (value.text.ends_with(".doGenerate") || value.text.ends_with(".doStream"))
            kind_ = Kind::request;
        else
            ignored_ = true;
    } else if (key == "model.id")
        request_model_ = value.text;
    else if (key == "response.model")
        response_model_ = value.text;
    else if (key == "response.id")
        response_id_ = value.text;
    else if (key == "prompt.messages")
        vercel_messages_ = value;
    else if (key == "response.text" || key == "response.object")
        vercel_text_ = value;
    else if (key == "response.reasoning")
        vercel_thought_ = value;
    else if (key == "response.toolCalls")
        vercel_calls_ = value;
    else if (key == "toolCall.name")
        tool_ = value.text;
    else if (key == "toolCall.id")
        call_id_ = value.text;
    else if (key == "toolCall.args" || key == "toolCall.input")
        tool_args_ = value;
    else if (key == "toolCall.result" || key == "toolCall.output")
        tool_result_ = value;
    else if (key == "telemetry.metadata.sessionId" || key == "telemetry.metadata.threadId")
        session_ = value.text;
    else if (key == "usage.inputTokens" || key == "usage.promptTokens")
        prompt_ = value.number();
    else if (key == "usage.outputTokens" || key == "usage.completionTokens")
        output_tokens_ = value.number();
    else if (key == "usage.cachedInputTokens")
        cache_read_ = value.number();
    else if (key == "usage.reasoningTokens")
        reasoning_ = value.number();
}

// ---- messages spread over attributes ----------------------------------------------------------------------

void OtelSpan::flat(FlatMessages& messages, std::string_view key, const Value& value) {
    const auto index = take_index(key);
    if (!index) return;
    own_answer_ |= &messages == &flat_output_;
    take_prefix(key, "message.");
    if (FlatMessage* message = slot(messages, *index, slots_)) flat_field(*message, key, value);
}

void OtelSpan::flat_field(FlatMessage& message, std::string_view key, const Value& value) {
    if (take_prefix(key, "tool_calls.")) {
        const auto index = take_index(key);
        FlatCall* const call = index ? slot(message.calls, *index, slots_) : nullptr;
        if (!call) return;
        take_prefix(key, "tool_call.");
        take_prefix(key, "function.");
        if (key == "id")
            call->id = value.text;
        else if (key == "name")
            call->name = value.text;
        else if (key == "arguments")
            call->arguments = value.text;
    } else if (take_prefix(key, "contents.")) {
        const auto index = take_index(key);
        if (index && key == "message_content.text") {
            if (std::string_view* text = slot(message.texts, *index, slots_)) *text = value.text;
        } else if (index && key.starts_with("message_content.image"))
            ++message.media;
    } else if (key == "role")
        message.role = value.text;
    else if (key == "content")
        message.content = value;
    else if (key == "tool_call_id")
        message.call_id = value.text;
    else if (key == "name")
        message.name = value.text;
}

}  // namespace agent_audit::readers
