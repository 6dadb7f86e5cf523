#include "readers/all.hpp"
#include "readers/messages/conversation.hpp"
#include "readers/pi/openclaw_prompt.hpp"
#include "readers/pi/pi_result.hpp"

// The sidecar that OpenClaw writes beside a session: what was sent and what came back, with the whole conversation so
// far in every answer. Of that only the messages since the last answer are new.
//
//   {"traceSchema":"openclaw-trajectory","type":"session.started","ts":"…","seq":1,"sessionId":"…","modelId":"…","data":{}}
//   {…,"type":"prompt.submitted","data":{"prompt":"…"}}
//   {…,"type":"model.completed","data":{"usage":{"input":9,"output":4},"messagesSnapshot":[{"role":"assistant","content":[…]}]}}

namespace agent_audit::readers {
namespace {

struct Block {
    std::string_view type, id, name;
    RawText text;
    CallArgs args;
    std::uint64_t opaque_bytes = 0;
};

struct Said {
    std::string_view role, call_id, tool;
    std::size_t first = 0, count = 0;  // of its blocks
    bool is_error = false;
};

struct Line {
    std::string_view type, ts, session, workspace, model;
    RawText prompt, error, result;
    std::string_view call_id, name, status;
    CallArgs args;
    std::uint64_t system_bytes = 0;
    TokenCounts tokens;
    std::size_t messages = 0;  // in the snapshot, new or not
    Reused<Said> fresh;
    Reused<Block> blocks;
    Reused<Block> texts;
    bool traced = false, aborted = false, has_data = false, failed = false;
};

constexpr std::array<std::string_view, 5> kIgnored{"trace.artifacts", "trace.metadata", "session.ended",
                                                   "model.started", "trace.truncated"};

class Trajectory final : public ConversationReader {
protected:
    LineFate read_object(json::object object) override {
        begin_again(line_, &Line::fresh, &Line::blocks, &Line::texts);
        if (!read_fields<&Trajectory::collect>(object)) return LineFate::malformed_json;
        if (!line_.traced || line_.type.empty()) return LineFate::unknown_kind;
        return interpret();
    }

private:
    bool collect(const char* key, json::value& v) {
        if (key_is(key, "traceSchema"))
            line_.traced = is_string(v);
        else if (key_is(key, "type"))
            line_.type = raw_string(v);
        else if (key_is(key, "ts"))
            line_.ts = raw_string(v);
        else if (key_is(key, "sessionId"))
            line_.session = raw_string(v);
        else if (key_is(key, "workspaceDir"))
            line_.workspace = raw_string(v);
        else if (key_is(key, "modelId"))
            line_.model = raw_string(v);
        else if (key_is(key, "data")) {
            line_.has_data = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) { return collect_data(k, w); });
        }
        return true;
    }

    bool collect_data(const char* key, json::value& v) {
        if (key_is(key, "prompt"))
            line_.prompt = text_of(raw_string(v));
        else if (key_is(key, "systemPrompt"))
            line_.system_bytes += raw_string(v).size();
        else if (key_is(key, "tools"))
            line_.system_bytes += raw_value(v).size();
        else if (key_is(key, "aborted") || key_is(key, "timedOut"))
            line_.aborted |= is_true(v);
        else if (key_is(key, "promptError") || key_is(key, "error"))
            line_.error = any_text(v);
        else if (key_is(key, "usage"))
            return collect_usage(v);
        else if (key_is(key, "messagesSnapshot"))
            return each_element(v, [this](json::value& message) { return collect_message(message); });
        else if (key_is(key, "assistantTexts"))
            return each_element(v, [this](json::value& text) {
                Block* block = is_string(text) ? line_.texts.next() : nullptr;
                if (block) block->text = text_of(raw_string(text));
                return true;
            });
        else
            return collect_tool(key, v);
        return true;
    }

