#include "readers/all.hpp"
#include "readers/cline/cline_request.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"

#include <array>
#include <string>

// What Cline and Roo Code showed in their panel, ui_messages.json. Older versions keep usage nowhere else:
//
//   [{"ts":…,"type":"say","say":"task","text":"…"},
//    {"ts":…,"type":"say","say":"api_req_started","text":"{\"tokensIn\":…,\"tokensOut\":…,\"cacheReads\":…,\"cost\":…}"},
//    {"ts":…,"type":"ask","ask":"tool","text":"{\"tool\":\"readFile\",\"path\":\"…\"}","partial":false},
//    {"ts":…,"type":"ask","ask":"command","text":"…"},{"ts":…,"type":"say","say":"command_output","text":"…"}]

namespace agent_audit::readers {
namespace {

struct Entry {
    std::string_view type, said, text;
    RawText summary;
    std::uint64_t tokens_before = 0, tokens_after = 0;
    double cost_usd = 0;  // of a summary
    std::int64_t time_ms = kNoTime;
    bool partial = false;
};

// Ask and say entries that tell nothing of the conversation: what the panel asks, and states of the program.
constexpr std::array kIgnored = std::to_array<std::string_view>({"api_req_deleted",
                                                                 "api_req_finished",
                                                                 "api_req_failed",
                                                                 "api_req_rate_limit_wait",
                                                                 "api_req_rate_limited",
                                                                 "auto_approval_max_req_reached",
                                                                 "browser_action_result",
                                                                 "browser_session_status",
                                                                 "checkpoint_created",
                                                                 "checkpoint_restore",
                                                                 "checkpoint_saved",
                                                                 "codebase_search_result",
                                                                 "condense",
                                                                 "conditional_rules_applied",
                                                                 "deleted_api_reqs",
                                                                 "finishTask",
                                                                 "hook_output_stream",
                                                                 "hook_status",
                                                                 "image",
                                                                 "info",
                                                                 "invalid_model",
                                                                 "load_mcp_documentation",
                                                                 "mcp_notification",
                                                                 "mcp_server_request_started",
                                                                 "new_task",
                                                                 "new_task_started",
                                                                 "payment_required_prompt",
                                                                 "report_bug",
                                                                 "resume_completed_task",
                                                                 "resume_task",
                                                                 "shell_integration_warning",
                                                                 "shell_integration_warning_with_suggestion",
                                                                 "subagent",
                                                                 "subtask_result",
                                                                 "summarize_task",
                                                                 "task_progress",
                                                                 "user_edit_todos"});

constexpr std::array kSaid = std::to_array<std::string_view>(
    {"act_mode_respond", "completion_result", "followup", "plan_completion_result", "plan_mode_respond", "text"});

constexpr std::array kErrors =
    std::to_array<std::string_view>({"clineignore_error", "command_permission_denied", "condense_context_error",
                                     "diff_error", "error", "rooignore_error"});

class ClineUi final : public JsonReader {
public:
    void use(const CallIdentity& identity) override {
        JsonReader::use(identity);
        inner_args_.use(identity);
    }

protected:
    LineFate read_object(json::object object) override {
        e_ = Entry{};
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (key_is(key, "type"))
                e_.type = raw_string(v);
            else if (key_is(key, "say") || key_is(key, "ask"))
                e_.said = raw_string(v);
            else if (key_is(key, "text"))
                e_.text = raw_string(v);
            else if (key_is(key, "ts"))
                e_.time_ms = unix_time(v);
            else if (key_is(key, "partial"))
                e_.partial = is_true(v);
            else if (key_is(key, "contextCondense") || key_is(key, "contextTruncation"))
                return collect_compaction(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (e_.type != "say" && e_.type != "ask") return LineFate::unknown_kind;
        if (e_.said.empty()) return LineFate::missing_field;
        if (e_.partial) return LineFate::ignored_kind;
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = e_.time_ms;
        h.response = response_;
        return show();
    }

    LineFate read_array(json::array array) override {
        return read_each(array, [this](json::object object) { return read_object(object); });
    }

private:
    void open() {
        if (std::exchange(open_, true)) return;
        new_head().time_ms = e_.time_ms;
        emit(SessionStart{});
    }

    LineFate show() {
        const std::string_view said = e_.said;
        const RawText text = text_of(e_.text);
        if (said == "task" || said == "user_feedback" || said == "user_feedback_diff") return human(text);
        if (said == "api_req_started") return request();
        if (said == "tool") return tool();
        if (said == "command") return command("execute_command", text);
        if (said == "use_mcp_server" || said == "use_mcp_tool") return structured("use_mcp_tool", "toolName");
        if (said == "browser_action") return structured("browser_action", "");
        if (said == "browser_action_launch") return command("browser_action", text);
        if (said == "command_output" || said == "mcp_server_response") return output(text);
        if (is_one_of(said, kErrors)) return error(text);
        if (said == "api_req_retried" || said == "api_req_retry_delayed" || said == "mistake_limit_reached") {
            const bool provider = said.starts_with("api");
            emit(notice_of(provider ? NoticeLayer::provider : NoticeLayer::harness, NoticeLevel::warning, said, text));
            return LineFate::understood;
        }
        if (said == "use_subagents") return structured("use_subagents", "");
        if (said == "subagent_usage") return spent_beside();
        if (said == "compaction") return compaction();
        if (said == "condense_context" || said == "sliding_window_truncation") {
            return compacted(said == "condense_context" ? CompactionKind::summary : CompactionKind::truncate);
        }
        if (said == "reasoning") {
            emit(Thinking{text, 0});
            return LineFate::understood;
        }
        if (is_one_of(said, kSaid)) {
            if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, 0});
            return LineFate::understood;
        }
        return is_one_of(said, kIgnored) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    LineFate human(RawText text) {
        close();
        head().turn = ++turn_;
        head().response = 0;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, text, 0});
        return LineFate::understood;
    }

