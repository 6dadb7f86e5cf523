#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/ids.hpp"
#include "readers/traces/trace_messages.hpp"
#include "readers/traces/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

// Traces of the OpenAI Agents SDK, as its processors are handed them: one a line, in an array, as the body that is
// posted, or within the events of a processor that writes its own log.
//
//   {"object":"trace","id":"trace_…","workflow_name":"…","group_id":null,"metadata":null}
//   {"object":"trace.span","id":"span_…","trace_id":"trace_…","parent_id":"span_…","started_at":"…","ended_at":"…",
//    "span_data":{"type":"generation","input":[…],"output":[…],"model":"…","usage":{…}},"error":null}
//   {"object":"trace.span",…,"span_data":{"type":"function","name":"…","input":"{…}","output":"…"},
//    "error":{"message":"…","data":{"tool_name":"…","error":"…"}}}
//   {"data":[…]}, {"trace":{…},"spans":[…]}, {"event":"span_end","span":{…}}

namespace agent_audit::readers {
namespace {

constexpr int kDeepestWrapper = 3;
constexpr std::array<std::string_view, 5> kWrappers{"data", "spans", "span", "trace", "events"};

struct Item {
    TraceSpan span;
    std::string_view object, id, type, span_type;
    TracePart input, output;
    TokenCounts turn;  // what the requests of a turn took
    bool has_input = false, has_output = false;
};

class OpenAiAgents final : public TraceReader {
public:
    OpenAiAgents() : TraceReader("data") {}

    // A turn whose requests told nothing stands for them.
    void finish(EventSink& sink) override {
        set_sink(sink);
        for (Turn& turn : turns_) {
            if (counted_.contains(id_hash(turn.id))) continue;
            TraceSpan span;
            span.kind = TraceSpan::Kind::request;
            span.tokens = turn.tokens;
            span.trace = std::move(turn.trace);
            span.id = std::move(turn.id);
            hold(std::move(span));
        }
        turns_.clear();
        TraceReader::finish(sink);
    }

protected:
    LineFate read_object(json::object object) override {
        span_place(record().where);
        held_ = 0;
        if (!read_item(object, 0) || !alive()) return held_ > 0 ? LineFate::partial : LineFate::malformed_json;
        return held_ > 0 ? LineFate::understood : LineFate::missing_field;
    }

    LineFate read_element(json::object element) override { return read_object(element); }

private:
    // A span, a trace, or what is wrapped around them.
    bool read_item(json::object object, int depth) {
        Item item;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (depth < kDeepestWrapper && std::ranges::find(kWrappers, key_text(key)) != kWrappers.end())
                return unwrap(v, depth + 1);
            return collect(key, v, item);
        });
        keep(item);
        return whole;
    }

    bool unwrap(json::value& v, int depth) {
        json::object one;
        if (is_object(v)) return !v.get_object().get(one) && read_item(one, depth);
        return !is_array(v) || each_element(v, [this, depth](json::value& element) {
            json::object inner;
            if (!is_object(element)) return true;
            span_place(place_of_part(element.raw_json_token().data()));
            return !element.get_object().get(inner) && read_item(inner, depth);
        });
    }

    bool collect(const char* key, json::value& v, Item& item) {
        TraceSpan& s = item.span;
        if (key_is(key, "object"))
            item.object = raw_string(v);
        else if (key_is(key, "id"))
            item.id = raw_string(v);
        else if (key_is(key, "trace_id"))
            s.trace = raw_string(v);
        else if (key_is(key, "parent_id"))
            s.parent = raw_string(v);
        else if (key_is(key, "workflow_name"))
            s.service = raw_string(v);
        else if (key_is(key, "group_id"))
            s.conversation = raw_string(v);
        else if (key_is(key, "started_at"))
            s.begin_ns = time_in_ns(v);
        else if (key_is(key, "ended_at"))
            s.end_ns = time_in_ns(v);
        else if (key_is(key, "span_data"))
            return each_field(v, [&](const char* k, json::value& w) { return data(k, w, item); });
        else if (key_is(key, "error") && !is_null(v))
            return collect_trace_error(v, s);
        return true;
    }

