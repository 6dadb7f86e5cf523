#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/traces/observation.hpp"
#include "readers/traces/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

// Spans of Braintrust: one a line or in an array, as they are downloaded; in the pages of its API; as its SDKs post
// them.
//
//   {"id":"…","span_id":"…","root_span_id":"…","span_parents":["…"],"created":"2026-11-01T10:00:00.000Z",
//    "span_attributes":{"name":"Chat Completion","type":"llm"},"input":[{"role":"user","content":"…"}],
//    "output":[{"index":0,"message":{…}}],"metadata":{"model":"gpt-4o"},"error":null,
//    "metrics":{"start":1796004513.39,"end":1796004513.68,"prompt_tokens":50,"prompt_cached_tokens":8,"completion_tokens":12}}
//   {"events":[…],"cursor":"…"}, {"data":[…],"schema":{…}}, {"rows":[…]}
//
// A span that was posted before it ended comes again with `_is_merge` and what was not known then.

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 3> kPages{"events", "data", "rows"};

// The prompt's count has what was read from the cache and written to it, whoever the provider is.
struct Counts {
    std::uint64_t prompt = 0, output = 0, read = 0, written = 0, written_5m = 0, written_1h = 0, reasoning = 0;

    TokenCounts tokens() const {
        const std::uint64_t write = std::max(written, written_5m + written_1h);
        const std::uint64_t cached = read + write;
        return {cached <= prompt ? prompt - cached : 0,
                write,
                read,
                output,
                std::min(reasoning, output),
                std::min(written_1h, write)};
    }
};

struct Row {
    TraceSpan span;
    std::string_view type;
    TracePart input, output;
    Counts counts;
    bool is_span = false;
};

class Braintrust final : public TraceReader {
public:
    Braintrust() : TraceReader("events") {}

protected:
    LineFate read_object(json::object object) override {
        bool page = false;
        if (!read_fields(object, [&page](const char* key, json::value& v) {
                page |= is_one_of(key_text(key), kPages) && is_array(v);
                return true;
            }))
            return LineFate::malformed_json;
        if (page) return stream_arrays(object, [](const char* key) { return is_one_of(key_text(key), kPages); });
        return object.reset().error() ? LineFate::malformed_json : read_element(object);
    }

    LineFate read_array(json::array array) override { return read_elements(array); }

    LineFate read_element(json::object element) override {
        span_place(place());
        Row row;
        if (!read_fields(element, [&](const char* key, json::value& v) { return collect(key, v, row); }))
            return LineFate::malformed_json;
        if (!row.is_span) return LineFate::missing_field;
        interpret(row);
        hold(std::move(row.span));
        return LineFate::understood;
    }

private:
    bool collect(const char* key, json::value& v, Row& row) {
        TraceSpan& s = row.span;
        switch (key[0]) {
            case 'c':
                if (key_is(key, "created") && s.begin_ns == 0) s.begin_ns = time_in_ns(v);
                break;
            case 'e':
                if (key_is(key, "error") && !is_null(v)) return collect_trace_error(v, s);
                break;
            case 'i':
                if (key_is(key, "input") && !is_null(v)) copy_value(v, row.input);
                break;
            case 'm':
                if (key_is(key, "metadata")) return metadata(v, s);
                if (key_is(key, "metrics")) return metrics(v, row);
                break;
            case 'o':
                if (key_is(key, "output") && !is_null(v)) copy_value(v, row.output);
                break;
            case 'r':
                if (key_is(key, "root_span_id")) s.trace = raw_string(v);
                break;
            case 's':
                if (key_is(key, "span_id")) {
                    s.id = raw_string(v);
                    row.is_span = !s.id.empty();
                } else if (key_is(key, "span_parents")) {
                    return each_element(v, [&s](json::value& parent) {
                        if (s.parent.empty() && is_string(parent)) s.parent = raw_string(parent);
                        return true;
                    });
                } else if (key_is(key, "span_attributes")) {
                    return each_field(v, [&](const char* k, json::value& w) {
                        if (key_is(k, "name")) s.name = raw_string(w);
                        if (key_is(k, "type")) row.type = raw_string(w);
                        return true;
                    });
                }
                break;
            default: break;
        }
        return true;
    }

