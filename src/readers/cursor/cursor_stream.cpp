#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/pieces.hpp"
#include "readers/messages/printed_run.hpp"
#include "readers/messages/recent.hpp"

#include <array>
#include <string>

// What Cursor's command line prints with --output-format stream-json:
//
//   {"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"…","model":"…"}
//   {"type":"user","message":{"role":"user","content":[{"type":"text","text":"…"}]},"session_id":"…"}
//   {"type":"thinking","subtype":"delta","text":"…"}                      up to "subtype":"completed"
//   {"type":"assistant","message":{…},"timestamp_ms":1}                   a piece, with --stream-partial-output
//   {"type":"assistant","message":{…},"model_call_id":"…"}                whole; behind pieces the same once more
//   {"type":"tool_call","subtype":"started","call_id":"…","tool_call":{"shellToolCall":{"args":{…}}}}
//   {"type":"tool_call","subtype":"completed","call_id":"…","tool_call":{"shellToolCall":{"result":{"success":{…}}}}}
//   {"type":"result","subtype":"success","is_error":false,"result":"…","usage":{"inputTokens":1,…}}

namespace agent_audit::readers {
namespace {

constexpr std::string_view kCallSuffix = "ToolCall";

// What the program notes in the arguments for itself, some of it anew for each call.
constexpr std::array<std::string_view, 8> kNotes{
    "toolCallId",        "simpleCommands",           "parsingResult",  "hasInputRedirect",
    "hasOutputRedirect", "fileOutputThresholdBytes", "conversationId", "requestedSandboxPolicy"};

// What a result has to say, the best first.
constexpr std::array<std::string_view, 9> kAnswers{"content", "output",  "errorMessage", "error", "reason",
                                                   "message", "summary", "markdown",     "files"};

struct Call {
    std::string_view kind;     // the key of the call: shellToolCall
    std::string_view id;       // within it, where the line has none
    std::string_view name;     // of a tool from elsewhere
    std::string_view server;   // whose it is
    RawText text_args;         // arguments that stand in a string
    std::string_view outcome;  // the key of the result: success, rejected, timeout
    RawText answer, standard_output, standard_error;
    std::size_t answer_rank = kAnswers.size();
    std::optional<int> exit_code;
    bool has_args = false, failed = false;
};

struct Line : PrintedLine {
    std::string_view type, subtype, call_id, model_call_id;
    RawText text, result, error;
    Content content;
    Call call;
    TokenCounts usage;
    std::int64_t duration_ms = -1;
    int attempt = 0;
    bool has_message = false, is_error = false;
};

class CursorStream final : public PrintedReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        flush();
    }

protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        kept_args_.clear();
        if (!read_fields<&CursorStream::collect_field>(object)) return LineFate::malformed_json;
        return interpret();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_field(const char* key, json::value& v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "attempt")) line_.attempt = static_cast<int>(as_int(v, 0));
                break;
            case 'c':
                if (key_is(key, "call_id"))
                    line_.call_id = raw_string(v);
                else if (key_is(key, "cwd"))
                    line_.cwd = raw_string(v);
                break;
            case 'd':
                if (key_is(key, "duration_ms")) line_.duration_ms = as_int(v, -1);
                break;
            case 'e':
                if (key_is(key, "error")) line_.error = any_text(v);
                break;
            case 'i':
                if (key_is(key, "is_error")) line_.is_error = is_true(v);
                break;
            case 'm':
                if (key_is(key, "message")) return collect_message(v);
                if (key_is(key, "model")) line_.model = raw_string(v);
                if (key_is(key, "model_call_id")) line_.model_call_id = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "result")) line_.result = any_text(v);
                break;
            case 's':
                if (key_is(key, "session_id"))
                    line_.session_id = raw_string(v);
                else if (key_is(key, "subtype"))
                    line_.subtype = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    line_.type = raw_string(v);
                else if (key_is(key, "text"))
                    line_.text = text_of(raw_string(v));
                else if (key_is(key, "timestamp_ms"))
                    line_.time_ms = unix_time(v);
                else if (key_is(key, "tool_call"))
                    return collect_call(v);
                break;
            case 'u':
                if (key_is(key, "usage")) return collect_usage(v);
                break;
            default: break;
        }
        return true;
    }

    bool collect_message(json::value& v) {
        line_.has_message = is_object(v);
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "content")) line_.content = read_content(w);
            return true;
        });
    }

    // What was sent anew stands apart from what a cache held.
    bool collect_usage(json::value& v) {
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "inputTokens"))
                line_.usage.input = as_uint(n);
            else if (key_is(key, "outputTokens"))
                line_.usage.output = as_uint(n);
            else if (key_is(key, "cacheReadTokens"))
                line_.usage.cache_read = as_uint(n);
            else if (key_is(key, "cacheWriteTokens"))
                line_.usage.cache_write = as_uint(n);
            return true;
        });
    }

    // {"shellToolCall":{"args":{…},"result":{…}},"toolCallId":"…"} or {"function":{"name":"…","arguments":"…"}}
    bool collect_call(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            const std::string_view name = key_text(key);
            if (name == "toolCallId") {
                line_.call.id = raw_string(w);
                return true;
            }
            const bool kind = name == "function" || (name.size() > kCallSuffix.size() && name.ends_with(kCallSuffix));
            if (!kind || !line_.call.kind.empty()) return true;
            line_.call.kind = name;
            return each_field(w, [this](const char* k, json::value& x) { return collect_part(k, x); });
        });
    }

    bool collect_part(const char* key, json::value& v) {
        if (key_is(key, "args")) return collect_args(v);
        if (key_is(key, "result")) return collect_result(v);
        if (key_is(key, "name"))
            line_.call.name = raw_string(v);
        else if (key_is(key, "arguments") && is_string(v))
            line_.call.text_args = text_of(raw_string(v));
        return true;
    }

    // The arguments without the notes: with them no call would be like another.
    bool collect_args(json::value& v) {
        line_.call.has_args = is_object(v);
        const bool elsewhere = line_.call.kind == "mcpToolCall";
        return each_field(v, [this, elsewhere](const char* key, json::value& w) {
            const std::string_view name = key_text(key);
            if (elsewhere && name == "toolName") {
                line_.call.name = raw_string(w);
            } else if (elsewhere && name == "name") {
                if (line_.call.name.empty()) line_.call.name = raw_string(w);
            } else if (elsewhere && name == "providerIdentifier") {
                line_.call.server = raw_string(w);
            } else if (elsewhere) {
                if (name == "args" && is_object(w)) kept_args_.assign(raw_value(w));
            } else if (!is_one_of(name, kNotes) && !is_null(w)) {
                kept_args_.append(kept_args_.empty() ? "{\"" : ",\"").append(name).append("\":").append(raw_value(w));
            }
            return true;
        });
    }

    bool collect_result(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (!line_.call.outcome.empty()) return true;
            line_.call.outcome = key_text(key);
            if (!is_object(w)) {
                line_.call.answer = any_text(w);
                return true;
            }
            return each_field(w, [this](const char* k, json::value& x) { return collect_answer(k, x); });
        });
    }

    bool collect_answer(const char* key, json::value& v) {
        Call& call = line_.call;
        if (key_is(key, "exitCode")) {
            call.exit_code = small_int(v);
        } else if (key_is(key, "isError")) {
            call.failed = is_true(v);
        } else if (key_is(key, "stdout")) {
            call.standard_output = any_text(v);
        } else if (key_is(key, "stderr")) {
            call.standard_error = any_text(v);
        } else {
            const auto rank = static_cast<std::size_t>(std::ranges::find(kAnswers, key_text(key)) - kAnswers.begin());
            if (rank >= call.answer_rank) return true;
            call.answer = any_text(v);
            if (!call.answer.empty()) call.answer_rank = rank;
        }
        return true;
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (type == "assistant") return line_.has_message ? assistant() : LineFate::missing_field;
        if (type == "thinking") return thinking();
        if (type == "connection" || type == "interaction_query") return LineFate::ignored_kind;
        if (type == "user" && !line_.has_message) return LineFate::missing_field;
        flush();
        if (type == "user") return user();
        if (type == "tool_call") return tool_call();
        if (type == "system" && line_.subtype == "init") return init();
        if (type == "retry") return retry();
        if (type == "result") return result();
        return LineFate::unknown_kind;
    }

    LineFate init() {
        open_session(line_);
        return LineFate::understood;
    }

    LineFate user() {
        begin(line_);
        begin_turn(line_.content.text, line_.content.media);
        return LineFate::understood;
    }

    // Pieces have a time and no id. What is whole follows them and says the same; the last one says all since the
    // beginning.
    LineFate assistant() {
        begin(line_);
        tell_thoughts();
        if (line_.time_ms != kNoTime && line_.model_call_id.empty()) {
            add_piece(pieces_, line_.content.text);
            return LineFate::understood;
        }
        const bool repeats = !pieces_.empty() && line_.content.text.bytes.ends_with(pieces_.text().bytes);
        flush();
        if (repeats || line_.content.text.empty()) return LineFate::understood;
        respond();
        emit(Message{Role::assistant, Origin::agent, line_.content.text, line_.content.media});
        return LineFate::understood;
    }

    LineFate thinking() {
        begin(line_);
        if (line_.subtype != "delta") {
            tell_thoughts();
            return LineFate::understood;
        }
        tell_pieces();
        add_piece(thoughts_, line_.text);
        return LineFate::understood;
    }

    void add_piece(Pieces& pieces, const RawText& text) {
        if (!pieces.has_room_for(text)) flush();
        if (pieces.empty()) {
            respond();
            pieces.begin(head());
        }
        pieces.add(text);
    }

    void flush() {
        tell_thoughts();
        tell_pieces();
    }

    void tell_thoughts() {
        if (!thoughts_.empty()) emit(Thinking{thoughts_.text()}, thoughts_.head());
        thoughts_.clear();
    }

    void tell_pieces() {
        if (!pieces_.empty()) emit(Message{Role::assistant, Origin::agent, pieces_.text(), 0}, pieces_.head());
        pieces_.clear();
    }

    // Text and calls between two results are one response, and so are calls of one id.
    void respond() {
        const IdHash id = id_hash(line_.model_call_id);
        const bool known = id != 0 && id == response_id_;
        if (id != 0) response_id_ = id;
        head().response = known ? run_.last_response() : run_.respond();
    }

    LineFate tool_call() {
        if (line_.call.kind.empty()) return LineFate::missing_field;
        if (line_.call_id.empty()) line_.call_id = line_.call.id;
        begin(line_);
        const IdHash id = id_hash(line_.call_id);
        if (line_.subtype == "started") {
            started_.put(id, true);
            call();
            return LineFate::understood;
        }
        if (line_.subtype != "completed") return LineFate::unknown_kind;
        if (id == 0 || !started_.take(id)) call();  // its beginning was not written down
        answer();
        return LineFate::understood;
    }

    void call() {
        respond();
        emit(call_of(line_.call_id, tool_name(), args()));
    }

    CallArgs args() {
        const Call& call = line_.call;
        if (!call.text_args.empty()) return args_.digest_string({}, call.text_args.bytes);
        if (kept_args_.empty()) return call.has_args ? ArgsDigester::digest_none({}) : CallArgs{};
        if (call.kind != "mcpToolCall") kept_args_ += '}';
        const std::size_t size = kept_args_.size();
        kept_args_.append(simdjson::SIMDJSON_PADDING, ' ');
        json::document doc;
        json::value value;
        if (parser_.iterate(kept_args_.data(), size, kept_args_.size()).get(doc) || doc.get_value().get(value))
            return ArgsDigester::digest_none({});
        return args_.digest_value({}, value);
    }

    std::string_view tool_name() {
        const Call& call = line_.call;
        if (call.kind != "mcpToolCall" && call.kind != "function")
            return call.kind.substr(0, call.kind.size() - kCallSuffix.size());
        if (call.server.empty() || call.name.empty()) return call.name.empty() ? "mcp" : call.name;
        return server_tool(call.server, call.name, name_);
    }

    void answer() {
        const Call& call = line_.call;
        run_.end_response();
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.exit_code = call.exit_code;
        result.text = answer_text();
        result.status = outcome();
        emit(result);
    }

    RawText answer_text() {
        const Call& call = line_.call;
        if (call.standard_error.empty() && call.standard_output.empty()) return call.answer;
        if (call.standard_error.empty()) return call.standard_output;
        if (call.standard_output.empty()) return call.standard_error;
        const std::string_view out = call.standard_output.bytes;
        said_.assign(out).append(out.ends_with("\\n") ? "" : "\\n").append(call.standard_error.bytes);
        return {said_, call.standard_output.form};
    }

    // permissionDenied: by the program where a command was to run, by the file system elsewhere.
    ResultStatus outcome() const {
        const Call& call = line_.call;
        if (call.outcome.empty()) return ResultStatus::unknown;
        if (call.outcome == "rejected") return ResultStatus::denied;
        if (call.outcome == "permissionDenied")
            return call.kind == "shellToolCall" ? ResultStatus::denied : ResultStatus::error;
        if (call.outcome == "aborted" || call.outcome == "cancelled") return ResultStatus::cancelled;
        if (call.outcome != "success") return ResultStatus::error;
        return call.failed ? ResultStatus::error : status_of(call.exit_code);
    }

    LineFate retry() {
        begin(line_);
        Notice notice = notice_of(NoticeLayer::provider, NoticeLevel::warning, "retry", line_.error);
        notice.attempt = line_.attempt;
        emit(notice);
        return LineFate::understood;
    }

    LineFate result() {
        begin(line_);
        run_.end_response();
        tell_usage(line_.usage);
        if (line_.is_error) {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error",
                           line_.error.empty() ? line_.result : line_.error));
        }
        emit(TurnEnd{line_.is_error ? TurnStatus::failed : TurnStatus::completed, line_.duration_ms});
        return LineFate::understood;
    }

    Line line_;
    IdHash response_id_ = 0;
    Pieces pieces_, thoughts_;
    std::string kept_args_, name_, said_;
    Recent<bool, 64> started_;
    json::parser parser_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || r.has("uuid") || r.has("sessionId") || r.has("parent_tool_use_id")) continue;
        const std::string_view type = r.text("type");
        if (type == "tool_call" && r.has("tool_call") && r.has("subtype")) return kCertain;
        if (type == "system" && r.text("subtype") == "init" && r.has("apiKeySource") && !r.has("tools"))
            best = std::max(best, 95);
        if (type == "thinking" && r.has("subtype") && r.has("session_id")) best = std::max(best, 80);
        if (type == "result" && r.has("session_id") && r.has("duration_api_ms") && !r.has("num_turns"))
            best = std::max(best, 70);
        if ((type == "assistant" || type == "user") && r.has("session_id") && r.child("message").has("content"))
            best = std::max(best, 60);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"system, init", "SessionStart"},
    {"user", "TurnStart and Message (human)"},
    {"assistant", "Message; pieces are joined, and what repeats them is left out"},
    {"thinking", "Thinking; pieces are joined"},
    {"tool_call, started", "ToolCall, without what the program notes in the arguments"},
    {"tool_call, completed", "ToolResult: ok, error, denied, cancelled"},
    {"retry", "Notice (provider, with attempt)"},
    {"result", "Usage (of the run), Notice where it failed, and TurnEnd"},
    {"connection, interaction_query", "ignored"},
};

}  // namespace

ReaderSpec cursor_stream() {
    return {"cursor-stream",
            "Cursor",
            "what the agent prints with --output-format stream-json",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CursorStream>()); }};
}

}  // namespace agent_audit::readers
