#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/traces/observation.hpp"
#include "readers/traces/trace_reader.hpp"

#include <array>
#include <string>
#include <utility>

// Calls of W&B Weave: one a line, as its API streams them, in an array, and in {"calls":[…]}.
//
//   {"id":"…","trace_id":"…","parent_id":"…","op_name":"weave:///team/project/op/openai.chat.completions.create:d1g",
//    "started_at":"2026-11-30T02:08:43.690Z","ended_at":"…","inputs":{"model":"gpt-4o","messages":[…]},
//    "output":{"id":"…","choices":[…],"usage":{…}},"exception":null,
//    "summary":{"usage":{"gpt-4o":{"requests":1,"prompt_tokens":50,"completion_tokens":12}},
//               "weave":{"status":"success","costs":{"gpt-4o":{"prompt_tokens_total_cost":0.0001,…}}}}}
//   {"op_name":"weave:///team/project/op/search:d2g","inputs":{"q":"…"},"output":[…],"attributes":{"weave":{"kind":"tool"}}}

namespace agent_audit::readers {
namespace {

struct Call {
    TraceSpan span;
    TracePart inputs, output;
    std::string_view kind;
    TokenCounts counted;
    bool is_call = false;
};

/// "search" of "weave:///team/project/op/search:digest".
std::string_view short_name(std::string_view op) {
    if (!op.starts_with("weave:///")) return op;
    op.remove_prefix(op.rfind('/') + 1);
    return op.substr(0, op.rfind(':'));
}

class Weave final : public TraceReader {
public:
    Weave() : TraceReader("calls") {}

protected:
    LineFate read_object(json::object object) override {
        bool page = false;
        if (!read_fields(object, [&page](const char* key, json::value& v) {
                page |= key_is(key, "calls") && is_array(v);
                return true;
            }))
            return LineFate::malformed_json;
        if (page) return stream_records(object);
        return object.reset().error() ? LineFate::malformed_json : read_element(object);
    }

    LineFate read_array(json::array array) override { return read_elements(array); }

    LineFate read_element(json::object element) override {
        span_place(place());
        Call call;
        if (!read_fields(element, [&](const char* key, json::value& v) { return collect(key, v, call); }))
            return LineFate::malformed_json;
        if (!call.is_call) return LineFate::missing_field;
        interpret(call);
        hold(std::move(call.span));
        return LineFate::understood;
    }

private:
    bool collect(const char* key, json::value& v, Call& call) {
        TraceSpan& s = call.span;
        switch (key[0]) {
            case 'a':
                if (key_is(key, "attributes")) return attributes(v, call);
                break;
            case 'e':
                if (key_is(key, "ended_at"))
                    s.end_ns = time_in_ns(v);
                else if (key_is(key, "exception") && is_string(v)) {
                    s.error = raw_string(v);
                    s.failed = true;
                }
                break;
            case 'i':
                if (key_is(key, "id"))
                    s.id = raw_string(v);
                else if (key_is(key, "inputs") && !is_null(v))
                    copy_value(v, call.inputs);
                break;
            case 'o':
                if (key_is(key, "op_name")) {
                    s.name = short_name(raw_string(v));
                    call.is_call = !s.name.empty();
                } else if (key_is(key, "output") && !is_null(v)) {
                    copy_value(v, call.output);
                }
                break;
            case 'p':
                if (key_is(key, "parent_id")) s.parent = raw_string(v);
                break;
            case 's':
                if (key_is(key, "started_at")) s.begin_ns = time_in_ns(v);
                if (key_is(key, "summary")) return summary(v, call);
                break;
            case 't':
                if (key_is(key, "trace_id")) s.trace = raw_string(v);
                if (key_is(key, "thread_id")) s.conversation = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    static bool attributes(json::value& v, Call& call) {
        return each_field(v, [&call](const char* key, json::value& w) {
            if (!key_is(key, "weave")) return true;
            return each_field(w, [&call](const char* k, json::value& x) {
                if (key_is(k, "kind")) call.kind = raw_string(x);
                return true;
            });
        });
    }

    // Usage stands under the model's name. Calls around requests add it up: it is taken of requests alone.
    static bool summary(json::value& v, Call& call) {
        return each_field(v, [&call](const char* key, json::value& w) {
            if (key_is(key, "weave")) return told_by_weave(w, call.span);
            if (!key_is(key, "usage")) return true;
            return each_field(w, [&call](const char* model, json::value& usage) {
                call.span.model = key_text(model);
                return collect_trace_usage(usage, call.counted);
            });
        });
    }

    static bool told_by_weave(json::value& v, TraceSpan& s) {
        double cost = 0;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "status")) s.failed |= raw_string(w) == "error";
            if (!key_is(key, "costs")) return true;
            return each_field(w, [&cost](const char*, json::value& model) {
                return each_field(model, [&cost](const char* k, json::value& amount) {
                    if (key_text(k).ends_with("_total_cost")) cost += number_in(amount);
                    return true;
                });
            });
        });
        s.cost_microusd = microusd(cost);
        return whole;
    }

