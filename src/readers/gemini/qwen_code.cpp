#include "readers/all.hpp"
#include "readers/gemini/gemini_mcp.hpp"
#include "readers/gemini/gemini_shell.hpp"
#include "readers/gemini/qwen_code_line.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/qwen_deferred.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

// Session files of Qwen Code: contents as the Gemini API knows them in an envelope much like Claude Code's.
//
//   {"uuid":"…","parentUuid":null,"sessionId":"…","timestamp":"…","type":"user","cwd":"…","version":"…",
//    "message":{"role":"user","parts":[{"text":"…"}]}}
//   {…,"type":"assistant","model":"…","message":{"role":"model","parts":[{"text":"…","thought":true},
//    {"functionCall":{"id":"…","name":"…","args":{…}}}]},"usageMetadata":{…}}
//   {…,"type":"tool_result","message":{…"functionResponse":{"id":"…","name":"…","response":{"output":"…"}}},
//    "toolCallResult":{"status":"success"}}
//   {…,"type":"system","subtype":"chat_compression","systemPayload":{…}}

namespace agent_audit::readers {
namespace {

// Whole subtypes of system records that the model never sees.
constexpr std::array<std::string_view, 23> kBookkeeping{"slash_command",
                                                        "at_command",
                                                        "attribution_snapshot",
                                                        "background_task_completed",
                                                        "custom_title",
                                                        "parent_session",
                                                        "session_source",
                                                        "session_execution_engine",
                                                        "session_model",
                                                        "session_approval_mode",
                                                        "session_notes",
                                                        "agent_bootstrap",
                                                        "agent_session_ready",
                                                        "file_history_snapshot",
                                                        "user_text_elements",
                                                        "session_artifact_event",
                                                        "session_artifact_snapshot",
                                                        "session_sources_snapshot",
                                                        "branch_checkpoint",
                                                        "goal_state",
                                                        "goal_turn_end",
                                                        "omni_recall",
                                                        "realtime_message"};

constexpr std::size_t kLongestName = 200;  // of a model

// What a request used of which nothing but the telemetry tells.
struct Extra {
    TokenCounts tokens;
    std::string model;
    std::uint64_t key = 0;
    EventHeader head;
};

class QwenCode final : public JsonReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        tell_extra();
    }

protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        if (!QwenCollector(line_, args_).collect(object) || !alive()) return LineFate::malformed_json;
        if (line_.type.empty()) return LineFate::unknown_kind;
        return interpret();
    }

