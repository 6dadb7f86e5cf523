#include "readers/all.hpp"
#include "readers/copilot/copilot_kinds.hpp"
#include "readers/copilot/copilot_line.hpp"
#include "readers/copilot/copilot_shell.hpp"
#include "readers/copilot/copilot_usage.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/recent.hpp"

#include <optional>
#include <string>

// Events of GitHub Copilot CLI: {type, data, id, timestamp, parentId, agentId?}.
//
//   {"type":"session.start","data":{"sessionId":"…","copilotVersion":"…","context":{"cwd":"…"}}}
//   {"type":"assistant.message","data":{"content":"…","toolRequests":[{"toolCallId":"c","name":"bash","arguments":{…}}],
//    "reasoningText":"…","outputTokens":9,"model":"…"}}
//   {"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"…"}}}
//   {"type":"session.shutdown","data":{"modelMetrics":{"<model>":{"usage":{…}}},"currentTokens":9}}
//
//   {"type":"session.usage_record","data":{"usage":{"model":"…","inputTokens":9,"outputTokens":2,"cacheReadTokens":4,
//    "maxPromptTokens":99,"apiCallId":"…","accounting":{"sourceSessionId":"…","sequence":1}}}}

namespace agent_audit::readers {
namespace {

class CopilotCli final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        CopilotCollector collector(line_, args_);
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "type"))
                line_.type = raw_string(v);
            else if (key_is(key, "id"))
                line_.id = raw_string(v);
            else if (key_is(key, "timestamp"))
                line_.timestamp = raw_string(v);
            else if (key_is(key, "agentId"))
                line_.agent_id = raw_string(v);
            else if (key_is(key, "exitCode"))
                line_.exit_code = small_int(v);
            else if (key_is(key, "data")) {
                line_.has_data = is_object(v);
                return each_field(v, [&](const char* k, json::value& w) { return collector.collect(k, w); });
            }
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (line_.type.empty()) return LineFate::unknown_kind;
        if (line_.has_data) return interpret();
        return line_.type == "result" && line_.exit_code ? printed_end() : LineFate::missing_field;
    }

