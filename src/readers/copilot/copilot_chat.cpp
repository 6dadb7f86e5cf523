#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <string>
#include <vector>

// Chats of VS Code with GitHub Copilot, as documents and, in newer versions, as journals of what changed in them.
//
//   {"version":3,"sessionId":"…","responderUsername":"GitHub Copilot","requests":[
//     {"requestId":"…","timestamp":1,"modelId":"…","message":{"text":"…"},"response":[{"value":"…"}],"result":{
//      "metadata":{"toolCallRounds":[{"response":"…","thinking":{"text":"…"},"toolCalls":[
//       {"id":"c","name":"read_file","arguments":"{…}"}]}],"toolCallResults":{"c":{"content":[{"value":"…"}]}}}}}]}
//
//   {"kind":0,"v":{the document at first}}
//   {"kind":2,"k":["requests"],"v":[{a request}]}                  "i": from where on they are taken back
//   {"kind":2,"k":["requests",0,"response"],"v":[…]}
//   {"kind":1,"k":["requests",0,"result"],"v":{"metadata":{…}}}
//
// A round is a response of the model. What stands in "response" is how the editor shows it, and counts where there are
// no rounds.

namespace agent_audit::readers {
namespace {

constexpr std::size_t kLongestShown = 4u << 20;  // bytes of an answer put together from pieces
constexpr std::size_t kMostParts = 100'000;      // of an answer, whose places are kept

struct Request {
    std::string_view id, model;
    RawText text;
    std::int64_t time_ms = kNoTime;
    bool canceled = false, has_message = false;
};

struct Outcome {
    std::string_view rounds, results, model;  // rounds and results as they stand
    RawText error;
    std::int64_t duration_ms = -1;
    std::uint64_t context = 0;
    bool seen = false;
};

struct Found {
    IdHash id = 0;
    RawText text;
};

// ["requests",3,"result"]: the number and the field, where they are there.
struct Path {
    bool of_requests = false;
    std::optional<std::size_t> number;
    std::string_view field;
    bool goes_on = false;  // to something within the field
};

Path parse_path(std::string_view raw) {
    Path path;
    const auto skip = [&raw](std::string_view what) {
        while (!raw.empty() && (raw.front() == ' ' || raw.front() == ',')) raw.remove_prefix(1);
        if (!raw.starts_with(what)) return false;
        raw.remove_prefix(what.size());
        return true;
    };
    if (!skip("[") || !skip("\"requests\"")) return path;
    path.of_requests = true;
    skip("");
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
    if (error != std::errc()) return path;
    path.number = number;
    raw.remove_prefix(static_cast<std::size_t>(end - raw.data()));
    if (!skip("\"")) return path;
    path.field = raw.substr(0, raw.find('"'));
    raw.remove_prefix(std::min(path.field.size() + 1, raw.size()));
    path.goes_on = !skip("]");
    return path;
}

class CopilotChat final : public DocumentReader {
public:
    CopilotChat() : DocumentReader("requests") {}

    void finish(EventSink& sink) override {
        set_sink(sink);
        close_request();
    }

protected:
    LineFate read_object(json::object object) override {
        texts_.clear();
        session_id_ = {};
        std::string_view path, value;
        std::int64_t kind = -1;
        std::optional<std::uint64_t> from;
        bool document = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "kind"))
                kind = as_int(v, -1);
            else if (key_is(key, "k"))
                path = raw_value(v);
            else if (key_is(key, "v"))
                value = raw_value(v);
            else if (key_is(key, "i"))
                from = as_uint(v);
            else if (key_is(key, "requests"))
                document = is_array(v);
            else
                header(key, v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (document) {
            close_request();
            open_session();
            return stream_records(object);
        }
        if (kind < 0) return LineFate::unknown_kind;
        return change(kind, parse_path(path), value, from);
    }

    LineFate read_element(json::object element) override { return request(element, true); }

    LineFate end_document(json::object) override {
        close_request();
        return LineFate::understood;
    }

private:
    void header(const char* key, json::value& v) {
        if (key_is(key, "sessionId"))
            session_id_ = raw_string(v);
        else if (key_is(key, "creationDate"))
            created_ = unix_time(v);
    }

    void open_session() {
        const IdHash id = id_hash(session_id_);
        new_head().time_ms = created_;
        SessionStart start;
        start.session_id = text_of(session_id_);
        start.resumed = open_ && id != 0 && id == session_;
        if (!start.resumed) {
            turn_ = 0;
            count_ = 0;
        }
        open_ = true;
        session_ = id;
        emit(start);
    }

    // ---- journals ---------------------------------------------------------------------------------------

