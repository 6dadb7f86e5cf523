#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/printed_run.hpp"
#include "readers/messages/recent.hpp"

#include <string>
#include <utility>

// What Letta Code prints with --output-format stream-json. It begins as Claude Code's does and goes on otherwise:
//
//   {"type":"system","subtype":"init","agent_id":"…","conversation_id":"…","model":"…","tools":[…],"cwd":"/w",…}
//   {"type":"message","message_type":"reasoning_message","id":"m1","reasoning":"…","run_id":"r1",…}    a piece
//   {"type":"message","message_type":"assistant_message","id":"m1","content":[{"type":"text","text":"…"}],…}
//   {"type":"message","message_type":"usage_statistics","prompt_tokens":1,"cached_input_tokens":2,"total_tokens":4,…}
//   {"type":"message","message_type":"stop_reason","stop_reason":"requires_approval","run_id":"r1",…}
//   {"type":"message","message_type":"tool_call_message","tool_call":{"name":"Bash","tool_call_id":"c1",
//    "arguments":"{…}"},…}                                   behind the usage and the end of its response
//   {"type":"auto_approval","tool_call":{…},"reason":"…",…}  earlier versions: in front of them, and no results
//   {"type":"message","message_type":"tool_return_message","tool_call_id":"c1","status":"success","tool_return":"…",…}
//   {"type":"result","subtype":"success","duration_ms":9,"result":"…","usage":{…},…}
//
// What a program writes to it with --input-format stream-json may stand among that, where both were recorded:
//
//   {"type":"user","message":{"role":"user","content":"…"}}
//
// With --include-partial-messages messages stand in {"type":"stream_event","event":{…},…}.

namespace agent_audit::readers {
namespace {

struct ReturnedCall {
    std::string_view id, status;
    RawText text;
};

struct Line : PrintedLine {
    std::string_view type, subtype, message_type, id, conversation, stop_reason, event_type, trigger;
    std::string_view call_id, call_name, call_args;
    ReturnedCall answer;
    Content content;
    RawText reasoning, error, summary;
    TokenCounts usage;
    std::uint64_t total_tokens = 0, context_tokens = 0, tokens_before = 0, tokens_after = 0;
    std::int64_t duration_ms = -1, delay_ms = -1;
    int attempt = 0;
    bool has_usage = false, from_api = false;
};

class LettaCodeStream final : public PrintedReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        flush();
    }

protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        if (!read_fields<&LettaCodeStream::collect_field>(object)) return LineFate::malformed_json;
        return interpret();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_field(const char* key, json::value& v) {
        if (key_is(key, "type"))
            line_.type = raw_string(v);
        else if (key_is(key, "subtype"))
            line_.subtype = raw_string(v);
        else if (key_is(key, "timestamp"))
            line_.time_ms = time_of(raw_string(v));
        else if (key_is(key, "session_id"))
            line_.session_id = raw_string(v);
        else if (key_is(key, "model"))
            line_.model = raw_string(v);
        else if (key_is(key, "cwd"))
            line_.cwd = raw_string(v);
        else if (key_is(key, "duration_ms"))
            line_.duration_ms = as_int(v, -1);
        else if (key_is(key, "api_error"))
            line_.from_api = is_object(v);
        else if (key_is(key, "usage") && is_object(v))
            return each_field(v, [this](const char* k, json::value& n) { return collect_tokens(k, n); });
        else if (key_is(key, "event") && is_object(v))
            return each_field(v, [this](const char* k, json::value& w) { return collect_message(k, w); });
        else
            return collect_message(key, v);
        return true;
    }

