#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/kimi/kimi_code_line.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

// The wire log of Kimi Code, the successor of Kimi CLI; one file an agent.
//
//   {"type":"metadata","protocol_version":"1.5","created_at":1790000000000}
//   {"type":"turn.prompt","input":[{"type":"text","text":"…"}],"origin":{"kind":"user"},"time":1790000000001}
//   {"type":"context.append_message","message":{"role":"user","content":[…],"toolCalls":[],"origin":{"kind":"user"}},"time":…}
//   {"type":"context.append_loop_event","event":{"type":"tool.call","stepUuid":"s","toolCallId":"c","name":"Shell","args":{…}}}
//   {"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"c","result":{"output":"…","isError":false}}}
//   {"type":"usage.record","model":"…","usage":{"inputOther":9,"output":2,"inputCacheRead":4,"inputCacheCreation":0}}
//
// A prompt is written when it is given and again when it joins the context; what a step used, in the step and in a
// record of its own. Each counts once.

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 20> kQuiet{"permission.", "plan_mode.",
                                                  "plan.",       "swarm_mode.",
                                                  "tower_mode.", "tools.",
                                                  "goal.",       "mcp.",
                                                  "cron.",       "file_history.",
                                                  "task.",       "interaction.",
                                                  "prompt.",     "token_counting.",
                                                  "staleGuard.", "runtime.",
                                                  "plugin.",     "interruptionReminder.",
                                                  "agent.",      "subagent."};

constexpr std::size_t kLongestName = 200;  // of a model

class KimiCode final : public JsonReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        tell_step_usage();
    }

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        KimiCodeCollector collector(line_, args_);
        if (!read_fields(object, [&](const char* key, json::value& v) { return collector.collect(key, v); }))
            return LineFate::malformed_json;
        if (line_.type.empty()) return LineFate::missing_field;
        return interpret();
    }

