#include "readers/all.hpp"
#include "readers/document_reader.hpp"
#include "readers/format_util.hpp"

// Conversations of Kiro CLI and Amazon Q, one document each; so are the rows of their database, there with a "cwd".
//
//   {"conversation_id":"…","history":[{"user":{"content":{"Prompt":{"prompt":"…"}}},
//     "assistant":{"ToolUse":{"message_id":"…","content":"…","tool_uses":[{"id":"…","name":"fs_read","args":{…}}]}}},
//    {"user":{"content":{"ToolUseResults":{"tool_use_results":[{"tool_use_id":"…","content":[…],"status":"Success"}]}}},
//     "assistant":{"Response":{"content":"…"}}}]}

namespace agent_audit::readers {
namespace {

struct Call {
    std::string_view id, name;
    CallArgs args;
};

struct Result {
    std::string_view id, status;
    Content content;
};

struct Exchange {
    RawText prompt, answer;
    std::string_view message_id;
    Reused<Call> calls;
    Reused<Result> results;
    bool has_prompt = false, cancelled = false, seen = false;

    void clear() { begin_again(*this, &Exchange::calls, &Exchange::results); }
};

class Kiro final : public DocumentReader {
public:
    Kiro() : DocumentReader("history") {}

protected:
    LineFate read_object(json::object object) override {
        std::string_view id, cwd;
        bool has_history = false, has_id = false;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "conversation_id")) {
                has_id = true;
                id = raw_string(v);
            } else if (key_is(key, "cwd"))
                cwd = raw_string(v);
            else if (key_is(key, "history"))
                has_history = is_array(v);
            return true;
        });
        if (!whole || !alive()) return LineFate::malformed_json;
        if (!has_history) return has_id ? LineFate::missing_field : LineFate::unknown_kind;
        id_ = id;
        cwd_ = cwd;
        open_ = false;
        return stream_records(object);
    }

    LineFate end_document(json::object) override {
        open();
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        e_.clear();
        const bool whole = each_field(element, [this](const char* key, json::value& v) {
            if (key_is(key, "user")) return collect_user(v);
            if (key_is(key, "assistant")) return collect_assistant(v);
            return true;
        });
        if (!whole || !alive()) return LineFate::malformed_json;
        if (!e_.seen) return LineFate::missing_field;
        open();
        new_head(0, turn_);
        exchange();
        return LineFate::understood;
    }

private:
    bool collect_user(json::value& v) {
        e_.seen |= is_object(v);
        return each_field(v, [this](const char* key, json::value& content) {
            if (!key_is(key, "content")) return true;
            return each_field(content, [this](const char* kind, json::value& body) {
                const bool cancelled = key_is(kind, "CancelledToolUses");
                e_.cancelled |= cancelled;
                if (!cancelled && !key_is(kind, "Prompt") && !key_is(kind, "ToolUseResults")) return true;
                return each_field(body, [this](const char* k, json::value& w) {
                    if (key_is(k, "prompt") && is_string(w)) {
                        e_.has_prompt = true;
                        e_.prompt = text_of(raw_string(w));
                    } else if (key_is(k, "tool_use_results"))
                        return each_element(w, [this](json::value& result) { return collect_result(result); });
                    return true;
                });
            });
        });
    }

    bool collect_result(json::value& v) {
        Result* result = is_object(v) ? e_.results.next() : nullptr;
        if (!result) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "tool_use_id"))
                result->id = raw_string(w);
            else if (key_is(key, "status"))
                result->status = raw_string(w);
            else if (key_is(key, "content"))
                return collect_result_content(w, *result);
            return true;
        });
    }

    // [{"Text":"…"}] or [{"Json":{…}}]; several are taken as they stand.
    static bool collect_result_content(json::value& v, Result& result) {
        if (!is_array(v)) {
            result.content = read_content(v);
            return true;
        }
        return each_element(v, [&result](json::value& part) {
            return each_field(part, [&result](const char* key, json::value& w) {
                if (key_is(key, "Text") || key_is(key, "Json") || key_is(key, "text"))
                    result.content.text = any_text(w);
                return true;
            });
        });
    }

    bool collect_assistant(json::value& v) {
        e_.seen |= is_object(v);
        return each_field(v, [this](const char* kind, json::value& body) {
            if (!key_is(kind, "Response") && !key_is(kind, "ToolUse")) return true;
            return each_field(body, [this](const char* key, json::value& w) {
                if (key_is(key, "message_id"))
                    e_.message_id = raw_string(w);
                else if (key_is(key, "content"))
                    e_.answer = text_of(raw_string(w));
                else if (key_is(key, "tool_uses"))
                    return each_element(w, [this](json::value& call) { return collect_call(call); });
                return true;
            });
        });
    }

    bool collect_call(json::value& v) {
        Call* call = is_object(v) ? e_.calls.next() : nullptr;
        if (!call) return true;
        return each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "id"))
                call->id = raw_string(w);
            else if (key_is(key, "name"))
                call->name = raw_string(w);
            else if (key_is(key, "args") && !is_null(w))
                call->args = args_.digest_value({}, w);
            return true;
        });
    }

    void open() {
        if (open_) return;
        open_ = true;
        turn_ = 0;
        const EventHeader here = head();
        new_head();
        SessionStart start;
        start.session_id = text_of(id_);
        start.cwd = text_of(cwd_);
        emit(start);
        head() = here;
    }

    void exchange() {
        for (const Result& result : e_.results) one_result(result);
        if (e_.has_prompt) {
            head().turn = ++turn_;
            emit(TurnStart{});
            emit(Message{Role::user, Origin::human, e_.prompt, 0});
        }
        const bool named = !e_.message_id.empty();
        head().response = named ? id_hash(e_.message_id) : ++responses_ | std::uint64_t{1} << 63;
        if (!e_.answer.empty()) emit(Message{Role::assistant, Origin::agent, e_.answer, 0});
        for (const Call& call : e_.calls) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
    }

    void one_result(const Result& r) {
        ToolResult result;
        result.call_id = text_of(r.id);
        result.text = r.content.text;
        if (e_.cancelled)
            result.status = ResultStatus::denied;
        else if (r.status == "Error")
            result.status = ResultStatus::error;
        else if (const auto code = json_number_after(result.text.bytes, "\"exit_status\"")) {
            result.exit_code = code;
            result.status = status_of(code);
        } else if (r.status == "Success")
            result.status = ResultStatus::ok;
        emit(result);
    }

    std::string_view id_, cwd_;
    Exchange e_;
    bool open_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& r : sample) {
        const auto history = r.raw("history");
        if (r.has("conversation_id") && history && history->starts_with('[')) return kCertain;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"history"};

constexpr RecordKindDoc kKinds[] = {
    {"{conversation_id, history}", "SessionStart and the exchanges"},
    {"user: Prompt", "TurnStart and Message (human)"},
    {"user: ToolUseResults", "ToolResult: status, for commands the exit status"},
    {"user: CancelledToolUses", "ToolResult (denied), then the prompt"},
    {"assistant: Response, ToolUse", "Message and ToolCall"},
};

}  // namespace

ReaderSpec kiro() {
    return {
        "kiro",
        "Kiro CLI, Amazon Q",
        "exported conversations, and their SQLite database",
        Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes | Signal::response_ids,
        kKinds,
        score,
        [] { return std::unique_ptr<RecordReader>(std::make_unique<Kiro>()); },
        kStreams};
}

}  // namespace agent_audit::readers
