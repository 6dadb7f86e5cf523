#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/json/walk.hpp"

#include <algorithm>
#include <array>
#include <string>

// Sessions of CodeBuddy Code and WorkBuddy: events one a line, in the words of OpenAI's Agents SDK.
//
//   {"id":"…","parentId":"…","timestamp":1772355600000,"type":"message","role":"user","sessionId":"…","cwd":"/w",
//    "content":[{"type":"input_text","text":"…"}]}
//   {…"type":"reasoning","rawContent":[{"type":"reasoning_text","text":"…"}],"content":[],…}
//   {…"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"…"}],
//    "providerData":{"model":"…","agent":"…","messageId":"…","rawUsage":{"prompt_tokens":9,"completion_tokens":2,…}}}
//   {…"type":"function_call","name":"Read","callId":"…","arguments":"{…}","providerData":{"messageId":"…",…}}
//   {…"type":"function_call_result","name":"Read","callId":"…","status":"completed","output":{"type":"text","text":"…"}}
//   {"type":"topic","topic":"…"}, {"type":"file-history-snapshot","snapshot":{…}}
//
// All events of a response have its messageId, and those that end it repeat its usage. A call that failed is completed
// as well. A sub-agent has a file of its own, with its parent's sessionId: its prompt is a <teammate-message>. The
// agent "compact" sums up what was said.

namespace agent_audit::readers {
namespace {

// What stands in the user's place and is nobody's prompt.
constexpr std::array<std::string_view, 8> kInjected{
    "<system-reminder", "<local-command-",    "<command-message",         "<command-name",
    "<command-args",    "<task-notification", "<user-prompt-submit-hook", "<local-command-caveat"};

class CodeBuddy final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        if (!read_fields<&CodeBuddy::collect>(object)) return LineFate::malformed_json;
        if (line_.type.empty()) return LineFate::missing_field;
        if (line_.type == "topic" || line_.type == "file-history-snapshot") return LineFate::ignored_kind;
        return interpret();
    }

private:
    struct Line {
        std::string_view type, role, id, session, cwd, call_id, name, args, status, model, agent, message_id;
        Content content;
        RawText thought, output;
        TokenCounts tokens;
        std::uint64_t input = 0;
        std::int64_t time_ms = kNoTime;
        bool has_usage = false, compacts = false;
    };