    static bool metadata(json::value& v, TraceSpan& s) {
        return each_field(v, [&s](const char* key, json::value& w) {
            const std::string_view name = key_text(key);
            if (name == "model" && is_string(w))
                s.model = raw_string(w);
            else if (is_string(w) && s.conversation.empty() &&
                     (name == "thread_id" || name == "session_id" || name == "conversation_id" ||
                      name.ends_with(".session_id") || name.ends_with(".thread_id")))
                s.conversation = raw_string(w);
            return true;
        });
    }

    bool metrics(json::value& v, Row& row) {
        struct Name {
            std::string_view name;
            std::uint64_t Counts::*field;
        };
        static constexpr Name kNames[] = {{"prompt_tokens", &Counts::prompt},
                                          {"completion_tokens", &Counts::output},
                                          {"prompt_cached_tokens", &Counts::read},
                                          {"prompt_cache_creation_tokens", &Counts::written},
                                          {"prompt_cache_creation_5m_tokens", &Counts::written_5m},
                                          {"prompt_cache_creation_1h_tokens", &Counts::written_1h},
                                          {"completion_reasoning_tokens", &Counts::reasoning}};
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "start"))
                row.span.begin_ns = time_in_ns(w);
            else if (key_is(key, "end"))
                row.span.end_ns = time_in_ns(w);
            else if (key_is(key, "estimated_cost"))
                row.span.cost_microusd = microusd(number_in(w));
            else if (const auto* const found = std::ranges::find(kNames, key_text(key), &Name::name);
                     found != std::end(kNames))
                row.counts.*found->field = as_uint(w);
            return true;
        });
    }

    // What is posted at the end does not repeat the kind of the span.
    static void interpret(Row& row) {
        TraceSpan& s = row.span;
        if (s.trace.empty()) s.trace = s.id;
        if (s.parent.empty()) s.service = s.name;
        if (row.type == "llm") s.kind = TraceSpan::Kind::request;
        if (row.type == "tool") s.kind = TraceSpan::Kind::tool;
        const bool unknown = row.type.empty() && s.name.empty();
        s.by_name = !unknown && s.kind == TraceSpan::Kind::other;
        if (s.kind == TraceSpan::Kind::request || unknown)
            tell_observed_request(row.input, row.output, row.counts.tokens(), s);
        if (s.kind != TraceSpan::Kind::request)
            tell_observed_tool(only_argument(std::move(row.input)), std::move(row.output), s);
    }

    // Wrapped functions of JavaScript have their arguments in an array, and tools mostly one.
    static TracePart only_argument(TracePart input) {
        const std::string& text = input.text;
        if (input.form == TextForm::json_string || text.size() < 4 || !text.starts_with("[{")) return input;
        TracePart one;
        std::size_t arguments = 0;
        std::string padded(text);
        padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
        json::parser parser;
        json::document doc;
        json::array array;
        if (parser.iterate(padded.data(), text.size(), padded.size()).get(doc) || doc.get_array().get(array))
            return input;
        for (auto item : array) {
            json::value argument;
            if (std::move(item).get(argument)) return input;
            if (++arguments > 1) return input;
            copy_value(argument, one);
        }
        return arguments == 1 ? one : input;
    }
};

bool is_span(const ProbeRecord& r) {
    return r.is_object() && r.has("span_attributes") && (r.has("root_span_id") || r.has("span_parents"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        if (is_span(inner ? *inner : record)) return kCertain;
        for (const std::string_view key : kPages) {
            const auto raw = record.raw(key);
            const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
            if (first && is_span(*first)) return kCertain;
        }
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"events", "data", "rows"};

constexpr RecordKindDoc kKinds[] = {
    {"root_span_id, or metadata.session_id / thread_id over several",
     "SessionStart; spans in the order in which they began"},
    {"type llm", "Message, Thinking, ToolCall of the output; Usage"},
    {"input of type llm", "what is new in it: Message (human with TurnStart), ToolResult"},
    {"type tool, and functions that an answer called",
     "ToolResult, and ToolCall unless an answer had it; a lane, where it asks a model itself"},
    {"error", "ToolResult error; Notice (provider) for llm"},
    {"{events: […]}, {data: […]}, {rows: […]}", "the spans in it; _is_merge completes the one of the same span_id"},
    {"type task, function, eval, score", "only what stands below them"},
};

}  // namespace

ReaderSpec braintrust() {
    return {
        "braintrust",
        "Braintrust",
        "spans: one a line, arrays, pages of the API, what SDKs post",
        Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage | Signal::timestamps,
        kKinds,
        score,
        [] { return std::unique_ptr<RecordReader>(std::make_unique<Braintrust>()); },
        kStreams};
}

}  // namespace agent_audit::readers
