#include "readers/traces/otel_span.hpp"

#include "readers/traces/langfuse_observation.hpp"
#include "readers/traces/trace_messages.hpp"

#include <agent_audit/support/unescape.hpp>

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
// What Google's ADK writes once more of calls that ran side by side: all their results, behind a span for each.
constexpr std::string_view kMergedTools = "(merged tools)";

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

void OtelSpan::append(const FlatMessages& flat, std::vector<TraceMessage>& out) {
    for (const FlatMessage& m : flat) {
        TraceMessage message;
        message.role = trace_role(m.role);
        const bool result = m.role == "tool" || m.role == "function";
        const auto say = [&](std::string_view text, TextForm form) {
            if (text.empty()) return;
            TracePart& part = message.add(result ? TracePart::Kind::result : TracePart::Kind::text);
            part.text = text;
            part.form = form;
            if (result) {
                part.id = m.call_id;
                part.name = m.name;
            }
        };
        if (!collect_trace_blocks(m.content.text, message)) say(m.content.text, m.content.form);
        for (const std::string_view text : m.texts) say(text, TextForm::json_string);
        for (std::uint32_t i = 0; i < std::min<std::uint32_t>(m.media, 1000); ++i) message.add(TracePart::Kind::media);
        for (const FlatCall& c : m.calls) {
            if (c.name.empty()) continue;
            TracePart& call = message.add(TracePart::Kind::call);
            call.id = c.id;
            call.name = c.name;
            call.text = c.arguments;
            call.untold = c.arguments.data() == nullptr;
        }
        std::vector<TraceMessage> written;
        if (!collect_trace_blocks(m.json_message.text, message)) read_messages(m.json_message, written);
        read_messages(m.json_calls, written);
        for (TraceMessage& w : written) {
            for (TracePart& part : w.parts) message.parts.push_back(std::move(part));
        }
        if (!message.parts.empty()) out.push_back(std::move(message));
    }
}

// ---- the span -------------------------------------------------------------------------------------------

void OtelSpan::finish(TraceSpan& span) {
    if (tool_ == kMergedTools) {
        kind_ = Kind::other;
        ignored_ = true;
    }
    if (kind_ == Kind::other && !langfuse_type_.empty()) return finish_langfuse(span);
    if (kind_ == Kind::other && !ignored_) {
        // Writers of older conventions do not name the operation.
        const bool counted = prompt_ + output_tokens_ > 0;
        if (!tool_.empty() && !counted)
            kind_ = Kind::tool;
        else if (counted || own_answer_)
            kind_ = Kind::request;
    }
    span.kind = kind_;
    span.conversation = !conversation_.empty() ? conversation_ : session_;
    span.error_code = !error_type_.empty() ? error_type_ : exception_type_;
    if (!exception_message_.empty()) span.error = exception_message_;
    if (kind_ == Kind::tool) finish_tool(span);
    if (kind_ == Kind::agent)
        span.name = !agent_.empty() ? agent_ : !entity_.empty() ? entity_ : std::string_view(span.name);
    if (kind_ == Kind::request) finish_request(span);
}

void OtelSpan::finish_langfuse(TraceSpan& span) const {
    const auto part = [](const Value& value) {
        TracePart copy;
        copy.text = value.text;
        copy.form = value.form;
        return copy;
    };
    const auto fields = [](const Value& value, auto&& take) {
        const bool text = value.form == TextForm::json_string;
        each_field_in(text ? std::string(decode_json_string(value.text)) : std::string(value.text), take);
    };
    span.conversation = !conversation_.empty() ? conversation_ : session_;
    span.failed |= langfuse_failed_;
    if (!langfuse_error_.empty()) span.error = langfuse_error_;
    if (langfuse_type_ == "agent") {
        span.kind = Kind::agent;
    } else if (langfuse_type_ == "tool") {
        span.kind = Kind::tool;
        tell_langfuse_tool(part(langfuse_input_), part(langfuse_output_), span);
    } else if (langfuse_type_ == "generation") {
        span.kind = Kind::request;
        span.model = request_model_;
        if (span.model.empty())
            fields(langfuse_input_, [&span](const char* key, json::value& v) {
                if (key_is(key, "model")) span.model = raw_string(v);
                return true;
            });
        LangfuseCounts counted;
        fields(langfuse_usage_, [&counted](const char* key, json::value& v) { return counted.take(key_text(key), v); });
        fields(langfuse_cost_, [&span](const char* key, json::value& v) {
            if (key_is(key, "total")) span.cost_microusd = microusd(number_in(v));
            return true;
        });
        tell_langfuse_request(part(langfuse_input_), part(langfuse_output_), counted, span);
    }
}