    // ---- collecting -------------------------------------------------------------------------------------

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "type"))
            line_.type = raw_string(v);
        else if (key_is(key, "role"))
            line_.role = raw_string(v);
        else if (key_is(key, "id"))
            line_.id = raw_string(v);
        else if (key_is(key, "timestamp"))
            line_.time_ms = is_string(v) ? time_of(raw_string(v)) : unix_time(v);
        else if (key_is(key, "sessionId"))
            line_.session = raw_string(v);
        else if (key_is(key, "cwd"))
            line_.cwd = raw_string(v);
        else if (key_is(key, "callId"))
            line_.call_id = raw_string(v);
        else if (key_is(key, "name"))
            line_.name = raw_string(v);
        else if (key_is(key, "status"))
            line_.status = raw_string(v);
        else if (key_is(key, "arguments"))
            line_.args = is_string(v) ? token(v) : raw_value(v);
        else if (key_is(key, "content"))
            line_.content = read_content(v);
        else if (key_is(key, "rawContent"))
            line_.thought = read_content(v).text;
        else if (key_is(key, "output"))
            return collect_output(v);
        else if (key_is(key, "providerData"))
            return each_field(v, [this](const char* k, json::value& w) { return collect_provider(k, w); });
        else if (key_is(key, "message"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "model") && line_.model.empty()) line_.model = raw_string(w);
                return !key_is(k, "usage") || collect_usage(w);
            });
        return true;
    }

    bool collect_provider(const char* key, json::value& v) {
        if (key_is(key, "model") || (key_is(key, "requestModelId") && line_.model.empty()))
            line_.model = raw_string(v);
        else if (key_is(key, "agent"))
            line_.agent = raw_string(v);
        else if (key_is(key, "messageId"))
            line_.message_id = raw_string(v);
        else if (key_is(key, "isCompactInternal"))
            line_.compacts = is_true(v);
        else if (key_is(key, "rawUsage") || key_is(key, "usage"))
            return collect_usage(v);
        return true;
    }

    // A text, blocks, or {"type":"text","text":"…"}.
    bool collect_output(json::value& v) {
        if (!is_object(v)) {
            line_.output = is_array(v) ? read_content(v).text : any_text(v);
            return true;
        }
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "text")) line_.output = any_text(w);
            return true;
        });
    }

    // In the words of three makers. Cached tokens are a part of the input.
    bool collect_usage(json::value& v) {
        if (line_.has_usage || !is_object(v)) return true;
        std::uint64_t input = 0, read = 0, written = 0;
        TokenCounts t;
        const bool whole = each_field(v, [&](const char* key, json::value& n) {
            if (key_is(key, "prompt_tokens") || key_is(key, "input_tokens") || key_is(key, "inputTokens"))
                input = as_uint(n);
            else if (key_is(key, "completion_tokens") || key_is(key, "output_tokens") || key_is(key, "outputTokens"))
                t.output = as_uint(n);
            else if (key_is(key, "cache_read_input_tokens") || key_is(key, "cacheReadInputTokens") ||
                     key_is(key, "prompt_cache_hit_tokens") || key_is(key, "cached_tokens"))
                read = std::max(read, as_uint(n));
            else if (key_is(key, "cache_creation_input_tokens") || key_is(key, "cacheCreationInputTokens") ||
                     key_is(key, "prompt_cache_write_tokens"))
                written = std::max(written, as_uint(n));
            else if (key_is(key, "completion_thinking_tokens") || key_is(key, "completionThinkingTokens"))
                t.reasoning = as_uint(n);
            else if (is_object(n))
                return each_field(n, [&](const char* k, json::value& d) {
                    if (key_is(k, "cached_tokens")) read = std::max(read, as_uint(d));
                    if (key_is(k, "reasoning_tokens")) t.reasoning = as_uint(d);
                    return true;
                });
            return true;
        });
        t.input = read + written <= input ? input - read - written : input;
        t.cache_read = read;
        t.cache_write = written;
        t.reasoning = std::min(t.reasoning, t.output);
        line_.tokens = t;
        line_.has_usage = t.total() > 0;
        return whole;
    }

    // ---- telling ----------------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        const bool call = type == "function_call", result = type == "function_call_result";
        if (type == "message" ? line_.role.empty() : (call || result) && line_.call_id.empty())
            return LineFate::missing_field;
        if (type != "message" && type != "reasoning" && !call && !result) return LineFate::unknown_kind;
        if (call && line_.name.empty()) return LineFate::missing_field;
        open();
        begin();
        if (type == "message") return message();
        if (result) return tell_result();
        head().response = respond();
        if (call)
            tell_call();
        else if (!line_.thought.empty() && line_.agent != "compact")
            emit(Thinking{line_.thought, 0});
        bill();
        return LineFate::understood;
    }

    void open() {
        const IdHash session = id_hash(line_.session);
        if (open_ && (session == 0 || session == session_)) return;
        open_ = true;
        session_ = session;
        turn_ = 0;
        new_head().time_ms = line_.time_ms;
        SessionStart start;
        start.sub_agent = is_errand();
        (start.sub_agent ? start.parent_session_id : start.session_id) = text_of(line_.session);
        start.cwd = text_of(line_.cwd);
        start.model = text_of(line_.model);
        model_ = id_hash(line_.model);
        emit(start);
    }

    void begin() {
        EventHeader& h = new_head(0, turn_);
        h.time_ms = line_.time_ms;
        h.record_id = line_.id;
        if (line_.model.empty() || id_hash(line_.model) == model_) return;
        model_ = id_hash(line_.model);
        ContextChange change;
        change.model = text_of(line_.model);
        emit(change);
    }

    bool is_errand() const { return line_.role == "user" && line_.content.text.bytes.starts_with("<teammate-message"); }

    LineFate message() {
        const Content& said = line_.content;
        if (line_.role == "assistant") {
            head().response = respond();
            if (line_.agent == "compact")
                compacted();
            else if (!said.text.empty() || said.media > 0)
                emit(Message{Role::assistant, Origin::agent, said.text, said.media});
            bill();
            return LineFate::understood;
        }
        responding_ = false;
        if (line_.compacts) return LineFate::ignored_kind;  // asks for a summary
        if (line_.role == "user" && !starts_with_one_of(said.text.bytes, kInjected)) {
            head().turn = ++turn_;
            emit(TurnStart{});
            emit(Message{Role::user, is_errand() ? Origin::agent : Origin::human, said.text, said.media});
        } else if (line_.role == "user" || line_.role == "system") {
            emit(Message{line_.role == "user" ? Role::user : Role::system, Origin::injected, said.text, said.media});
        } else {
            return LineFate::unknown_kind;
        }
        return LineFate::understood;
    }

    void compacted() {
        Compaction compaction;
        compaction.summary = line_.content.text;
        emit(compaction);
    }

    // Without an id, what the model says between two inputs is one response.
    IdHash respond() {
        if (!line_.message_id.empty()) return id_hash(line_.message_id);
        if (!responding_) ++responses_;
        responding_ = true;
        return mix_hash(responses_, session_) | 1;
    }

    void tell_call() {
        const std::string_view raw = line_.args;
        CallArgs args;
        if (raw.size() >= 2 && raw.front() == '"')
            args = args_.digest_string({}, raw.substr(1, raw.size() - 2));
        else if (!raw.empty() && raw != "null")
            args = args_.digest_text({}, {raw, TextForm::json_value});
        emit(call_of(line_.call_id, line_.name, args));
    }

    LineFate tell_result() {
        responding_ = false;
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.name = text_of(line_.name);
        result.text = line_.output;
        if (!line_.status.empty() && line_.status != "completed") result.status = ResultStatus::error;
        emit(result);
        return LineFate::understood;
    }

    void bill() {
        if (!line_.has_usage) return;
        Usage usage;
        usage.tokens = line_.tokens;
        if (!line_.message_id.empty()) {
            usage.mode = UsageMode::replace;
            usage.message_key = id_hash(line_.message_id);
        }
        emit(usage);
    }

    Line line_;
    bool open_ = false, responding_ = false;
    IdHash session_ = 0, model_ = 0;
    std::uint64_t responses_ = 0;
    std::uint32_t turn_ = 0;
};

