#include "readers/all.hpp"
#include "readers/traces/otel_event.hpp"
#include "readers/traces/otel_span.hpp"
#include "readers/traces/trace_reader.hpp"

#include <array>
#include <charconv>

// Traces of OpenTelemetry about language models, in the ways they are exported:
//
//   {"resourceSpans":[{"resource":{"attributes":[…]},"scopeSpans":[{"spans":[
//     {"traceId":"…","spanId":"…","parentSpanId":"…","name":"chat m","startTimeUnixNano":"…","endTimeUnixNano":"…",
//      "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}],"status":{"code":2},"events":[…]}]}]}]}
//   {"name":"…","spanContext":{"traceId":"…","spanId":"…"},"attributes":{"ai.operationId":"…"},"startTime":[1,5]}
//   {"traceId":"…","id":"…","parentSpanContext":{…},"timestamp":1767225600000000,"duration":5000,"attributes":{…}}
//                                                                            as the console exporter of Node has it
//   {"name":"…","context":{"trace_id":"…","span_id":"…"},"parent_id":"…","start_time":"2026-…","attributes":{…}}
//   {"gen_ai.operation.name":"execute_tool",…}                                                attributes alone
//   {"context.trace_id":"…","context.span_id":"…","attributes.llm.model_name":"…",
//    "attributes.llm.input_messages":[{"message.role":"user","message.content":"…"}]}        a row of Phoenix's table
//
//   {"info":{…},"data":{"spans":[{"trace_id":"…","span_id":"…","parent_span_id":null,"start_time_unix_nano":5,
//    "attributes":{"mlflow.spanType":"\"TOOL\"",…}}]}}                          a trace of MLflow
//
// and logs, whose records tell of spans or of what was done:
//
//   {"resourceLogs":[{"resource":{…},"scopeLogs":[{"logRecords":[
//     {"timeUnixNano":"…","traceId":"…","spanId":"…","eventName":"gen_ai.user.message","body":{"kvlistValue":{…}}},
//     {"timeUnixNano":"…","eventName":"gen_ai.client.inference.operation.details","attributes":[…]},
//     {"timeUnixNano":"…","body":{"stringValue":"claude_code.tool_result"},"attributes":[…]}]}]}]}

namespace agent_audit::readers {
namespace {

/// 1751247501952174000, as a number or a string; coarser units where the number is small. 0 for nonsense.
std::int64_t nanoseconds(std::string_view digits) {
    std::int64_t n = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (result.ec != std::errc{} || n <= 0) return 0;
    for (const std::int64_t below :
         {std::int64_t{100'000'000'000}, std::int64_t{100'000'000'000'000}, std::int64_t{100'000'000'000'000'000}}) {
        if (n >= below) continue;
        if (n > INT64_MAX / 1000) return 0;
        n *= 1000;
    }
    return n;
}

constexpr std::size_t kMostFields = 64;
constexpr std::string_view kDetails = "gen_ai.client.inference.operation.details";

/// A record of a log, before it is known what it tells.
struct LogRecord {
    std::string_view event, name, body, trace, span;
    std::int64_t time_ns = 0, observed_ns = 0;
    std::vector<OtelField> fields;  // its attributes that are words or numbers