void OtelSpan::finish_tool(TraceSpan& span) const {
    const auto copy = [](const Value& first, const Value& second, TracePart& into) {
        const Value& value = first.text.empty() && second.given() ? second : first;
        into.text = value.text;
        into.form = value.form;
        return value.given();
    };
    if (const std::string_view name = !tool_.empty() ? tool_ : entity_; !name.empty()) span.name = name;
    span.call_id = call_id_;
    span.has_args = copy(tool_args_, input_, span.args);
    span.has_result = copy(tool_result_, output_, span.result);
    span.failed |= tool_failed_;
    if (!entity_.empty()) unwrap(span);
    constexpr std::array<std::string_view, 4> kClasses{"DynamicStructuredTool", "DynamicTool", "StructuredTool",
                                                       "Tool"};
    if (is_one_of(entity_, kClasses)) span.name.clear();
    if (take_tool_message(span.result)) {  // LangChain's, with the call that it answers
        if (span.call_id.empty()) span.call_id = span.result.id;
        if (!span.result.name.empty()) span.name = span.result.name;
        span.failed |= span.result.failed;
    }
    if (!span.has_args && !span.has_result) tool_events(span);
}

// Strands: the input is a message of the tool, the result an answer; or both are messages of the newer kind.
void OtelSpan::tool_events(TraceSpan& span) const {
    const auto take = [](const FlatMessages& flat, const Value& json, TracePart::Kind kind, TracePart& into) {
        std::vector<TraceMessage> messages;
        read_messages(json, messages);
        for (TraceMessage& message : messages) {
            for (TracePart& part : message.parts) {
                if (part.kind == kind && !part.untold) into = std::move(part);
            }
        }
        for (const FlatMessage& m : flat) {
            const Value& value = m.content.given() ? m.content : m.json_message;
            into.text = value.text;
            into.form = value.form;
        }
        return !into.text.empty();
    };
    span.has_args = take(flat_input_, input_messages_, TracePart::Kind::call, span.args);
    span.has_result = take(flat_output_, output_messages_, TracePart::Kind::result, span.result);
}

// What OpenLLMetry has of LangChain stands between things that are other ones every time, ids and steps of the graph.
void OtelSpan::unwrap(TraceSpan& span) {
    if (!take_field(span.args, "inputs")) take_field(span.args, "input_str");
    TracePart& result = span.result;
    // What a function gave is written as JSON: a text in its quotes.
    if (result.form == TextForm::json_string && result.text.starts_with("\\\"") && result.text.ends_with("\\\"")) {
        const std::string text(decode_json_string(result.text));
        result.text = text.substr(1, text.size() < 2 ? 0 : text.size() - 2);
    }
    if (!take_field(result, "output")) return;
    take_result(result);
    if (span.call_id.empty()) span.call_id = result.id;
    span.failed |= result.failed;
}

