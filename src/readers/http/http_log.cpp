#include "readers/all.hpp"
#include "readers/http/http_exchange.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/torn_document.hpp"
#include "readers/messages/message_log.hpp"
#include "readers/messages/streamed_answer.hpp"
#include "readers/messages/streamed_event.hpp"
#include "readers/traces/posted_runs.hpp"
#include "readers/traces/posted_traces.hpp"

#include <agent_audit/support/json_text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// What went over the wire between a program and the API of a model, as proxies, browsers and wrappers of fetch() keep
// it: requests with their responses, whose bodies are JSON, texts of JSON, or streams of events.
//
//   {"request":{"method":"POST","url":"…","timestamp":1.5,"body":{…}},
//    "response":{"status_code":200,"timestamp":2.5,"body_raw":"event: message_start\ndata: {…}\n\n…"}}
//   {"log":{"version":"1.2","entries":[{"startedDateTime":"…","time":900,"request":{"postData":{"text":"{…}"}},
//    "response":{"content":{"mimeType":"text/event-stream","text":"data: {…}\n\n…"}}}]}}                      HAR
//   {"type":"request","method":"POST","path":"…","body":"{…}","_meta":{"ts":"…"}}, {"type":"response","status":200,
//    "chunks":[{"raw":"event: …"}]}                                                           one line each
//   event: message_start                                                                  the stream itself
//   data: {"type":"message_start",…}
//   {"request":{"method":"POST","url":"…/runs/multipart","body":"--…\r\nContent-Disposition: form-data;
//   name=\"post.…\"…"}}
//                                                    what the program told a service that keeps traces
//
// Each exchange becomes the record that the reader of its API knows: {"request":{…},"response":{…}}, with the answer
// in one piece.

namespace agent_audit::readers {
namespace {

/// An API whose records a reader of ours knows.
enum class Api : std::uint8_t { none, anthropic, chat, converse, gemini, responses, realtime };

constexpr std::array<std::string_view, 7> kReaders{
    "",           "anthropic-messages", "chat-completions", "bedrock-converse",
    "gemini-api", "openai-responses",   "openai-realtime"};

Api api_of_answer(const ProbeRecord& answer) {
    if (answer.text("object") == "response") return Api::responses;
    if (answer.has("choices")) return Api::chat;
    if (answer.has("candidates") || answer.child("response").has("candidates")) return Api::gemini;
    if (answer.child("output").child("message").has("role")) return Api::converse;
    return answer.text("type") == "message" && answer.has("role") ? Api::anthropic : Api::none;
}

// {"model":"…","system":"…","prompt":"…"}
bool asks_for_completion(const ProbeRecord& request) {
    return !request.has("messages") && request.raw("prompt").value_or("").starts_with('"');
}

Api api_of_request(const ProbeRecord& request, std::string_view url) {
    if (request.has("contents") || request.child("request").has("contents")) return Api::gemini;
    if (request.has("messages")) {
        const ProbeRecord sample[] = {request};
        const MessageDialect dialect = look_at_messages(sample).dialect;
        const bool asks_anthropic = url.find("/messages") != url.npos;
        return dialect == MessageDialect::anthropic_messages || asks_anthropic ? Api::anthropic
               : dialect == MessageDialect::bedrock_converse                   ? Api::converse
                                                                               : Api::chat;
    }
    if (request.has("model") && asks_for_completion(request) && url.find("/api/generate") != url.npos) return Api::chat;
    const bool input = request.has("input") && (request.has("instructions") || request.has("tools") ||
                                                request.has("previous_response_id") || request.has("reasoning"));
    return input ? Api::responses : Api::none;
}

/// The same as a request of Chat Completions.
std::string as_messages(const ProbeRecord& request) {
    std::string chat = R"({"messages":[)";
    if (const auto system = request.raw("system"); system && system->starts_with('"'))
        chat.append(R"({"role":"system","content":)").append(*system).append("},");
    chat.append(R"({"role":"user","content":)").append(*request.raw("prompt")).append("}]");
    if (const auto model = request.raw("model")) chat.append(R"(,"model":)").append(*model);
    return chat + "}";
}

/// Numbers anew what the readers of two APIs tell.
class Renumbered final : public EventSink {
public:
    explicit Renumbered(std::uint64_t& next) : next_(next) {}
    void to(EventSink& sink) { sink_ = &sink; }
    void on_event(const Event& event) override {
        Event copy = event;
        copy.head.seq = ++next_;
        sink_->on_event(copy);
    }

private:
    std::uint64_t& next_;
    EventSink* sink_ = nullptr;
};

class HttpLog final : public RecordReader {
public:
    void use(const CallIdentity& identity) override {
        messages_->use(identity);
        responses_->use(identity);
        realtime_->use(identity);
        traces_.use(identity);
    }

