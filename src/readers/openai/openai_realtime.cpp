#include "readers/all.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/json/walk.hpp"
#include "readers/openai/responses_item.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

// OpenAI's Realtime API: the events that go over its connection, one a record, of one side or of both. Programs put
// around them when they came, and from which side: {"time":"…","source":"server","event":{…}}.
//
//   {"type":"session.created","event_id":"…","session":{"id":"sess_…","object":"realtime.session","model":"…",…}}
//   {"type":"conversation.item.created","item":{"id":"item_…","type":"message","role":"user","content":[…]}}
//        before 2025-08; since then conversation.item.added, and conversation.item.done of the same item
//   {"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"…","output":"…"}}    a client's
//   {"type":"conversation.item.input_audio_transcription.completed","item_id":"item_…","transcript":"…"}
//   {"type":"response.output_item.done","response_id":"resp_…","item":{"type":"function_call",…}}
//   {"type":"response.function_call_arguments.done","response_id":"…","item_id":"…","call_id":"…","arguments":"…"}
//   {"type":"response.done","response":{"id":"resp_…","status":"completed","output":[items],
//    "usage":{"input_tokens":9,"output_tokens":2,"input_token_details":{"cached_tokens":5}}}}
//
// An item is told once, with whatever has it first as a whole. What a client asks for comes back from the server.

namespace agent_audit::readers {
namespace {

using responses::Item;

constexpr std::array<std::string_view, 5> kItemEvents{"conversation.item.create", "conversation.item.created",
                                                      "conversation.item.added", "conversation.item.done",
                                                      "response.output_item.done"};
constexpr std::array<std::string_view, 8> kFamilies{
    "response.",    "conversation.", "input_audio_buffer.", "output_audio_buffer.",
    "rate_limits.", "session.",      "mcp_list_tools.",     "transcription_session."};
constexpr std::array<std::string_view, 4> kWrappers{"event", "data", "payload", "message"};

class OpenAiRealtime final : public JsonReader {
public:
    void finish(EventSink& sink) override {
        if (spoken_.empty()) return;
        set_sink(sink);
        hear();
    }

protected:
    LineFate read_object(json::object object) override {
        event_ = Seen{};
        if (!read_fields(object, [this](const char* key, json::value& v) { return field(key, v, false); }))
            return LineFate::malformed_json;
        if (event_.type.empty()) return LineFate::missing_field;
        new_head(0, turn_).time_ms = event_.time_ms;
        return interpret();
    }

private:
    struct Seen {
        std::string_view type, response_id, item_id, call_id, name, args, transcript, error, code;
        std::string_view session_id, model;
        std::string_view status, reason, output;  // of a response
        Item item;
        TokenCounts tokens;
        std::uint64_t setting = 0;  // bytes of what a session is told and may call
        std::int64_t time_ms = kNoTime;
        bool has_session = false, has_item = false, has_response = false;
    };

    // ---- collecting -------------------------------------------------------------------------------------

    bool field(const char* key, json::value& v, bool wrapped) {
        if (!wrapped && is_object(v) && is_one_of(key_text(key), kWrappers))
            return each_field(v, [this](const char* k, json::value& w) { return field(k, w, true); });
        if (key_is(key, "type"))
            event_.type = raw_string(v);
        else if (key_is(key, "time") || key_is(key, "timestamp"))
            event_.time_ms = is_string(v) ? time_of(raw_string(v)) : unix_time(v);
        else if (key_is(key, "response_id"))
            event_.response_id = raw_string(v);
        else if (key_is(key, "item_id"))
            event_.item_id = raw_string(v);
        else if (key_is(key, "call_id"))
            event_.call_id = raw_string(v);
        else if (key_is(key, "name"))
            event_.name = raw_string(v);
        else if (key_is(key, "arguments") && is_string(v))
            event_.args = token(v);
        else if (key_is(key, "transcript"))
            event_.transcript = raw_string(v);
        else if (key_is(key, "item")) {
            event_.has_item = is_object(v);
            return each_field(v,
                              [this](const char* k, json::value& w) { return responses::collect(k, w, event_.item); });
        } else if (key_is(key, "session"))
            return session(v);
        else if (key_is(key, "response"))
            return response(v);
        else if (key_is(key, "error"))
            return error(v);
        return true;
    }

