#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/kiro/kiro_command.hpp"

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
    RawText prompt, context, answer;
    std::string_view message_id;
    std::int64_t asked_ms = kNoTime, sent_ms = kNoTime;
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
        std::string_view id, cwd, model;
        RawText summary;
        bool has_history = false, has_id = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "conversation_id")) {
                has_id = true;
                id = raw_string(v);
            } else if (key_is(key, "cwd"))
                cwd = raw_string(v);
            else if (key_is(key, "history"))
                has_history = is_array(v);
            else if (key_is(key, "model_info"))
                return each_field(v, [&model](const char* k, json::value& w) {
                    if (key_is(k, "model_id")) model = raw_string(w);
                    return true;
                });
            else if (key_is(key, "latest_summary"))
                return collect_summary(v, summary);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!has_history) return has_id ? LineFate::missing_field : LineFate::unknown_kind;
        id_ = id;
        cwd_ = cwd;
        model_ = model;
        summary_ = summary;
        open_ = false;
        return stream_records(object);
    }

    LineFate end_document(json::object) override {
        open();
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        e_.clear();
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            if (key_is(key, "user")) return collect_user(v);
            if (key_is(key, "assistant")) return collect_assistant(v);
            if (!key_is(key, "request_metadata")) return true;
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "request_start_timestamp_ms")) e_.sent_ms = unix_time(w);
                return true;
            });
        });
        if (!whole) return LineFate::malformed_json;
        if (!e_.seen) return LineFate::missing_field;
        open();
        new_head(0, turn_).time_ms = e_.asked_ms;
        exchange();
        return LineFate::understood;
    }

private:
    // A text, or one with what is known of its request behind it.
    static bool collect_summary(json::value& v, RawText& summary) {
        if (is_string(v)) summary = text_of(raw_string(v));
        return each_element(v, [&summary](json::value& part) {
            if (is_string(part)) summary = text_of(raw_string(part));
            return true;
        });
    }

    bool collect_user(json::value& v) {
        e_.seen |= is_object(v);
        return each_field(v, [this](const char* key, json::value& content) {
            if (key_is(key, "timestamp") && is_string(content)) e_.asked_ms = time_of(raw_string(content));
            if (key_is(key, "additional_context")) e_.context = text_of(raw_string(content));
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
        start.model = text_of(model_);
        emit(start);
        if (!summary_.empty()) {  // of exchanges that are no longer there
            new_head();
            Compaction compaction;
            compaction.summary = summary_;
            emit(compaction);
        }
        head() = here;
    }

    void exchange() {
        for (const Result& result : e_.results) one_result(result);
        if (e_.has_prompt) {
            head().turn = ++turn_;
            emit(TurnStart{});
            if (!e_.context.empty()) emit(Message{Role::user, Origin::injected, e_.context, 0});
            emit(Message{Role::user, Origin::human, e_.prompt, 0});
        }
        if (e_.sent_ms != kNoTime) head().time_ms = e_.sent_ms;
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
        const bool json = result.text.form == TextForm::json_value;
        const KiroExit ended = json ? kiro_exit(result.text.bytes) : KiroExit{};
        result.exit_code = ended.code;
        result.status = e_.cancelled                          ? ResultStatus::denied
                        : r.status == "Error" || ended.failed ? ResultStatus::error
                        : r.status == "Success" || ended.code ? ResultStatus::ok
                                                              : ResultStatus::unknown;
        emit(result);
    }

    std::string_view id_, cwd_, model_;
    RawText summary_;
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
    {"{conversation_id, history}", "SessionStart and the exchanges; Compaction first, of what is no longer there"},
    {"user: Prompt", "TurnStart and Message (human); what hooks added: injected"},
    {"user: ToolUseResults", "ToolResult: status, for commands the exit status"},
    {"user: CancelledToolUses", "ToolResult (denied), then the prompt"},
    {"assistant: Response, ToolUse", "Message and ToolCall"},
};

}  // namespace

ReaderSpec kiro() {
    return {"kiro",
            "Kiro CLI, Amazon Q",
            "exported conversations, and their SQLite database",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::response_ids | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Kiro>()); },
            kStreams};
}

}  // namespace agent_audit::readers