    bool collect_tool(const char* key, json::value& v) {
        if (key_is(key, "toolCallId") || key_is(key, "itemId"))
            line_.call_id = raw_string(v);
        else if (key_is(key, "name"))
            line_.name = raw_string(v);
        else if (key_is(key, "status"))
            line_.status = raw_string(v);
        else if (key_is(key, "isError") || key_is(key, "failed"))
            line_.failed |= is_true(v);
        else if (key_is(key, "arguments") || key_is(key, "args")) {
            if (!is_null(v)) line_.args = args_.digest_value({}, v);
        } else if (key_is(key, "result") || key_is(key, "output"))
            line_.result = any_text(v);
        return true;
    }

    bool collect_usage(json::value& v) {
        return each_field(v, [this](const char* key, json::value& n) {
            if (key_is(key, "input"))
                line_.tokens.input = as_uint(n);
            else if (key_is(key, "output"))
                line_.tokens.output = as_uint(n);
            else if (key_is(key, "cacheRead"))
                line_.tokens.cache_read = as_uint(n);
            else if (key_is(key, "cacheWrite"))
                line_.tokens.cache_write = as_uint(n);
            return true;
        });
    }

    bool collect_message(json::value& v) {
        if (line_.messages++ < known_messages_) return true;
        Said* message = is_object(v) ? line_.fresh.next() : nullptr;
        if (!message) return true;
        message->first = line_.blocks.size();
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "role"))
                message->role = raw_string(w);
            else if (key_is(key, "toolCallId"))
                message->call_id = raw_string(w);
            else if (key_is(key, "toolName"))
                message->tool = raw_string(w);
            else if (key_is(key, "isError"))
                message->is_error = is_true(w);
            else if (key_is(key, "content"))
                return collect_content(w);
            return true;
        });
        message->count = line_.blocks.size() - message->first;
        return whole;
    }

    bool collect_content(json::value& v) {
        if (is_string(v)) {
            if (Block* block = line_.blocks.next()) {
                block->type = "text";
                block->text = text_of(raw_string(v));
            }
            return true;
        }
        return each_element(v, [this](json::value& element) {
            Block* block = is_object(element) ? line_.blocks.next() : nullptr;
            return !block || each_field(element, [block, this](const char* key, json::value& w) {
                if (key_is(key, "type"))
                    block->type = raw_string(w);
                else if (key_is(key, "id"))
                    block->id = raw_string(w);
                else if (key_is(key, "name"))
                    block->name = raw_string(w);
                else if (key_is(key, "text") || key_is(key, "thinking"))
                    block->text = text_of(raw_string(w));
                else if (key_is(key, "thinkingSignature"))
                    block->opaque_bytes = raw_string(w).size();
                else if (key_is(key, "arguments") && !is_null(w))
                    block->args = args_.digest_value({}, w);
                return true;
            });
        });
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (is_one_of(type, kIgnored)) return LineFate::ignored_kind;
        const IdHash session = id_hash(line_.session);
        if (session != session_ || !open_) open(session);
        if (type == "session.started" || type == "session") return LineFate::understood;
        if (!line_.has_data) return LineFate::missing_field;
        if (type == "context.compiled") return context();
        begin_message(type == "model.completed", time_of(line_.ts), {});
        if (type == "prompt.submitted") {
            called_ = false;
            prompt();
            return line_.prompt.empty() ? LineFate::missing_field : LineFate::understood;
        }
        if (type == "tool.call") return call();
        if (type == "tool.result") return result();
        return type == "model.completed" ? completed() : LineFate::unknown_kind;
    }

    void open(IdHash session) {
        open_ = true;
        session_ = session;
        known_messages_ = 0;
        called_ = false;
        SessionStart start;
        start.session_id = text_of(line_.session);
        start.cwd = text_of(line_.workspace);
        start.model = text_of(line_.model);
        begin_session(start, time_of(line_.ts));
    }

    LineFate context() {
        if (line_.system_bytes == known_system_) return LineFate::understood;
        known_system_ = line_.system_bytes;
        begin_message(false, time_of(line_.ts), {});
        ContextChange change;
        change.system_prompt_bytes = line_.system_bytes;
        emit(change);
        return LineFate::understood;
    }

    void prompt() {
        const auto [notices, text] = split_gateway_prompt(line_.prompt.bytes);
        if (text.empty() || gateway_wrote(text)) return injected(Role::user, line_.prompt);
        injected(Role::user, {notices, line_.prompt.form});
        human({text, line_.prompt.form});
    }

    LineFate call() {
        if (line_.name.empty()) return LineFate::missing_field;
        called_ = true;
        emit(call_of(line_.call_id, line_.name, line_.args));
        return LineFate::understood;
    }

    LineFate result() {
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.name = text_of(line_.name);
        result.text = line_.error.empty() ? line_.result : line_.error;
        const bool failed = line_.failed || line_.status == "failed" || line_.status == "error" || !line_.error.empty();
        result.status = failed ? ResultStatus::error : ResultStatus::ok;
        emit(result);
        return LineFate::understood;
    }

    LineFate completed() {
        for (const Said& message : line_.fresh) one_message(message);
        if (line_.messages == 0)
            for (const Block& text : line_.texts) answer(text.text);
        known_messages_ = line_.messages;  // fewer than before: the conversation was compacted
        if (line_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = line_.tokens;
            usage.model = text_of(line_.model);
            emit(usage);
        }
        if (!line_.error.empty()) {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "promptError", line_.error));
            emit(TurnEnd{TurnStatus::failed, -1});
        } else if (line_.aborted) {
            emit(TurnEnd{TurnStatus::aborted, -1});
        }
        return LineFate::understood;
    }

    // Prompts were told when they were submitted, calls perhaps when they were made.
    void one_message(const Said& message) {
        if (message.role == "toolResult" && !called_) {
            ToolResult result;
            result.call_id = text_of(message.call_id);
            result.name = text_of(message.tool);
            for (std::size_t i = 0; i < message.count; ++i) result.text = line_.blocks[message.first + i].text;
            result.exit_code = pi_exit_code(result.text.bytes);
            const bool failed = message.is_error || result.exit_code.value_or(0) != 0;
            result.status = failed ? ResultStatus::error : ResultStatus::ok;
            emit(result);
        }
        if (message.role != "assistant") return;
        for (std::size_t i = 0; i < message.count; ++i) {
            const Block& block = line_.blocks[message.first + i];
            if (block.type == "text")
                answer(block.text);
            else if (block.type == "thinking" && (!block.text.empty() || block.opaque_bytes > 0))
                emit(Thinking{block.text, block.opaque_bytes});
            else if (block.type == "toolCall" && !called_ && !block.name.empty())
                emit(call_of(block.id, block.name, block.args));
        }
    }

    Line line_;
    IdHash session_ = 0;
    std::size_t known_messages_ = 0;
    std::uint64_t known_system_ = 0;
    bool open_ = false, called_ = false;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    return std::ranges::any_of(sample,
                               [](const ProbeRecord& r) { return r.text("traceSchema") == "openclaw-trajectory"; })
               ? kCertain
               : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"session.started", "SessionStart"},
    {"context.compiled", "ContextChange (prompt size), when it differs"},
    {"prompt.submitted", "TurnStart and Message (human, without the envelope around it), or Message (injected)"},
    {"model.completed",
     "Message, Thinking, ToolCall and ToolResult of the messages that are new; Usage; Notice and "
     "TurnEnd when it failed or was cut off"},
    {"tool.call, tool.result", "ToolCall, ToolResult; then those of the answer are not told again"},
    {"trace.artifacts, trace.metadata, model.started, session.ended", "ignored"},
};

}  // namespace

ReaderSpec openclaw_trajectory() {
    return {"openclaw-trajectory",
            "OpenClaw",
            "trajectory files beside its sessions, for when the session itself is missing",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Trajectory>()); }};
}

}  // namespace agent_audit::readers