    bool session(json::value& v) {
        event_.has_session = is_object(v);
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "id"))
                event_.session_id = raw_string(w);
            else if (key_is(key, "model"))
                event_.model = raw_string(w);
            else if (key_is(key, "instructions"))
                event_.setting += raw_string(w).size();
            else if (key_is(key, "tools") && is_array(w)) {
                const std::string_view tools = raw_value(w);
                event_.setting += tools.find('{') == tools.npos ? 0 : tools.size();
            }
            return true;
        });
    }

    bool response(json::value& v) {
        event_.has_response = is_object(v);
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "id"))
                event_.response_id = raw_string(w);
            else if (key_is(key, "status"))
                event_.status = raw_string(w);
            else if (key_is(key, "status_details") && is_object(w))
                event_.reason = raw_value(w);
            else if (key_is(key, "output") && is_array(w))
                event_.output = raw_value(w);
            else if (key_is(key, "usage"))
                return responses::collect_usage(w, event_.tokens);
            return true;
        });
    }

    bool error(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message"))
                event_.error = raw_string(w);
            else if (key_is(key, "code") || (key_is(key, "type") && event_.code.empty()))
                event_.code = raw_string(w);
            return true;
        });
    }

    // ---- events -----------------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = event_.type;
        if (type == "session.created" || type == "session.updated") return setting();
        if (is_one_of(type, kItemEvents)) return event_.has_item ? item_event() : LineFate::missing_field;
        if (type == "response.created") {
            response_ = id_hash(event_.response_id);
            return LineFate::ignored_kind;
        }
        if (type == "response.function_call_arguments.done") return arguments();
        if (type == "response.done") return event_.has_response ? response_over() : LineFate::missing_field;
        if (type == "conversation.item.input_audio_transcription.completed") return transcript();
        if (type == "error") {
            open();
            Notice notice = notice_of(NoticeLayer::provider, NoticeLevel::error, {}, text_of(event_.error));
            notice.code = text_of(event_.code);
            emit(notice);
            return LineFate::understood;
        }
        return starts_with_one_of(type, kFamilies) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    void open() {
        if (open_) return;
        open_ = true;
        SessionStart start;
        start.session_id = text_of(event_.session_id);
        start.model = text_of(event_.model);
        emit(start);
        session_ = id_hash(event_.session_id);
        model_ = id_hash(event_.model);
    }

    LineFate setting() {
        if (!event_.has_session) return LineFate::missing_field;
        const IdHash session = id_hash(event_.session_id);
        if (open_ && event_.type == "session.created" && session != session_ && session != 0) {
            hear();
            open_ = false;
            turn_ = 0;
            response_ = 0;
            setting_ = 0;
            head().turn = 0;
        }
        open();
        ContextChange change;
        if (!event_.model.empty() && id_hash(event_.model) != model_) {
            change.model = text_of(event_.model);
            model_ = id_hash(event_.model);
        }
        if (event_.setting > 0 && event_.setting != setting_) change.system_prompt_bytes = setting_ = event_.setting;
        if (!change.model.empty() || change.system_prompt_bytes > 0) emit(change);
        return LineFate::understood;
    }

    // ---- items ------------------------------------------------------------------------------------------

    LineFate item_event() {
        const Item& item = event_.item;
        if (item.type.empty() && !item.is_message()) return LineFate::missing_field;
        if (!item.is_message() && !responses::is_item_type(item.type)) return LineFate::unknown_kind;
        if (item.status == "in_progress") return LineFate::ignored_kind;  // it is still to come
        if (event_.type == "conversation.item.create") {
            const LineFate fate = tell(item, 0);
            if (fate == LineFate::understood) expect_back(item);
            return fate;
        }
        const bool output = event_.type == "response.output_item.done";
        return tell(item, output ? id_hash(event_.response_id) : response_);
    }

    // The server tells of it as well, under a name of its own.
    void expect_back(const Item& item) {
        if (!item.id.empty()) return;  // it is known by that
        if (asked_.size() >= kMostAsked) asked_.erase(asked_.begin());
        asked_.push_back(item.hash());
    }

    bool is_known(const Item& item) {
        const IdHash id = id_hash(item.id);
        if (id == 0) return false;
        if (known_.has(id)) return true;
        known_.add(id);
        const auto asked = std::ranges::find(asked_, item.hash());
        if (asked == asked_.end()) return false;
        asked_.erase(asked_.begin(), asked + 1);
        return true;
    }

    LineFate tell(const Item& item, IdHash response) {
        const bool says = item.is_message() && item.role == "assistant";
        if (says && item.text.empty() && item.media == 0) return LineFate::ignored_kind;
        const bool call = item.type == "function_call" || item.type == "mcp_call";
        if (!item.is_message() && !call && item.type != "function_call_output") return LineFate::ignored_kind;
        if (call && item.name.empty()) return LineFate::missing_field;
        if (item.type == "function_call_output" && item.call_id.empty()) return LineFate::missing_field;
        if (item.is_message() && item.role.empty()) return LineFate::missing_field;
        if (is_known(item)) return LineFate::understood;
        open();
        if (says || call) {
            hear();
            head().response = response;
        }
        head().record_id = item.id;
        if (call)
            tell_call(item);
        else if (!item.is_message())
            tell_result(item);
        else if (says)
            emit(Message{Role::assistant, Origin::agent, item.text, item.media});
        else if (item.role == "user")
            tell_user(item);
        else
            emit(Message{Role::system, Origin::injected, item.text, item.media});
        head().response = 0;
        head().record_id = {};
        return LineFate::understood;
    }

    void tell_call(const Item& item) {
        const std::string_view inside = item.args.size() < 2 ? item.args : item.args.substr(1, item.args.size() - 2);
        const CallArgs args = item.args.empty() ? CallArgs{} : args_.digest_string({}, inside);
        ToolCall call = call_of(item.call_id.empty() ? item.id : item.call_id, item.name, args);
        call.digest.canonical = mix_hash(call.digest.canonical, stable_hash(item.server));
        emit(call);
        if (item.type != "mcp_call") return;
        // Run by the provider: the outcome stands in the same item.
        ToolResult result;
        result.call_id = call.call_id;
        result.status = item.error.empty() ? ResultStatus::ok : ResultStatus::error;
        result.text = item.error.empty() ? text_in(item.output) : RawText{item.error, TextForm::json_value};
        head().response = 0;
        emit(result);
    }

    static RawText text_in(std::string_view raw) {
        if (raw.size() >= 2 && raw.front() == '"') return text_of(raw.substr(1, raw.size() - 2));
        return raw.empty() || raw == "null" ? RawText{} : RawText{raw, TextForm::json_value};
    }

    void tell_result(const Item& item) {
        ToolResult result;
        result.call_id = text_of(item.call_id);
        result.text = text_in(item.output);
        emit(result);
    }

    // ---- what people say --------------------------------------------------------------------------------

    // Of what was said aloud the words come later, if at all.
    void tell_user(const Item& item) {
        hear();
        if (item.text.empty() && item.media > 0 && !item.id.empty())
            spoken_ = item.id.substr(0, kLongestId);
        else
            human(item.text, item.media);
    }

    void human(RawText text, std::uint32_t media) {
        head().turn = ++turn_;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, text, media});
    }

    void hear() {
        if (!std::exchange(spoken_, {}).empty()) human({}, 1);
    }

    LineFate transcript() {
        if (event_.item_id.empty()) return LineFate::missing_field;
        if (spoken_.empty() || event_.item_id.substr(0, kLongestId) != spoken_) return LineFate::ignored_kind;
        spoken_.clear();
        human(text_of(event_.transcript), 0);
        return LineFate::understood;
    }

    // ---- responses --------------------------------------------------------------------------------------

    // The item that it belongs to follows, unless only such events were kept.
    LineFate arguments() {
        if (event_.call_id.empty()) return LineFate::missing_field;
        if (event_.name.empty()) return LineFate::ignored_kind;
        Item item;
        item.type = "function_call";
        item.id = event_.item_id;
        item.call_id = event_.call_id;
        item.name = event_.name;
        item.args = event_.args;
        return tell(item, id_hash(event_.response_id));
    }

    LineFate response_over() {
        open();
        response_ = 0;
        const IdHash response = id_hash(event_.response_id);
        const bool whole = tell_output(response);
        hear();
        head().response = 0;
        if (event_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = event_.tokens;
            if (is_unique_id(event_.response_id)) usage.message_key = response;
            head().response = response;
            emit(usage);
            head().response = 0;
        }
        const RawText why{event_.reason, TextForm::json_value};
        if (event_.status == "failed") {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "failed", why));
            emit(TurnEnd{TurnStatus::failed, -1});
        }
        if (event_.status == "incomplete")
            emit(notice_of(NoticeLayer::provider, NoticeLevel::warning, "incomplete", why));
        if (event_.status == "cancelled") emit(TurnEnd{TurnStatus::aborted, -1});
        return whole ? LineFate::understood : LineFate::partial;
    }

    // Behind the raw value is the rest of the record, so the padding a parser wants is there.
    bool tell_output(IdHash response) {
        const std::string_view raw = event_.output;
        json::document doc;
        json::array array;
        if (raw.empty()) return true;
        if (inner_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_array().get(array))
            return false;
        for (auto element : array) {
            json::value value;
            Item item;
            if (std::move(element).get(value) || !each_field(value, [&item](const char* key, json::value& v) {
                    return responses::collect(key, v, item);
                }))
                return false;
            (void)tell(item, response);
        }
        return true;
    }

    static constexpr std::size_t kMostAsked = 64;  // a server answers each before long
    static constexpr std::size_t kLongestId = 256;

    Seen event_;
    json::parser inner_;
    RecentIds known_;                   // items that were told
    std::vector<std::uint64_t> asked_;  // what a client asked for under no name
    std::string spoken_;                // an item of sound whose words may still come
    IdHash session_ = 0, model_ = 0, response_ = 0;
    std::uint64_t setting_ = 0;
    std::uint32_t turn_ = 0;
    bool open_ = false;
};

