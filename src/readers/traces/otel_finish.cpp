#include "readers/traces/langfuse_observation.hpp"
#include "readers/traces/observation.hpp"
#include "readers/traces/otel_span.hpp"
#include "readers/traces/trace_messages.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

// The second half of OtelSpan: what the attributes told becomes a span.

namespace agent_audit::readers {
namespace {

using Kind = TraceSpan::Kind;

// What Google's ADK writes once more of calls that ran side by side: all their results, behind a span for each.
constexpr std::string_view kMergedTools = "(merged tools)";

}  // namespace

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
        tell_observed_tool(part(langfuse_input_), part(langfuse_output_), span);
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
        tell_observed_request(part(langfuse_input_), part(langfuse_output_), counted.tokens(), span);
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

// Messages that were spread over attributes.
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

}  // namespace agent_audit::readers