    bool collect_message(const char* key, json::value& v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "attempt")) line_.attempt = small_int(v).value_or(0);
                break;
            case 'c':
                if (key_is(key, "content")) line_.content = read_content(v);
                if (key_is(key, "conversation_id")) line_.conversation = raw_string(v);
                if (key_is(key, "compaction_stats") && is_object(v)) return collect_notes(v);
                break;
            case 'd':
                if (key_is(key, "delay_ms")) line_.delay_ms = as_int(v, -1);
                break;
            case 'e':
                if (key_is(key, "event_type")) line_.event_type = raw_string(v);
                if (key_is(key, "event_data") && is_object(v)) return collect_notes(v);
                break;
            case 'i':
                if (key_is(key, "id")) line_.id = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "message_type")) line_.message_type = raw_string(v);
                if (key_is(key, "message") && is_object(v)) return collect_asked(v);
                if (key_is(key, "message")) line_.error = any_text(v);
                break;
            case 'r':
                if (key_is(key, "reasoning")) line_.reasoning = text_of(raw_string(v));
                break;
            case 's':
                if (key_is(key, "summary")) line_.summary = text_of(raw_string(v));
                if (key_is(key, "stop_reason")) line_.stop_reason = raw_string(v);
                if (key_is(key, "status")) line_.answer.status = raw_string(v);
                break;
            case 't':
                if (key_is(key, "tool_call") && is_object(v)) return collect_call(v);
                if (key_is(key, "tool_call_id")) line_.answer.id = raw_string(v);
                if (key_is(key, "tool_return")) line_.answer.text = read_content(v).text;
                break;
            default: break;
        }
        return collect_tokens(key, v);
    }

    bool collect_call(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "name"))
                line_.call_name = raw_string(w);
            else if (key_is(key, "tool_call_id"))
                line_.call_id = raw_string(w);
            else if (key_is(key, "arguments"))
                line_.call_args = raw_string(w);
            return true;
        });
    }

    // What an event or a compaction says of itself.
    bool collect_notes(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "attempt"))
                line_.attempt = small_int(w).value_or(0);
            else if (key_is(key, "delay_ms"))
                line_.delay_ms = as_int(w, -1);
            else if (key_is(key, "message"))
                line_.error = any_text(w);
            else if (key_is(key, "trigger"))
                line_.trigger = raw_string(w);
            else if (key_is(key, "context_tokens_before"))
                line_.tokens_before = as_uint(w);
            else if (key_is(key, "context_tokens_after"))
                line_.tokens_after = as_uint(w);
            return true;
        });
    }

    bool collect_tokens(const char* key, json::value& n) {
        if (key_is(key, "prompt_tokens")) {
            line_.usage.input = as_uint(n);
            line_.has_usage = true;
        } else if (key_is(key, "completion_tokens"))
            line_.usage.output = as_uint(n);
        else if (key_is(key, "total_tokens"))
            line_.total_tokens = as_uint(n);
        else if (key_is(key, "cached_input_tokens"))
            line_.usage.cache_read = as_uint(n);
        else if (key_is(key, "cache_write_tokens"))
            line_.usage.cache_write = as_uint(n);
        else if (key_is(key, "reasoning_tokens"))
            line_.usage.reasoning = as_uint(n);
        else if (key_is(key, "context_tokens"))
            line_.context_tokens = as_uint(n);
        return true;
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    bool collect_asked(json::value& v) {
        json::object message;
        std::string_view raw;
        if (v.get_object().get(message) || message.raw_json().get(raw) || message.reset().error()) return false;
        line_.error = {raw, TextForm::json_value};
        return each_field(message, [this](const char* key, json::value& w) {
            if (key_is(key, "content")) line_.content = read_content(w);
            return true;
        });
    }

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (!line_.message_type.empty() && (type == "message" || type == "stream_event")) return message();
        if (type == "auto_approval") return approved();
        flush();
        if (type == "system" && line_.subtype == "init") return init();
        if (type == "user") return asked();
        if (type == "error") return error();
        if (type == "retry") return std::exchange(told_error_, false) ? LineFate::understood : retry();
        if (type == "recovery") return recovery();
        if (type == "result") return result();
        if (type == "control_request" || type == "control_response" || type.starts_with("queue_") ||
            type.starts_with("approval_") || type.starts_with("tool_execution_"))
            return LineFate::ignored_kind;
        return LineFate::unknown_kind;
    }

    LineFate message() {
        const std::string_view kind = line_.message_type;
        if (kind == "assistant_message") return text(Piece::answer, line_.content.text);
        if (kind == "reasoning_message") return text(Piece::thought, line_.reasoning);
        if (kind == "tool_call_message" || kind == "approval_request_message") return call();
        flush();
        if (kind == "tool_return_message") return answer();
        if (kind == "usage_statistics") return usage();
        if (kind == "stop_reason") return stop();
        if (kind == "user_message") return user();
        if (kind == "summary_message") return summary();
        if (kind == "event_message") return event();
        if (kind == "hidden_reasoning_message" || kind == "approval_response_message" || kind == "system_message" ||
            kind == "ping")
            return LineFate::ignored_kind;
        return LineFate::unknown_kind;
    }

    // Conversations of an agent have ids of their own, but for the first.
    LineFate init() {
        if (!line_.conversation.empty() && line_.conversation != "default") line_.session_id = line_.conversation;
        open_session(line_);
        known_calls_ = {};
        any_usage_ = stopped_ = false;
        if (!early_.empty()) {
            begin(line_);
            begin_turn(text_of(early_));
            asked_ = stable_hash(early_);
            early_.clear();
        }
        return LineFate::understood;
    }

    // It may stand in front of the line that names the session, and again as the server has it.
    LineFate asked() {
        const RawText& said = line_.content.text;
        if (said.empty() && line_.content.media == 0) return LineFate::missing_field;
        if (!run_.open && said.form == TextForm::json_string && said.bytes.size() <= kLongest) {
            early_.assign(said.bytes);
            return LineFate::understood;
        }
        begin(line_);
        begin_turn(said, line_.content.media);
        asked_ = stable_hash(said.bytes);
        return LineFate::understood;
    }

    // Earlier servers tell of a compaction in the user's place.
    LineFate user() {
        constexpr std::size_t kFront = 40;  // bytes
        const std::string_view said = line_.content.text.bytes;
        if (said.starts_with('{') && said.substr(0, kFront).find("system_alert") != said.npos) return summary();
        if (std::exchange(asked_, 0) == stable_hash(said)) return LineFate::understood;
        begin(line_);
        begin_turn(line_.content.text, line_.content.media);
        return LineFate::understood;
    }

    // Pieces of one text have one id. Joined with their escapes they are a JSON string again.
    enum class Piece : std::uint8_t { none, answer, thought, call };

    LineFate text(Piece kind, const RawText& said) {
        if (said.bytes.empty()) return LineFate::understood;
        hold(kind, line_.id);
        if (held_.form != said.form) held_.form = TextForm::json_string;
        held_.text += said.bytes;
        return LineFate::understood;
    }

    LineFate call() {
        const std::string_view id = line_.call_id;
        if (id.empty()) return LineFate::missing_field;
        const bool goes_on = held_.kind == Piece::call && held_.id == id;
        if (!goes_on && known_calls_.has(id_hash(id))) return LineFate::understood;
        if (goes_on && held_.text.size() > kLongest) return LineFate::understood;
        // Where calls stand in front of the end of their response, the next one has begun.
        if (!goes_on && line_.type == "auto_approval" && stopped_) run_.end_response();
        if (!goes_on && line_.type == "auto_approval") stopped_ = false;
        hold(Piece::call, id);
        if (held_.name.empty()) held_.name = line_.call_name;
        held_.text += line_.call_args;
        return LineFate::understood;
    }

    // A call is approved as soon as its pieces make sense, and told whole.
    LineFate approved() {
        if (held_.kind == Piece::call && held_.id == line_.call_id)
            held_.text.clear();
        else
            flush();
        const LineFate fate = call();
        flush();
        return fate;
    }

    void hold(Piece kind, std::string_view id) {
        if (held_.kind != kind || held_.id != id || held_.text.size() > kLongest) flush();
        if (held_.kind != Piece::none) return;
        told_error_ = false;
        begin(line_);
        respond(kind);
        held_.kind = kind;
        held_.id = id;
        held_.head = head();
        held_.head.record_id = {};
        held_.form = TextForm::json_string;
        held_.name.clear();
        held_.text.clear();
    }

    // Calls follow the end of their response, everything else begins another.
    void respond(Piece kind) {
        if (stopped_ && kind != Piece::call) run_.end_response();
        if (kind != Piece::call) stopped_ = false;
        head().response = run_.respond();
    }

    void flush() {
        switch (std::exchange(held_.kind, Piece::none)) {
            case Piece::none: break;
            case Piece::answer:
                emit(Message{Role::assistant, Origin::agent, {held_.text, held_.form}, 0}, held_.head);
                break;
            case Piece::thought: emit(Thinking{{held_.text, held_.form}}, held_.head); break;
            case Piece::call:
                known_calls_.add(id_hash(held_.id));
                emit(
                    call_of(held_.id, held_.name.empty() ? "unknown" : held_.name, args_.digest_string({}, held_.text)),
                    held_.head);
                break;
        }
    }

    // A call that was turned down has "Error: request to call tool denied. …" as its result.
    LineFate answer() {
        if (line_.answer.id.empty()) return LineFate::missing_field;
        told_error_ = false;
        begin(line_);
        run_.end_response();
        stopped_ = false;
        constexpr std::string_view kDenied = "Error: request to call tool denied.";
        constexpr std::string_view kExit = "Exit code: ";
        ToolResult result;
        result.call_id = text_of(line_.answer.id);
        result.text = line_.answer.text;
        const std::string_view said = result.text.bytes;
        const bool failed = line_.answer.status == "error";
        if (failed && said.starts_with(kExit)) result.exit_code = number_after(said.substr(0, 24), kExit);
        result.status = !failed                     ? ResultStatus::ok
                        : said.starts_with(kDenied) ? ResultStatus::denied
                                                    : ResultStatus::error;
        emit(result);
        return LineFate::understood;
    }

    // Input from a cache is part of the prompt or not, which the total tells.
    TokenCounts tokens() const {
        TokenCounts t = line_.usage;
        const std::uint64_t cached = t.cache_read + t.cache_write;
        if (cached > 0 && line_.total_tokens < t.input + t.output + cached && t.input >= cached) t.input -= cached;
        t.reasoning = std::min(t.reasoning, t.output);
        return t;
    }

    LineFate usage() {
        begin(line_);
        if (stopped_) run_.end_response();
        stopped_ = false;
        head().response = run_.respond();
        Usage usage;
        usage.tokens = tokens();
        if (line_.context_tokens > 0) usage.context_tokens = line_.context_tokens;
        if (usage.tokens.total() == 0) return LineFate::understood;
        any_usage_ = true;
        emit(usage);
        return LineFate::understood;
    }

    LineFate stop() {
        stopped_ = true;
        return LineFate::understood;
    }

    LineFate summary() {
        begin(line_);
        Compaction compaction;
        compaction.trigger = line_.trigger == "manual" ? CompactionTrigger::manual : CompactionTrigger::automatic;
        compaction.summary = line_.summary.bytes.empty() ? line_.content.text : line_.summary;
        if (line_.tokens_before > 0) compaction.tokens_before = line_.tokens_before;
        if (line_.tokens_after > 0) compaction.tokens_after = line_.tokens_after;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate event() {
        if (line_.event_type == "retry") return retry();
        if (line_.event_type != "compaction") return LineFate::ignored_kind;
        begin(line_);
        Compaction compaction;
        compaction.phase = CompactionPhase::begin;
        compaction.trigger = line_.trigger == "manual" ? CompactionTrigger::manual : CompactionTrigger::automatic;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate retry() {
        begin(line_);
        Notice notice = notice_of(NoticeLayer::provider, NoticeLevel::warning, "retry", line_.error);
        notice.attempt = line_.attempt;
        notice.retry_in_ms = line_.delay_ms;
        emit(notice);
        return LineFate::understood;
    }

    LineFate recovery() {
        begin(line_);
        emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "recovery", line_.error));
        return LineFate::understood;
    }

    // What a provider answered may be tried again, which the next line says. The harness's own end the run; where no
    // try was left, it says the provider's once more.
    LineFate error() {
        begin(line_);
        run_.end_response();
        const NoticeLayer layer = line_.from_api ? NoticeLayer::provider : NoticeLayer::harness;
        const bool again = !line_.from_api && told_error_;
        if (!again) emit(notice_of(layer, NoticeLevel::error, "error", line_.error));
        told_error_ = line_.from_api;
        if (line_.from_api) return LineFate::understood;
        emit(TurnEnd{line_.stop_reason == "cancelled" ? TurnStatus::aborted : TurnStatus::failed, -1});
        return LineFate::understood;
    }

    LineFate result() {
        begin(line_);
        run_.end_response();
        if (!any_usage_ && line_.has_usage) tell_usage(tokens());
        const TurnStatus status = line_.subtype == "success"       ? TurnStatus::completed
                                  : line_.subtype == "interrupted" ? TurnStatus::aborted
                                  : line_.subtype == "error"       ? TurnStatus::failed
                                                                   : TurnStatus::unknown;
        emit(TurnEnd{status, line_.duration_ms});
        any_usage_ = false;
        return LineFate::understood;
    }

    struct Held {
        Piece kind = Piece::none;
        TextForm form = TextForm::json_string;
        std::string id, name, text;
        EventHeader head;
    };

    static constexpr std::size_t kLongest =
        4u << 20;  // bytes of a text of pieces; of a call, what comes after is left out

    Line line_;
    std::string early_;        // what was asked before the session had a name
    std::uint64_t asked_ = 0;  // what a program wrote last, as a hash
    Held held_;
    RecentIds known_calls_;
    bool stopped_ = false;     // the response under way has ended, but for calls that follow
    bool told_error_ = false;  // why the next request is another try
    bool any_usage_ = false;   // of requests: what the whole run took is their sum
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || !r.has("session_id")) continue;
        const std::string_view type = r.text("type");
        if (type == "message" && r.has("message_type")) return kCertain;
        if (type == "stream_event" && r.child("event").has("message_type")) return kCertain;
        if (type == "auto_approval" && r.has("tool_call")) best = std::max(best, 95);
        if ((type == "system" || type == "result") && r.has("agent_id") && r.has("conversation_id"))
            best = std::max(best, 95);
        if ((type == "error" || type == "retry") && r.has("uuid") && (r.has("stop_reason") || r.has("delay_ms")))
            best = std::max(best, 60);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"system, init", "SessionStart"},
    {"message or stream_event: assistant_message, reasoning_message", "Message, Thinking; pieces are joined"},
    {"… tool_call_message; auto_approval", "ToolCall; earlier versions print no results"},
    {"… tool_return_message", "ToolResult: ok, error, denied; for commands the exit code"},
    {"… usage_statistics", "Usage; cached input apart, whether or not it is part of the prompt"},
    {"… stop_reason", "the response ends, but for its calls"},
    {"… event_message, summary_message", "Compaction; Notice of a retry"},
    {"… user_message", "TurnStart and Message (human); Compaction where it is an alert of one"},
    {"user", "the same, as a program wrote it"},
    {"error, retry, recovery", "Notice; TurnEnd where it ended the run"},
    {"result", "Usage (of the run) where no request had one, and TurnEnd"},
    {"control_*, queue_*, approval_*, tool_execution_*", "ignored"},
};

}  // namespace

ReaderSpec letta_code_stream() {
    return {"letta-code-stream",
            "Letta Code",
            "what the agent prints with --output-format stream-json",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<LettaCodeStream>()); }};
}

}  // namespace agent_audit::readers