private:
    // ---- records ----------------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (type == "metadata") return open();
        if (starts_with_one_of(type, kQuiet) || type == "profile.bind" || type == "context.update_token_count")
            return LineFate::ignored_kind;
        begin();
        if (type.starts_with("turn.")) return turn(type.substr(5));
        if (type.starts_with("context.")) return context(type.substr(8));
        if (type.starts_with("full_compaction.")) return full_compaction(type.substr(16));
        if (type == "micro_compaction.apply") {
            Compaction compaction;
            compaction.kind = CompactionKind::clear_tool_results;
            compaction.trigger = CompactionTrigger::automatic;
            emit(compaction);
            return LineFate::understood;
        }
        if (type == "usage.record") return usage_record();
        if (type == "config.update" || type == "llm.request") return change();
        if (type == "llm.tools_snapshot" || type == "forked") return LineFate::ignored_kind;
        return LineFate::unknown_kind;
    }

    LineFate open() {
        new_head().time_ms = line_.time_ms;
        SessionStart start;
        start.product_version = text_of(line_.protocol);
        start.resumed = open_;
        open_ = true;
        emit(start);
        return LineFate::understood;
    }

    void begin() {
        if (!open_) open();
        std::uint32_t lane = 0;
        if (!line_.agent.empty()) {
            const IdHash agent = id_hash(line_.agent);
            if (main_ == 0) main_ = agent;  // one file an agent, and in exports the main one begins
            if (agent != main_) lane = lane_of(agent);
        }
        new_head(lane, lane == 0 ? turn_ : 0).time_ms = line_.time_ms;
    }

    std::uint32_t lane_of(IdHash agent) {
        const auto [lane, opened] = lanes_.find(agent);
        if (opened) {
            new_head(lane).time_ms = line_.time_ms;
            LaneOpen open;
            open.purpose = LanePurpose::task;
            open.agent_id = text_of(line_.agent);
            emit(open);
        }
        return lane;
    }

    LineFate turn(std::string_view kind) {
        if (kind == "prompt" || kind == "steer") {
            if (!line_.has_input) return LineFate::missing_field;
            prompted_.add(id_hash(line_.input.text.bytes));
            said(line_.input, kind == "steer");
            return LineFate::understood;
        }
        if (kind == "cancel") return end_turn(TurnStatus::aborted);
        if (kind == "ended") {
            if (!line_.error.empty())
                emit(notice_of(NoticeLayer::harness, NoticeLevel::error, named_error("turn-failed"), line_.error));
            const bool aborted = line_.reason == "cancelled" || line_.reason == "aborted";
            const bool failed = line_.reason == "failed" || line_.reason == "error" || !line_.error.empty();
            return end_turn(aborted ? TurnStatus::aborted : failed ? TurnStatus::failed : TurnStatus::completed);
        }
        if (kind == "step.retrying") {
            Notice notice = notice_of(NoticeLayer::provider, NoticeLevel::warning, named_error("retry"), line_.error);
            notice.attempt = static_cast<int>(std::min<std::uint64_t>(line_.attempt, 1000));
            notice.retry_in_ms = line_.delay_ms;
            emit(notice);
            return LineFate::understood;
        }
        return kind == "step.interrupted" ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    std::string_view named_error(std::string_view otherwise) const {
        return line_.error_name.empty() ? otherwise : line_.error_name;
    }

    LineFate end_turn(TurnStatus status) {
        tell_step_usage();
        if (head().lane == 0 && std::exchange(in_turn_, false)) emit(TurnEnd{status, -1});
        return LineFate::understood;
    }

    bool typed() const {
        const std::string_view kind = line_.origin;
        return kind.empty() || kind == "user" || (kind == "shell_command" && line_.phase == "input") ||
               ((kind == "skill_activation" || kind == "plugin_command") && line_.trigger == "user-slash");
    }

    void said(const Content& content, bool steered) {
        Origin origin = Origin::injected;
        if (line_.origin == "hook_result")
            origin = Origin::hook;
        else if (line_.origin == "compaction_summary")
            origin = Origin::summary;
        else if (head().lane != 0)
            origin = Origin::agent;
        else if (typed())
            origin = steered ? Origin::queued : Origin::human;
        if (origin == Origin::human) {
            head().turn = ++turn_;
            in_turn_ = true;
            emit(TurnStart{});
        }
        emit(Message{Role::user, origin, content.text, content.media});
    }

    LineFate context(std::string_view kind) {
        if (kind == "append_loop_event") return line_.has_event ? loop_event() : LineFate::missing_field;
        if (kind == "append_message") return line_.has_message ? message() : LineFate::missing_field;
        if (kind == "apply_compaction") {
            Compaction compaction;
            compaction.trigger = trigger_;
            compaction.summary = text_of(line_.summary);
            compaction.keep = Keep::none;
            if (line_.before > 0) compaction.tokens_before = line_.before;
            if (line_.after > 0) compaction.tokens_after = line_.after;
            emit(compaction);
            return LineFate::understood;
        }
        if (kind == "undo") {
            Rewind rewind;
            rewind.target = RewindTarget::last_turns;
            rewind.count = std::max<std::uint64_t>(line_.count, 1);
            emit(rewind);
            return LineFate::understood;
        }
        if (kind == "clear") {
            Compaction compaction;
            compaction.kind = CompactionKind::reset;
            compaction.trigger = CompactionTrigger::manual;
            compaction.keep = Keep::none;
            emit(compaction);
            return LineFate::understood;
        }
        return LineFate::unknown_kind;
    }

    LineFate message() {
        const std::string_view role = line_.role;
        if (role == "user") {
            // The prompt was told when it was given.
            if (typed() && prompted_.has(id_hash(line_.content.text.bytes))) return LineFate::understood;
            said(line_.content, false);
            return LineFate::understood;
        }
        if (role == "system") {
            emit(Message{Role::system, Origin::injected, line_.content.text, 0});
            return LineFate::understood;
        }
        if (role == "tool") {
            line_.output = line_.content;
            line_.has_result = true;
            return result();
        }
        if (role != "assistant") return LineFate::unknown_kind;
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (!line_.think.empty()) emit(Thinking{line_.think, 0});
        if (!line_.content.text.empty())
            emit(Message{Role::assistant, Origin::agent, line_.content.text, line_.content.media});
        for (const KimiCodeCall& call : line_.calls) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        return LineFate::understood;
    }

    LineFate loop_event() {
        const std::string_view kind = line_.event_type;
        if (kind == "step.begin") {
            tell_step_usage();
            response_ = id_hash(line_.step);
            usage_told_ = false;
            return LineFate::understood;
        }
        if (!line_.step.empty() && kind != "tool.result") head().response = id_hash(line_.step);
        if (kind == "content.part") {
            if (!line_.think.empty() || line_.encrypted_bytes > 0) emit(Thinking{line_.think, line_.encrypted_bytes});
            if (!line_.text.empty()) emit(Message{Role::assistant, Origin::agent, line_.text, 0});
            return LineFate::understood;
        }
        if (kind == "tool.call") {
            if (line_.call_id.empty() || line_.name.empty()) return LineFate::missing_field;
            emit(call_of(line_.call_id, line_.name, line_.args));
            return LineFate::understood;
        }
        if (kind == "tool.result") return result();
        if (kind != "step.end") return LineFate::unknown_kind;
        if (line_.has_usage && !usage_told_) {
            step_usage_ = line_.tokens;
            step_head_ = head();
            step_head_.record_id = {};
        }
        return LineFate::understood;
    }

    LineFate result() {
        if (line_.call_id.empty() || !line_.has_result) return LineFate::missing_field;
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.text = line_.output.text;
        result.media_count = line_.output.media;
        result.status = line_.is_error ? ResultStatus::error : ResultStatus::ok;
        if (line_.is_error) result.exit_code = exit_code(result.text.bytes);
        emit(result);
        return LineFate::understood;
    }

    // In a line of its own below what a command printed, above what the agent may remind its model of.
    static std::optional<int> exit_code(std::string_view text) {
        constexpr std::string_view kFailed = "Command failed with exit code: ";
        const auto at = text.rfind(kFailed);
        return at == text.npos ? std::nullopt : number_after(text.substr(at).substr(0, kFailed.size() + 12), kFailed);
    }

    LineFate usage_record() {
        if (!line_.has_usage) return LineFate::missing_field;
        usage_told_ = true;
        step_usage_ = {};
        head().response = response_;
        tell_usage(line_.tokens, served(line_.model), head());
        return LineFate::understood;
    }

    // Usage is told of the name that the user's settings give a model; a request says what the provider calls it.
    std::string_view served(std::string_view name) const {
        return !name.empty() && id_hash(name) == alias_ ? std::string_view(served_) : name;
    }

    /// Older logs have no record of their own for it.
    void tell_step_usage() {
        if (step_usage_.total() == 0) return;
        tell_usage(std::exchange(step_usage_, {}), {}, step_head_);
    }

    void tell_usage(const TokenCounts& tokens, std::string_view model, const EventHeader& where) {
        if (tokens.total() == 0) return;
        Usage usage;
        usage.tokens = tokens;
        usage.model = text_of(model);
        usage.message_key = usage_key(tokens, where);
        emit(usage, where);
    }

    // A fork begins with a copy of the records, maybe without the last of a step. They have no id, but the step has.
    static std::uint64_t usage_key(const TokenCounts& tokens, const EventHeader& where) {
        if (where.response == 0 && where.time_ms == kNoTime) return 0;
        const std::uint64_t what = where.response != 0 ? where.response : static_cast<std::uint64_t>(where.time_ms);
        return mix_hash(what, figures_hash(tokens)) | 1;
    }

    LineFate full_compaction(std::string_view kind) {
        if (kind == "complete") return LineFate::understood;  // context.apply_compaction says more
        if (kind != "begin" && kind != "cancel") return LineFate::unknown_kind;
        if (kind == "begin")
            trigger_ = line_.source == "manual" ? CompactionTrigger::manual : CompactionTrigger::automatic;
        Compaction compaction;
        compaction.phase = kind == "begin" ? CompactionPhase::begin : CompactionPhase::failed;
        compaction.trigger = trigger_;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate change() {
        if (!line_.alias.empty() && !line_.model.empty()) {
            alias_ = id_hash(line_.alias);
            served_.assign(line_.model.substr(0, kLongestName));
        }
        const std::string_view name = line_.model.empty() ? served(line_.alias) : line_.model;
        const IdHash model = id_hash(name);
        ContextChange change;
        if (model != 0 && model != model_) change.model = text_of(name);
        if (model != 0) model_ = model;
        change.cwd = line_.cwd;
        change.system_prompt_bytes = line_.system_bytes;
        if (!change.model.empty() || !change.cwd.empty() || change.system_prompt_bytes > 0) emit(change);
        return LineFate::understood;
    }

    KimiCodeLine line_;
    bool open_ = false, in_turn_ = false, usage_told_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    IdHash response_ = 0, main_ = 0, model_ = 0, alias_ = 0;
    std::string served_;  // the model behind the alias
    CompactionTrigger trigger_ = CompactionTrigger::unknown;
    TokenCounts step_usage_;
    EventHeader step_head_;
    LaneTable lanes_;
    RecentIds prompted_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 5> kFirst{"turn.prompt", "config.update", "llm.request",
                                                     "llm.tools_snapshot", "usage.record"};
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const std::string_view type = r.text("type");
        if ((type == "context.append_loop_event" && r.has("event")) ||
            (type == "context.append_message" && r.has("message")))
            return kCertain;
        if (is_one_of(type, kFirst) && (r.has("time") || r.has("input") || r.has("usage"))) best = std::max(best, 90);
        if (type == "metadata" && r.has("protocol_version") && r.has("created_at")) best = std::max(best, 65);
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"metadata", "SessionStart"},
    {"turn.prompt, turn.steer", "TurnStart and Message (human); Message (queued)"},
    {"turn.ended, turn.cancel", "TurnEnd, Notice of its error"},
    {"turn.step.retrying", "Notice (provider)"},
    {"context.append_message", "Message, Thinking, ToolCall, ToolResult; a prompt told before is not repeated"},
    {"content.part", "Message or Thinking"},
    {"tool.call, tool.result", "ToolCall, ToolResult: isError decides; a command that failed has its exit code"},
    {"usage.record, else step.end", "Usage"},
    {"full_compaction.*, context.apply_compaction, micro_compaction.apply", "Compaction"},
    {"context.undo, context.clear", "Rewind; Compaction (reset)"},
    {"config.update, llm.request", "ContextChange"},
    {"permissions, plans, goals, tasks, tools, …", "ignored"},
};

}  // namespace

ReaderSpec kimi_code() {
    return {"kimi-code",
            "Kimi Code",
            "wire logs of its agents",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<KimiCode>()); }};
}

}  // namespace agent_audit::readers