    LineFate change(std::int64_t kind, const Path& path, std::string_view value, std::optional<std::uint64_t> from) {
        if (kind == 0) return snapshot(value);
        if (!path.of_requests) return kind <= 3 ? LineFate::ignored_kind : LineFate::unknown_kind;
        if (!open_) open_session();
        if (kind == 2 && !path.number) return requests(value, from);
        const bool newest = path.number && *path.number + 1 == count_ && !path.goes_on;
        if (!newest) return LineFate::ignored_kind;
        if (path.field == "response" && (kind == 1 || kind == 2)) return shown(value, kind == 1 ? 0 : from);
        if (kind == 1 && path.field == "result" && !value.empty()) return result(value);
        if (kind == 1 && path.field == "isCanceled") canceled_ = value == "true";
        return LineFate::ignored_kind;
    }

    template <class Take>
    bool within(json::parser& parser, std::string_view raw, Take&& take) {
        json::document doc;
        json::value value;
        return !raw.empty() &&
               !parser.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
               !doc.get_value().get(value) && take(value);
    }

    LineFate snapshot(std::string_view raw) {
        close_request();
        const bool told = within(value_parser_, raw, [this](json::value& v) {
            return is_object(v) && each_field(v, [this](const char* key, json::value& w) {
                       header(key, w);
                       return true;
                   });
        });
        if (!told) return LineFate::missing_field;
        open_session();
        within(value_parser_, raw, [this](json::value& v) {
            return each_field(v, [this](const char* key, json::value& w) {
                return !key_is(key, "requests") ||
                       each_element(w, [this](json::value& one) { return one_request(one); });
            });
        });
        return LineFate::understood;
    }

    LineFate requests(std::string_view raw, std::optional<std::uint64_t> from) {
        close_request();
        if (from && *from < count_) {
            new_head(0, turn_);
            emit(Rewind{RewindTarget::last_turns, {}, count_ - *from});
            count_ = static_cast<std::size_t>(*from);
        }
        if (from && raw.empty()) return LineFate::understood;
        const bool whole = within(value_parser_, raw, [this](json::value& v) {
            return each_element(v, [this](json::value& one) { return one_request(one); });
        });
        return whole ? LineFate::understood : LineFate::missing_field;
    }

    bool one_request(json::value& v) {
        json::object object;
        if (!is_object(v) || v.get_object().get(object)) return true;
        return request(object, false) != LineFate::malformed_json;
    }

    LineFate shown(std::string_view raw, std::optional<std::uint64_t> from) {
        if (from && *from < parts_.size()) {
            shown_.resize(parts_[static_cast<std::size_t>(*from)]);
            parts_.resize(static_cast<std::size_t>(*from));
        }
        if (raw.empty()) return LineFate::understood;
        const bool whole = within(value_parser_, raw, [this](json::value& v) {
            return each_element(v, [this](json::value& part) { return collect_shown(part); });
        });
        return whole ? LineFate::understood : LineFate::missing_field;
    }

    LineFate result(std::string_view raw) {
        Outcome outcome;
        const bool whole = within(value_parser_, raw, [&](json::value& v) { return collect_outcome(v, outcome); });
        if (!whole) return LineFate::missing_field;
        begin();
        tell_outcome(outcome);
        return LineFate::understood;
    }

    // ---- requests ---------------------------------------------------------------------------------------

