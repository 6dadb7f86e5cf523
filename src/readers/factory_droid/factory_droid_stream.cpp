#include "readers/all.hpp"
#include "readers/factory_droid/factory_droid_words.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/printed_run.hpp"

#include <string>

// What Factory's `droid exec` prints with --output-format stream-json:
//
//   {"type":"system","subtype":"init","cwd":"/w","session_id":"…","tools":["Read"],"model":"…"}
//   {"type":"message","role":"user","id":"…","text":"…","timestamp":1,"session_id":"…"}
//   {"type":"reasoning","id":"…","text":"…","timestamp":1}                     some versions print it twice
//   {"type":"tool_call","id":"…","messageId":"…","toolName":"Read","parameters":{…}}
//   {"type":"tool_result","id":"…","messageId":"…","isError":false,"value":"…"}   some versions leave out the id
//   {"type":"error","source":"agent_loop","message":"400 …"}
//   {"type":"completion","finalText":"…","numTurns":3,"durationMs":9,"usage":{"input_tokens":1,…}}

namespace agent_audit::readers {
namespace {

struct Line : PrintedLine {
    std::string_view type, subtype, id, role, tool, source;
    RawText text, value, error, final_text;
    CallArgs args;
    TokenCounts usage;
    std::int64_t duration_ms = -1;
    bool is_error = false, has_text = false;
};

class FactoryDroidStream final : public PrintedReader {
protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        if (!read_fields<&FactoryDroidStream::collect_field>(object)) return LineFate::malformed_json;
        return interpret();
    }

private:
    bool collect_field(const char* key, json::value& v) {
        switch (key[0]) {
            case 'c':
                if (key_is(key, "cwd")) line_.cwd = raw_string(v);
                break;
            case 'd':
                if (key_is(key, "durationMs")) line_.duration_ms = as_int(v, -1);
                break;
            case 'e':
                if (key_is(key, "error")) return collect_error(v);
                break;
            case 'f':
                if (key_is(key, "finalText")) line_.final_text = text_of(raw_string(v));
                break;
            case 'i':
                if (key_is(key, "id"))
                    line_.id = raw_string(v);
                else if (key_is(key, "isError"))
                    line_.is_error = is_true(v);
                break;
            case 'm':
                if (key_is(key, "model"))
                    line_.model = raw_string(v);
                else if (key_is(key, "message"))
                    line_.error = any_text(v);
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
                else if (key_is(key, "subtype"))
                    line_.subtype = raw_string(v);
                else if (key_is(key, "source"))
                    line_.source = raw_string(v);
                break;
            case 't': return collect_t(key, v);
            case 'u':
                if (key_is(key, "usage")) return collect_usage(v);
                break;
            case 'v':
                if (key_is(key, "value")) line_.value = any_text(v);
                break;
            default: break;
        }
        return true;
    }

    bool collect_t(const char* key, json::value& v) {
        if (key_is(key, "type"))
            line_.type = raw_string(v);
        else if (key_is(key, "text")) {
            line_.has_text = is_string(v);
            line_.text = text_of(raw_string(v));
        } else if (key_is(key, "timestamp"))
            line_.time_ms = is_string(v) ? time_of(raw_string(v)) : unix_time(v);
        else if (key_is(key, "toolName") || (key_is(key, "toolId") && line_.tool.empty()))
            line_.tool = raw_string(v);
        return true;
    }