    void clear() {
        std::vector<OtelField> kept = std::move(fields);
        *this = LogRecord{};
        fields = std::move(kept);
        fields.clear();
    }
    /// Writers put the name of the event in one of three places.
    std::string_view told() const {
        for (const std::string_view one : {event, name, body}) {
            if (one.starts_with("gen_ai.") || is_agent_event(one)) return one;
        }
        return {};
    }
};

class Otel final : public TraceReader {
public:
    Otel() : TraceReader("resourceSpans") {}

protected:
    LineFate read_object(json::object object) override {
        bool batches = false, scopes = false, attributes = false, bare = false, logs = false, metrics = false;
        bool data = false, info = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            batches |= key_is(key, "resourceSpans") && is_array(v);
            logs |= key_is(key, "resourceLogs") && is_array(v);
            metrics |= key_is(key, "resourceMetrics");
            scopes |= key_is(key, "scopeSpans") && is_array(v);
            data |= key_is(key, "data") && is_object(v);
            info |= key_is(key, "info") && is_object(v);
            const std::string_view name = key_text(key);
            attributes |= key_is(key, "attributes") || name.starts_with("attributes.");
            bare |=
                name.starts_with("gen_ai.") || name.starts_with("openinference.") || name.starts_with("ai.operation");
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        told_ = seen_ = 0;
        scope_ = 0;
        service_.clear();
        session_.clear();
        if (batches || logs) {
            const LineFate fate = batches ? stream_records(object) : stream_logs(object);
            return fate == LineFate::understood && told_ == 0 ? LineFate::ignored_kind : fate;
        }
        if (metrics) return LineFate::ignored_kind;
        if (data && info) return read_data(object);
        if (!scopes && !attributes && !bare) return LineFate::unknown_kind;
        if (object.reset().error()) return LineFate::malformed_json;
        if (scopes) return read_element(object);
        return bare && !attributes ? read_attributes(object) : read_span(object);
    }

    /// The spans of one process.
    LineFate read_element(json::object element) override {
        const std::uint64_t seen = seen_, told = told_;
        service_.clear();
        session_.clear();
        const bool resource = read_fields(element, [this](const char* key, json::value& v) {
            return key_is(key, "resource") ? read_resource(v) : true;
        });
        if (!resource || element.reset().error()) return LineFate::malformed_json;
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            if (!key_is(key, "scopeSpans") && !key_is(key, "instrumentationLibrarySpans") && !key_is(key, "scopeLogs"))
                return true;
            return each_element(v, [this](json::value& scope) { return read_scope(scope); });
        });
        if (!whole) return seen_ > seen ? LineFate::partial : LineFate::malformed_json;
        if (seen_ == seen) return LineFate::missing_field;
        return told_ > told ? LineFate::understood : LineFate::ignored_kind;
    }

private:
    bool read_resource(json::value& v) {
        return each_field(v, [this](const char* key, json::value& attributes) {
            if (!key_is(key, "attributes")) return true;
            return each_attribute(attributes, [this](std::string_view name, json::value& value) {
                std::string* into = name == "service.name" ? &service_ : name == "session.id" ? &session_ : nullptr;
                if (!into) return true;
                return each_field(value, [into](const char*, json::value& w) {
                    *into = raw_string(w).substr(0, 256);
                    return true;
                });
            });
        });
    }

    /// Calls `take(key, value)`; the two may stand in either order.
    template <class Take>
    static bool each_attribute(json::value& attributes, Take&& take) {
        return each_element(attributes, [&take](json::value& element) {
            json::object pair;
            if (!is_object(element)) return true;
            if (element.get_object().get(pair)) return false;
            std::string_view name;
            bool taken = false, late = false;
            const auto field = [&](const char* key, json::value& v) {
                if (key_is(key, "key")) name = raw_string(v);
                if (!key_is(key, "value") || taken) return true;
                late = name.empty();
                taken = !late;
                return late || take(name, v);
            };
            if (!each_field(pair, field)) return false;
            return !late || name.empty() || (!pair.reset().error() && each_field(pair, field));
        });
    }

    LineFate read_data(json::object document) {
        if (document.reset().error()) return LineFate::malformed_json;
        const bool whole = read_fields(document, [this](const char* key, json::value& v) {
            if (!key_is(key, "data")) return true;
            return each_field(v, [this](const char* k, json::value& spans) {
                return !key_is(k, "spans") ||
                       each_element(spans, [this](json::value& span) { return one_of_many(span); });
            });
        });
        if (!whole) return seen_ > 0 ? LineFate::partial : LineFate::malformed_json;
        if (seen_ == 0) return LineFate::missing_field;
        return told_ > 0 ? LineFate::understood : LineFate::ignored_kind;
    }