    static bool data(const char* key, json::value& v, Item& item) {
        TraceSpan& s = item.span;
        const auto copy_into = [&v](TracePart& part, bool& has) {
            if (is_null(v)) return;
            copy_value(v, part);
            has = true;
        };
        if (key_is(key, "type"))
            item.type = raw_string(v);
        else if (key_is(key, "name"))
            s.name = raw_string(v);
        else if (key_is(key, "model"))
            s.model = raw_string(v);
        else if (key_is(key, "response_id"))
            s.response_id = raw_string(v);
        else if (key_is(key, "input"))
            copy_into(item.input, item.has_input);
        else if (key_is(key, "output"))
            copy_into(item.output, item.has_output);
        else if (key_is(key, "response"))
            return each_field(v, [&item](const char* k, json::value& w) { return response(k, w, item); });
        else if (key_is(key, "usage"))
            return collect_trace_usage(v, s.tokens);
        else if (key_is(key, "data"))
            return each_field(v, [&item](const char* k, json::value& w) { return custom(k, w, item); });
        return true;
    }

    // {"sdk_span_type":"turn","usage":{"input_tokens":9,"output_tokens":2,"cached_input_tokens":5}}
    static bool custom(const char* key, json::value& v, Item& item) {
        if (key_is(key, "sdk_span_type")) item.span_type = raw_string(v);
        if (!key_is(key, "usage")) return true;
        TokenCounts& t = item.turn;
        const bool whole = each_field(v, [&t](const char* k, json::value& n) {
            if (key_is(k, "input_tokens")) t.input = as_uint(n);
            if (key_is(k, "output_tokens")) t.output = as_uint(n);
            if (key_is(k, "cached_input_tokens")) t.cache_read = as_uint(n);
            if (key_is(k, "cache_write_input_tokens")) t.cache_write = as_uint(n);
            return true;
        });
        if (t.cache_read + t.cache_write <= t.input) t.input -= t.cache_read + t.cache_write;
        return whole;
    }

    // The SDK keeps it out of what it exports; a processor may write it down.
    static bool response(const char* key, json::value& v, Item& item) {
        if (key_is(key, "output") && !is_null(v)) {
            copy_value(v, item.output);
            item.has_output = true;
        } else if (key_is(key, "model"))
            item.span.model = raw_string(v);
        else if (key_is(key, "id") && item.span.response_id.empty())
            item.span.response_id = raw_string(v);
        else if (key_is(key, "usage") && item.span.tokens.total() == 0)
            return collect_trace_usage(v, item.span.tokens);
        return true;
    }

    void keep(Item& item) {
        TraceSpan& s = item.span;
        const bool trace = item.object == "trace";
        if (!trace && item.object != "trace.span") return;
        s.id = item.id;
        if (trace) s.trace = item.id;
        if (item.type == "agent")
            s.kind = TraceSpan::Kind::agent;
        else if (!has_begun_only(item))
            interpret(item);
        note_taken(item);
        hold(std::move(s));
        ++held_;
    }

    static void interpret(Item& item) {
        if (item.type == "generation" || item.type == "response")
            request(item);
        else if (item.type == "function")
            tool(item);
    }

    // The SDK for JavaScript says of a turn what it took, and of some requests as well.
    void note_taken(Item& item) {
        constexpr std::size_t kMost = 1u << 16;
        TraceSpan& s = item.span;
        if (item.type == "custom" && item.span_type == "turn" && item.turn.total() > 0) {
            s.name.clear();
            if (turns_.size() < kMost) turns_.push_back({s.trace, s.id, item.turn});
        } else if (s.kind == TraceSpan::Kind::request && s.tokens.total() > 0 && !s.parent.empty()) {
            if (counted_.size() < kMost) counted_.insert(id_hash(s.parent));
        }
    }

    // What a processor writes when a span begins says nothing of how it ended.
    static bool has_begun_only(const Item& item) {
        const TraceSpan& s = item.span;
        return s.begin_ns > 0 && s.end_ns == 0 && !item.has_output && !s.failed && s.tokens.total() == 0;
    }

