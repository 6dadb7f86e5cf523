#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/ids.hpp"
#include "readers/traces/trace_messages.hpp"
#include "readers/traces/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

// Spans of Mastra's observability (AI tracing before 1.0): one a line, in the events that exporters get, in
// {"spans":[…]}, as a tree, as its storage gives them back, and as that keeps them in SQLite.
//
//   {"id":"…","traceId":"…","parentSpanId":"…","type":"model_step","name":"step: 0","startTime":"…","endTime":"…",
//    "input":[…],"output":{"text":"…","toolCalls":[{"toolCallId":"c","toolName":"f","args":{…}}]},
//    "attributes":{"stepIndex":0,"usage":{"inputTokens":9,"outputTokens":2,"inputDetails":{"cacheRead":4}},…}}
//   {"type":"span_ended","exportedSpan":{…}}                        after span_started and span_updated of the same
//   {"tree":[{"span":{…},"children":[{"span":{…},"children":[]}]}]}                from the exporter of tests
//   {"traceId":"…","spanId":"…","spanType":"tool_call","startedAt":"…","endedAt":"…","error":null,…}       from storage
//
// A model_generation is a run of the agent's loop. Each request in it is a model_step, which says only that there were
// tools in its input; around the call of the provider is a model_inference, which knows the model. Requests of Mastra's
// own are no spans: what they took is the internalUsage of the span around them.

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 4> kTools{"tool_call", "mcp_tool_call", "client_tool_call",
                                                 "provider_tool_call"};
constexpr std::array<std::string_view, 27> kOthers{"generic",
                                                   "workflow_run",
                                                   "workflow_step",
                                                   "workflow_conditional",
                                                   "workflow_conditional_eval",
                                                   "workflow_parallel",
                                                   "workflow_loop",
                                                   "workflow_sleep",
                                                   "workflow_wait_event",
                                                   "processor_run",
                                                   "memory_operation",
                                                   "workspace_action",
                                                   "mapping",
                                                   "scorer_run",
                                                   "scorer_step",
                                                   "classifier_evaluation",
                                                   "mcp_server_request",
                                                   "rag_ingestion",
                                                   "rag_embedding",
                                                   "rag_vector_operation",
                                                   "rag_action",
                                                   "graph_action",
                                                   "skill_resolution",
                                                   "skill_action",
                                                   "agent_signal",
                                                   "embedding",
                                                   "vector_operation"};
constexpr std::array<std::string_view, 5> kModels{"model_generation", "model_step", "model_inference", "llm_generation",
                                                  "llm_step"};
constexpr std::array<std::string_view, 2> kChunks{"model_chunk", "llm_chunk"};
constexpr std::array<std::string_view, 3> kEvents{"span_started", "span_updated", "span_ended"};

bool is_known(std::string_view type) {
    return type == "agent_run" || is_one_of(type, kModels) || is_one_of(type, kTools) || is_one_of(type, kChunks) ||
           is_one_of(type, kOthers);
}

struct Seen {
    TraceSpan span;
    std::string_view type, entity, tool_id;
    TracePart input, output;
    std::uint64_t input_tokens = 0, cached = 0, written = 0;
    TokenCounts internal;
    std::uint64_t step = 0;
    bool ended = false;
};