    LineFate request(json::object object, bool whole_document) {
        close_request();
        Request request;
        Outcome outcome;
        texts_.clear();
        shown_.clear();
        parts_.clear();
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "requestId"))
                request.id = raw_string(v);
            else if (key_is(key, "modelId"))
                request.model = raw_string(v);
            else if (key_is(key, "timestamp"))
                request.time_ms = unix_time(v);
            else if (key_is(key, "isCanceled"))
                request.canceled = is_true(v);
            else if (key_is(key, "message"))
                return collect_message(v, request);
            else if (key_is(key, "response"))
                return each_element(v, [this](json::value& part) { return collect_shown(part); });
            else if (key_is(key, "result"))
                return collect_outcome(v, outcome);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        ++count_;
        if (!request.has_message) return LineFate::missing_field;
        time_ms_ = request.time_ms;
        begin();
        head().record_id = request.id;
        tell_model(request.model);
        head().turn = ++turn_;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, request.text, 0});
        waits_ = true;
        rounds_told_ = 0;
        canceled_ = request.canceled;
        head().record_id = {};
        if (outcome.seen) tell_outcome(outcome);
        if (whole_document) close_request();
        return LineFate::understood;
    }

    void begin() { new_head(0, turn_).time_ms = time_ms_; }

    void tell_model(std::string_view model) {
        if (model.empty() || id_hash(model) == model_) return;
        model_ = id_hash(model);
        ContextChange change;
        change.model = text_of(model);
        emit(change);
    }

    static bool collect_message(json::value& v, Request& request) {
        if (is_string(v)) {
            request.text = text_of(raw_string(v));
            request.has_message = true;
        }
        return each_field(v, [&](const char* key, json::value& w) {
            if (!key_is(key, "text")) return true;
            request.text = text_of(raw_string(w));
            request.has_message = true;
            return true;
        });
    }

    // {"value":"…"} without a kind, or {"kind":"markdownContent","content":{"value":"…"}}; the others are no words.
    bool collect_shown(json::value& v) {
        std::string_view kind;
        RawText text;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "kind"))
                kind = raw_string(w);
            else if (key_is(key, "value") && is_string(w))
                text = text_of(raw_string(w));
            else if (key_is(key, "content") || key_is(key, "value"))
                return each_field(w, [&](const char* k, json::value& x) {
                    if (key_is(k, "value") && is_string(x)) text = text_of(raw_string(x));
                    return true;
                });
            return true;
        });
        const bool words = kind.empty() || kind == "markdownContent";
        if (parts_.size() < kMostParts) parts_.push_back(shown_.size());
        if (whole && words && shown_.size() + text.size() <= kLongestShown) shown_ += text.bytes;
        return whole;
    }

    bool collect_outcome(json::value& v, Outcome& outcome) {
        outcome.seen = is_object(v);
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "errorDetails")) {
                return each_field(w, [&](const char* k, json::value& x) {
                    if (key_is(k, "message")) outcome.error = any_text(x);
                    return true;
                });
            }
            if (key_is(key, "timings")) {
                return each_field(w, [&](const char* k, json::value& x) {
                    if (key_is(k, "totalElapsed")) outcome.duration_ms = as_int(x, -1);
                    return true;
                });
            }
            return !key_is(key, "metadata") || collect_metadata(w, outcome);
        });
    }

    static bool collect_metadata(json::value& v, Outcome& outcome) {
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "toolCallRounds") && is_array(w))
                outcome.rounds = raw_value(w);
            else if (key_is(key, "toolCallResults") && is_object(w))
                outcome.results = raw_value(w);
            else if (key_is(key, "resolvedModel"))
                outcome.model = raw_string(w);
            else if (key_is(key, "promptTokens"))
                outcome.context = as_uint(w);
            return true;
        });
    }

    // ---- what came of it --------------------------------------------------------------------------------

    // A journal may tell the outcome more than once: the rounds told before are passed over.
    void tell_outcome(const Outcome& outcome) {
        collect_results(outcome.results);
        tell_model(outcome.model);
        std::size_t number = 0;
        within(rounds_parser_, outcome.rounds, [&](json::value& v) {
            return each_element(v, [&](json::value& round) { return number++ < rounds_told_ || tell_round(round); });
        });
        rounds_told_ = std::max(rounds_told_, number);
        if (outcome.context > 0) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.context_tokens = outcome.context;
            emit(usage);
        }
        if (!outcome.error.empty()) {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", outcome.error));
            failed_ = true;
        }
        duration_ms_ = outcome.duration_ms;
    }

    void collect_results(std::string_view raw) {
        found_.clear();
        within(results_parser_, raw, [this](json::value& v) {
            return each_field(v, [this](const char* key, json::value& w) {
                Found found{id_hash(key_text(key)), {}};
                const bool whole = each_field(w, [&](const char* k, json::value& x) {
                    return !key_is(k, "content") || collect_answer(x, found.text);
                });
                found_.push_back(found);
                return whole;
            });
        });
        std::ranges::stable_sort(found_, {}, &Found::id);  // a chat may have any number of calls
    }

    // [{"value":"…"}], where a value may be a tree of parts with the texts in its leaves.
    bool collect_answer(json::value& v, RawText& answer) {
        std::string joined;
        RawText only;
        std::size_t texts = 0;
        const bool whole = each_leaf(v, 0, [&](std::string_view raw) {
            if (++texts == 1) {
                only = text_of(raw);
                return;
            }
            if (texts == 2) joined.assign(only.bytes);
            if (joined.size() + raw.size() <= kLongestShown) joined.append(raw);
        });
        answer = texts > 1 ? text_of(texts_.emplace_back(std::move(joined))) : only;
        return whole;
    }

    template <class Take>
    bool each_leaf(json::value& v, int depth, const Take& take) {
        constexpr int kDeepest = 64;
        if (depth > kDeepest) return true;
        if (is_array(v)) return each_element(v, [&](json::value& one) { return each_leaf(one, depth + 1, take); });
        return each_field(v, [&](const char* key, json::value& w) {
            const bool text = key_is(key, "text") || key_is(key, "value");
            if (text && is_string(w))
                take(raw_string(w));
            else if (is_object(w) || is_array(w))
                return each_leaf(w, depth + 1, take);
            return true;
        });
    }

    bool tell_round(json::value& v) {
        RawText response, thought;
        std::uint64_t opaque = 0;
        calls_.clear();
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "response"))
                response = any_text(w);
            else if (key_is(key, "thinking"))
                return each_field(w, [&](const char* k, json::value& x) {
                    if (key_is(k, "text"))
                        thought = any_text(x);
                    else if (key_is(k, "encrypted"))
                        opaque = raw_string(x).size();
                    return true;
                });
            else if (key_is(key, "toolCalls"))
                return each_element(w, [this](json::value& call) { return collect_call(call); });
            return true;
        });
        if (!whole) return false;
        begin();
        head().response = mix_hash(++responses_, session_) | 1;
        if (!thought.empty() || opaque > 0) emit(Thinking{thought, opaque});
        if (!response.empty()) emit(Message{Role::assistant, Origin::agent, response, 0});
        for (const auto& [id, name, args] : calls_) {
            if (!name.empty()) emit(call_of(id, name, args));
        }
        for (const auto& [id, name, args] : calls_) tell_result(id);
        return true;
    }

    struct Call {
        std::string_view id, name;
        CallArgs args;
    };

    bool collect_call(json::value& v) {
        Call call;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id"))
                call.id = raw_string(w);
            else if (key_is(key, "name"))
                call.name = raw_string(w);
            else if (key_is(key, "arguments"))
                call.args = is_string(w) ? args_.digest_string({}, raw_string(w)) : args_.digest_value({}, w);
            return true;
        });
        calls_.push_back(call);
        return whole;
    }

    void tell_result(std::string_view id) {
        const IdHash key = id_hash(id);
        const auto found = std::ranges::lower_bound(found_, key, {}, &Found::id);
        if (key == 0 || found == found_.end() || found->id != key) return;
        begin();
        ToolResult result;
        result.call_id = text_of(id);
        result.text = found->text;
        result.opaque = found->text.empty();
        result.exit_code = number_after(result.text.bytes, "Command exited with code ");
        if (result.exit_code) result.status = status_of(result.exit_code);
        emit(result);
    }

    // The words that the editor showed are the answer where no round tells one.
    void close_request() {
        if (!std::exchange(waits_, false)) return;
        begin();
        if (rounds_told_ == 0 && !shown_.empty()) {
            head().response = mix_hash(++responses_, session_) | 1;
            emit(Message{Role::assistant, Origin::agent, text_of(shown_), 0});
        }
        shown_.clear();
        parts_.clear();
        const bool failed = std::exchange(failed_, false);
        emit(TurnEnd{canceled_ ? TurnStatus::aborted
                     : failed  ? TurnStatus::failed
                               : TurnStatus::completed,
                     std::exchange(duration_ms_, -1)});
    }

    std::string_view session_id_;
    std::int64_t created_ = kNoTime, time_ms_ = kNoTime, duration_ms_ = -1;
    bool open_ = false, waits_ = false, canceled_ = false, failed_ = false;
    IdHash session_ = 0, model_ = 0;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    std::size_t count_ = 0;        // requests so far
    std::size_t rounds_told_ = 0;  // of the newest
    std::string shown_;
    std::vector<std::size_t> parts_;  // where in it each part begins
    std::vector<Found> found_;
    std::vector<Call> calls_;
    std::deque<std::string> texts_;  // deque: growing keeps earlier views valid
    json::parser value_parser_, rounds_parser_, results_parser_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    const auto is_chat = [](const ProbeRecord& r) {
        const auto requests = r.raw("requests");
        return requests && requests->starts_with('[') &&
               (r.has("responderUsername") || r.has("requesterUsername") || (r.has("sessionId") && r.has("version")));
    };
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (is_chat(r) || (r.has("kind") && is_chat(r.child("v")))) return kCertain;
        const auto path = r.raw("k");
        if (path && r.has("kind") && r.has("v") && path->starts_with("[\"requests\"")) best = std::max(best, 90);
    }
    return best;
}

constexpr std::string_view kStreams[] = {"requests"};

constexpr RecordKindDoc kKinds[] = {
    {"{sessionId, requests}; kind 0", "SessionStart and the requests"},
    {"request; kind 2 at requests",
     "TurnStart, Message (human), ContextChange (model); Rewind where some are taken back"},
    {"toolCallRounds; kind 1 at result", "Thinking, Message, ToolCall and ToolResult, a response for each round"},
    {"response; kind 2 at response", "Message, where there are no rounds"},
    {"result", "Usage (size of the context), Notice where it failed, TurnEnd"},
    {"other changes", "ignored"},
};

}  // namespace

ReaderSpec copilot_chat() {
    return {"copilot-chat",
            "GitHub Copilot Chat",
            "chats of VS Code, as documents and as journals",
            Signal::tool_calls | Signal::tool_results | Signal::exit_codes | Signal::timestamps | Signal::response_ids |
                Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CopilotChat>()); },
            kStreams};
}

}  // namespace agent_audit::readers