    // What a call is, few say: a request is known by what models are sent and give back, a tool by its name in an
    // answer.
    static void interpret(Call& call) {
        TraceSpan& s = call.span;
        if (s.trace.empty()) s.trace = s.id;
        if (s.parent.empty()) s.service = s.name;
        const bool answered = is_response(call.output.text);
        if (call.kind == "tool" || call.kind == "search") {
            s.kind = TraceSpan::Kind::tool;
            tell_tool_call(call);
        } else if (call.kind == "agent") {
            s.kind = TraceSpan::Kind::agent;
        } else if (const bool prompt = is_prompt(call); call.kind == "llm" || answered || prompt) {
            if (!prompt) call.inputs = {};  // what a function was given that knows the prompt itself
            tell_request_call(call, answered);
        } else {
            s.by_name = true;
            tell_tool_call(call);
        }
    }

    static bool is_response(const std::string& output) {
        bool choices = false, content = false, items = false, rest = false;
        each_field_in(output, [&](const char* key, json::value& v) {
            choices |= (key_is(key, "choices") || key_is(key, "candidates")) && is_array(v);
            content |= key_is(key, "content");
            items |= key_is(key, "output") && is_array(v);
            rest |= key_is(key, "usage") || key_is(key, "role");
            return true;
        });
        return choices || ((content || items) && rest);
    }

    static bool is_prompt(const Call& call) {
        bool messages = false, words = false, model = call.kind == "llm";
        each_field_in(call.inputs.text, [&](const char* key, json::value& v) {
            messages |= (key_is(key, "messages") || key_is(key, "contents")) && is_array(v);
            words |= key_is(key, "input") || key_is(key, "prompt");
            model |= key_is(key, "model");
            return true;
        });
        return messages || (words && model);
    }

    // A function around a request may take the same messages: then it only sums up.
    static void tell_request_call(Call& call, bool answered) {
        TraceSpan& s = call.span;
        s.kind = TraceSpan::Kind::request;
        s.sums = !answered && call.kind != "llm";
        tell_observed_request(call.inputs, call.output, call.counted, s);
        each_field_in(call.inputs.text, [&s](const char* key, json::value& v) {
            if (key_is(key, "system") && is_string(v)) {
                TraceMessage system{Role::system, {}};
                system.add(TracePart::Kind::text).text = raw_string(v);
                s.input.insert(s.input.begin(), std::move(system));
            } else if (key_is(key, "model") && is_string(v) && s.model.empty()) {
                s.model = raw_string(v);
            }
            return true;
        });
    }

    // Functions of JavaScript have arguments without names, and tools mostly one.
    static void tell_tool_call(Call& call) {
        std::size_t arguments = 0;
        each_field_in(call.inputs.text, [&arguments](const char*, json::value&) { return ++arguments < 2; });
        if (arguments == 1) take_field(call.inputs, "arg0");
        tell_observed_tool(std::move(call.inputs), std::move(call.output), call.span);
    }
};

bool is_call(const ProbeRecord& r) {
    return r.is_object() && r.has("op_name") && r.has("trace_id") && (r.has("inputs") || r.has("started_at"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        if (is_call(inner ? *inner : record)) return kCertain;
        const auto calls = record.raw("calls");
        const auto first = calls ? first_of(ProbeRecord(*calls)) : std::nullopt;
        if (first && is_call(*first)) return kCertain;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"calls"};

constexpr RecordKindDoc kKinds[] = {
    {"trace_id, or thread_id over several", "SessionStart; calls in the order in which they began"},
    {"a response as output, messages as inputs, kind llm", "Message, Thinking, ToolCall of the output; Usage"},
    {"inputs.messages, contents, input, prompt of a request",
     "what is new in them: Message (human with TurnStart), ToolResult"},
    {"kind tool, and functions that an answer called",
     "ToolResult, and ToolCall unless an answer had it; a lane, where it asks a model itself"},
    {"kind agent", "a lane, where it stands inside another one"},
    {"exception", "ToolResult error; Notice (provider) for a request"},
    {"other calls", "only what stands below them"},
};

}  // namespace

ReaderSpec weave() {
    return {"weave",
            "W&B Weave",
            "calls: one a line, arrays",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Weave>()); },
            kStreams};
}

}  // namespace agent_audit::readers
