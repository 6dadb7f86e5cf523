#pragma once

#include "readers/traces/trace_reader.hpp"

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::readers {

/// Reads the attributes of one span, in whichever of the conventions for language models they are written:
/// OpenTelemetry GenAI (messages as JSON, or flattened as gen_ai.prompt.0.role), OpenInference
/// (llm.input_messages.0.message.role), Vercel's AI SDK (ai.prompt.messages), and Langfuse
/// (langfuse.observation.input). Views must live until finish().
class OtelSpan {
public:
    void clear();

    /// A value as OTLP has it: {"stringValue":"…"}, {"intValue":"5"}, …
    bool any_value(std::string_view key, json::value& v);
    /// A value as plain JSON.
    bool plain_value(std::string_view key, json::value& v);
    /// The attributes that follow are those of an event of the span; an empty name ends it. Older conventions have the
    /// messages there, one an event, and failures are told there.
    void event(std::string_view name);

    /// What is told is a request, whatever its attributes say.
    void asks() {
        known_ = true;
        kind_ = TraceSpan::Kind::request;
    }
    /// What kind of span it is by OpenInference, where that stands beside the attributes.
    void kind(std::string_view word) {
        if (word == "LLM" || word == "TOOL" || word == "AGENT") operation(word);
    }
    /// True when the attributes are about models, tools or agents.
    bool known() const { return known_; }
    /// Fills in what the attributes told.
    void finish(TraceSpan& span);

private:
    struct Value {
        std::string_view text;  // the inside of a string, a number, or JSON
        TextForm form = TextForm::json_string;
        bool given() const { return text.data() != nullptr; }  ///< told, and be it as nothing
        std::uint64_t number() const;
        double decimal() const;
    };
    struct FlatCall {
        std::string_view id, name, arguments;
    };
    struct FlatMessage {
        std::string_view role, name, call_id;
        Value content;
        std::vector<std::string_view> texts;
        std::vector<FlatCall> calls;
        Value json_calls, json_message;
        std::uint32_t media = 0;
    };
    using FlatMessages = std::vector<FlatMessage>;

    static Value value_of(json::value& v);
    bool nested_value(const std::string& key, json::value& v, int depth);
    bool value_field(std::string_view key, json::value& v);
    void attribute(std::string_view key, const Value& value);
    bool event_attribute(std::string_view key, const Value& value);
    void gen_ai(std::string_view key, const Value& value);
    void usage(std::string_view key, const Value& value);
    void open_inference(std::string_view key, const Value& value);
    void vercel(std::string_view key, const Value& value);
    void traceloop(std::string_view key, const Value& value);
    void google(std::string_view key, const Value& value);
    void langfuse(std::string_view key, const Value& value);
    void mlflow(std::string_view key, const Value& value);
    Value unquoted(const Value& value);
    void operation(std::string_view name);
    void flat(FlatMessages& messages, std::string_view key, const Value& value);
    void flat_field(FlatMessage& message, std::string_view key, const Value& value);

    static void read_messages(const Value& value, std::vector<TraceMessage>& out);
    static void read_field(const Value& value, std::initializer_list<std::string_view> path,
                           std::vector<TraceMessage>& out);
    void google_messages(TraceSpan& span) const;
    void google_usage();
    void finish_langfuse(TraceSpan& span) const;
    static void append(const FlatMessages& flat, std::vector<TraceMessage>& out);
    void finish_tool(TraceSpan& span) const;
    void tool_events(TraceSpan& span) const;
    static void unwrap(TraceSpan& span);
    void finish_request(TraceSpan& span);

    TraceSpan::Kind kind_ = TraceSpan::Kind::other;
    bool known_ = false, ignored_ = false;
    bool own_answer_ = false;   // in attributes: spans around a request have its messages in events, too
    bool tool_failed_ = false;  // by the word of the framework
    bool langfuse_failed_ = false;
    std::string_view request_model_, response_model_, response_id_, conversation_, session_, agent_, tool_, entity_,
        call_id_;
    std::string_view error_type_, exception_type_, exception_message_;
    Value input_messages_, output_messages_, system_, vercel_messages_, vercel_text_, vercel_thought_, vercel_calls_;
    Value tool_args_, tool_result_, input_, output_, google_request_, google_response_;
    Value langfuse_input_, langfuse_output_, langfuse_usage_, langfuse_cost_;
    std::string_view langfuse_type_, langfuse_error_;
    FlatMessages flat_input_, flat_output_;
    FlatMessage* event_message_ = nullptr;
    bool in_event_ = false;
    std::size_t slots_ = 20'000;  // messages, calls and texts that may still be made
    std::uint64_t prompt_ = 0, output_tokens_ = 0, cache_read_ = 0, cache_write_ = 0, reasoning_ = 0;
    double cost_ = 0;
    std::deque<std::string> texts_;  // values that had to be written as JSON
};

}  // namespace agent_audit::readers
