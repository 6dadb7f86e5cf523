#include "readers/all.hpp"
#include "readers/gemini/gemini_mcp.hpp"
#include "readers/gemini/gemini_shell.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/printed_run.hpp"
#include "readers/messages/recent.hpp"

#include <string>

// What agents hand to the programs that are set as their hooks, one JSON object a line; agent-audit's own hook keeps it
// with a frame around it, and notes there the calls it did not let through:
//
//   {"session_id":"…","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":"…"}
//   {"session_id":"…","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{…},"tool_use_id":"…"}
//   {"session_id":"…","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{…},"tool_response":{…}}
//   {"agent_audit_hook":1,"client":"codex","time_ms":1,"payload":{…}}
//   {"agent_audit_hook":1,"client":"codex","time_ms":1,"refused":"…","payload":{…}}
//
// Claude Code hands calls that it turned down itself, of unknown tools or with arguments that cannot be, to no event of
// one call: they stand among the calls of their response in its PostToolBatch.
//
// Claude Code, Codex and Qwen Code share these names; Gemini CLI has BeforeTool, AfterTool, BeforeAgent, AfterAgent and
// tells no ids of calls.

namespace agent_audit::readers {
namespace {

enum class Occasion : std::uint8_t {
    none,
    start,
    prompt,
    before_tool,
    after_tool,
    failed_tool,
    batch,
    compacted,
    stop,
    other
};

struct Named {
    std::string_view name;
    Occasion occasion;
};
constexpr Named kOccasions[] = {
    {"SessionStart", Occasion::start},
    {"UserPromptSubmit", Occasion::prompt},
    {"BeforeAgent", Occasion::prompt},
    {"PreToolUse", Occasion::before_tool},
    {"BeforeTool", Occasion::before_tool},
    {"PostToolUse", Occasion::after_tool},
    {"AfterTool", Occasion::after_tool},
    {"PostToolUseFailure", Occasion::failed_tool},
    {"PostToolBatch", Occasion::batch},
    {"PostCompact", Occasion::compacted},
    {"Stop", Occasion::stop},
    {"AfterAgent", Occasion::stop},
};
constexpr std::array<std::string_view, 13> kOthers{
    "SessionEnd",          "SubagentStart",     "SubagentStop",     "PreCompact",  "PreCompress",
    "Notification",        "PermissionRequest", "PermissionDenied", "BeforeModel", "AfterModel",
    "BeforeToolSelection", "TaskCompleted",     "TeammateIdle"};

Occasion occasion_of(std::string_view name) {
    const auto* const at = std::ranges::find(kOccasions, name, &Named::name);
    if (at != std::end(kOccasions)) return at->occasion;
    return is_one_of(name, kOthers) ? Occasion::other : Occasion::none;
}

// What a call returned, as agents' own shapes of it say.
struct Answer {
    RawText text, standard_output, standard_error;
    RawText whole;  // the JSON of it, where nothing in it is known to be its text
    std::optional<int> exit_code;
    std::uint32_t media = 0;
    std::uint64_t media_hash = 0;
    bool has_streams = false;             // what it printed, also if that is nothing
    bool failed = false, worked = false;  // as a field says
    bool cut_off = false;
};

struct Line : PrintedLine {
    std::string_view client, event, call_id, tool, agent_id, agent_type, source;
    std::string_view batch;  // the JSON of its calls
    RawText prompt, error, last_message, summary, refused;
    CallArgs args;
    Answer answer;
    std::int64_t duration_ms = -1;
    bool interrupted = false;
};

class HookLog final : public PrintedReader {
protected:
    LineFate read_object(json::object object) override {
        line_ = Line{};
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (key_is(key, "payload")) return collect_payload(v);
            if (key_is(key, "client"))
                line_.client = raw_string(v);
            else if (key_is(key, "time_ms"))
                line_.time_ms = unix_time(v);
            else if (key_is(key, "refused"))
                line_.refused = text_of(raw_string(v));
            else
                return collect_field(key, v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        return interpret();
    }

private:
    // ---- collecting -------------------------------------------------------------------------------------

    bool collect_payload(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) { return collect_field(key, w); });
    }

    bool collect_field(const char* key, json::value& v) {
        const std::string_view name = key_text(key);
        if (name == "tool_input") {
            line_.args = args_.digest_value({}, v);
            return true;
        }
        if (name == "tool_response") return collect_answer(v);
        if (name == "tool_calls") {
            line_.batch = raw_value(v);
            return true;
        }
        if (name == "error") {
            line_.error = any_text(v);
            return true;
        }
        if (name == "is_interrupt") {
            line_.interrupted = is_true(v);
            return true;
        }
        if (name == "duration_ms") {
            line_.duration_ms = as_int(v, -1);
            return true;
        }
        if (is_string(v)) collect_word(name, raw_string(v));
        return true;
    }