    // A text, or {"type":"tool_error","message":"…"}
    bool collect_error(json::value& v) {
        if (is_string(v)) line_.error = text_of(raw_string(v));
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "message")) line_.error = any_text(w);
            return true;
        });
    }

    bool collect_usage(json::value& v) {
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "input_tokens"))
                line_.usage.input = as_uint(n);
            else if (key_is(key, "output_tokens"))
                line_.usage.output = as_uint(n);
            else if (key_is(key, "cache_read_input_tokens"))
                line_.usage.cache_read = as_uint(n);
            else if (key_is(key, "cache_creation_input_tokens"))
                line_.usage.cache_write = as_uint(n);
            else if (key_is(key, "thinking_tokens"))
                line_.usage.reasoning = as_uint(n);
            return true;
        });
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (type == "system" && line_.subtype == "init") return init();
        if (type == "message") return message();
        if (type == "reasoning") return reasoning();
        if (type == "tool_call") return tool_call();
        if (type == "tool_result") return tool_result();
        if (type == "error") return error();
        if (type == "completion") return completion();
        return LineFate::unknown_kind;
    }

    LineFate init() {
        open_session(line_);
        return LineFate::understood;
    }

    void begin() { PrintedReader::begin(line_).record_id = line_.id; }

    LineFate message() {
        if (!line_.has_text) return LineFate::missing_field;
        const bool model = line_.role == "assistant";
        if (!model && line_.role != "user") return LineFate::unknown_kind;
        begin();
        if (model) {
            head().response = run_.respond();
            emit(Message{Role::assistant, Origin::agent, line_.text, 0});
            return LineFate::understood;
        }
        begin_turn(line_.text);
        return LineFate::understood;
    }

    LineFate reasoning() {
        begin();
        const IdHash thought = mix_hash(id_hash(line_.id), stable_hash(line_.text.bytes));
        if (std::exchange(thought_, thought) == thought && !line_.id.empty()) return LineFate::understood;
        head().response = run_.respond();
        emit(Thinking{line_.text});
        return LineFate::understood;
    }

    LineFate tool_call() {
        if (line_.tool.empty()) return LineFate::missing_field;
        begin();
        head().response = run_.respond();
        emit(call_of(line_.id, line_.tool, line_.args));
        return LineFate::understood;
    }

    LineFate tool_result() {
        begin();
        run_.end_response();
        ToolResult result;
        result.call_id = text_of(line_.id);
        result.text = line_.value.empty() ? line_.error : line_.value;
        result.status = line_.is_error ? ResultStatus::error : ResultStatus::ok;
        emit(droid_result(result));
        return LineFate::understood;
    }

    // "400 …" is what the model's provider answered. The program then says once more that the run failed.
    LineFate error() {
        begin();
        const std::string_view said = line_.error.bytes;
        const bool http = said.size() > 4 && number_after(said.substr(0, 3), {}).value_or(0) >= 400 && said[3] == ' ';
        emit(notice_of(http ? NoticeLayer::provider : NoticeLayer::harness, NoticeLevel::error, "error", line_.error));
        if (line_.source == "agent_loop") emit(TurnEnd{TurnStatus::failed, -1});
        return LineFate::understood;
    }

    LineFate completion() {
        begin();
        run_.end_response();
        line_.usage.reasoning = std::min(line_.usage.reasoning, line_.usage.output);
        tell_usage(line_.usage);
        if (line_.is_error) emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "error", line_.final_text));
        emit(TurnEnd{line_.is_error ? TurnStatus::failed : TurnStatus::completed, line_.duration_ms});
        return LineFate::understood;
    }

    Line line_;
    IdHash thought_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const std::string_view type = r.text("type");
        const bool call = type == "tool_call" && r.has("parameters");
        if ((call || (type == "tool_result" && r.has("isError"))) && r.has("messageId")) return kCertain;
        if (type == "completion" && r.has("finalText")) best = std::max(best, 95);
        if (type == "message" && r.has("role") && r.has("text") && r.has("session_id")) best = std::max(best, 90);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"system, init", "SessionStart"},
    {"message, user", "TurnStart and Message (human)"},
    {"message, assistant", "Message"},
    {"reasoning", "Thinking; printed twice it counts once"},
    {"tool_call", "ToolCall"},
    {"tool_result", "ToolResult: ok, error; for commands the exit code"},
    {"error", "Notice; TurnEnd where it ended the run"},
    {"completion", "Usage (of the run), Notice where it failed, and TurnEnd"},
};

}  // namespace

ReaderSpec factory_droid_stream() {
    return {"factory-droid-stream",
            "Factory Droid",
            "what droid exec prints with --output-format stream-json",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<FactoryDroidStream>()); }};
}

}  // namespace agent_audit::readers