    RelayedFormat relayed() const override {
        const ReaderSpec* const spec =
            api_ == Api::none ? nullptr : find_reader(kReaders[static_cast<std::size_t>(api_)]);
        if (!spec) return traces_.relayed();
        return {spec->id, has_times_ ? spec->signals | signals(Signal::timestamps) : spec->signals};
    }

    LineFate read(const Record& record, EventSink& sink) override {
        out_.to(sink);
        const std::string_view text = record.text;
        const auto start = text.find_first_not_of(" \t\r\n");
        if (record.part != RecordPart::whole) return read_part(record);
        if (start == text.npos) return LineFate::blank;
        const LineFate fate = text[start] == '{' ? read_object(record) : read_line(record, text.substr(start));
        return fate == LineFate::malformed_json && record.last_unterminated ? LineFate::cut_at_end : fate;
    }

    void finish(EventSink& sink) override {
        out_.to(sink);
        tell_streamed();
        messages_->finish(out_);
        responses_->finish(out_);
        realtime_->finish(out_);
        // What was recorded itself needs nobody who tells of it.
        if (api_ == Api::none) traces_.finish(out_);
    }

private:
    // ---- the stream itself --------------------------------------------------------------------------------------

    LineFate read_line(const Record& record, std::string_view line) {
        if (!line.starts_with("data:")) {
            const bool of_stream = line.starts_with("event:") || line.starts_with(':') || line.starts_with("id:") ||
                                   line.starts_with("retry:");
            return of_stream ? LineFate::ignored_kind : LineFate::malformed_json;
        }
        line = trim_blank(line.substr(5));
        return line.find('{') == line.npos ? LineFate::ignored_kind : read_event(record, line);
    }

    LineFate read_event(const Record& record, std::string_view event) {
        StreamedAnswer::Taken taken = streamed_.add(event);
        if (taken == StreamedAnswer::Taken::begins_next) {
            tell_streamed();
            taken = streamed_.add(event);
        }
        if (taken == StreamedAnswer::Taken::no) return LineFate::unknown_kind;
        if (streamed_place_.line == 0) streamed_place_ = record.where;
        return LineFate::understood;
    }

    void tell_streamed() {
        const std::string answer = streamed_.take(), request = std::exchange(asked_, {});
        const SourceSpan where = std::exchange(streamed_place_, {});
        if (!answer.empty() || !request.empty())
            (void)tell(request, answer,
                       Exchange{.request = {}, .response = {}, .flat = {}, .frames = {}, .where = where});
    }

    // A line that asks what the lines behind it answer.
    LineFate read_asking(const Record& record) {
        const ProbeRecord probe(record.text);
        if (!(probe.has("messages") || asks_for_completion(probe)) || !probe.has("model"))
            return LineFate::unknown_kind;
        tell_streamed();
        asked_ = record.text;
        streamed_place_ = record.where;
        return LineFate::understood;
    }

    // ---- exchanges ----------------------------------------------------------------------------------------------

    LineFate read_object(const Record& record) {
        exchanges_.clear();
        bool har = false;
        Exchange one;
        one.where = record.where;
        const bool whole = walk(record.text, [&](const char* key, json::value& v) {
            if (!key_is(key, "log") || !is_object(v)) return collect_exchange(key, v, one);
            har = true;
            return each_field(v, [&](const char* k, json::value& w) {
                return !key_is(k, "entries") ||
                       each_element(w, [&](json::value& e) { return entry(e, record.where, record.text.data()); });
            });
        });
        if (!whole) return read_torn(record);
        if (har) return told_all();
        if (one.flat.has_method && one.request.body.empty()) one.request = one.flat;
        if (one.flat.has_status && one.response.body.empty()) one.response = one.flat;
        if (one.time_ms == kNoTime) one.time_ms = one.flat.time_ms;
        const LineFate fate = told(one);
        if (fate != LineFate::unknown_kind) return fate;
        const LineFate as_event = read_event(record, record.text);
        return as_event == LineFate::unknown_kind ? read_asking(record) : as_event;
    }