// ---- detection ------------------------------------------------------------------------------------------------------

bool is_event(const ProbeRecord& r) {
    const std::string_view type = r.text("type");
    if (type == "session.created" || type == "session.updated" || type == "session.update")
        return r.child("session").text("object") == "realtime.session" || (r.has("event_id") && r.has("session"));
    if (type == "response.done") return r.child("response").has("output") && !r.has("sequence_number");
    if (type.starts_with("conversation.item."))
        return r.has("item_id") || r.child("item").has("type") || r.child("item").has("role");
    return type.starts_with("input_audio_buffer.") && (r.has("event_id") || r.has("audio"));
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (is_event(r)) return kCertain;
        for (const std::string_view key : kWrappers) {
            if (r.has(key) && is_event(r.child(key))) return kCertain;
        }
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"session.created, session.updated", "SessionStart; ContextChange: model, instructions and tools"},
    {"conversation.item.created, .added, .done, .create", "each item once: Message, ToolResult"},
    {"conversation.item.input_audio_transcription.completed", "the words of such a Message"},
    {"response.output_item.done, response.function_call_arguments.done", "Message, ToolCall"},
    {"response.done", "what of its output was not told; Usage; Notice, TurnEnd for what failed or was cancelled"},
    {"item of type mcp_call", "ToolCall with its ToolResult"},
    {"error", "Notice (provider)"},
    {"{event: {…}}, {data: {…}} with time or timestamp", "the event that stands there"},
    {"deltas, buffers of sound, rate limits, mcp_list_tools, items that are in progress", "ignored"},
};

}  // namespace

ReaderSpec openai_realtime() {
    return {"openai-realtime",
            "OpenAI Realtime",
            "events of the Realtime API, one a line: what the server sent, what the client sent, or both",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::timestamps | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<OpenAiRealtime>()); }};
}

}  // namespace agent_audit::readers
