#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/traces/langfuse_observation.hpp"
#include "readers/traces/observation.hpp"
#include "readers/traces/trace_reader.hpp"

#include <array>
#include <string>
#include <utility>

// Observations of Langfuse: in their trace, as its API and its user interface hand it out, in pages, in arrays, and one
// a line, as exports have them.
//
//   {"id":"…","name":"…","sessionId":"…","observations":[…]}, {"data":[…],"meta":{…}}
//   {"id":"…","traceId":"…","parentObservationId":null,"type":"GENERATION","name":"…","startTime":"…","endTime":"…",
//    "model":"…","input":[{"role":"user","content":"…"}],"output":{"role":"assistant","content":"…"},
//    "usageDetails":{"input":90,"input_cached_tokens":40,"output":12,"total":142},"costDetails":{"total":0.01}}
//   {"id":"…","trace_id":"…","parent_observation_id":"…","type":"TOOL","name":"search","start_time":"…","input":"{…}",
//    "output":"…","level":"ERROR","status_message":"…"}       what stands in a string may be JSON

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 10> kTypes{"SPAN",  "GENERATION", "EVENT",     "AGENT",     "TOOL",
                                                  "CHAIN", "RETRIEVER",  "EVALUATOR", "EMBEDDING", "GUARDRAIL"};

struct Observation {
    TraceSpan span;
    std::string_view type;
    TracePart input, output;
    LangfuseCounts counted;
};

class Langfuse final : public TraceReader {
public:
    Langfuse() : TraceReader("observations") {}

protected:
    LineFate read_object(json::object object) override {
        trace_ = TraceSpan{};
        bool whole_trace = false, page = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            whole_trace |= key_is(key, "observations") && is_array(v);
            page |= key_is(key, "data") && is_array(v);
            return collect_trace(key, v);
        });
        if (!whole) return LineFate::malformed_json;
        if (whole_trace) return stream_records(object);
        trace_ = TraceSpan{};
        if (object.reset().error()) return LineFate::malformed_json;
        return page ? read_page(object) : read_element(object);
    }

    LineFate read_array(json::array array) override {
        trace_ = TraceSpan{};
        return read_elements(array);
    }

    LineFate read_element(json::object element) override {
        span_place(place());
        Observation seen;
        if (!read_fields(element, [&](const char* key, json::value& v) { return collect(key, v, seen); }))
            return LineFate::malformed_json;
        if (seen.type.empty()) return LineFate::missing_field;
        if (!is_one_of(seen.type, kTypes)) return LineFate::unknown_kind;
        belong_to_trace(seen.span);
        interpret(seen);
        hold(std::move(seen.span));
        return LineFate::understood;
    }