class Mastra final : public TraceReader {
public:
    Mastra() : TraceReader("spans") {}

protected:
    LineFate read_object(json::object object) override {
        bool document = false, tree = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            document |= key_is(key, "spans") && is_array(v);
            tree |= key_is(key, "tree") && is_array(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (document) return stream_records(object);
        if (object.reset().error()) return LineFate::malformed_json;
        return tree ? stream_tree(object) : read_element(object);
    }

    LineFate read_array(json::array array) override { return read_elements(array); }

    LineFate read_element(json::object element) override {
        fate_ = LineFate::missing_field;
        if (!read_node(element, 0) || !alive())
            return fate_ == LineFate::understood ? LineFate::partial : LineFate::malformed_json;
        return fate_;
    }

private:
    static constexpr int kDeepestSpan = 64;

    LineFate stream_tree(json::object document) {
        return stream_arrays(document, [](const char* key) { return key_is(key, "tree"); });
    }

    /// A span, an event with one, or one with those that stand below it.
    bool read_node(json::object node, int depth) {
        span_place(place());
        Seen seen;
        std::string_view event;
        const bool whole = each_field(node, [&](const char* key, json::value& v) {
            if ((key_is(key, "exportedSpan") || key_is(key, "span")) && is_object(v))
                return each_field(v, [&](const char* k, json::value& w) { return collect(k, w, seen); });
            if (key_is(key, "children") && depth < kDeepestSpan)
                return each_element(v, [&](json::value& child) {
                    json::object one;
                    return !is_object(child) || (!child.get_object().get(one) && read_node(one, depth + 1));
                });
            if (key_is(key, "type") && is_one_of(raw_string(v), kEvents)) {
                event = raw_string(v);
                return true;
            }
            return collect(key, v, seen);
        });
        if (!whole) return false;
        seen.span.completes = event == "span_ended";
        const LineFate fate = keep(seen);
        // Of a tree what was understood counts more.
        if (fate_ != LineFate::understood) fate_ = fate;
        return true;
    }

    LineFate keep(Seen& seen) {
        if (seen.type.empty() || seen.span.begin_ns == 0) return LineFate::missing_field;
        if (is_one_of(seen.type, kChunks)) return LineFate::ignored_kind;
        interpret(seen);
        if (seen.internal.total() > 0) keep_internal(seen);
        hold(std::move(seen.span));
        return is_known(seen.type) ? LineFate::understood : LineFate::unknown_kind;
    }

    /// An agent of its own, whose prompts are none of those beside it.
    void keep_internal(const Seen& seen) {
        TraceSpan agent;
        agent.kind = TraceSpan::Kind::agent;
        agent.trace = seen.span.trace;
        agent.id = seen.span.id + "/internal";
        agent.parent = seen.span.id;
        agent.name = "internal";
        // Nothing says when: at its end it stands before nothing of the agent around it.
        agent.begin_ns = std::max(seen.span.begin_ns, seen.span.end_ns);
        agent.end_ns = seen.span.end_ns;
        TraceSpan request;
        request.kind = TraceSpan::Kind::request;
        request.trace = agent.trace;
        request.id = agent.id + "/usage";
        request.parent = agent.id;
        request.begin_ns = agent.begin_ns;
        request.end_ns = agent.end_ns;
        request.placed = true;
        request.tokens = seen.internal;
        hold(std::move(agent));
        hold(std::move(request));
    }

    static bool collect_error(json::value& v, TraceSpan& s) {
        if (is_null(v)) return true;
        s.failed = true;
        if (is_string(v)) {
            s.error = raw_string(v);
            return true;
        }
        return each_field(v, [&s](const char* key, json::value& w) {
            if (key_is(key, "message"))
                s.error = raw_string(w);
            else if (key_is(key, "name"))
                s.error_code = raw_string(w);
            return true;
        });
    }

    bool collect(const char* key, json::value& v, Seen& o) {
        TraceSpan& s = o.span;
        const bool chunk = is_one_of(o.type, kChunks);  // there are many
        switch (key[0]) {
            case 'a':
                if (key_is(key, "attributes") && !chunk) return attributes(v, o);
                break;
            case 'e':
                if (key_is(key, "endTime") || key_is(key, "endedAt"))
                    s.end_ns = time_in_ns(v);
                else if (key_is(key, "errorInfo") || key_is(key, "error"))
                    return collect_error(v, s);
                else if ((key_is(key, "entityName") || (key_is(key, "entityId") && o.entity.empty())) && is_string(v))
                    o.entity = raw_string(v);
                break;
            case 'i':
                if (key_is(key, "id"))
                    s.id = raw_string(v);
                else if (key_is(key, "input") && !is_null(v) && !chunk)
                    copy_value(v, o.input);
                break;
            case 'm':
                if (key_is(key, "metadata") && !chunk) return metadata(v, s);
                break;
            case 'n':
                if (key_is(key, "name")) s.name = raw_string(v);
                break;
            case 'o':
                if (key_is(key, "output") && !is_null(v) && !chunk) copy_value(v, o.output);
                break;
            case 'p':
                if (key_is(key, "parentSpanId")) s.parent = raw_string(v);
                break;
            case 's':
                if (key_is(key, "startTime") || key_is(key, "startedAt"))
                    s.begin_ns = time_in_ns(v);
                else if (key_is(key, "spanId"))
                    s.id = raw_string(v);
                else if (key_is(key, "spanType"))
                    o.type = raw_string(v);
                else if (key_is(key, "serviceName"))
                    s.service = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    o.type = raw_string(v);
                else if (key_is(key, "traceId"))
                    s.trace = raw_string(v);
                else if (key_is(key, "threadId"))
                    s.conversation = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    static bool attributes(json::value& v, Seen& o) {
        TraceSpan& s = o.span;
        return each_field(v, [&o, &s](const char* key, json::value& w) {
            if (key_is(key, "usage")) return usage(w, o);
            if (key_is(key, "internalUsage") && is_object(w)) return internal_usage(w, o);
            if (key_is(key, "responseModel") || (key_is(key, "model") && s.model.empty()))
                s.model = raw_string(w);
            else if (key_is(key, "responseId"))
                s.response_id = raw_string(w);
            else if (key_is(key, "toolCallId"))
                s.call_id = raw_string(w);
            else if (key_is(key, "toolId"))
                o.tool_id = raw_string(w);
            else if (key_is(key, "stepIndex"))
                o.step = as_uint(w);
            else if (key_is(key, "success"))
                s.failed |= token(w) == "false";
            else if (key_is(key, "finishReason"))
                s.failed |= raw_string(w) == "error";
            else if (key_is(key, "conversationId") && s.conversation.empty())
                s.conversation = raw_string(w);
            return true;
        });
    }

    /// The thread, and the body of the response as the provider sent it.
    static bool metadata(json::value& v, TraceSpan& s) {
        return each_field(v, [&s](const char* key, json::value& w) {
            if (key_is(key, "threadId")) s.conversation = raw_string(w);
            if (!key_is(key, "body") || !is_object(w)) return true;
            return each_field(w, [&s](const char* k, json::value& x) {
                if (key_is(k, "id") && is_string(x) && s.response_id.empty()) s.response_id = raw_string(x);
                return true;
            });
        });
    }

    /// Since 1.0 details stand in objects of their own, under names that say less.
    static bool usage(json::value& v, Seen& o) {
        TokenCounts& t = o.span.tokens;
        return each_field(v, [&o, &t](const char* key, json::value& w) {
            if (key_is(key, "inputTokens") || key_is(key, "promptTokens"))
                o.input_tokens = as_uint(w);
            else if (key_is(key, "outputTokens") || key_is(key, "completionTokens"))
                t.output = as_uint(w);
            else if (key_is(key, "cachedInputTokens") || key_is(key, "promptCacheHitTokens"))
                o.cached = as_uint(w);
            else if (key_is(key, "reasoningTokens"))
                t.reasoning = as_uint(w);
            else if ((key_is(key, "inputDetails") || key_is(key, "outputDetails")) && is_object(w))
                return each_field(w, [&o, &t](const char* k, json::value& x) {
                    if (key_is(k, "cacheRead"))
                        o.cached = as_uint(x);
                    else if (key_is(k, "cacheWrite"))
                        o.written = as_uint(x);
                    else if (key_is(k, "cacheWrite1h"))
                        t.cache_write_1h = as_uint(x);
                    else if (key_is(k, "reasoning"))
                        t.reasoning = as_uint(x);
                    return true;
                });
            return true;
        });
    }

    static bool internal_usage(json::value& v, Seen& o) {
        Seen inner;
        const bool whole = usage(v, inner);
        settle(inner);
        o.internal = inner.span.tokens;
        return whole;
    }

    static void settle(Seen& o) {
        TokenCounts& t = o.span.tokens;
        const bool inside = o.cached + o.written <= o.input_tokens;
        t.input = inside ? o.input_tokens - o.cached - o.written : o.input_tokens;
        t.cache_read = o.cached;
        t.cache_write = o.written;
        t.reasoning = std::min(t.reasoning, t.output);
    }

    static void interpret(Seen& o) {
        TraceSpan& s = o.span;
        // Threads of sub-agents are no sessions.
        if (!s.parent.empty()) s.conversation.clear();
        if (o.type == "agent_run") {
            s.kind = TraceSpan::Kind::agent;
            if (!o.entity.empty()) s.name = o.entity;
            take_quoted(s.name);
        } else if (is_one_of(o.type, kTools)) {
            tool(o);
        } else if (is_one_of(o.type, kModels)) {
            request(o);
        }
    }

    // agent run: 'helper', tool: 'search'
    static void take_quoted(std::string& name) {
        const auto first = name.find(": '");
        const auto last = first == name.npos ? name.npos : name.find('\'', first + 3);
        if (last != name.npos) name = name.substr(first + 3, last - first - 3);
    }

    static void tool(Seen& o) {
        TraceSpan& s = o.span;
        s.kind = TraceSpan::Kind::tool;
        take_quoted(s.name);
        if (!o.tool_id.empty()) s.name = o.tool_id;
        s.has_args = !o.input.text.empty();
        s.args = std::move(o.input);
        s.has_result = !o.output.text.empty();
        s.result = std::move(o.output);
    }

    static void request(Seen& o) {
        TraceSpan& s = o.span;
        s.kind = TraceSpan::Kind::request;
        settle(o);
        answer(o.output.text, s);
        s.name.clear();
        // The same run may lie there as spans, as events and in the database; ids like those of some local servers come
        // again.
        if (!is_unique_id(s.response_id)) s.response_id.clear();
        s.placed = true;
        if (o.type == "model_inference") {
            if (!s.parent.empty()) s.id = std::exchange(s.parent, {});  // says more of its step
            return;
        }
        s.sums = o.type.ends_with("_generation");
        if (!s.sums && o.step > 0) return;  // its tools tell what is new
        messages(o.input, s);
        if (s.sums) return;
        // What the step before said and what tools gave stands there as a mark.
        std::erase_if(s.input, [](const TraceMessage& m) {
            return m.role == Role::assistant ||
                   std::ranges::any_of(m.parts, [](const TracePart& p) { return p.kind == TracePart::Kind::result; });
        });
    }

    static void messages(const TracePart& input, TraceSpan& s) {
        if (input.form == TextForm::json_string && !input.text.empty())
            s.input.emplace_back().add(TracePart::Kind::text).text = input.text;
        else if (input.text.starts_with('['))
            collect_trace_json(input.text, s.input);
        else
            each_field_in(input.text, [&s](const char* key, json::value& v) {
                return !key_is(key, "messages") || collect_trace_messages(v, s.input);
            });
    }

    static void answer(const std::string& output, TraceSpan& s) {
        std::vector<TraceMessage> said;
        each_field_in(output, [&](const char* key, json::value& v) {
            if (key_is(key, "toolCalls")) return collect_trace_messages(v, said);
            if (key_is(key, "text") && is_string(v) && !raw_string(v).empty())
                s.output.add(TracePart::Kind::text).text = raw_string(v);
            return true;
        });
        TraceMessage calls = joined_answer(said);
        for (TracePart& part : calls.parts) s.output.parts.push_back(std::move(part));
    }

    LineFate fate_ = LineFate::understood;  // of the element that is read
};

bool is_span(const ProbeRecord& r) {
    if (!r.is_object() || !(is_known(r.text("type")) || is_known(r.text("spanType")))) return false;
    return r.has("traceId") && (r.has("startTime") || r.has("startedAt"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr Score kSure = 98;
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (is_span(r)) return kSure;
        if (is_one_of(r.text("type"), kEvents) && r.has("exportedSpan")) return kSure;
        if (is_span(r.child("span"))) return kSure;
        for (const std::string_view key : {"spans", "tree"}) {
            const auto raw = record.raw(key);
            const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
            if (first && (is_span(*first) || is_span(first->child("span")))) return kSure;
        }
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"spans", "tree"};

constexpr RecordKindDoc kKinds[] = {
    {"traceId, or threadId over several", "SessionStart; spans in the order in which they began"},
    {"model_step, with its model_inference", "Message, ToolCall of the output; Usage"},
    {"model_generation", "input: Message (human with TurnStart); a request itself, where no step of it is recorded"},
    {"tool_call, mcp_tool_call, client_tool_call, provider_tool_call",
     "ToolResult, and ToolCall unless an answer had it; a lane, where it asks a model itself"},
    {"agent_run", "a lane, where it stands inside another one"},
    {"internalUsage", "Usage, in a lane of its own: requests that are no spans"},
    {"{tree: [{span, children}]}", "the spans that stand there"},
    {"errorInfo, error, success, finishReason error", "ToolResult error; Notice (provider) for a request"},
    {"span_started, span_updated, span_ended", "the same of exportedSpan, together one span"},
    {"model_chunk", "ignored"},
    {"workflow_…, processor_run, memory_operation, mapping, …", "only what stands below them"},
};

}  // namespace

ReaderSpec mastra() {
    return {"mastra",
            "Mastra",
            "spans of its observability: one a line, events of exporters, its database, exports of tests and of its "
            "storage",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::sub_agents,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Mastra>()); },
            kStreams};
}

}  // namespace agent_audit::readers