private:
    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (type == "user") return line_.has_message ? user() : LineFate::missing_field;
        if (type == "assistant")
            return line_.has_message || line_.tokens.total() > 0 ? assistant() : LineFate::missing_field;
        if (type == "tool_result") return tool_result();
        if (type == "system") return system();
        return LineFate::unknown_kind;
    }

    void begin() {
        const IdHash session = id_hash(line_.session_id);
        if (!open_ || (session != 0 && session != session_)) open_session(session);
        const std::uint32_t lane = lane_of_line();
        EventHeader& h = new_head(lane, turns_[lane % turns_.size()]);
        h.time_ms = time_of(line_.timestamp);
        h.record_id = line_.uuid;
        if (line_.forked) h.flags |= kCopied;
        branched_ = false;
        if (lane == 0) follow_branch();
    }

    void open_session(IdHash session) {
        new_head().time_ms = time_of(line_.timestamp);
        SessionStart start;
        start.session_id = text_of(line_.session_id);
        start.cwd = text_of(line_.cwd);
        start.product_version = text_of(line_.version);
        start.model = text_of(line_.model);
        open_ = true;
        session_ = session;
        turns_ = {};
        lanes_.clear();
        recent_.clear();
        previous_ = 0;
        emit(start);
    }

    std::uint32_t lane_of_line() {
        if (!line_.sidechain && line_.agent_id.empty()) return 0;
        const auto [lane, opened] = lanes_.find(id_hash(line_.agent_id));
        if (opened) {
            new_head(lane).time_ms = time_of(line_.timestamp);
            LaneOpen open;
            open.purpose = LanePurpose::task;
            open.agent_id = text_of(line_.agent_id);
            open.agent_type = text_of(line_.agent_name);
            emit(open);
        }
        return lane;
    }

    // Every record of the main conversation is a link of the chain, whatever its kind.
    void follow_branch() {
        const IdHash id = id_hash(line_.uuid);
        if (id == 0) return;
        const IdHash parent = id_hash(line_.parent);
        if (previous_ != 0 && parent != previous_) {
            if (parent == 0 && line_.parent_null) {
                emit(Rewind{RewindTarget::all, {}, 0});
                branched_ = true;
            } else if (recent_.has(parent)) {
                emit(Rewind{RewindTarget::to_record, line_.parent, 0});
                branched_ = true;
            }
        }
        previous_ = id;
        recent_.add(id);
    }

    RawText joined_text() {
        RawText only;
        std::size_t texts = 0;
        for (const QwenPart& part : line_.parts) {
            if (part.kind != QwenPart::Kind::text || part.text.empty()) continue;
            if (++texts == 1) {
                only = part.text;
                continue;
            }
            if (texts == 2) joined_.assign(only.bytes);
            joined_ += "\\n";
            joined_ += part.text.bytes;
        }
        return texts > 1 ? text_of(joined_) : only;
    }

    std::uint32_t media() const {
        std::uint32_t count = 0;
        for (const QwenPart& part : line_.parts) count += part.media;
        return count;
    }

    LineFate user() {
        begin();
        const std::uint32_t lane = head().lane;
        const bool queued = line_.subtype == "mid_turn_user_message";
        const bool said = line_.provenance.empty() || line_.provenance == "real_user";
        const bool human = lane == 0 && said && (line_.subtype.empty() || queued);
        if (human && !queued) {
            head().turn = ++turns_[0];
            emit(TurnStart{});
        }
        const Origin origin = lane != 0 ? Origin::agent
                              : !human  ? Origin::injected
                              : queued  ? Origin::queued
                                        : Origin::human;
        emit(Message{Role::user, origin, joined_text(), media()});
        return LineFate::understood;
    }

    // 0 where nothing tells the response from others.
    IdHash response_key() const {
        if (!is_stand_in(line_.uuid)) return id_hash(line_.uuid);
        if (line_.timestamp.empty()) return 0;
        return mix_hash(stable_hash(line_.timestamp), figures_hash(line_.tokens)) | 1;
    }

    LineFate assistant() {
        begin();
        head().response = response_key();
        if (head().response == 0) head().response = mix_hash(++responses_, session_) | 1;
        join_round();
        if (head().lane == 0 && line_.tokens.total() > 0) told();
        for (const QwenPart& part : line_.parts) {
            if (part.kind == QwenPart::Kind::thought) {
                if (!part.text.empty()) emit(Thinking{part.text, 0});
            } else if (part.kind == QwenPart::Kind::call) {
                if (!part.name.empty()) tool_call(part);
            } else if (!part.text.empty()) {
                emit(Message{Role::assistant, Origin::agent, part.text, 0});
            }
        }
        if (line_.tokens.total() > 0) {
            Usage usage;
            usage.tokens = line_.tokens;
            usage.model = text_of(line_.model);
            usage.window_tokens = line_.window;
            usage.message_key = response_key();
            usage.sidechain = head().lane != 0;
            emit(usage);
        }
        return LineFate::understood;
    }

    // A sub-agent's file tells what a response used in a record before that of its words and calls.
    void join_round() {
        const bool bare = line_.parts.empty();
        if (head().lane != 0 && !bare && line_.tokens.total() == 0 && head().lane == round_lane_ && round_ != 0)
            head().response = round_;
        round_ = bare ? head().response : 0;
        round_lane_ = head().lane;
    }

    // ---- requests that have no record of their own -------------------------------------------------------

    // The telemetry tells of every request, that of a response shortly before its record. What no record follows has
    // made a summary, or was lost. Sub-agents have files, but for those that the program sends by itself.
    LineFate telemetry() {
        constexpr std::string_view kResponse = "qwen-code.api_response", kOwnHelper = "managed-";
        begin();  // a link of the chain
        if (line_.event != kResponse || line_.tokens.total() == 0) return LineFate::ignored_kind;
        if (!line_.helper.empty() && !line_.helper.starts_with(kOwnHelper)) return LineFate::ignored_kind;
        Extra extra{line_.tokens, std::string(line_.model.substr(0, kLongestName)),
                    is_stand_in(line_.response_id) ? response_key() : id_hash(line_.response_id), head()};
        extra.head.record_id = {};
        if (!line_.helper.empty()) {
            tell(extra);
        } else if (told_prompt_ != 0 && told_prompt_ == prompt_of(line_.tokens)) {
            told_prompt_ = 0;
        } else {
            tell_extra();
            extra_ = std::move(extra);
        }
        return LineFate::understood;
    }

    void told() {
        told_prompt_ = 0;
        if (prompt_of(extra_.tokens) == prompt_of(line_.tokens))
            extra_ = {};
        else
            told_prompt_ = prompt_of(line_.tokens);
    }

    static std::uint64_t prompt_of(const TokenCounts& tokens) { return tokens.input + tokens.cache_read; }

    void tell_extra() {
        if (extra_.tokens.total() > 0) tell(extra_);
        extra_ = {};
    }

    void tell(const Extra& extra) {
        Usage usage;
        usage.scope = UsageScope::session;
        usage.tokens = extra.tokens;
        usage.model = text_of(extra.model);
        usage.message_key = extra.key;
        emit(usage, extra.head);
    }

    LineFate tool_result() {
        const bool any =
            std::ranges::any_of(line_.parts, [](const QwenPart& p) { return p.kind == QwenPart::Kind::response; });
        if (!any && line_.call_id.empty()) return LineFate::missing_field;
        begin();
        // What a program that the model wrote called: the model is given the program's own result only.
        if (line_.subtype == "code_mode_tool_result") return LineFate::ignored_kind;
        if (!any) {
            QwenPart part;
            part.id = line_.call_id;
            part.text = line_.display;
            one_result(part);
        }
        results();
        return LineFate::understood;
    }

    // Pictures stand among the parts of a response, or behind it.
    void results() {
        const QwenPart* response = nullptr;
        QwenPart whole;
        for (const QwenPart& part : line_.parts) {
            if (part.kind == QwenPart::Kind::response) {
                if (response) one_result(whole);
                response = &part;
                whole = part;
            } else if (response && part.media > 0) {
                whole.media += part.media;
                whole.media_hash = mix_hash(whole.media_hash, part.media_hash);
            }
        }
        if (response) one_result(whole);
    }

    void one_result(const QwenPart& part) {
        ToolResult result;
        result.call_id = text_of(part.id.empty() ? line_.call_id : part.id);
        // The call has the name of the tool that was meant.
        if (part.name != kQwenDeferredCall) result.name = text_of(part.name);
        result.text = !part.error.empty() ? part.error : !part.text.empty() ? part.text : line_.display;
        const bool shell = part.name == "run_shell_command";
        if (shell) result.exit_code = number_after(result.text.bytes, "Exit Code: ");
        result.status = status(part, result);
        // Rules and runs without anybody to ask have a type of error of their own.
        if (result.status == ResultStatus::denied && line_.error_type == "execution_denied")
            result.refused_by = Refuser::rule;
        result.media_count = part.media;
        result.media_hash = part.media_hash;
        result.text = shell ? shell_answer(result.text) : mcp_answer(result.text, said_);
        emit(result);
    }

    ResultStatus status(const QwenPart& part, const ToolResult& result) const {
        const std::string_view text = result.text.bytes;
        if (text.find("did not allow") != text.npos || line_.error_type == "execution_denied") {
            if (line_.call_status != "success") return ResultStatus::denied;
        }
        if (line_.call_status == "cancelled") return ResultStatus::cancelled;
        if (line_.call_status == "error" || !part.error.empty()) return ResultStatus::error;
        return status_of(result.exit_code);
    }

    LineFate system() {
        const std::string_view kind = line_.subtype;
        if (kind == "chat_compression") {
            begin();
            Compaction compaction;
            compaction.keep = Keep::replacement;
            if (line_.tokens_before > 0) compaction.tokens_before = line_.tokens_before;
            if (line_.tokens_after > 0) compaction.tokens_after = line_.tokens_after;
            emit(compaction);
            return LineFate::understood;
        }
        if (kind == "ui_telemetry") return telemetry();
        if (kind == "rewind") {
            begin();
            if (!branched_) emit(Rewind{RewindTarget::last_events, {}, line_.truncated});
            return LineFate::understood;
        }
        if (kind == "agent_retry") {
            begin();
            emit(notice_of(NoticeLayer::provider, NoticeLevel::warning, kind, {}));
            return LineFate::understood;
        }
        const bool spoken = kind == "notification" || kind == "cron" || kind == "mid_turn_user_message" ||
                            kind == "goal_runtime" || kind == "agent_launch_prompt";
        if (spoken && line_.has_message) {
            begin();
            const Origin origin = kind == "mid_turn_user_message" ? Origin::queued : Origin::injected;
            emit(Message{Role::user, origin, joined_text(), media()});
            return LineFate::understood;
        }
        if (kind == "turn_result") {
            begin();
            return turn_result();
        }
        begin();  // a link of the chain
        return spoken || is_one_of(kind, kBookkeeping) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    // exec takes a program that calls the other tools; commands are those of run_shell_command.
    void tool_call(const QwenPart& part) {
        ToolCall call = call_of(part.id, part.name, part.args);
        call.script = part.name == "exec";
        emit(call);
    }

    LineFate turn_result() {
        const std::string_view state = line_.turn_state;
        if (state.empty()) return LineFate::understood;
        emit(TurnEnd{state == "completed"   ? TurnStatus::completed
                     : state == "cancelled" ? TurnStatus::aborted
                     : state == "error"     ? TurnStatus::failed
                                            : TurnStatus::unknown,
                     -1});
        return LineFate::understood;
    }

    QwenLine line_;
    bool open_ = false, branched_ = false;
    IdHash session_ = 0, previous_ = 0;
    std::array<std::uint32_t, LaneTable::kMax + 1> turns_{};
    std::uint64_t responses_ = 0;
    IdHash round_ = 0;  // the response whose use was told before its words
    std::uint32_t round_lane_ = 0;
    Extra extra_;                    // a request for which no record has come yet
    std::uint64_t told_prompt_ = 0;  // of the last record for which no telemetry has come yet
    LaneTable lanes_;
    RecentIds recent_;
    std::string joined_, said_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || (!r.has("uuid") && !r.has("sessionId") && !r.has("usageMetadata"))) continue;
        if (r.child("message").has("parts")) return kCertain;
        if (r.has("uuid") && r.has("sessionId") && r.text("type") == "system" && r.has("systemPayload")) best = 90;
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"user", "TurnStart and Message (human); with a subtype: injected or queued"},
    {"assistant", "Thinking, Message and ToolCall, one a part; Usage, with the window of the model"},
    {"system, ui_telemetry", "Usage of requests that no record tells of: summaries, the program's own helpers"},
    {"tool_result",
     "ToolResult: toolCallResult decides, for commands the exit code; of a program's own calls: ignored"},
    {"system, chat_compression", "Compaction (replacement)"},
    {"system, rewind; a record whose parent is not the record before", "Rewind"},
    {"system, notification, cron, mid_turn_user_message", "Message (injected or queued)"},
    {"system, agent_retry", "Notice (provider)"},
    {"system, turn_result", "TurnEnd"},
    {"system, other", "ignored"},
    {"isSidechain, agentId", "LaneOpen, then events in the agent's own lane"},
    {"forkedFrom", "the same events, marked as copies"},
};

}  // namespace

ReaderSpec qwen_code() {
    return {"qwen-code",
            "Qwen Code",
            "session files",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<QwenCode>()); }};
}

}  // namespace agent_audit::readers