    // Every request shows one of these, completed with its figures when it is over.
    LineFate request() {
        close();
        head().response = response_ = ++responses_ | std::uint64_t{1} << 63;
        ClineRequest request;
        if (!inner_.read(e_.text, request)) return LineFate::understood;
        Usage usage;
        usage.tokens = request.tokens;
        if (request.cost_microusd > 0) usage.cost_microusd = request.cost_microusd;
        if (request.has_figures()) emit(usage);
        if (request.cancelled) emit(TurnEnd{TurnStatus::aborted, -1});
        return LineFate::understood;
    }

    // What the agents that work for this one used up.
    LineFate spent_beside() {
        ClineRequest request;
        if (!inner_.read(e_.text, request) || !request.has_figures()) return LineFate::ignored_kind;
        Usage usage;
        usage.scope = UsageScope::session;
        usage.tokens = request.tokens;
        if (request.cost_microusd > 0) usage.cost_microusd = request.cost_microusd;
        emit(usage);
        return LineFate::understood;
    }

    bool collect_compaction(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "summary"))
                e_.summary = text_of(raw_string(w));
            else if (key_is(key, "prevContextTokens"))
                e_.tokens_before = as_uint(w);
            else if (key_is(key, "newContextTokens"))
                e_.tokens_after = as_uint(w);
            else if (key_is(key, "cost"))
                e_.cost_usd = number_or(w, 0);
            return true;
        });
    }

    LineFate compacted(CompactionKind kind) {
        Compaction compaction;
        compaction.kind = kind;
        compaction.summary = e_.summary;
        if (e_.tokens_before > 0) compaction.tokens_before = e_.tokens_before;
        if (e_.tokens_after > 0) compaction.tokens_after = e_.tokens_after;
        if (const std::uint64_t cost = microusd(e_.cost_usd); cost > 0) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.cost_microusd = cost;
            emit(usage);
        }
        emit(compaction);
        return LineFate::understood;
    }

    // A line across the panel that is written anew until the context is compacted, or is not.
    LineFate compaction() {
        json::object object;
        if (!parse(object)) return LineFate::missing_field;
        Compaction compaction;
        std::string_view status;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "status"))
                status = raw_string(v);
            else if (key_is(key, "mode"))
                compaction.trigger =
                    raw_string(v) == "manual" ? CompactionTrigger::manual : CompactionTrigger::automatic;
            else if (key_is(key, "tokensBefore"))
                compaction.tokens_before = as_uint(v);
            else if (key_is(key, "tokensAfter"))
                compaction.tokens_after = as_uint(v);
            return true;
        });
        if (!whole || status != "completed") return LineFate::ignored_kind;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate tool() { return structured("tool", "tool"); }

    // The text is an object: the arguments, and under `name_key` the name of the tool.
    LineFate structured(std::string_view name, const std::string& name_key) {
        close();
        json::object object;
        if (!parse(object)) return command(name, text_of(e_.text));
        std::string_view found;
        bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (!name_key.empty() && key_text(key) == name_key) found = raw_string(v);
            return true;
        });
        whole = whole && !object.reset().error();
        const CallArgs args = whole ? inner_args_.digest_object({}, object) : CallArgs{};
        emit(call_of({}, found.empty() ? name : found, args));
        called_ = true;
        return LineFate::understood;
    }

    LineFate command(std::string_view name, RawText text) {
        close();
        emit(call_of({}, name, inner_args_.digest_text({}, text)));
        called_ = true;
        return LineFate::understood;
    }

    // What comes after the first piece has no call left to belong to.
    LineFate output(RawText text) {
        if (!std::exchange(called_, false)) return LineFate::ignored_kind;
        ToolResult result;
        result.text = text;
        emit(result);
        return LineFate::understood;
    }

    LineFate error(RawText text) {
        if (!called_) {
            emit(notice_of(NoticeLayer::harness, NoticeLevel::error, e_.said, text));
            return LineFate::understood;
        }
        called_ = false;
        ToolResult result;
        result.text = text;
        result.status = ResultStatus::error;
        emit(result);
        return LineFate::understood;
    }

    // The panel does not show what most tools gave back.
    void close() {
        if (!std::exchange(called_, false)) return;
        ToolResult result;
        result.status = ResultStatus::ok;
        result.opaque = true;
        const auto flags = head().flags;
        head().flags |= kSynthetic;
        emit(result);
        head().flags = flags;
    }

    bool parse(json::object& object) {
        inner_args_.clear();
        return inner_.parse(e_.text, object);
    }

    Entry e_;
    ClineText inner_;
    ArgsDigester inner_args_;
    bool open_ = false, called_ = false;
    std::uint32_t turn_ = 0;
    IdHash response_ = 0;
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        const std::string_view type = r.text("type");
        if ((type == "say" || type == "ask") && !r.text(type).empty() && r.has("ts")) return kCertain;
    }
    return 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"say: task, user_feedback", "TurnStart and Message (human)"},
    {"say: text, completion_result, plan_completion_result; ask: followup, plan_mode_respond, act_mode_respond",
     "Message (agent)"},
    {"say: reasoning", "Thinking"},
    {"say: api_req_started", "Usage with cost; TurnEnd when it was cancelled"},
    {"say: subagent_usage", "Usage of the session with cost"},
    {"tool, command, use_mcp_server, browser_action, use_subagents",
     "ToolCall; where no output is shown the result is unknown"},
    {"command_output, mcp_server_response", "ToolResult"},
    {"error, diff_error, command_permission_denied", "ToolResult (error) of an open call, else Notice"},
    {"api_req_retried, mistake_limit_reached", "Notice"},
    {"condense_context, sliding_window_truncation, compaction",
     "Compaction, with the sizes of the context and the cost of the summary where they are noted"},
    {"partial entries, checkpoints, resume questions", "ignored"},
};

}  // namespace

ReaderSpec cline_ui() {
    return {"cline-ui",
            "Cline, Roo Code",
            "what the panel showed: usage and cost of versions that keep them nowhere else",
            Signal::tool_calls | Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<ClineUi>()); }};
}

}  // namespace agent_audit::readers
