#include "readers/all.hpp"
#include "readers/gemini/gemini_mcp.hpp"
#include "readers/gemini/gemini_shell.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/pieces.hpp"
#include "readers/messages/printed_run.hpp"

#include <string>
#include <utility>

// What Gemini CLI prints with --output-format stream-json:
//
//   {"type":"init","timestamp":"…","session_id":"…","model":"…"}
//   {"type":"message","role":"assistant","content":"…","delta":true}    a piece of an answer
//   {"type":"tool_use","tool_name":"read_file","tool_id":"read_file-1","parameters":{…}}
//   {"type":"tool_result","tool_id":"read_file-1","status":"success","output":"…"}
//   {"type":"error","severity":"warning","message":"…"}
//   {"type":"result","status":"success","stats":{"input_tokens":1,"output_tokens":2,"total_tokens":3,"cached":0}}
//
// Whoever captures the stream often writes the prompt before it, without an id.

namespace agent_audit::readers {
namespace {

struct Line : PrintedLine {
    std::string_view type, role, tool_name, tool_id, status, severity, error_type;
    RawText message, output, error;
    Content content;
    CallArgs args;
    std::uint64_t input = 0, output_tokens = 0, total = 0, cached = 0;
    std::int64_t duration_ms = -1;
    bool delta = false, has_stats = false;
};

class GeminiStream final : public PrintedReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        line_ = Line{};
        flush();
        if (has_prompt_) open();
    }

protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        if (!read_fields<&GeminiStream::collect_field>(object)) return LineFate::malformed_json;
        if (line_.type.empty()) return LineFate::unknown_kind;
        return interpret();
    }