    template <class Take>
    bool walk(std::string_view text, Take&& take) {
        json::document doc;
        json::object object;
        return !parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
               !doc.get_object().get(object) && each_field(object, std::forward<Take>(take)) && doc.is_alive();
    }

    // Of an archive that is too long to be read whole.
    LineFate read_part(const Record& record) {
        if (record.part == RecordPart::head) entries_ = 0;
        if (record.part != RecordPart::element) return LineFate::understood;
        Exchange one;
        one.where = record.where;
        one.where.line = ++entries_;
        const bool whole =
            walk(record.text, [&one](const char* key, json::value& v) { return collect_exchange(key, v, one); });
        return whole ? told(one) : LineFate::malformed_json;
    }

    // Of an archive that ends too early the whole entries, and the whole frames of the one that it ends in.
    LineFate read_torn(const Record& record) {
        constexpr std::string_view kLog = "\"log\"", kEntries = "\"entries\"";
        const std::size_t begin = record.text.find('{', std::min(record.text.find(kLog), record.text.size()));
        if (begin == record.text.npos) return LineFate::malformed_json;
        const std::string_view log = record.text.substr(begin);
        const std::size_t size = close_torn(log, "entries", closed_);
        exchanges_.clear();
        SourceSpan where = record.where;
        where.offset += begin;
        const bool whole =
            size > 0 && walk(std::string_view(closed_).substr(0, size), [&](const char* key, json::value& v) {
                return !key_is(key, "entries") ||
                       each_element(v, [&](json::value& e) { return entry(e, where, closed_.data()); });
            });
        const LineFate fate = whole ? told_all() : LineFate::malformed_json;
        bool any = fate == LineFate::understood || fate == LineFate::partial;
        const std::size_t behind = size > 0 ? size - 2 : std::min(log.find(kEntries), log.size());
        const std::size_t last = log.find('{', behind);
        if (last != log.npos) any |= read_torn_frames(log.substr(last), where, last);
        return any ? LineFate::partial : LineFate::malformed_json;
    }

    bool read_torn_frames(std::string_view text, SourceSpan where, std::size_t offset) {
        const std::size_t size = close_torn(text, "_webSocketMessages", closed_);
        if (size == 0) return false;
        Exchange one;
        one.where = where;
        one.where.line = exchanges_.size() + 1;
        one.where.offset += offset;
        one.where.length = 0;
        return walk(std::string_view(closed_).substr(0, size),
                    [&one](const char* key, json::value& v) { return collect_exchange(key, v, one); }) &&
               told(one) == LineFate::understood;
    }

    // `start`: of the text that stands at `where`.
    bool entry(json::value& v, const SourceSpan& where, const char* start) {
        if (!is_object(v)) return true;
        Exchange& one = exchanges_.emplace_back();
        one.where = where;
        one.where.line = exchanges_.size();
        one.where.offset += static_cast<std::uint64_t>(v.raw_json_token().data() - start);
        one.where.length = 0;
        return each_field(v, [&one](const char* key, json::value& w) { return collect_exchange(key, w, one); });
    }

    LineFate told_all() {
        bool understood = false, broken = false;
        for (const Exchange& one : exchanges_) {
            const LineFate fate = told(one);
            understood |= fate == LineFate::understood || fate == LineFate::partial;
            broken |= broke_off(fate);
        }
        if (broken) return understood ? LineFate::partial : LineFate::malformed_json;
        return understood ? LineFate::understood : LineFate::ignored_kind;
    }

    LineFate told(const Exchange& one) {
        if (!one.frames.empty()) return told_frames(one);
        const bool nothing = one.request.body.empty() && one.request.fallback.empty() && one.request.fields.empty() &&
                             one.response.body.empty() && one.response.fallback.empty() && one.response.chunks.empty();
        if (nothing)
            return one.request.has_method || one.response.has_status || one.has_note ? LineFate::ignored_kind
                                                                                     : LineFate::unknown_kind;
        // Counts what a request would take, and asks nothing.
        if (one.request.url.find("count_tokens") != one.request.url.npos ||
            one.request.url.find("countTokens") != one.request.url.npos)
            return LineFate::ignored_kind;
        lost_ = false;
        const LineFate fate = tell(request_of(one.request), answer_of(one.response), one);
        return !lost_ ? fate : fate == LineFate::understood ? LineFate::partial : LineFate::malformed_json;
    }

