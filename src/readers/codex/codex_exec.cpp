#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>

// What `codex exec --json` prints: thread, turn and item events, one a line. An item is announced by item.started
// and comes again, whole, as item.completed. The prompt is not printed, nor are times.

namespace agent_audit::readers {
namespace {

struct Item {
    std::string_view id, type, text, status, tool, server, message;
    std::string_view command, query, prompt;
    std::string_view arguments, changes, result;  // raw JSON
    std::string_view output;
    std::string_view error;
    std::optional<int> exit_code;
    bool seen = false;
};

struct Line {
    std::string_view type, thread, message, error, time;
    Item item;
    TokenCounts usage;
    bool has_usage = false;
};

constexpr std::array<std::string_view, 8> kTypes{"error",          "item.completed", "item.started", "item.updated",
                                                 "thread.started", "turn.completed", "turn.failed",  "turn.started"};

// Before a request is sent again.
constexpr std::string_view kRetry = "Reconnecting...";

class CodexExec final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        if (!collect(object)) return LineFate::malformed_json;
        if (line_.type.empty()) return LineFate::missing_field;
        new_head(0, turn_).time_ms = time_ms(line_.time);
        return interpret();
    }

private:
    bool collect(json::object object) {
        return each_field(object, [this](const char* key, json::value& v) {
            if (key_is(key, "type"))
                line_.type = raw_string(v);
            else if (key_is(key, "thread_id"))
                line_.thread = raw_string(v);
            else if (key_is(key, "timestamp"))
                line_.time = raw_string(v);
            else if (key_is(key, "message"))
                line_.message = raw_string(v);
            else if (key_is(key, "error"))
                return collect_error(v, line_.error);
            else if (key_is(key, "usage"))
                return collect_usage(v);
            else if (key_is(key, "item")) {
                line_.item.seen = is_object(v);
                return each_field(
                    v, [this](const char* k, json::value& w) { return collect_item_field(k, w, line_.item); });
            }
            return true;
        });
    }

    // {"message": "…"} or the text itself.
    static bool collect_error(json::value& v, std::string_view& out) {
        if (is_string(v)) out = raw_string(v);
        return each_field(v, [&out](const char* key, json::value& w) {
            if (key_is(key, "message")) out = raw_string(w);
            return true;
        });
    }