    // The SDK for JavaScript keeps the whole answer of Chat Completions, with what it took:
    // [{"object":"chat.completion","choices":[{"message":{…}}],"usage":{…}}]
    static bool chat_answer(const std::string& output, TraceSpan& s, std::vector<TraceMessage>& answers) {
        constexpr std::size_t kHead = 256;
        const auto begin = output.find('{'), end = output.rfind('}');
        if (end == output.npos || std::string_view(output).substr(0, kHead).find("\"chat.completion\"") == output.npos)
            return false;
        each_field_in(output.substr(begin, end - begin + 1), [&](const char* key, json::value& v) {
            if (key_is(key, "usage") && s.tokens.total() == 0) return collect_trace_usage(v, s.tokens);
            if (key_is(key, "id")) s.response_id = raw_string(v);
            if (!key_is(key, "choices")) return true;
            return each_element(v, [&answers](json::value& choice) {
                return each_field(choice, [&answers](const char* k, json::value& w) {
                    return !key_is(k, "message") || !answers.empty() || collect_trace_messages(w, answers);
                });
            });
        });
        return true;
    }

    static void request(Item& item) {
        TraceSpan& s = item.span;
        s.kind = TraceSpan::Kind::request;
        s.name.clear();
        if (item.input.form == TextForm::json_value)
            collect_trace_json(item.input.text, s.input);
        else if (!item.input.text.empty())
            s.input.emplace_back().add(TracePart::Kind::text).text = item.input.text;
        std::vector<TraceMessage> answers;
        TraceExtras extras;
        if (item.output.form == TextForm::json_value && !chat_answer(item.output.text, s, answers))
            collect_trace_json(item.output.text, answers, &extras);
        else if (item.output.form != TextForm::json_value && !item.output.text.empty())
            answers.emplace_back().add(TracePart::Kind::text).text = item.output.text;
        s.output = joined_answer(answers);
    }

    // The output of a tool that gave nothing is null: a span that has ended has its result all the same. Arguments are
    // JSON, so that a text without a character is what the SDK for JavaScript writes when it is to keep them to itself.
    static void tool(Item& item) {
        TraceSpan& s = item.span;
        s.kind = TraceSpan::Kind::tool;
        s.has_args = item.has_input && !item.input.text.empty();
        s.has_result = item.has_output && (s.has_args || !item.output.text.empty());
        s.args = std::move(item.input);
        s.result = std::move(item.output);
    }

    struct Turn {
        std::string trace, id;
        TokenCounts tokens;
    };

    std::uint64_t held_ = 0;
    std::vector<Turn> turns_;
    std::unordered_set<IdHash> counted_;  // what holds requests that told what they took
};

bool tells_of_spans(const ProbeRecord& r) {
    const std::string_view object = r.text("object");
    if (object == "trace.span") return r.has("span_data");
    return object == "trace" && (r.has("workflow_name") || r.has("group_id"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object() || r.has("$schemaVersion")) continue;  // the state of a run names its trace
        if (tells_of_spans(r)) return kCertain;
        for (const std::string_view wrapper : kWrappers) {
            const auto raw = r.raw(wrapper);
            if (!raw) continue;
            const auto first = first_of(ProbeRecord(*raw));
            if (tells_of_spans(first ? *first : ProbeRecord(*raw))) return kCertain;
        }
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"trace", "SessionStart; traces of one group_id are one session; spans in the order in which they began"},
    {"span_data generation",
     "what is new of input: Message (human with TurnStart), ToolResult; output: Message, "
     "ToolCall; Usage"},
    {"span_data response", "Usage, and the same where a processor writes input and response down"},
    {"span_data custom: turn", "Usage, where no request of the turn has told it (JavaScript)"},
    {"span_data function", "ToolResult, and ToolCall unless an answer had it"},
    {"span_data agent", "a lane of its own inside another agent"},
    {"error", "ToolResult error; Notice (provider) for requests"},
    {"{data: […]}, {trace, spans: […]}, {event, span}", "as the spans in them; a span that began and ended is one"},
    {"span_data handoff, guardrail, custom, mcp_tools, speech, transcription", "ignored"},
};

}  // namespace

ReaderSpec openai_agents() {
    return {"openai-agents",
            "OpenAI Agents SDK",
            "traces: one span a line, arrays, posted batches, logs of processors",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids | Signal::sub_agents,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<OpenAiAgents>()); }};
}

}  // namespace agent_audit::readers