private:
    bool collect_field(const char* key, json::value& v) {
        switch (key[0]) {
            case 'c':
                if (key_is(key, "content")) line_.content = read_content(v);
                break;
            case 'd':
                if (key_is(key, "delta")) line_.delta = is_true(v);
                break;
            case 'e':
                if (key_is(key, "error")) return collect_error(v);
                break;
            case 'm':
                if (key_is(key, "model"))
                    line_.model = raw_string(v);
                else if (key_is(key, "message"))
                    line_.message = text_of(raw_string(v));
                break;
            case 'o':
                if (key_is(key, "output")) line_.output = any_text(v);
                break;
            case 'p':
                if (key_is(key, "parameters") && !is_null(v)) line_.args = args_.digest_value({}, v);
                break;
            case 'r':
                if (key_is(key, "role")) line_.role = raw_string(v);
                break;
            case 's':
                if (key_is(key, "session_id"))
                    line_.session_id = raw_string(v);
                else if (key_is(key, "status"))
                    line_.status = raw_string(v);
                else if (key_is(key, "severity"))
                    line_.severity = raw_string(v);
                else if (key_is(key, "stats"))
                    return collect_stats(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    line_.type = raw_string(v);
                else if (key_is(key, "timestamp"))
                    line_.time_ms = time_of(raw_string(v));
                else if (key_is(key, "tool_name"))
                    line_.tool_name = raw_string(v);
                else if (key_is(key, "tool_id"))
                    line_.tool_id = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    bool collect_error(json::value& v) {
        if (is_string(v)) line_.error = text_of(raw_string(v));
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message"))
                line_.error = text_of(raw_string(w));
            else if (key_is(key, "type"))
                line_.error_type = raw_string(w);
            return true;
        });
    }

    bool collect_stats(json::value& v) {
        line_.has_stats = is_object(v);
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "input_tokens"))
                line_.input = as_uint(n);
            else if (key_is(key, "output_tokens"))
                line_.output_tokens = as_uint(n);
            else if (key_is(key, "total_tokens"))
                line_.total = as_uint(n);
            else if (key_is(key, "cached"))
                line_.cached = as_uint(n);
            else if (key_is(key, "duration_ms"))
                line_.duration_ms = as_int(n, -1);
            return true;
        });
    }

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (type == "message") return message();
        flush();
        if (type == "init") return init();
        if (type == "tool_use") return tool_use();
        if (type == "tool_result") return tool_result();
        if (type == "error") return error();
        if (type == "result") return result();
        return LineFate::unknown_kind;
    }

    // ---- sessions ---------------------------------------------------------------------------------------

    LineFate init() {
        if (line_.session_id.empty()) return LineFate::missing_field;
        open();
        return LineFate::understood;
    }

    void open() {
        open_session(line_);
        if (!std::exchange(has_prompt_, false)) return;
        const EventHeader here = head();
        head().where = prompt_place_;
        begin_turn(text_of(prompt_));
        head() = here;
    }

    void begin() {
        if (has_prompt_) open();
        PrintedReader::begin(line_);
    }

    // ---- messages ---------------------------------------------------------------------------------------

    LineFate message() {
        const bool model = line_.role == "assistant";
        if (!model && line_.role != "user")
            return line_.role.empty() ? LineFate::missing_field : LineFate::unknown_kind;
        if (!line_.content.seen) return LineFate::missing_field;
        if (!model || !line_.delta) flush();
        if (!run_.open && !model &&
            !has_prompt_) {  // the stream itself, and with it the session's id, is still to come
            has_prompt_ = true;
            prompt_.assign(line_.content.text.bytes);
            prompt_place_ = record().where;
            return LineFate::understood;
        }
        begin();
        if (model && line_.delta) {
            add_piece();
        } else if (model) {
            respond();
            emit(Message{Role::assistant, Origin::agent, line_.content.text, line_.content.media});
        } else {
            begin_turn(line_.content.text, line_.content.media);
        }
        return LineFate::understood;
    }

    void add_piece() {
        if (!pieces_.has_room_for(line_.content.text)) flush();
        if (pieces_.empty()) {
            respond();
            pieces_.begin(head());
        }
        pieces_.add(line_.content.text);
    }

    void flush() {
        if (pieces_.empty()) return;
        emit(Message{Role::assistant, Origin::agent, pieces_.text(), 0}, pieces_.head());
        pieces_.clear();
    }

    void respond() { head().response = run_.respond(); }

    LineFate tool_use() {
        if (line_.tool_name.empty()) return LineFate::missing_field;
        begin();
        respond();
        emit(call_of(line_.tool_id, line_.tool_name, line_.args));
        return LineFate::understood;
    }

    LineFate tool_result() {
        if (line_.tool_id.empty()) return LineFate::missing_field;
        begin();
        run_.end_response();
        ToolResult result;
        result.call_id = text_of(line_.tool_id);
        const bool shell = line_.tool_id.starts_with("run_shell_command");
        // What is printed of a failure may be the same line for all of them ("Error: MCP tool 'x' reported an error.");
        // the model is sent the error's message. What a command printed is the output.
        const bool error_tells = !line_.error.empty() && (line_.output.empty() || !shell);
        result.text = error_tells ? line_.error : line_.output;
        if (shell) result.exit_code = number_after(result.text.bytes, "Exit Code: ");
        // That a command ran says nothing about what came of it.
        const bool ran = line_.status == "success";
        if (ran && !shell)
            result.status = ResultStatus::ok;
        else if (line_.status == "cancelled")
            result.status = ResultStatus::cancelled;
        else if (line_.status == "error")
            result.status = line_.error_type == "policy_violation" ? ResultStatus::denied : ResultStatus::error;
        else if (result.exit_code)
            result.status = status_of(result.exit_code);
        if (result.status == ResultStatus::denied) result.refused_by = Refuser::rule;
        result.text = shell ? shell_answer(result.text) : mcp_answer(result.text, said_);
        emit(result);
        return LineFate::understood;
    }

    LineFate error() {
        begin();
        const bool warning = line_.severity == "warning";
        emit(notice_of(NoticeLayer::harness, warning ? NoticeLevel::warning : NoticeLevel::error, "error",
                       line_.message.empty() ? line_.error : line_.message));
        return LineFate::understood;
    }

    // The totals of the run; thoughts are in the total only.
    LineFate result() {
        begin();
        run_.end_response();
        if (line_.has_stats) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            const std::uint64_t cached = std::min(line_.cached, line_.input);
            const std::uint64_t shown = line_.input + line_.output_tokens;
            const std::uint64_t thoughts = line_.total > shown ? line_.total - shown : 0;
            usage.tokens = {line_.input - cached, 0, cached, line_.output_tokens + thoughts, thoughts};
            if (usage.tokens.total() > 0) emit(usage);
        }
        if (!line_.error.empty()) {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", line_.error));
        }
        const bool failed = line_.status == "error";
        emit(TurnEnd{failed ? TurnStatus::failed : TurnStatus::completed, line_.duration_ms});
        return LineFate::understood;
    }

    Line line_;
    bool has_prompt_ = false;
    Pieces pieces_;
    std::string prompt_, said_;
    SourceSpan prompt_place_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || r.has("uuid") || r.has("sessionId")) continue;
        const std::string_view type = r.text("type");
        if (type == "init" && r.has("session_id") && r.has("model") && !r.has("subtype")) return kCertain;
        if (type == "tool_use" && r.has("tool_name") && r.has("tool_id")) best = std::max(best, 95);
        if (type == "tool_result" && r.has("tool_id") && r.has("status")) best = std::max(best, 95);
        if (type == "message" && r.has("role") && r.has("content") && r.has("delta")) best = std::max(best, 90);
        if (type == "result" && r.has("stats") && r.has("status")) best = std::max(best, 70);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"init", "SessionStart"},
    {"message, user", "TurnStart and Message (human)"},
    {"message, assistant", "Message; pieces (delta) are joined"},
    {"tool_use", "ToolCall"},
    {"tool_result", "ToolResult; for commands the text decides"},
    {"error", "Notice"},
    {"result", "Usage (totals of the run) and TurnEnd"},
};

}  // namespace

ReaderSpec gemini_stream() {
    return {"gemini-stream",
            "Gemini CLI",
            "--output-format stream-json",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<GeminiStream>()); }};
}

}  // namespace agent_audit::readers