    bool collect_usage(json::value& v) {
        line_.has_usage = is_object(v);
        std::uint64_t input = 0, cached = 0, written = 0;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "input_tokens"))
                input = as_uint(w);
            else if (key_is(key, "cached_input_tokens"))
                cached = as_uint(w);
            else if (key_is(key, "cache_write_input_tokens"))
                written = as_uint(w);
            else if (key_is(key, "output_tokens"))
                line_.usage.output = as_uint(w);
            else if (key_is(key, "reasoning_output_tokens"))
                line_.usage.reasoning = as_uint(w);
            return true;
        });
        line_.usage.cache_read = std::min(cached, input);
        line_.usage.cache_write = std::min(written, input - line_.usage.cache_read);
        line_.usage.input = input - line_.usage.cache_read - line_.usage.cache_write;
        return whole;
    }

    static bool collect_item_field(const char* key, json::value& v, Item& item) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "aggregated_output"))
                    item.output = raw_string(v);
                else if (key_is(key, "arguments"))
                    item.arguments = raw_value(v);
                break;
            case 'c':
                if (key_is(key, "command"))
                    item.command = raw_string(v);
                else if (key_is(key, "changes"))
                    item.changes = raw_value(v);
                break;
            case 'e':
                if (key_is(key, "error")) return collect_error(v, item.error);
                if (key_is(key, "exit_code")) {
                    const std::int64_t code = as_int(v, INT64_MIN);
                    if (code >= INT32_MIN && code <= INT32_MAX) item.exit_code = static_cast<int>(code);
                }
                break;
            case 'i':
                if (key_is(key, "id"))
                    item.id = raw_string(v);
                else if (key_is(key, "item_type") && item.type.empty())
                    item.type = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "message")) item.message = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "prompt")) item.prompt = raw_string(v);
                break;
            case 'q':
                if (key_is(key, "query")) item.query = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "result")) item.result = raw_value(v);
                break;
            case 's':
                if (key_is(key, "status"))
                    item.status = raw_string(v);
                else if (key_is(key, "server"))
                    item.server = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    item.type = raw_string(v);
                else if (key_is(key, "text"))
                    item.text = raw_string(v);
                else if (key_is(key, "tool"))
                    item.tool = raw_string(v);
                break;
            default: break;
        }
        return true;
    }

    LineFate interpret() {
        if (line_.type == "item.started" || line_.type == "item.completed" || line_.type == "item.updated") {
            if (!line_.item.seen || line_.item.type.empty()) return LineFate::missing_field;
            head().record_id = line_.item.id;
            if (line_.type == "item.completed") return completed();
            return line_.type == "item.started" ? started() : LineFate::ignored_kind;
        }
        if (line_.type == "thread.started") return thread_started();
        if (line_.type == "turn.started") {
            head().turn = ++turn_;
            emit(TurnStart{});
            return LineFate::understood;
        }
        if (line_.type == "turn.completed") return turn_completed();
        if (line_.type == "turn.failed") {
            // What was printed as an error just before.
            if (!line_.error.empty() && id_hash(line_.error) != std::exchange(error_, 0))
                notice(NoticeLayer::provider, NoticeLevel::error, line_.error);
            emit(TurnEnd{TurnStatus::failed, -1});
            return LineFate::understood;
        }
        if (line_.type == "error") {
            const std::string_view text = line_.message.empty() ? line_.error : line_.message;
            if (text.empty()) return LineFate::missing_field;
            error_ = id_hash(text);
            notice(NoticeLayer::provider, text.starts_with(kRetry) ? NoticeLevel::warning : NoticeLevel::error, text);
            return LineFate::understood;
        }
        return LineFate::unknown_kind;
    }

    void notice(NoticeLayer layer, NoticeLevel level, std::string_view text) {
        Notice n;
        n.level = level;
        n.layer = layer;
        n.text = text_of(text);
        emit(n);
    }

    LineFate thread_started() {
        if (line_.thread.empty()) return LineFate::missing_field;
        const IdHash id = id_hash(line_.thread);
        SessionStart start;
        start.session_id = text_of(line_.thread);
        start.resumed = id == thread_;
        if (!start.resumed) {
            turn_ = 0;
            head().turn = 0;
        }
        thread_ = id;
        emit(start);
        return LineFate::understood;
    }

    // Named "usage of the turn", but filled from the totals of the thread: the second turn reports both.
    LineFate turn_completed() {
        if (line_.has_usage) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.mode = UsageMode::cumulative;
            usage.tokens = line_.usage;
            emit(usage);
        }
        emit(TurnEnd{TurnStatus::completed, -1});
        return LineFate::understood;
    }

    LineFate started() {
        if (!is_call()) return LineFate::ignored_kind;
        // What a search looks for, and what a patch changes, is known in the end only.
        if (line_.item.type == "web_search" || line_.item.type == "file_change") return LineFate::ignored_kind;
        if (!emit_call()) return LineFate::missing_field;
        open(id_hash(line_.item.id));
        return LineFate::understood;
    }

    LineFate completed() {
        const Item& item = line_.item;
        if (item.type == "agent_message" || item.type == "assistant_message") {
            emit(Message{Role::assistant, Origin::agent, text_of(item.text), 0});
            return LineFate::understood;
        }
        if (item.type == "reasoning") {
            emit(Thinking{text_of(item.text), 0});
            return LineFate::understood;
        }
        if (item.type == "error") {  // what the program itself warns of; the service fails the turn
            if (item.message.empty()) return LineFate::missing_field;
            notice(NoticeLayer::harness, NoticeLevel::warning, item.message);
            return LineFate::understood;
        }
        if (item.type == "todo_list") return LineFate::ignored_kind;
        if (!is_call()) return LineFate::unknown_kind;
        if (!close(id_hash(item.id)) && !emit_call()) return LineFate::missing_field;
        emit_result();
        return LineFate::understood;
    }

    bool is_call() const {
        const std::string_view type = line_.item.type;
        return type == "command_execution" || type == "mcp_tool_call" || type == "file_change" ||
               type == "web_search" || type == "collab_tool_call";
    }

    bool emit_call() {
        const Item& item = line_.item;
        ToolCall call;
        call.call_id = text_of(item.id);
        CallArgs args;
        if (item.type == "command_execution") {
            call.name = plain("command_execution");
            if (item.command.empty()) return false;
            args = args_.digest_text(call.name.bytes, text_of(item.command));
        } else if (item.type == "web_search") {
            call.name = plain("web_search");
            args = args_.digest_text(call.name.bytes, text_of(item.query));
        } else if (item.type == "file_change") {
            call.name = plain("file_change");
            args = digest(call.name.bytes, item.changes);
        } else {
            if (item.tool.empty()) return false;
            call.name = text_of(item.tool);
            args = item.type == "collab_tool_call" ? args_.digest_text(item.tool, text_of(item.prompt))
                                                   : digest(item.tool, item.arguments);
            if (!item.server.empty()) {
                args.digest.canonical = mix_hash(args.digest.canonical, stable_hash(item.server));
                call.name = text_of(server_tool(item.server, item.tool, name_));
            }
        }
        call.args = args.raw;
        call.primary = args.primary;
        call.digest = args.digest;
        // Only the paths of a change are printed: two changes of one file look the same and need not be.
        if (item.type == "file_change") call.digest.opaque = true;
        emit(call);
        return true;
    }

    CallArgs digest(std::string_view tool, std::string_view raw) {
        if (raw.empty() || raw[0] == 'n') {
            CallArgs none = ArgsDigester::digest_none(tool);
            none.digest.opaque = raw.empty();
            return none;
        }
        json::document doc;
        json::value value;
        if (raw[0] == '"') return args_.digest_string(tool, raw.size() >= 2 ? raw.substr(1, raw.size() - 2) : raw);
        // Behind the value is the rest of the record: the parser's padding.
        if (raw[0] == '{' &&
            !again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
            !doc.get_value().get(value)) {
            return args_.digest_value(tool, value);
        }
        return args_.digest_text(tool, {raw, TextForm::json_value});
    }

    void emit_result() {
        const Item& item = line_.item;
        ToolResult result;
        result.call_id = text_of(item.id);
        result.exit_code = item.exit_code;
        if (item.status == "completed")
            result.status = ResultStatus::ok;
        else if (item.status == "failed")
            result.status = ResultStatus::error;
        else if (item.status == "declined")
            result.status = ResultStatus::denied;
        else if (item.status == "in_progress")
            result.status = ResultStatus::running;
        if (item.exit_code && *item.exit_code != 0) result.status = ResultStatus::error;
        if (item.type == "command_execution") {
            result.text = text_of(item.output);
        } else if (!item.error.empty()) {
            result.text = text_of(item.error);
            result.status = ResultStatus::error;
        } else if (item.type == "mcp_tool_call" && !item.result.empty() && item.result[0] != 'n') {
            answer_of_server(item.result, result);
        } else {
            result.opaque = true;  // searches, patches and agents print no result
            if (item.status.empty()) result.status = ResultStatus::ok;
        }
        emit(result);
    }

    // {"content":[blocks],"structured_content":null}; pictures among the blocks are no text.
    void answer_of_server(std::string_view raw, ToolResult& result) {
        result.text = {raw, TextForm::json_value};
        json::document doc;
        json::object object;
        Content content;
        if (again_.iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object))
            return;
        each_field(object, [&content](const char* key, json::value& v) {
            if (key_is(key, "content") && is_array(v)) content = read_content(v);
            return true;
        });
        if (content.media == 0) return;
        result.text = content.text;
        result.media_count = content.media;
        result.media_hash = content.media_hash;
        result.opaque = content.text.empty();
    }

    // Ids count from item_0 in every process, so only the calls still open are remembered.
    void open(IdHash id) {
        open_[next_open_] = id;
        next_open_ = (next_open_ + 1) % open_.size();
    }
    bool close(IdHash id) {
        const auto found = std::ranges::find(open_, id);
        if (id == 0 || found == open_.end()) return false;
        *found = 0;
        return true;
    }

    Line line_;
    IdHash thread_ = 0;
    IdHash error_ = 0;  // told last
    std::uint32_t turn_ = 0;
    std::array<IdHash, 64> open_{};
    std::size_t next_open_ = 0;
    std::string name_;  // of a server's tool
    json::parser again_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || r.has("payload")) continue;
        const std::string_view type = r.text("type");
        if (std::ranges::find(kTypes, type) == kTypes.end()) continue;
        if (type == "thread.started" && !r.text("thread_id").empty()) return kCertain;
        const auto item = r.raw("item");
        if (type.starts_with("item.") && item && item->front() == '{') best = std::max(best, 90);
        if (type.starts_with("turn.")) best = std::max(best, 60);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"thread.started", "SessionStart (resumed when the thread comes again)"},
    {"turn.started", "TurnStart"},
    {"turn.completed", "Usage (running totals of the thread), TurnEnd"},
    {"turn.failed", "Notice and TurnEnd (failed)"},
    {"error", "Notice (provider; a warning where the request is sent again)"},
    {"item: agent_message, reasoning", "Message, Thinking"},
    {"item: command_execution, mcp_tool_call, collab_tool_call", "ToolCall when started, ToolResult when completed"},
    {"item: file_change, web_search", "ToolCall and ToolResult when completed"},
    {"item: error", "Notice (harness, warning)"},
    {"item: todo_list; item.updated", "ignored"},
};

}  // namespace

ReaderSpec codex_exec() {
    return {"codex-exec",
            "OpenAI Codex CLI",
            "what codex exec --json prints",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::reasoning,
            kKinds,
            score,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<CodexExec>(); }};
}

}  // namespace agent_audit::readers