void OtelSpan::finish_request(TraceSpan& span) {
    span.model = !response_model_.empty() ? response_model_ : request_model_;
    span.response_id = response_id_;
    if (cache_read_ == 0 && google_response_.given()) google_usage();
    const bool inside = cache_read_ + cache_write_ <= prompt_;
    span.tokens = {inside ? prompt_ - cache_read_ - cache_write_ : prompt_, cache_write_, cache_read_, output_tokens_,
                   std::min(reasoning_, output_tokens_)};
    span.cost_microusd = microusd(cost_);

    if (!system_.text.empty()) {
        std::vector<TraceMessage> parts;
        read_messages(system_, parts);
        TraceMessage all = joined_answer(parts);
        all.role = Role::system;
        if (all.parts.empty() && system_.form == TextForm::json_string)
            all.add(TracePart::Kind::text).text = system_.text;
        span.input.push_back(std::move(all));
    }
    if (google_request_.given()) google_messages(span);
    const Value& prompt = !input_messages_.text.empty() ? input_messages_ : vercel_messages_;
    read_messages(prompt, span.input);
    append(flat_input_, span.input);

    std::vector<TraceMessage> answers;
    if (output_messages_.text.empty()) read_field(google_response_, {"content"}, answers);
    read_messages(output_messages_, answers);
    append(flat_output_, answers);
    span.output = joined_answer(answers);
    const auto say = [&span](const Value& value, TracePart::Kind kind) {
        if (value.text.empty()) return;
        TracePart& part = span.output.add(kind);
        part.text = value.text;
        part.form = value.form;
    };
    say(vercel_thought_, TracePart::Kind::reasoning);
    say(vercel_text_, TracePart::Kind::text);
    if (!vercel_calls_.text.empty()) {
        std::vector<TraceMessage> calls;
        read_messages(vercel_calls_, calls);
        for (TraceMessage& message : calls) {
            for (TracePart& part : message.parts) span.output.parts.push_back(std::move(part));
        }
    }
    // What no convention covers is still something that was asked and answered.
    const bool asked = std::ranges::any_of(span.input, [](const TraceMessage& m) { return m.role != Role::system; });
    if (!asked && !input_.text.empty()) {
        TracePart& part = span.input.emplace_back().add(TracePart::Kind::text);
        part.text = input_.text;
        part.form = input_.form;
    }
    if (span.output.parts.empty()) say(output_, TracePart::Kind::text);
}

// A request as the library sent it: {"model":"…","config":{"system_instruction":"…"},"contents":[…]}
void OtelSpan::google_messages(TraceSpan& span) const {
    if (system_.text.empty()) {
        std::vector<TraceMessage> parts;
        read_field(google_request_, {"config", "system_instruction"}, parts);
        TraceMessage all = joined_answer(parts);
        all.role = Role::system;
        if (!all.parts.empty()) span.input.push_back(std::move(all));
    }
    if (input_messages_.text.empty()) read_field(google_request_, {"contents"}, span.input);
}

// What was read from a cache stands in the answer alone.
void OtelSpan::google_usage() {
    for (const std::string_view name : {"usage_metadata", "usageMetadata"}) {
        for (const std::string_view count : {"cached_content_token_count", "cachedContentTokenCount"}) {
            TracePart part;
            part.text = google_response_.text;
            part.form = google_response_.form;
            if (take_field(part, name) && take_field(part, count)) cache_read_ = Value{part.text, part.form}.number();
        }
    }
}

/// The messages, or the text, in a field within fields of JSON.
void OtelSpan::read_field(const Value& value, std::initializer_list<std::string_view> path,
                          std::vector<TraceMessage>& out) {
    if (!value.given()) return;
    TracePart part;
    part.text = value.text;
    part.form = value.form;
    for (const std::string_view name : path) {
        if (!take_field(part, name)) return;
    }
    if (part.form != TextForm::json_string) return collect_trace_json(part.text, out);
    out.emplace_back().add(TracePart::Kind::text).text = part.text;
}

void OtelSpan::read_messages(const Value& value, std::vector<TraceMessage>& out) {
    if (value.text.empty()) return;
    if (value.form == TextForm::json_string) return collect_trace_text(value.text, out);
    // JSON that was no string: text without escapes of its own.
    collect_trace_json(value.text, out);
}

}  // namespace agent_audit::readers