    void collect_word(std::string_view name, std::string_view word) {
        if (name == "hook_event_name") line_.event = word;
        if (name == "session_id") line_.session_id = word;
        if (name == "cwd") line_.cwd = word;
        if (name == "model") line_.model = word;
        if (name == "tool_name") line_.tool = word;
        if (name == "tool_use_id") line_.call_id = word;
        if (name == "agent_id") line_.agent_id = word;
        if (name == "agent_type") line_.agent_type = word;
        if (name == "source") line_.source = word;
        if (name == "prompt") line_.prompt = text_of(word);
        if (name == "last_assistant_message" || name == "prompt_response") line_.last_message = text_of(word);
        if (name == "compact_summary") line_.summary = text_of(word);
        if (name == "timestamp" && line_.time_ms == kNoTime) line_.time_ms = time_of(word);
    }

    // A string, blocks of content, or an object of the agent's own.
    bool collect_answer(json::value& v) {
        Answer& answer = line_.answer;
        if (!is_object(v)) return collect_text(v);
        answer.whole = {raw_value(v), TextForm::json_value};
        json::document doc;
        json::object object;
        const std::string_view raw = answer.whole.bytes;
        // The record, whose end is padded, goes on behind it.
        if (nested_parser(raw.size())
                .iterate(raw.data(), raw.size(), raw.size() + simdjson::SIMDJSON_PADDING)
                .get(doc) ||
            doc.get_object().get(object))
            return true;
        return each_field(object, [this](const char* key, json::value& w) { return collect_part(key, w); });
    }

    bool collect_part(const char* key, json::value& v) {
        Answer& answer = line_.answer;
        const std::string_view name = key_text(key);
        if (name == "stdout" && is_string(v)) {
            answer.has_streams = true;
            answer.standard_output = text_of(raw_string(v));
        } else if (name == "stderr" && is_string(v)) {
            answer.has_streams = true;
            answer.standard_error = text_of(raw_string(v));
        } else if (name == "exitCode" || name == "exit_code") {
            answer.exit_code = small_int(v);
        } else if (name == "interrupted") {
            answer.cut_off = is_true(v);
        } else if (name == "isError" || name == "is_error") {
            (is_true(v) ? answer.failed : answer.worked) = true;
        } else if (name == "error") {
            answer.failed = answer.failed || !is_null(v);
        } else if (name == "content" || name == "llmContent") {
            return collect_text(v);
        } else if (name == "file") {
            return each_field(
                v, [this](const char* k, json::value& w) { return !key_is(k, "content") || collect_text(w); });
        }
        return true;
    }

    bool collect_text(json::value& v) {
        if (is_object(v)) {  // {"text":"…"}
            return each_field(v, [this](const char* key, json::value& w) {
                if (key_is(key, "text")) line_.answer.text = text_of(raw_string(w));
                return true;
            });
        }
        const Content content = read_content(v);
        line_.answer.text = content.text;
        line_.answer.media += content.media;
        if (content.media_hash != 0) line_.answer.media_hash = content.media_hash;
        return true;
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        if (line_.event.empty()) return LineFate::missing_field;
        const Occasion occasion = occasion_of(line_.event);
        if (occasion == Occasion::none) return LineFate::unknown_kind;
        if (occasion == Occasion::other) return LineFate::ignored_kind;
        if (occasion != Occasion::prompt) said_at_ = kNoTime;
        follow_session();
        const bool of_tool =
            occasion == Occasion::before_tool || occasion == Occasion::after_tool || occasion == Occasion::failed_tool;
        if (of_tool && line_.tool.empty()) return LineFate::missing_field;
        begin(line_);
        if (of_tool || occasion == Occasion::batch) enter_lane();
        switch (occasion) {
            case Occasion::start: return started();
            case Occasion::prompt: return prompt();
            case Occasion::before_tool: return line_.refused.empty() ? call() : refuse();
            case Occasion::batch: return batch();
            case Occasion::compacted: return compact(line_.summary);
            case Occasion::stop: return stop();
            default: return answer(occasion == Occasion::failed_tool);
        }
    }

    // A log may hold several sessions; each line says whose it is.
    void follow_session() {
        const IdHash id = id_hash(line_.session_id);
        if (run_.open && (id == 0 || id == run_.session)) return;
        lanes_.clear();
        open_ = answered_ = {};
        said_ = 0;
        said_at_ = kNoTime;
        open_session(line_);
    }

    void enter_lane() {
        const IdHash agent = id_hash(line_.agent_id);
        if (agent == 0) return;
        const LaneTable::Found found = lanes_.find(agent);
        head().lane = found.lane;
        head().turn = 0;
        if (!found.opened) return;
        LaneOpen open;
        open.agent_id = text_of(line_.agent_id);
        open.agent_type = text_of(line_.agent_type);
        open.purpose = LanePurpose::task;
        emit(open);
    }