private:
    LineFate read_page(json::object object) {
        LineFate fate = LineFate::missing_field;
        const bool whole = each_field(object, [this, &fate](const char* key, json::value& v) {
            json::array list;
            if (!key_is(key, "data") || !is_array(v)) return true;
            if (v.get_array().get(list)) return false;
            fate = read_elements(list);
            return !broke_off(fate);
        });
        return (whole && alive()) || fate == LineFate::partial ? fate : LineFate::malformed_json;
    }

    bool collect_trace(const char* key, json::value& v) {
        if (key_is(key, "id"))
            trace_.id = raw_string(v);
        else if (key_is(key, "name"))
            trace_.name = raw_string(v);
        else if (key_is(key, "sessionId"))
            trace_.conversation = raw_string(v);
        return true;
    }

    void belong_to_trace(TraceSpan& s) const {
        if (s.trace.empty()) s.trace = trace_.id;
        if (s.conversation.empty()) s.conversation = trace_.conversation;
        if (s.parent.empty()) s.service = trace_.name.empty() ? s.name : trace_.name;
    }

    // Exports spell with _ what the API writes in one word.
    bool collect(const char* key, json::value& v, Observation& o) {
        TraceSpan& s = o.span;
        const auto named = [key](std::string_view one, std::string_view other) {
            return key_text(key) == one || key_text(key) == other;
        };
        switch (key[0]) {
            case 'c':
                if (named("costDetails", "cost_details")) return collect_langfuse_cost(v, s.cost_microusd);
                if (key_is(key, "calculatedTotalCost") && s.cost_microusd == 0)
                    s.cost_microusd = microusd(number_in(v));
                break;
            case 'e':
                if (named("endTime", "end_time")) s.end_ns = time_in_ns(v);
                break;
            case 'i':
                if (key_is(key, "id"))
                    s.id = raw_string(v);
                else if (key_is(key, "input") && !is_null(v))
                    copy_value(v, o.input);
                break;
            case 'l':
                if (key_is(key, "level")) s.failed = raw_string(v) == "ERROR";
                break;
            case 'm':
                if (key_is(key, "model")) s.model = raw_string(v);
                break;
            case 'n':
                if (key_is(key, "name")) s.name = raw_string(v);
                break;
            case 'o':
                if (key_is(key, "output") && !is_null(v)) copy_value(v, o.output);
                break;
            case 'p':
                if (named("parentObservationId", "parent_observation_id"))
                    s.parent = raw_string(v);
                else if (named("providedModelName", "provided_model_name") && s.model.empty())
                    s.model = raw_string(v);
                break;
            case 's':
                if (named("startTime", "start_time"))
                    s.begin_ns = time_in_ns(v);
                else if (named("statusMessage", "status_message"))
                    s.error = raw_string(v);
                else if (named("sessionId", "session_id"))
                    s.conversation = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    o.type = raw_string(v);
                else if (named("traceId", "trace_id"))
                    s.trace = raw_string(v);
                else if (named("totalCost", "total_cost"))
                    s.cost_microusd = microusd(number_in(v));
                break;
            case 'u':
                if (named("usageDetails", "usage_details") || key_is(key, "usage")) return o.counted.collect(v);
                break;
            default: break;
        }
        return true;
    }

    static void interpret(Observation& o) {
        TraceSpan& s = o.span;
        if (o.type == "GENERATION") {
            s.kind = TraceSpan::Kind::request;
            tell_observed_request(o.input, o.output, o.counted.tokens(), s);
        } else if (o.type == "TOOL") {
            s.kind = TraceSpan::Kind::tool;
            tell_observed_tool(std::move(o.input), std::move(o.output), s);
        } else if (o.type == "AGENT") {
            s.kind = TraceSpan::Kind::agent;
        }
    }

    TraceSpan trace_;  // of the document: what its observations may leave out
};

bool is_observation(const ProbeRecord& r) {
    if (!r.is_object() || !is_one_of(r.text("type"), kTypes)) return false;
    if (!r.has("startTime") && !r.has("start_time")) return false;
    return r.has("traceId") || r.has("trace_id") || r.has("usageDetails") || r.has("usage_details") ||
           r.has("statusMessage") || r.has("status_message");  // the ids may have been taken out
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr Score kSure = 97;
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        if (is_observation(inner ? *inner : record)) return kSure;
        for (const std::string_view key : {"observations", "data"}) {
            const auto raw = record.raw(key);
            const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
            if (first && is_observation(*first)) return kSure;
        }
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"observations"};

constexpr RecordKindDoc kKinds[] = {
    {"{id, sessionId, observations: […]}, {data: […]}, observations one a line",
     "SessionStart: a trace, or all traces of a sessionId; in the order in which they began"},
    {"GENERATION", "Message, Thinking, ToolCall of the output; Usage"},
    {"input of a GENERATION", "what is new in it: Message (human with TurnStart), ToolResult"},
    {"TOOL", "ToolResult, and ToolCall unless an answer had it; a lane, where it asks a model itself"},
    {"AGENT", "a lane, where it stands inside another one"},
    {"level ERROR, statusMessage", "ToolResult error; Notice (provider) for a GENERATION"},
    {"SPAN, EVENT, CHAIN, RETRIEVER, EVALUATOR, EMBEDDING, GUARDRAIL", "only what stands below them"},
};

}  // namespace

ReaderSpec langfuse() {
    return {"langfuse",
            "Langfuse",
            "traces with their observations, pages of the API, exported observations",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::sub_agents | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Langfuse>()); },
            kStreams};
}

}  // namespace agent_audit::readers
