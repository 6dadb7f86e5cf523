#include "readers/all.hpp"
#include "readers/cursor/cursor_prompt.hpp"
#include "readers/messages/conversation.hpp"

// Chats of Cursor's editor and of its command line, as rows of their databases.
//
//   {"row":"cursor.composer","composerId":"…","createdAt":1772445600000,"fullConversationHeadersOnly":[{"bubbleId":"…"}]}
//   {"row":"cursor.bubble","type":1,"text":"…"}
//   {"row":"cursor.bubble","type":2,"text":"…","toolFormerData":{"toolCallId":"c","name":"run_terminal_cmd",
//    "rawArgs":"{…}","status":"completed","result":"{…}"},"tokenCount":{"inputTokens":9,"outputTokens":4}}
//
//   {"row":"cursor.agent","agentId":"…","createdAt":1772445600000,"lastUsedModel":"…"}
//   {"row":"cursor.message","role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"Shell","args":{…}}]}

namespace agent_audit::readers {
namespace {

constexpr std::string_view kByName = "CallDynamicTool";
constexpr std::string_view kAnyModel = "default";  // whichever Cursor takes

struct Tool {
    std::string_view id, name, status, decision;
    CallArgs args;
    RawText result, error;
    bool seen = false;
};

/// A bubble, or a block of a message.
struct Piece {
    std::string_view type, id, model;
    RawText text, thinking;
    Tool tool;
    TokenCounts tokens;
    std::uint64_t opaque_bytes = 0;
    std::int64_t time_ms = kNoTime;
    int by = 0;  // 1 the human, 2 the model
};

/// What Cursor notes of a message beside it, under providerOptions.
struct Options {
    std::int64_t duration_ms = -1;
    bool told = false, failed = false, rejected = false, summary = false, reminder = false;
};

struct Row {
    std::string_view row, id, parent, role, model, status;
    RawText cwd;
    Options options;
    Piece bubble;
    Reused<Piece> pieces;  // blocks of a message, or bubbles inside an old composer
    std::int64_t time_ms = kNoTime;
    bool has_content = false, has_chat = false;
};

class Cursor final : public ConversationReader {
protected:
    LineFate read_object(json::object object) override {
        begin_again(row_, &Row::pieces);
        if (!read_fields<&Cursor::collect>(object)) return LineFate::malformed_json;
        if (row_.row == "cursor.composer" || row_.row == "cursor.agent") return session();
        if (row_.row == "cursor.bubble") return bubble(row_.bubble);
        if (row_.row != "cursor.message") return LineFate::unknown_kind;
        return row_.role.empty() || !row_.has_content ? LineFate::missing_field : message();
    }

private:
    bool collect(const char* key, json::value& v) {
        if (key_is(key, "row"))
            row_.row = raw_string(v);
        else if (key_is(key, "composerId") || key_is(key, "agentId"))
            row_.id = raw_string(v);
        else if (key_is(key, "role"))
            row_.role = raw_string(v);
        else if (key_is(key, "lastUsedModel") && is_string(v))
            row_.model = raw_string(v);
        else if (key_is(key, "lastUsedModel") || key_is(key, "modelConfig"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "modelName") || key_is(k, "model")) row_.model = raw_string(w);
                return true;
            });
        else if (key_is(key, "subagentInfo"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "parentAgentId") || key_is(k, "parentComposerId")) row_.parent = raw_string(w);
                return true;
            });
        else if (key_is(key, "workspaceIdentifier"))
            return each_field(v, [this](const char* k, json::value& uri) {
                return !key_is(k, "uri") || each_field(uri, [this](const char* part, json::value& path) {
                    if (key_is(part, "fsPath")) row_.cwd = text_of(raw_string(path));
                    return true;
                });
            });
        else if (key_is(key, "providerOptions"))
            return collect_options(v);
        else if (key_is(key, "fullConversationHeadersOnly"))
            return each_element(v, [this](json::value&) { return row_.has_chat = true; });
        else if (key_is(key, "conversation"))
            return each_element(v, [this](json::value& old) {
                row_.has_chat = true;
                Piece* piece = is_object(old) ? row_.pieces.next() : nullptr;
                return !piece ||
                       each_field(old, [&](const char* k, json::value& w) { return collect_bubble(k, w, *piece); });
            });
        else if (key_is(key, "content"))
            return collect_content(v);
        else
            return collect_bubble(key, v, row_.bubble);
        return true;
    }

    bool collect_bubble(const char* key, json::value& v, Piece& piece) {
        if (key_is(key, "type"))
            piece.by = static_cast<int>(std::min<std::uint64_t>(as_uint(v), 9));
        else if (key_is(key, "bubbleId") || key_is(key, "id"))
            piece.id = raw_string(v);
        else if (key_is(key, "text"))
            piece.text = text_of(raw_string(v));
        else if (key_is(key, "createdAt"))
            piece.time_ms = is_string(v) ? time_of(raw_string(v)) : unix_time(v);
        else if (key_is(key, "thinking")) {
            if (is_string(v)) piece.thinking = text_of(raw_string(v));
            return each_field(v, [&piece](const char* k, json::value& w) {
                if (key_is(k, "text")) piece.thinking = text_of(raw_string(w));
                if (key_is(k, "signature")) piece.opaque_bytes = raw_string(w).size();
                return true;
            });
        } else if (key_is(key, "tokenCount"))
            return each_field(v, [&piece](const char* k, json::value& w) {
                if (key_is(k, "inputTokens")) piece.tokens.input = as_uint(w);
                if (key_is(k, "outputTokens")) piece.tokens.output = as_uint(w);
                return true;
            });
        else if (key_is(key, "modelInfo"))
            return each_field(v, [&piece](const char* k, json::value& w) {
                if (key_is(k, "modelName")) piece.model = raw_string(w);
                return true;
            });
        else if (key_is(key, "toolFormerData")) {
            piece.tool.seen = is_object(v);
            return each_field(v, [&](const char* k, json::value& w) { return collect_tool(k, w, piece.tool); });
        }
        return true;
    }

    bool collect_tool(const char* key, json::value& v, Tool& tool) {
        if (key_is(key, "toolCallId"))
            tool.id = raw_string(v);
        else if (key_is(key, "name"))
            tool.name = raw_string(v);
        else if (key_is(key, "status"))
            tool.status = raw_string(v);
        else if (key_is(key, "userDecision"))
            tool.decision = raw_string(v);
        else if (key_is(key, "rawArgs") || key_is(key, "params")) {
            // Both say the same; the raw ones are what the model wrote.
            if (!is_null(v) && (key_is(key, "rawArgs") || tool.args.raw.empty())) tool.args = args_.digest_value({}, v);
        } else if (key_is(key, "result"))
            tool.result = any_text(v);
        else if (key_is(key, "error"))
            tool.error = any_text(v);
        return true;
    }

    bool collect_options(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            return !key_is(key, "cursor") || each_field(w, [this](const char* k, json::value& x) {
                if (key_is(k, "isSummary"))
                    row_.options.summary = is_true(x);
                else if (key_is(k, "loopReminder"))
                    row_.options.reminder = !is_null(x) && x.raw_json_token()[0] != 'f';
                else if (key_is(k, "highLevelToolCallResult"))
                    return each_field(x, [this](const char* f, json::value& y) {
                        if (key_is(f, "isError")) outcome(is_true(y));
                        return !key_is(f, "output") || collect_outcome(y);
                    });
                return true;
            });
        });
    }

    // Of a call by name, {"toolName":"…","namespace":"…","arguments":{…}}, it is the tool it names.
    bool collect_args(json::value& v, Tool& tool) {
        if (tool.name != kByName || !is_object(v)) {
            tool.args = args_.digest_value({}, v);
            return true;
        }
        return each_field(v, [this, &tool](const char* key, json::value& w) {
            if (key_is(key, "toolName"))
                tool.name = raw_string(w);
            else if (key_is(key, "arguments") && !is_null(w))
                tool.args = args_.digest_value({}, w);
            return true;
        });
    }

    void outcome(bool failed) {
        row_.options.told = true;
        row_.options.failed |= failed;
    }

    // {"success":{"executionTime":9,…},"isError":false}: the first key is how it ended.
    bool collect_outcome(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "isError"))
                outcome(is_true(w));
            else if (key_is(key, "rejected"))
                row_.options.rejected = !is_null(w);
            else if (key_is(key, "success") || key_is(key, "failure"))
                return each_field(w, [this](const char* k, json::value& x) {
                    if (key_is(k, "executionTime")) row_.options.duration_ms = as_int(x, -1);
                    return true;
                });
            return true;
        });
    }

    bool collect_content(json::value& v) {
        row_.has_content = !is_null(v);
        if (is_string(v)) {
            if (Piece* piece = row_.pieces.next()) {
                piece->type = "text";
                piece->text = text_of(raw_string(v));
            }
            return true;
        }
        return each_element(v, [this](json::value& block) {
            Piece* piece = is_object(block) ? row_.pieces.next() : nullptr;
            return !piece ||
                   each_field(block, [&](const char* k, json::value& w) { return collect_block(k, w, *piece); });
        });
    }

    bool collect_block(const char* key, json::value& v, Piece& piece) {
        if (key_is(key, "type"))
            piece.type = raw_string(v);
        else if (key_is(key, "text"))
            piece.text = text_of(raw_string(v));
        else if (key_is(key, "data"))
            piece.opaque_bytes = raw_string(v).size();
        else if (key_is(key, "toolCallId"))
            piece.tool.id = raw_string(v);
        else if (key_is(key, "toolName"))
            piece.tool.name = raw_string(v);
        else if (key_is(key, "providerOptions"))
            return each_field(v, [&piece](const char* k, json::value& w) {
                return !key_is(k, "cursor") || each_field(w, [&piece](const char* f, json::value& x) {
                    if (key_is(f, "modelName")) piece.model = raw_string(x);
                    return true;
                });
            });
        else if (key_is(key, "args") || key_is(key, "input")) {
            if (!is_null(v)) return collect_args(v, piece.tool);
        } else if (key_is(key, "result") || key_is(key, "output"))
            piece.tool.result = any_text(v);
        else if (key_is(key, "isError"))
            piece.tool.status = is_true(v) ? "error" : "";
        return true;
    }

    LineFate session() {
        if (row_.id.empty()) return LineFate::missing_field;
        if (row_.row == "cursor.composer" && !row_.has_chat) return LineFate::ignored_kind;  // a draft
        SessionStart start;
        start.session_id = text_of(row_.id);
        start.parent_session_id = text_of(row_.parent);
        start.sub_agent = sub_agent_ = !row_.parent.empty();
        start.cwd = row_.cwd;
        if (row_.model != kAnyModel) start.model = text_of(row_.model);
        model_ = id_hash(row_.model);
        begin_session(start, row_.bubble.time_ms);
        for (const Piece& piece : row_.pieces) bubble(piece);
        return LineFate::understood;
    }

    LineFate bubble(const Piece& piece) {
        if (piece.by == 0) return LineFate::missing_field;
        if (piece.by != 1 && piece.by != 2) return LineFate::unknown_kind;
        begin_message(piece.by == 2, piece.time_ms, piece.id);
        tell_model(piece.model);
        if (piece.by == 1) {
            user(piece.text);
            return LineFate::understood;
        }
        if (!piece.thinking.empty() || piece.opaque_bytes > 0) emit(Thinking{piece.thinking, piece.opaque_bytes});
        answer(piece.text);
        if (piece.tool.seen && !piece.tool.name.empty()) tool(piece.tool);
        if (piece.tokens.total() > 0) {
            Usage usage;
            usage.tokens = piece.tokens;
            emit(usage);
        }
        return LineFate::understood;
    }

    void tell_model(std::string_view model) {
        if (model.empty() || model == kAnyModel || id_hash(model) == model_) return;
        model_ = id_hash(model);
        ContextChange change;
        change.model = text_of(model);
        emit(change);
    }

    void user(RawText text) {
        const CursorPrompt prompt = split_cursor_prompt(text);
        if (!prompt.query.empty()) begin_turn();
        injected(Role::user, prompt.before);
        if (sub_agent_ && !prompt.query.empty())
            emit(Message{Role::user, Origin::agent, prompt.query, 0});
        else
            human(prompt.query);
        injected(Role::user, prompt.behind);
    }

    void tool(const Tool& tool) {
        emit(call_of(tool.id, tool.name, tool.args));
        ToolResult answer;
        answer.call_id = text_of(tool.id);
        answer.text = tool.error.empty() ? tool.result : tool.error;
        if (tool.decision == "rejected")
            answer.status = ResultStatus::denied;
        else if (tool.status == "cancelled")
            answer.status = ResultStatus::cancelled;
        else if (tool.status == "error")
            answer.status = ResultStatus::error;
        else if (tool.status != "completed")
            return;  // still under way when this was saved
        else
            settle(answer);
        emit(answer);
    }

    // Completed says that it ran; of commands the result, JSON in a text, holds the exit code.
    static void settle(ToolResult& result) {
        for (const std::string_view key : {R"(\"exitCodeV2\")", R"(\"exitCode\")"}) {
            result.exit_code = json_number_after(result.text.bytes, key);
            if (result.exit_code) break;
        }
        result.status = status_of(result.exit_code);
    }

    LineFate message() {
        const std::string_view role = row_.role;
        if (role != "user" && role != "assistant" && role != "tool" && role != "system") return LineFate::unknown_kind;
        begin_message(role == "assistant", row_.bubble.time_ms, {});  // the id of every answer is 1
        for (const Piece& piece : row_.pieces) block(piece, role);
        return LineFate::understood;
    }

    void tool_result(const Piece& piece) {
        ToolResult result;
        result.call_id = text_of(piece.tool.id);
        if (piece.tool.name != kByName) result.name = text_of(piece.tool.name);
        result.text = piece.tool.result;
        result.duration_ms = row_.options.duration_ms;
        // Of a command the code is its first line; further down it is somebody's words.
        constexpr std::string_view kCode = "Exit code: ";
        if (result.text.bytes.starts_with(kCode))
            result.exit_code = number_after(result.text.bytes.substr(0, kCode.size() + 11), kCode);
        const bool failed = row_.options.failed || piece.tool.status == "error";
        result.status = row_.options.rejected ? ResultStatus::denied
                        : result.exit_code    ? status_of(result.exit_code)
                        : failed              ? ResultStatus::error
                        : row_.options.told   ? ResultStatus::ok
                                              : ResultStatus::unknown;
        emit(result);
    }

    void summary(RawText text) {
        Compaction compaction;
        compaction.summary = text;
        emit(compaction);
    }

    void block(const Piece& piece, std::string_view role) {
        tell_model(piece.model);
        if (piece.type == "tool-call") {
            if (!piece.tool.name.empty()) emit(call_of(piece.tool.id, piece.tool.name, piece.tool.args));
        } else if (piece.type == "tool-result") {
            tool_result(piece);
        } else if (piece.type == "reasoning") {
            emit(Thinking{piece.text, 0});
        } else if (piece.type == "redacted-reasoning") {
            emit(Thinking{{}, piece.opaque_bytes});
        } else if (row_.options.summary) {
            if (!piece.text.empty()) summary(piece.text);
        } else if (role == "assistant") {
            answer(piece.text);
        } else if (role == "user" && row_.options.reminder) {
            injected(Role::user, piece.text);
        } else if (role == "user") {
            user(piece.text);
        } else {
            injected(Role::system, piece.text);
        }
    }

    Row row_;
    bool sub_agent_ = false;
    IdHash model_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    return std::ranges::any_of(sample, [](const ProbeRecord& r) { return r.text("row").starts_with("cursor."); })
               ? kCertain
               : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"composer, agent", "SessionStart; a composer without a conversation: ignored"},
    {"bubble, type 1", "TurnStart and Message (human), of what stands in <user_query>; in other tags: injected"},
    {"bubble, type 2", "Thinking, Message, ToolCall and ToolResult, Usage"},
    {"message, user", "as bubbles of type 1; Compaction when it is a summary"},
    {"message, assistant", "Message, Thinking and ToolCall, one a block"},
    {"message, tool", "ToolResult"},
    {"message, system", "Message (system)"},
};

}  // namespace

ReaderSpec cursor() {
    return {"cursor",
            "Cursor",
            "chats of the editor (state.vscdb) and of the command line (store.db): SQLite databases",
            Signal::tool_calls | Signal::tool_results | Signal::reasoning | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Cursor>()); }};
}

}  // namespace agent_audit::readers