    LineFate started() {
        if (line_.source == "clear") {
            Compaction cleared;
            cleared.kind = CompactionKind::reset;
            cleared.trigger = CompactionTrigger::manual;
            cleared.keep = Keep::none;
            emit(cleared);
        }
        return LineFate::understood;
    }

    // Qwen Code asks before each request, not only when somebody spoke: without a prompt, or with the same once more.
    LineFate prompt() {
        if (line_.prompt.empty()) {
            run_.end_response();
            return LineFate::ignored_kind;
        }
        const std::uint64_t said = stable_hash(line_.prompt.bytes) | 1;
        const std::int64_t at = std::exchange(said_at_, line_.time_ms);
        const bool at_once = at != kNoTime && line_.time_ms != kNoTime && line_.time_ms - at < kAtOnceMs;
        if (said == said_ && (is_qwen() || at_once)) return LineFate::ignored_kind;
        said_ = said;
        begin_turn(line_.prompt);
        return LineFate::understood;
    }

    // The calls that no other line tells of: those that the agent turned down before its hooks saw them.
    LineFate batch() {
        json::document doc;
        json::array calls;
        // Not by the parser of this thread: arguments that are JSON in a string are read by it meanwhile.
        if (parser_.iterate(line_.batch.data(), line_.batch.size(), line_.batch.size() + simdjson::SIMDJSON_PADDING)
                .get(doc) ||
            doc.get_array().get(calls))
            return LineFate::missing_field;
        bool told = false;
        for (auto element : calls) {
            json::value call;
            if (element.get(call) || !is_object(call)) break;
            line_.call_id = line_.tool = {};
            RawText said;
            if (!each_field(call, [&](const char* key, json::value& v) { return collect_of_batch(key, v, said); }))
                break;
            if (!said.bytes.starts_with("<tool_use_error>") || line_.call_id.empty() || line_.tool.empty()) continue;
            turn_down(said);
            told = true;
        }
        run_.end_response();
        return told ? LineFate::understood : LineFate::ignored_kind;
    }

    bool collect_of_batch(const char* key, json::value& v, RawText& said) {
        if (key_is(key, "tool_input"))
            line_.args = args_.digest_value({}, v);
        else if (key_is(key, "tool_response"))
            said = is_string(v) ? text_of(raw_string(v)) : RawText{};
        else if (is_string(v))
            collect_word(key_text(key), raw_string(v));
        return true;
    }

    void turn_down(RawText said) {
        tell_call(key_of_call());
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.name = text_of(line_.tool);
        result.text = said;
        result.status = ResultStatus::error;
        emit(result);
    }

    LineFate compact(RawText summary) {
        Compaction compaction;
        compaction.summary = summary;
        emit(compaction);
        return LineFate::understood;
    }

    bool is_qwen() const { return line_.client == "qwen"; }

    // It carries out the calls of a response one after the other, and says before each request that one is due.
    void end_response() {
        if (!is_qwen() || head().lane != 0) run_.end_response();
    }

    // Agents that tell no ids answer equal calls in their order.
    IdHash key_of_call() const {
        return line_.call_id.empty() ? mix_hash(stable_hash(line_.tool), line_.args.digest.canonical) | 1
                                     : id_hash(line_.call_id);
    }
    std::string_view id_of_call(IdHash key, std::uint64_t number) {
        if (!line_.call_id.empty()) return line_.call_id;
        key = mix_hash(key, number);
        constexpr std::string_view kDigits = "0123456789abcdef";
        made_id_.assign("call-");
        for (int shift = 60; shift >= 0; shift -= 4) made_id_ += kDigits[(key >> shift) & 15];
        return made_id_;
    }

    // Its number among the calls.
    std::uint64_t tell_call(IdHash key) {
        head().response = head().lane == 0 ? run_.respond() : mix_hash(run_.respond(), head().lane) | 1;
        emit(call_of(id_of_call(key, ++calls_), line_.tool, line_.args));
        head().response = 0;
        return calls_;
    }
    // The number of the call that this line answers; where only what comes after calls is told, it is told here.
    std::uint64_t answered_call(IdHash key) {
        const std::optional<std::uint64_t> open = open_.take(key);
        return open ? *open : tell_call(key);
    }

    // Where a hook is set for the user and for the project, some agents run it twice: the same call before it was
    // answered, the same answer before it was called again.
    LineFate call() {
        const IdHash key = key_of_call();
        if (!line_.call_id.empty() && open_.contains(key)) return LineFate::ignored_kind;
        (void)answered_.take(key);
        open_.put(key, tell_call(key));
        return LineFate::understood;
    }