private:
    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = line_.type;
        if (type == "session.start" || type == "session.resume") return session();
        if (type == "tool.execution_complete") return result();
        if (type == "tool.execution_start") return started();
        if (type == "assistant.message") return assistant();
        if (type == kCopilotModelCall) return model_call();
        if (type == "permission.completed") return permission();
        if (copilot_tells_nothing(type)) return LineFate::ignored_kind;
        // A change of the mode that the model is told of in the midst of a turn has words, else there is nothing to
        // tell.
        if (type == "session.mode_notice_delivered" && !line_.content.seen) return LineFate::ignored_kind;
        begin();
        if (type == "user.message") return user();
        if (type == "system.message") return say(Role::system);
        if (type == "system.notification" || type == "skill.invoked" || type == "session.mode_notice_delivered")
            return say(Role::user);
        if (type == "assistant.usage" || type == "session.usage_record") return usage();
        if (type == "tool.user_requested") return user_call();
        if (type == "session.shutdown") return shutdown();
        if (type.starts_with("session.compaction_")) return compaction(type == "session.compaction_start");
        if (type == "session.truncation") return truncation();
        if (type == "session.context_cleared") return cleared();
        if (type == "session.snapshot_rewind") return rewind();
        if (type == "session.model_change" || type == "session.context_changed") return setting();
        if (type == "session.task_complete") return task_complete();
        if (type == "abort") return turn_end(TurnStatus::aborted);
        if (type == "session.error" || type == "session.warning" || type == "session.info") return notice();
        if (type.starts_with("subagent.")) return sub_agent();
        return LineFate::unknown_kind;
    }

    // The last line of what a run prints, which has the same events: how the program ended.
    LineFate printed_end() {
        begin();
        return turn_end(*line_.exit_code == 0 ? TurnStatus::completed : TurnStatus::failed);
    }

    LineFate session() {
        const bool resumes = line_.type == "session.resume";
        if (line_.session_id.empty() && !resumes) return LineFate::missing_field;
        // A session that is resumed is not named again.
        if (!line_.session_id.empty()) name_.assign(line_.session_id.substr(0, kLongestName));
        const IdHash id = line_.session_id.empty() ? session_ : id_hash(line_.session_id);
        new_head().time_ms = time_of(line_.timestamp);
        head().record_id = line_.id;
        SessionStart start;
        start.session_id = text_of(line_.session_id.empty() ? std::string_view(name_) : line_.session_id);
        start.product_version = text_of(line_.version);
        start.cwd = text_of(line_.cwd);
        start.model = text_of(line_.model);
        start.resumed = open_ && id == session_;
        if (!start.resumed) {
            turn_ = 0;
            lanes_.clear();
            asked_.clear();
            started_.clear();
            refusers_ = {};
            usage_.begin_session(id);
        } else {
            usage_.lose_run();
        }
        open_ = true;
        startless_ = false;
        session_ = id;
        emit(start);
        return LineFate::understood;
    }

    void begin() {
        if (!open_) {
            open_ = startless_ = true;
            new_head().time_ms = time_of(line_.timestamp);
            emit(SessionStart{});
        }
        const std::uint32_t lane = lane_of_line();
        EventHeader& h = new_head(lane, lane == 0 ? turn_ : 0);
        h.time_ms = time_of(line_.timestamp);
        h.record_id = line_.id;
    }

    std::uint32_t lane_of_line() {
        const std::string_view agent = line_.agent_id.empty() ? line_.parent_call_id : line_.agent_id;
        if (agent.empty()) return 0;
        const auto [lane, opened] = lanes_.find(id_hash(agent));
        if (opened) {
            new_head(lane).time_ms = time_of(line_.timestamp);
            LaneOpen open;
            open.purpose = LanePurpose::task;
            open.agent_id = text_of(agent);
            open.agent_type = text_of(line_.agent_name.empty() ? std::string_view(agent_name_) : line_.agent_name);
            emit(open);
        }
        return lane;
    }

    LineFate user() {
        if (!line_.content.seen) return LineFate::missing_field;
        const Origin origin = origin_of_prompt();
        if (origin == Origin::human) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, origin, line_.content.text, line_.content.media});
        return LineFate::understood;
    }

    // What a person types has no source. What goes to the agent while it works joins the turn that is under way.
    Origin origin_of_prompt() const {
        if (head().lane != 0) return Origin::agent;
        if (line_.continues || line_.other_session) return Origin::injected;
        if (!line_.source.empty() && line_.source != "user") return Origin::injected;
        return line_.delivery == "steering" ? Origin::queued : Origin::human;
    }

    LineFate say(Role role) {
        if (!line_.content.seen) return LineFate::missing_field;
        emit(Message{role, Origin::injected, line_.content.text, line_.content.media});
        return LineFate::understood;
    }

    LineFate assistant() {
        if (!line_.content.seen && line_.requests.empty()) return LineFate::missing_field;
        begin();
        usage_.answered();
        answering_model();
        const std::string_view id = line_.message_id.empty() ? line_.id : line_.message_id;
        head().response = is_stand_in(id) ? ++answers_ | std::uint64_t{1} << 63 : id_hash(id);
        if (!line_.reasoning.empty() || line_.opaque_bytes > 0) emit(Thinking{line_.reasoning, line_.opaque_bytes});
        if (!line_.content.text.empty()) emit(Message{Role::assistant, Origin::agent, line_.content.text, 0});
        for (const CopilotRequest& request : line_.requests) {
            if (!request.name.empty() && !started_.has(id_hash(request.id)))
                tell(call_of(request.id, request.name, request.args));
        }
        return usage();
    }

    // What a run prints begins without a start, and tells no usage: which model answers its messages alone say.
    void answering_model() {
        const IdHash model = id_hash(line_.model);
        if (!startless_ || head().lane != 0 || model == 0 || model == model_) return;
        model_ = model;
        ContextChange change;
        change.model = text_of(line_.model);
        emit(change);
    }

    LineFate user_call() {
        if (line_.tool_name.empty()) return LineFate::missing_field;
        ToolCall call = call_of(line_.call_id, line_.tool_name, line_.args);
        call.caller = Caller::user;
        tell(call);
        return LineFate::understood;
    }

    void tell(const ToolCall& call) {
        asked_.add(id_hash(call.call_id.bytes));
        emit(call);
    }

    // The message that asked for it is mostly known. It is not in a file that begins in the middle.
    LineFate started() {
        const IdHash id = id_hash(line_.call_id);
        if (id == 0 || line_.tool_name.empty() || asked_.has(id)) return LineFate::ignored_kind;
        begin();
        started_.add(id);
        tell(call_of(line_.call_id, line_.tool_name, line_.args));
        return LineFate::understood;
    }

    // Who let a call run or did not: denied-interactively-by-user is a person, any other denial is none.
    LineFate permission() {
        constexpr std::string_view kDenied = "denied-", kPerson = "denied-interactively";
        if (line_.call_id.empty() || !line_.outcome.starts_with(kDenied)) return LineFate::ignored_kind;
        refusers_.put(id_hash(line_.call_id), line_.outcome.starts_with(kPerson) ? Refuser::person : Refuser::rule);
        return LineFate::understood;
    }

    LineFate result() {
        if (line_.call_id.empty()) return LineFate::missing_field;
        begin();
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.name = text_of(line_.tool_name);
        result.text = line_.result.empty() ? line_.error : line_.result;
        const CopilotShellNote note = copilot_shell_note(result.text.bytes);
        result.text.bytes = note.text;
        result.media_count = line_.media;
        result.media_hash = line_.media_hash;
        result.exit_code = note.exit_code ? note.exit_code : line_.exit_code;
        if (!line_.success) {
            const bool refused = line_.error_code == "denied" || line_.error_code == "rejected";
            const std::optional<Refuser> refuser = refusers_.take(id_hash(line_.call_id));
            result.status = refused || refuser ? ResultStatus::denied : ResultStatus::error;
            result.refused_by = refuser.value_or(Refuser::unknown);
        } else if (!note.running.empty()) {
            result.status = ResultStatus::running;
            result.handle = text_of(note.running);
        } else {
            result.status = status_of(result.exit_code);
        }
        emit(result);
        return LineFate::understood;
    }

    // Whoever checks that a task is done may say that it is not, and the agent goes on.
    LineFate task_complete() {
        if (line_.outcome == "blocked") return turn_end(TurnStatus::failed);
        if (line_.failed || line_.outcome == "continue") return LineFate::ignored_kind;
        return turn_end(TurnStatus::completed);
    }

    LineFate turn_end(TurnStatus status) {
        emit(TurnEnd{status, -1});
        return LineFate::understood;
    }

    LineFate notice() {
        const NoticeLevel level = line_.type == "session.error"     ? NoticeLevel::error
                                  : line_.type == "session.warning" ? NoticeLevel::warning
                                                                    : NoticeLevel::info;
        const NoticeLayer layer = level == NoticeLevel::error ? NoticeLayer::provider : NoticeLayer::harness;
        emit(notice_of(layer, level, line_.error_code, line_.message.empty() ? line_.error : line_.message));
        return LineFate::understood;
    }

    LineFate setting() {
        ContextChange change;
        change.model = text_of(line_.model);
        change.cwd = text_of(line_.cwd);
        if (change.model.empty() && change.cwd.empty()) return LineFate::ignored_kind;
        if (!line_.model.empty()) model_ = id_hash(line_.model);
        emit(change);
        return LineFate::understood;
    }

    LineFate compaction(bool begins) {
        Compaction compaction;
        compaction.phase = begins         ? CompactionPhase::begin
                           : line_.failed ? CompactionPhase::failed
                                          : CompactionPhase::end;
        compaction.summary = line_.summary;
        compaction.trigger = trigger();
        fill_tokens(compaction);
        emit(compaction);
        if (begins) return LineFate::understood;
        if (const std::optional<Usage> usage = usage_.of_summary(line_)) emit(*usage);
        return LineFate::understood;
    }

    CompactionTrigger trigger() const {
        if (line_.trigger.empty()) return CompactionTrigger::unknown;
        if (line_.trigger == "manual") return CompactionTrigger::manual;
        return line_.trigger == "context_limit_retry" ? CompactionTrigger::overflow : CompactionTrigger::automatic;
    }

    LineFate cleared() {
        Compaction compaction;
        compaction.kind = CompactionKind::reset;
        compaction.trigger = CompactionTrigger::manual;
        compaction.keep = Keep::none;
        emit(compaction);
        if (!line_.message.empty()) emit(Message{Role::user, Origin::injected, line_.message, 0});
        return LineFate::understood;
    }

    LineFate truncation() {
        Compaction compaction;
        compaction.kind = CompactionKind::truncate;
        fill_tokens(compaction);
        emit(compaction);
        return LineFate::understood;
    }

    void fill_tokens(Compaction& compaction) const {
        if (line_.tokens_before > 0) compaction.tokens_before = line_.tokens_before;
        if (line_.tokens_after > 0) compaction.tokens_after = line_.tokens_after;
    }

    LineFate rewind() {
        if (line_.up_to.empty()) return LineFate::missing_field;
        emit(Rewind{RewindTarget::before_record, line_.up_to, 0});
        return LineFate::understood;
    }

    LineFate sub_agent() {
        if (line_.type == "subagent.started") {  // its lane opens with the first thing it does
            agent_name_.assign(line_.agent_name.substr(0, 200));
            return LineFate::understood;
        }
        if (line_.type != "subagent.completed" && line_.type != "subagent.failed") return LineFate::ignored_kind;
        const std::uint32_t lane = head().lane != 0 ? head().lane : lanes_.known(id_hash(line_.call_id));
        if (lane == 0) return LineFate::understood;
        head().lane = lane;
        head().turn = 0;
        emit(LaneClose{});
        return LineFate::understood;
    }

    LineFate model_call() {
        if (line_.tokens.total() == 0) return LineFate::ignored_kind;
        begin();
        return usage();
    }

    // What the record tells of a response.
    LineFate usage() {
        if (const std::optional<Usage> usage = usage_.told(line_, head().lane)) emit(*usage);
        return LineFate::understood;
    }

    LineFate shutdown() {
        for (const Usage& usage : usage_.rest(line_)) emit(usage);
        return LineFate::understood;
    }

    static constexpr std::size_t kLongestName = 200;  // of a session

    CopilotLine line_;
    bool open_ = false, startless_ = false;
    IdHash session_ = 0, model_ = 0;  // the model as a session without a start told it
    std::uint32_t turn_ = 0;
    LaneTable lanes_;
    RecentIds asked_, started_;  // calls that were told; those of them that no message told
    Recent<Refuser, 64> refusers_;
    std::string agent_name_;
    std::string name_;
    CopilotUsage usage_;
    std::uint64_t answers_ = 0;  // answers, where one word stands in place of all ids, or none
};

}  // namespace

ReaderSpec copilot_cli() {
    return {"copilot-cli",
            "GitHub Copilot CLI",
            "session events (events.jsonl)",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction,
            copilot_cli_kind_docs(),
            copilot_cli_score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CopilotCli>()); }};
}

}  // namespace agent_audit::readers