    /// The spans of one library. Its name may stand behind them.
    bool read_scope(json::value& v) {
        json::object scope;
        if (!is_object(v)) return true;
        if (v.get_object().get(scope)) return false;
        scope_ = 0;
        bool named = false, late = false, again = false;
        const auto field = [&](const char* key, json::value& w) {
            if (key_is(key, "scope")) {
                named = true;
                return again || library(w);
            }
            const bool logs = key_is(key, "logRecords");
            if (!logs && !key_is(key, "spans")) return true;
            late |= !named;
            if (late && !again) return true;
            return each_element(w,
                                [this, logs](json::value& one) { return logs ? log_record(one) : one_of_many(one); });
        };
        if (!each_field(scope, field)) return false;
        again = true;
        return !late || (!scope.reset().error() && each_field(scope, field));
    }

    bool library(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "name")) scope_ = stable_hash(raw_string(w));
            return true;
        });
    }

    bool one_of_many(json::value& v) {
        json::object span;
        if (!is_object(v)) return true;
        const char* const start = v.raw_json_token().data();
        if (v.get_object().get(span)) return false;
        span_place(place_of_part(start));
        if (!collect_span(span)) return false;
        keep();
        return true;
    }

    // ---- logs -------------------------------------------------------------------------------------------

    LineFate stream_logs(json::object document) {
        return stream_arrays(document, [](const char* key) { return key_is(key, "resourceLogs"); });
    }

    bool log_record(json::value& v) {
        json::object object;
        if (!is_object(v)) return true;
        span_place(place_of_part(v.raw_json_token().data()));
        if (v.get_object().get(object)) return false;
        log_.clear();
        if (!each_field(object, [this](const char* key, json::value& w) { return collect_log(key, w); })) return false;
        if (log_.time_ns == 0) log_.time_ns = log_.observed_ns;
        const std::string_view told = log_.told();
        if (is_agent_event(told)) return agent_event(told);
        ++seen_;
        if (told != kDetails && told != "gen_ai.choice" && !told.ends_with(".message")) return true;
        return object.reset().error() ? false : piece_of_span(object, told);
    }

    bool collect_log(const char* key, json::value& v) {
        if (key_is(key, "timeUnixNano"))
            return time(v, log_.time_ns);
        else if (key_is(key, "observedTimeUnixNano"))
            return time(v, log_.observed_ns);
        else if (key_is(key, "traceId"))
            log_.trace = raw_string(v);
        else if (key_is(key, "spanId"))
            log_.span = raw_string(v);
        else if (key_is(key, "eventName"))
            log_.event = raw_string(v);
        else if (key_is(key, "body"))
            return each_field(v, [this](const char* kind, json::value& w) {
                if (key_is(kind, "stringValue")) log_.body = raw_string(w);
                return true;
            });
        else if (key_is(key, "attributes") && is_array(v))
            return each_attribute(v, [this](std::string_view name, json::value& value) {
                return each_field(value, [this, name](const char*, json::value& w) {
                    if (is_object(w) || is_array(w) || log_.fields.size() >= kMostFields) return true;
                    log_.fields.push_back({name, is_string(w) ? raw_string(w) : token(w)});
                    if (name == "event.name") log_.name = log_.fields.back().text;
                    return true;
                });
            });
        return true;
    }

    bool agent_event(std::string_view told) {
        ++seen_;
        span_ = TraceSpan{};
        const std::string id = "event " + std::to_string(++log_ids_);
        if (read_agent_event(told, log_.fields, log_.time_ns, id, span_)) {
            ++told_;
            span_.service = service_;
            hold(std::move(span_));
        }
        span_ = TraceSpan{};
        return true;
    }

    /// The messages of a request, one a record, or all that a span could tell of it. Without the span's id, what comes
    /// until an answer is one request.
    bool piece_of_span(json::object object, std::string_view told) {
        span_ = TraceSpan{};
        facts_.clear();
        const bool whole = each_field(object, [this, told](const char* key, json::value& v) {
            if (key_is(key, "attributes")) return attributes(v);
            if (!key_is(key, "body") || told == kDetails) return true;
            facts_.event(told);
            const bool read = each_field(v, [this](const char* kind, json::value& w) {
                return !key_is(kind, "kvlistValue") || each_field(w, [this](const char* k, json::value& values) {
                    return !key_is(k, "values") || attributes(values);
                });
            });
            facts_.event({});
            return read;
        });
        const bool named = log_.span.find_first_not_of('0') != log_.span.npos;
        span_.trace = log_.trace;
        span_.id = named ? std::string(log_.span) : "request " + std::to_string(log_ids_);
        if (told == kDetails || told == "gen_ai.choice") ++log_ids_;
        span_.piece = true;
        span_.begin_ns = log_.time_ns;
        if (told != kDetails) facts_.asks();
        if (told == kDetails || told == "gen_ai.choice") span_.end_ns = log_.time_ns;
        --seen_;  // keep() counts it
        keep();
        return whole;
    }

    LineFate read_span(json::object object) {
        span_place(record().where);
        if (!collect_span(object) || !alive()) return LineFate::malformed_json;
        if (span_.id.empty() && !facts_.known()) return LineFate::missing_field;
        return keep() ? LineFate::understood : LineFate::ignored_kind;
    }

    LineFate read_attributes(json::object object) {
        span_place(record().where);
        span_ = TraceSpan{};
        facts_.clear();
        if (!read_fields(object,
                         [this](const char* key, json::value& v) { return facts_.plain_value(key_text(key), v); }))
            return LineFate::malformed_json;
        return keep() ? LineFate::understood : LineFate::ignored_kind;
    }

    /// Spans that are about something else stay as well: they link those that matter.
    bool keep() {
        ++seen_;
        facts_.finish(span_);
        span_.service = service_;
        span_.scope = scope_;
        if (span_.conversation.empty()) span_.conversation = session_;
        const bool known = facts_.known();
        told_ += known;
        if (known || !span_.id.empty()) hold(std::move(span_));
        span_ = TraceSpan{};
        return known;
    }

    bool collect_span(json::object object) {
        span_ = TraceSpan{};
        span_.open = true;  // until its status is set: tracers leave that to who knows better
        facts_.clear();
        duration_us_ = 0;
        if (!each_field(object, [this](const char* key, json::value& v) { return collect_field(key, v); }))
            return false;
        constexpr std::uint64_t kLongest = 1'000'000'000'000;
        if (span_.end_ns == 0 && span_.begin_ns > 0 && duration_us_ < kLongest)
            span_.end_ns = span_.begin_ns + static_cast<std::int64_t>(duration_us_ * 1000);
        return true;
    }

    bool collect_field(const char* key, json::value& v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "attributes")) return attributes(v);
                if (key_text(key).starts_with("attributes.")) return facts_.plain_value(key_text(key).substr(11), v);
                break;
            case 'c':
                if (key_is(key, "context")) return ids(v);
                if (key_is(key, "context.trace_id")) span_.trace = raw_string(v);
                if (key_is(key, "context.span_id")) span_.id = raw_string(v);
                break;
            case 'e':
                if (key_is(key, "endTimeUnixNano") || key_is(key, "end_time_unix_nano") || key_is(key, "endTime") ||
                    key_is(key, "end_time"))
                    return time(v, span_.end_ns);
                if (key_is(key, "events"))
                    return each_element(v, [this](json::value& event) { return span_event(event); });
                break;
            case 'd':
                if (key_is(key, "duration") && !is_array(v)) duration_us_ = as_uint(v);
                break;
            case 'i':
                if (key_is(key, "id") && span_.id.empty()) span_.id = raw_string(v);
                if (key_is(key, "instrumentationScope")) return library(v);
                break;
            case 'n':
                if (key_is(key, "name")) span_.name = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "parentSpanId") || key_is(key, "parent_id") || key_is(key, "parent_span_id") ||
                    key_is(key, "parentId"))
                    span_.parent = raw_string(v);
                else if (key_is(key, "parentSpanContext"))
                    return each_field(v, [this](const char* k, json::value& w) {
                        if (key_is(k, "spanId")) span_.parent = raw_string(w);
                        return true;
                    });
                break;
            case 's':
                if (key_is(key, "spanId") || key_is(key, "span_id"))
                    span_.id = raw_string(v);
                else if (key_is(key, "span_kind"))
                    facts_.kind(raw_string(v));
                else if (key_is(key, "status_code"))
                    status_word(raw_string(v));
                else if (key_is(key, "status_message"))
                    span_.error = raw_string(v);
                else if (key_is(key, "spanContext"))
                    return ids(v);
                else if (key_is(key, "startTimeUnixNano") || key_is(key, "start_time_unix_nano") ||
                         key_is(key, "startTime") || key_is(key, "start_time"))
                    return time(v, span_.begin_ns);
                else if (key_is(key, "status"))
                    return status(v);
                break;
            case 't':
                if (key_is(key, "traceId") || key_is(key, "trace_id")) span_.trace = raw_string(v);
                if (key_is(key, "timestamp") && span_.begin_ns == 0) return time(v, span_.begin_ns);
                break;
            default: break;
        }
        return true;
    }

    bool ids(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "traceId") || key_is(key, "trace_id"))
                span_.trace = raw_string(w);
            else if (key_is(key, "spanId") || key_is(key, "span_id"))
                span_.id = raw_string(w);
            return true;
        });
    }

    bool attributes(json::value& v) {
        if (is_array(v))
            return each_attribute(
                v, [this](std::string_view key, json::value& value) { return facts_.any_value(key, value); });
        return each_field(
            v, [this](const char* key, json::value& value) { return facts_.plain_value(key_text(key), value); });
    }

    bool span_event(json::value& v) {
        json::object event;
        if (!is_object(v)) return true;
        if (v.get_object().get(event)) return false;
        std::string_view name;
        const bool named = each_field(event, [&name](const char* key, json::value& w) {
            if (key_is(key, "name")) name = raw_string(w);
            return true;
        });
        if (!named || event.reset().error()) return false;
        facts_.event(name);
        const bool whole = each_field(event, [this](const char* key, json::value& w) {
            return key_is(key, "attributes") ? attributes(w) : true;
        });
        facts_.event({});
        return whole;
    }

    bool status(json::value& v) {
        if (is_string(v)) status_word(raw_string(v));
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message") || key_is(key, "description"))
                span_.error = raw_string(w);
            else if (key_is(key, "code") || key_is(key, "status_code"))
                status_word(is_string(w) ? raw_string(w) : token(w));
            return true;
        });
    }

    /// UNSET, or no status at all, is what most spans have whose tool told of a failure in words.
    void status_word(std::string_view code) {
        constexpr std::array<std::string_view, 4> kFailed{"2", "STATUS_CODE_ERROR", "ERROR", "error"};
        constexpr std::array<std::string_view, 4> kWell{"1", "STATUS_CODE_OK", "OK", "ok"};
        span_.failed |= is_one_of(code, kFailed);
        span_.open &= !is_one_of(code, kWell);
    }

    /// Nanoseconds, an RFC 3339 time, or [seconds, nanoseconds].
    bool time(json::value& v, std::int64_t& into) {
        if (is_array(v)) {
            std::array<std::uint64_t, 2> parts{};
            std::size_t used = 0;
            const bool whole = each_element(v, [&](json::value& part) {
                if (used < parts.size()) parts[used++] = as_uint(part);
                return true;
            });
            if (used == 2 && parts[0] < 9'000'000'000u && parts[1] < 1'000'000'000u)
                into = static_cast<std::int64_t>(parts[0] * 1'000'000'000u + parts[1]);
            return whole;
        }
        const std::string_view text = is_string(v) ? raw_string(v) : token(v);
        const std::int64_t ms = is_string(v) ? time_of(text) : kNoTime;
        constexpr std::int64_t kLatest = std::int64_t{9'000'000'000'000};
        into = ms != kNoTime && ms > 0 && ms < kLatest ? ms * 1'000'000 : nanoseconds(text);
        return true;
    }

    OtelSpan facts_;
    TraceSpan span_;
    std::string service_, session_;
    LogRecord log_;
    std::uint64_t seen_ = 0, told_ = 0, log_ids_ = 0;
    std::uint64_t scope_ = 0;        // what recorded the spans
    std::uint64_t duration_us_ = 0;  // of a span whose end is not told
};