    // Only of calls that were told before: where they are not, an id may come again.
    bool is_told(IdHash key) {
        if (line_.call_id.empty()) return false;
        const bool open = open_.contains(key);
        if (open) answered_.put(key, 0);
        return !open && answered_.contains(key);
    }

    LineFate answer(bool failed) {
        const IdHash key = key_of_call();
        if (is_told(key)) return LineFate::ignored_kind;
        const std::uint64_t number = answered_call(key);
        end_response();
        const Answer& given = line_.answer;
        ToolResult result;
        result.call_id = text_of(id_of_call(key, number));
        result.name = text_of(line_.tool);
        result.text = failed ? line_.error : answer_text();
        result.exit_code = given.exit_code;
        unwrap(result);
        if (failed && !result.exit_code && line_.error.bytes.starts_with("Exit code "))
            result.exit_code = number_after(line_.error.bytes.substr(0, 16), "Exit code ");
        result.media_count = given.media;
        result.media_hash = given.media_hash;
        result.duration_ms = line_.duration_ms;
        result.status = status(failed, result.exit_code);
        emit(result);
        return LineFate::understood;
    }

    // Of the words that Gemini CLI and Qwen Code write around what a tool said.
    void unwrap(ToolResult& result) {
        if (line_.tool != "run_shell_command") {
            result.text = mcp_answer(result.text, said_by_tool_);
            return;
        }
        if (!result.exit_code) result.exit_code = number_after(result.text.bytes, "Exit Code: ");
        result.text = shell_answer(result.text);
    }

    ResultStatus status(bool failed, std::optional<int> exit_code) const {
        const Answer& given = line_.answer;
        if (line_.interrupted || given.cut_off) return ResultStatus::cancelled;
        if (failed || given.failed) return ResultStatus::error;
        if (exit_code) return status_of(exit_code);
        if (given.worked) return ResultStatus::ok;
        // A bare text says nothing of how the call ended; who has an event for failures says that it went well.
        return line_.client == "claude-code" ? ResultStatus::ok : ResultStatus::unknown;
    }

    RawText answer_text() {
        const Answer& given = line_.answer;
        if (!given.text.empty()) return given.text;
        if (!given.has_streams) return given.whole;
        if (given.standard_error.empty()) return given.standard_output;
        if (given.standard_output.empty()) return given.standard_error;
        joined_.assign(given.standard_output.bytes).append("\\n").append(given.standard_error.bytes);
        return text_of(joined_);
    }

    // Our own hook did not let the call through.
    LineFate refuse() {
        const IdHash key = key_of_call();
        const std::uint64_t number = answered_call(key);
        end_response();
        ToolResult result;
        result.call_id = text_of(id_of_call(key, number));
        result.text = line_.refused;
        result.status = ResultStatus::denied;
        result.refused_by = Refuser::rule;
        emit(result);
        return LineFate::understood;
    }

    LineFate stop() {
        run_.end_response();
        if (!line_.last_message.empty()) {
            head().response = run_.respond();
            emit(Message{Role::assistant, Origin::agent, line_.last_message, 0});
            head().response = 0;
            run_.end_response();
        }
        said_ = 0;
        emit(TurnEnd{TurnStatus::completed, -1});
        return LineFate::understood;
    }

    static constexpr std::int64_t kAtOnceMs = 2000;  // nobody types the same once more in that time

    Line line_;
    LaneTable lanes_;
    Recent<std::uint64_t, 64> open_;  // calls of parallel sub-agents among them; what is older was never answered
    Recent<std::uint64_t, 64> answered_;
    std::uint64_t said_ = 0, calls_ = 0;
    std::int64_t said_at_ = kNoTime;
    std::string made_id_, joined_, said_by_tool_;
    json::parser parser_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        if (r.has("agent_audit_hook")) return kCertain;
        if (r.has("hook_event_name") && r.has("session_id")) best = std::max(best, 95);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"UserPromptSubmit, BeforeAgent", "TurnStart and Message (human)"},
    {"PreToolUse, BeforeTool", "ToolCall; refused: also its ToolResult (denied by a rule)"},
    {"PostToolUse, AfterTool", "ToolResult, behind its ToolCall where that was not told"},
    {"PostToolUseFailure", "ToolResult (error, or cancelled by the user)"},
    {"PostToolBatch", "ToolCall and ToolResult (error) of calls that the agent turned down itself"},
    {"SessionStart", "SessionStart; clear: Compaction (reset)"},
    {"PostCompact", "Compaction"},
    {"Stop, AfterAgent", "Message (assistant) and TurnEnd"},
    {"others", "ignored"},
};

}  // namespace

ReaderSpec hook_log() {
    return {"hook-log",
            "Hooks of agents",
            "what Claude Code, Codex, Gemini CLI and Qwen Code hand to a hook, and plugins of ours for others",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::timestamps | Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<HookLog>()); }};
}

}  // namespace agent_audit::readers