// ---- detection ------------------------------------------------------------------------------------------------------

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || !r.has("sessionId")) continue;
        const std::string_view type = r.text("type");
        if ((type == "function_call" || type == "function_call_result") && r.has("callId")) return kCertain;
        if (type == "reasoning" && r.has("rawContent")) return kCertain;
        if (type != "message" || r.text("role").empty()) continue;
        const auto content = r.raw("content");
        const bool blocks = content && (content->find("\"input_text\"") != content->npos ||
                                        content->find("\"output_text\"") != content->npos);
        if (blocks || r.has("providerData")) best = 98;
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"first record with a sessionId", "SessionStart; of a sub-agent where its prompt is a <teammate-message>"},
    {"message of a user", "TurnStart and Message (human); reminders and commands: Message (injected)"},
    {"message of the assistant, reasoning", "Message, Thinking; of the agent compact: Compaction"},
    {"function_call, function_call_result", "ToolCall, ToolResult"},
    {"providerData.model", "ContextChange"},
    {"providerData.rawUsage, usage, message.usage", "Usage, once a messageId"},
    {"topic, file-history-snapshot, what asks for a summary", "ignored"},
};

}  // namespace

ReaderSpec codebuddy() {
    return {"codebuddy",
            "CodeBuddy Code",
            "sessions of CodeBuddy Code and WorkBuddy, sub-agents' too",
            Signal::tool_calls | Signal::tool_results | Signal::token_usage | Signal::timestamps |
                Signal::response_ids | Signal::reasoning | Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CodeBuddy>()); }};
}

}  // namespace agent_audit::readers