bool about_models(std::string_view json) {
    constexpr std::array<std::string_view, 8> kNames{
        "\"gen_ai.",          "\"openinference.", "\"openinference\":",      "\"llm.",
        "\"ai.operationId\"", "\"traceloop.",     "\"langfuse.observation.", "\"mlflow.span"};
    return std::ranges::any_of(kNames, [json](std::string_view name) { return json.find(name) != json.npos; });
}

bool log_about_agents(std::string_view json) {
    constexpr std::array<std::string_view, 5> kNames{"\"gen_ai.", "\"claude_code.", "\"codex.", "\"gemini_cli.",
                                                     "\"qwen-code."};
    return std::ranges::any_of(kNames, [json](std::string_view name) { return json.find(name) != json.npos; });
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const auto batches = r.raw("resourceSpans");
        if (batches && batches->starts_with('[')) return kCertain;
        const auto logs = r.raw("resourceLogs");
        if (logs && logs->starts_with('[') && log_about_agents(*logs)) return kCertain;
        const auto spans = r.has("info") ? r.child("data").raw("spans") : std::nullopt;
        if (spans && about_models(*spans)) best = std::max(best, 97);
        const auto attributes = r.raw("attributes");
        const bool ids =
            r.has("traceId") || r.has("trace_id") || r.has("spanContext") || r.has("context") || r.has("scopeSpans");
        if (r.has("scopeSpans") || (attributes && ids && about_models(*attributes))) best = std::max(best, 96);
        if (r.has("context.span_id") && (r.has("attributes.openinference.span.kind") || r.has("span_kind")))
            best = std::max(best, 96);
        if (r.has("gen_ai.operation.name") || r.has("gen_ai.system") || r.has("openinference.span.kind"))
            best = std::max(best, 95);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"trace, or gen_ai.conversation.id / session.id over several",
     "SessionStart; spans in the order in which they began"},
    {"chat, generate_content, text_completion; LLM; ai.….doGenerate, doStream",
     "Message, Thinking, ToolCall of the answer; Usage"},
    {"gen_ai.input.messages, llm.input_messages.N, gen_ai.prompt.N, ai.prompt.messages",
     "what is new in them: Message (human with TurnStart in the main lane), ToolResult"},
    {"execute_tool; TOOL; ai.toolCall",
     "ToolResult, and ToolCall unless an answer had it; a lane, where it asks a model itself"},
    {"invoke_agent; AGENT", "a lane of its own inside another agent"},
    {"status ERROR, error.type, exception",
     "ToolResult error, where it is UNSET the text decides; Notice (provider) for requests"},
    {"log records gen_ai.….message, gen_ai.choice, gen_ai.client.inference.operation.details",
     "messages of the request that they name"},
    {"log records of Claude Code, Codex, Gemini CLI",
     "user_prompt: Message (human); api_request, api_response: Usage; tool_result, tool_call: ToolCall and ToolResult; "
     "api_error: Notice (provider)"},
    {"langfuse.observation.…", "as observations of langfuse"},
    {"{info, data: {spans: […]}} of MLflow; mlflow.spanType, spanInputs, spanOutputs, chat.tokenUsage",
     "as observations of langfuse, by the type of the span"},
    {"request inside a request, or beside one with the same bill", "ignored: two tracers of one program"},
    {"other spans", "ignored"},
};

}  // namespace

ReaderSpec otel() {
    return {
        "otel",
        "OpenTelemetry",
        "traces with GenAI, OpenInference, Vercel AI or Langfuse attributes: OTLP JSON, exported spans; logs of agents",
        Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage | Signal::timestamps |
            Signal::response_ids | Signal::sub_agents,
        kKinds,
        score,
        [] { return std::unique_ptr<RecordReader>(std::make_unique<Otel>()); }};
}

}  // namespace agent_audit::readers