    /// False where a frame is broken; those behind it were not read.
    template <class Take>
    bool each_frame(std::string_view frames, Take&& take) {
        json::document doc;
        json::array array;
        if (parser_.iterate(frames.data(), frames.size(), frames.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_array().get(array))
            return false;
        for (auto item : array) {
            json::value v;
            Frame frame;
            if (std::move(item).get(v) || !collect_frame(v, frame)) return false;
            if (!frame.data.empty()) take(frame);
        }
        return true;
    }

    // One connection for many requests, each of which the events behind it answer.
    LineFate told_frames(const Exchange& connection) {
        if (is_realtime(connection)) return told_realtime(connection);
        LineFate fate = LineFate::ignored_kind;
        Exchange one;
        one.where = connection.where;
        std::string asked;
        const auto tell_one = [&] {
            const std::string answer = answer_.take(), request = std::exchange(asked, {});
            if ((!request.empty() || !answer.empty()) && tell(request, answer, one) == LineFate::understood)
                fate = LineFate::understood;
        };
        const bool whole = each_frame(connection.frames, [&](Frame& frame) {
            if (frame.sent) {
                if (frame.data.find("\"response.create\"") == frame.data.npos) return;
                tell_one();
                asked = std::move(frame.data);
                one.request.time_ms = frame.time_ms;
                return;
            }
            if (answer_.add(frame.data) == StreamedAnswer::Taken::begins_next) {
                tell_one();
                (void)answer_.add(frame.data);
            }
            one.response.time_ms = frame.time_ms;
        });
        tell_one();
        if (whole) return fate;
        return fate == LineFate::understood ? LineFate::partial : LineFate::malformed_json;
    }

    LineFate told_realtime(const Exchange& connection) {
        bool understood = false, broken = false;
        Record record;
        record.where = connection.where;
        if (api_ == Api::none) {
            api_ = Api::realtime;
            has_times_ = true;
        }
        broken |= !each_frame(connection.frames, [&](const Frame& frame) {
            if (!is_whole_object(frame.data)) {
                broken = true;
                return;
            }
            text_.assign("{");
            if (frame.time_ms != kNoTime) text_.append("\"time\":").append(std::to_string(frame.time_ms)).append(",");
            text_.append("\"event\":").append(frame.data).append("}");
            record.text = padded_text();
            understood |= realtime_->read(record, out_) == LineFate::understood;
        });
        if (broken) return understood ? LineFate::partial : LineFate::malformed_json;
        return understood ? LineFate::understood : LineFate::ignored_kind;
    }

    std::string request_of(const Half& half) {
        const std::string_view body = half.body.empty() ? half.fallback : half.body;
        if (body.starts_with('{')) return std::string(body);
        std::string text = text_of_body(body, half.encoding == "base64");
        if (is_form(text)) return batch(runs_of_form(text));
        if (text.empty() && !half.fields.empty()) return batch(runs_of_fields(half.fields));
        return is_whole_object(text) ? text : std::string{};
    }

    std::string batch(PostedRuns runs) {
        lost_ = !runs.whole;
        return std::move(runs.batch);
    }

    std::string answer_of(const Half& half) {
        const std::string_view body = half.body.empty() ? half.fallback : half.body;
        if (body.starts_with('{')) return in_one_piece(std::string(body));
        std::string text = half.chunks.empty() ? text_of_body(body, half.encoding == "base64") : joined(half.chunks);
        if (body.starts_with('[')) text = body;
        if (is_whole_object(text)) return in_one_piece(std::move(text));
        answer_.add_all(text);
        return answer_.take();
    }

    // Ollama writes it as the only event of a stream.
    std::string in_one_piece(std::string answer) {
        if (answer.find("\"done\"") == answer.npos) return answer;
        (void)answer_.add(answer);
        const std::string event = answer_.take();
        return event.empty() ? answer : event;
    }

    // Pieces of a text as they came: they end anywhere.
    std::string joined(std::string_view chunks) {
        std::string all;
        json::document doc;
        json::array array;
        if (parser_.iterate(chunks.data(), chunks.size(), chunks.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_array().get(array))
            return all;
        for (auto item : array) {
            json::value chunk;
            if (std::move(item).get(chunk)) break;
            const bool whole = each_field(chunk, [&all](const char* key, json::value& v) {
                if (key_is(key, "raw")) all += decode_json_string(raw_string(v));
                return true;
            });
            if (!whole) break;
        }
        return all;
    }

    // ---- what the readers of the APIs are given -----------------------------------------------------------------

    LineFate tell(std::string_view request, std::string_view answer, const Exchange& one) {
        const Api api = api_of(request, answer, one.request.url);
        if (api == Api::none) return tell_trace(request, one);
        const std::int64_t asked = one.request.time_ms != kNoTime ? one.request.time_ms : one.time_ms;
        if (api_ == Api::none) {
            api_ = api;
            has_times_ = asked != kNoTime;
        }
        std::int64_t answered = one.response.time_ms;
        if (answered == kNoTime && asked != kNoTime && one.duration_ms > 0 && one.duration_ms < 1e9)
            answered = asked + static_cast<std::int64_t>(one.duration_ms);
        const std::string_view time = api == Api::responses ? "created_at" : "timestamp";
        std::string completion;
        if (api == Api::chat && request.find("\"prompt\"") != request.npos) {
            const std::string asking = padded(request);
            const ProbeRecord probe({asking.data(), request.size()});
            if (asks_for_completion(probe)) request = completion = as_messages(probe);
        }
        text_.assign("{");
        add_half("request", request, time, asked);
        add_half("response", answer, time, answered == kNoTime ? asked : answered);
        text_ += '}';
        Record record;
        record.text = padded_text();
        record.where = one.where;
        RecordReader& reader = api == Api::responses ? *responses_ : *messages_;
        const LineFate fate = reader.read(record, out_);
        for (const Omission& left_out : reader.take_omissions()) omit(left_out.line, left_out.what);
        return fate;
    }

    std::string_view padded_text() {
        const std::size_t size = text_.size();
        text_.resize(size + kRecordPadding);
        return std::string_view(text_).substr(0, size);
    }

    LineFate tell_trace(std::string_view request, const Exchange& one) {
        if (api_ != Api::none || request.empty()) return LineFate::ignored_kind;
        const LineFate fate = traces_.read(request, one.where, out_);
        return fate == LineFate::unknown_kind ? LineFate::ignored_kind : fate;
    }

    void add_half(std::string_view name, std::string_view body, std::string_view key, std::int64_t time) {
        if (body.empty()) return;
        if (text_.size() > 1) text_ += ',';
        text_.append("\"").append(name).append("\":{");
        if (time != kNoTime) text_.append("\"").append(key).append("\":").append(std::to_string(time)).append(",");
        text_.append("\"body\":").append(body).append("}");
    }

    static std::string padded(std::string_view text) {
        std::string copy(text);
        copy.resize(text.size() + simdjson::SIMDJSON_PADDING);
        return copy;
    }

    static Api api_of(std::string_view request, std::string_view answer, std::string_view url) {
        const std::string asked = padded(request), said = padded(answer);
        const ProbeRecord question({asked.data(), request.size()}), reply({said.data(), answer.size()});
        const Api api = reply.is_object() ? api_of_answer(reply) : Api::none;
        if (api != Api::none || !question.is_object()) return api;
        return api_of_request(question, url);
    }

    json::parser parser_;
    StreamedAnswer streamed_, answer_;  // of the lines of a stream; of the exchange that is read
    SourceSpan streamed_place_;
    std::string asked_;  // what is answered by the lines to come
    std::vector<Exchange> exchanges_;
    std::uint64_t entries_ = 0;  // so far, of an archive in parts
    std::unique_ptr<RecordReader> messages_ = make_message_log();
    std::unique_ptr<RecordReader> responses_ = openai_responses().make();
    std::unique_ptr<RecordReader> realtime_ = openai_realtime().make();
    std::uint64_t events_ = 0;
    Renumbered out_{events_};
    PostedTraces traces_;
    bool lost_ = false;  // a part of the form that is read
    std::string text_, closed_;
    // Of the first exchange: what is relayed may not change within a file, which would be another session.
    Api api_ = Api::none;
    bool has_times_ = false;
};

// ---- detection ------------------------------------------------------------------------------------------------------

// As a key or a value of JSON, or of JSON in a text.
bool has_word(std::string_view raw, std::string_view word) {
    for (auto at = raw.find(word); at != raw.npos; at = raw.find(word, at + 1)) {
        const std::string_view behind = raw.substr(at + word.size(), 2);
        if (at > 0 && raw[at - 1] == '"' && (behind.starts_with('"') || behind == "\\\"")) return true;
    }
    return false;
}

// What the body of a request to a model has in it, and those to other services have not.
bool speaks_to_model(std::string_view raw) {
    if (has_word(raw, "messages") && has_word(raw, "role")) return true;
    if (has_word(raw, "contents") && has_word(raw, "parts")) return true;
    if (has_word(raw, "prompt") && has_word(raw, "model") && raw.find("/api/generate") != raw.npos) return true;
    if (has_word(raw, "session.created") || has_word(raw, "conversation.item.create")) return true;
    if (has_word(raw, "dotted_order") && has_word(raw, "run_type")) return true;
    if (has_word(raw, "resourceSpans") && raw.find("gen_ai.") != raw.npos) return true;
    return has_word(raw, "input") && has_word(raw, "model") &&
           (has_word(raw, "role") || has_word(raw, "instructions") || has_word(raw, "tools"));
}

bool is_half(const ProbeRecord& r, bool request) {
    const bool body =
        r.has("body") || r.has("postData") || r.has("content") || r.has("body_raw") || r.has("chunks") || r.has("text");
    if (!body) return false;
    return request ? !r.text("method").empty() && (r.has("url") || r.has("path"))
                   : r.has("status") || r.has("status_code") || r.has("statusCode");
}

bool is_exchange(const ProbeRecord& r) {
    if (r.has("request")) {
        const ProbeRecord request = r.child("request");
        if (is_half(request, true)) return speaks_to_model(request.json());
        const ProbeRecord answer = r.child("response");
        const auto pieces = first_of(answer);
        const bool asks = request.has("messages") || asks_for_completion(request);
        if (asks && is_ollama_event(pieces ? *pieces : answer)) return true;
    }
    if (r.text("type") == "request" && is_half(r, true)) return speaks_to_model(r.json());
    const auto asked = r.raw(r.has("requestBody") ? "requestBody" : "request_body");
    const bool both = r.has("responseBody") || r.has("response_body");
    return asked && both && speaks_to_model(*asked);
}

bool is_archive(const ProbeRecord& r) {
    if (!r.has("log")) return false;
    const ProbeRecord log = r.child("log");
    const auto entries = log.raw("entries");
    return entries && entries->find("\"request\"") != entries->npos && speaks_to_model(*entries);
}

bool is_line_of_stream(const ProbeRecord& r) {
    if (r.is_object()) return false;
    std::string_view line = r.json();
    if (!line.starts_with("data:")) return false;
    line = trim_blank(line.substr(5));
    const auto start = line.find('{');
    return start != line.npos && is_stream_event(ProbeRecord(line.substr(start)));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (is_line_of_stream(r)) return kCertain;
        if (r.is_object() && (is_archive(r) || is_exchange(r))) return kCertain;
        if (r.is_object() && is_only_stream_event(r)) return 95;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"log.entries"};

constexpr RecordKindDoc kKinds[] = {
    {"{request: {method, url, body}, response: {status, body}}", "what the API's own format makes of such a pair"},
    {"body, postData.text, content.text, body_raw: a text", "as the JSON, or the stream of events, that it is"},
    {"{log: {entries: […]}} (HAR)", "each entry as such a pair"},
    {"_webSocketMessages of an entry",
     "each response.create with the events behind it as such a pair; events of the Realtime API as such a log"},
    {"{requestBody, responseBody}", "as such a pair"},
    {"{type: request, method, body}, {type: response, status, body or chunks}", "the halves of a pair"},
    {"answers of Ollama, and their events", "as those of Chat Completions"},
    {"{request: {model, messages or prompt}, response} of Ollama, or one line each", "as such a pair"},
    {"data: {…}, event: …", "the answer that the events make up"},
    {"events of a stream, one a line", "the answer that they make up"},
    {"runs posted to LangSmith, as a form or as JSON; OTLP/JSON",
     "as such traces, where no request to a model is there"},
    {"an answer, or an event, that is an error", "Notice (provider)"},
    {"what is no request to a model, and questions how many tokens one would take", "ignored"},
};

}  // namespace

ReaderSpec http_log() {
    return {"http-log",
            "HTTP captures",
            "requests to the APIs of models with their answers, streamed or not: HAR, logs of proxies, event streams",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<HttpLog>()); },
            kStreams,
            true};
}

}  // namespace agent_audit::readers
