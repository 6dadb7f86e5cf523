#include "readers/all.hpp"
#include "readers/copilot/copilot_line.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/messages/recent.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

// Events of GitHub Copilot CLI: {type, data, id, timestamp, parentId, agentId?}.
//
//   {"type":"session.start","data":{"sessionId":"…","copilotVersion":"…","context":{"cwd":"…"}}}
//   {"type":"assistant.message","data":{"content":"…","toolRequests":[{"toolCallId":"c","name":"bash","arguments":{…}}],
//    "reasoningText":"…","outputTokens":9,"model":"…"}}
//   {"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"…"}}}
//   {"type":"session.shutdown","data":{"modelMetrics":{"<model>":{"usage":{…}}},"currentTokens":9}}
//
//   {"type":"session.usage_record","data":{"usage":{"model":"…","inputTokens":9,"outputTokens":2,"cacheReadTokens":4,
//    "apiCallId":"…","accounting":{"sourceSessionId":"…","sequence":1}}}}
//
// A message tells its output tokens only, if any, and since 1.0.102 none. The record of its usage (assistant.usage,
// which is rarely kept; since 1.0.102 session.usage_record, before each message) and that of the model's call tell all
// of the same response, and the shutdown of all responses, what was told before included: since the program was started
// in older versions, of the whole session in newer ones. What the messages told in between says which.

namespace agent_audit::readers {
namespace {

// A response of the model, as far as it has told its usage.
struct Response {
    std::uint64_t key = 0;
    IdHash call = 0, model = 0;
    TokenCounts tokens;
    std::uint32_t lane = 0;
    bool message = false, both = false;  // a message told it first; the record of its usage as well
    bool of_call = false;                // the record of the model's call told it first
    std::uint64_t number = 0;            // of its usage in the session, where it has one
};

// What a run of the program has spent on a model; 0 for messages that name none.
struct ModelSpent {
    IdHash model = 0;
    TokenCounts tokens;
};
using Spent = std::vector<ModelSpent>;

TokenCounts& spent_on(Spent& spent, IdHash model) {
    constexpr std::size_t kModels = 100;
    const auto at = std::ranges::find(spent, model, &ModelSpent::model);
    if (at != spent.end()) return at->tokens;
    if (spent.size() < kModels) spent.push_back({model, {}});
    return spent.back().tokens;
}

TokenCounts sum_of(const Spent& spent) {
    TokenCounts sum;
    for (const ModelSpent& s : spent) sum += s.tokens;
    return sum;
}

// Takes of `spent` what it has from `tokens`.
void take_off(TokenCounts& tokens, TokenCounts& spent) {
    const TokenCounts rest = minus(tokens, spent);
    spent = minus(spent, tokens);
    tokens = rest;
}

// The only one of the records on the model's calls that tells more than the conversation: the others repeat it.
constexpr std::string_view kModelCall = "model.model_call_success";

// Kinds that tell nothing the audit needs, by their beginning.
constexpr std::array<std::string_view, 58> kQuiet{"hook.",
                                                  "permission.",
                                                  "assistant.turn_",
                                                  "assistant.intent",
                                                  "assistant.reasoning",
                                                  "assistant.streaming",
                                                  "assistant.message_",
                                                  "assistant.tool_call_",
                                                  "assistant.server_tool_",
                                                  "assistant.fusion_",
                                                  "assistant.idle",
                                                  "tool.execution_p",
                                                  "tool_search.",
                                                  "pending_messages.",
                                                  "session.mode_changed",
                                                  "session.title_changed",
                                                  "session.idle",
                                                  "session.usage_info",
                                                  "session.usage_checkpoint",
                                                  "session.auto_mode_resolved",
                                                  "session.managed_settings_",
                                                  "skill.context_delivered",
                                                  "session.permissions_changed",
                                                  "session.session_limits_",
                                                  "session.plan_changed",
                                                  "session.todos_changed",
                                                  "session.autopilot_objective_",
                                                  "session.schedule_",
                                                  "session.workspace_file_changed",
                                                  "session.binary_asset",
                                                  "session.handoff",
                                                  "session.remote_steerable_",
                                                  "session.background_tasks_changed",
                                                  "session.tools_updated",
                                                  "session.skills_loaded",
                                                  "session.mcp_",
                                                  "session.extensions",
                                                  "session.custom_",
                                                  "session.fusion_",
                                                  "session.canvas.",
                                                  "session_limits_exhausted.",
                                                  "auto_mode_switch.",
                                                  "exit_plan_mode.",
                                                  "elicitation.",
                                                  "user_input.",
                                                  "external_tool.",
                                                  "sampling.",
                                                  "mcp.",
                                                  "mcp_app.",
                                                  "command.",
                                                  "commands.",
                                                  "capabilities.",
                                                  "factory.",
                                                  "ui.",
                                                  "sandbox.",
                                                  "agent.interrupted",
                                                  "prompt_cache_break",
                                                  "model."};

// A line break as JSON writes it, not a backslash and an n.
bool ends_in_break(std::string_view raw) {
    if (!raw.ends_with("\\n")) return false;
    const auto before = raw.find_last_not_of('\\', raw.size() - 2);
    return (raw.size() - 2 - (before == raw.npos ? 0 : before + 1)) % 2 == 0;
}

// What a shell says of itself below what the command printed: in a line of its own, the last one.
struct ShellNote {
    std::string_view text;  // what stands before it
    std::optional<int> exit_code;
    std::string_view running;  // the shell in which the command goes on
};

// "1 failing\n<exited with exit code 1>"; since 1.0.64 with the number of the shell, another one each time:
// "1 failing\n<shellId: 51 completed with exit code 1>", "<command with shellId: 22 is still running after 30 seconds.
// …>"
ShellNote shell_note(std::string_view raw) {
    constexpr std::string_view kExited = "<exited with exit code ", kShell = "<shellId: ",
                               kRunning = "<command with shellId: ", kCompleted = " completed with exit code ",
                               kStill = " is still running";
    ShellNote note{raw, std::nullopt, {}};
    const auto at = raw.ends_with('>') ? raw.rfind('<') : raw.npos;
    if (at == raw.npos || (at > 0 && !ends_in_break(raw.substr(0, at)))) return note;
    const std::string_view last = raw.substr(at);
    const auto named = [last](std::string_view start, std::string_view verb) {
        if (!last.starts_with(start)) return std::string_view{};
        const std::string_view rest = last.substr(start.size());
        const auto end = rest.find(verb);
        return end == rest.npos || rest.substr(0, end).find(' ') != rest.npos ? std::string_view{}
                                                                              : rest.substr(0, end);
    };
    if (last.starts_with(kExited))
        note.exit_code = number_after(last, kExited);
    else if (!named(kShell, kCompleted).empty())
        note.exit_code = number_after(last, kCompleted);
    else
        note.running = named(kRunning, kStill);
    if (!note.exit_code && note.running.empty()) return note;
    note.text = raw.substr(0, at);
    if (at > 0) note.text.remove_suffix(2);
    return note;
}

class CopilotCli final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        line_.clear();
        CopilotCollector collector(line_, args_);
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
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
        if (!whole || !alive()) return LineFate::malformed_json;
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
        if (type == kModelCall) return model_call();
        if (type == "permission.completed") return permission();
        if (starts_with_one_of(type, kQuiet)) return LineFate::ignored_kind;
        // A change of the mode that the model is told of in the midst of a turn has words, else there is nothing to
        // tell.
        if (type == "session.mode_notice_delivered" && !line_.content.seen) return LineFate::ignored_kind;
        begin();
        if (type == "user.message") return user();
        if (type == "system.message") return say(Role::system);
        if (type == "system.notification" || type == "skill.invoked" || type == "session.mode_notice_delivered")
            return say(Role::user);
        if (type == "assistant.usage" || type == "session.usage_record") return usage(), LineFate::understood;
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
            lost_.clear();
            totals_.clear();
            begin_run();
        } else {
            lose_run();
        }
        open_ = true;
        session_ = id;
        emit(start);
        return LineFate::understood;
    }

    void begin() {
        if (!open_) {
            open_ = true;
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
        said_ = true;
        const std::string_view id = line_.message_id.empty() ? line_.id : line_.message_id;
        head().response = is_stand_in(id) ? ++answers_ | std::uint64_t{1} << 63 : id_hash(id);
        if (!line_.reasoning.empty() || line_.opaque_bytes > 0) emit(Thinking{line_.reasoning, line_.opaque_bytes});
        if (!line_.content.text.empty()) emit(Message{Role::assistant, Origin::agent, line_.content.text, 0});
        for (const CopilotRequest& request : line_.requests) {
            if (!request.name.empty() && !started_.has(id_hash(request.id)))
                tell(call_of(request.id, request.name, request.args));
        }
        usage();
        return LineFate::understood;
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
        const ShellNote note = shell_note(result.text.bytes);
        result.text.bytes = note.text;
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
        if (!begins) compaction_usage();
        return LineFate::understood;
    }

    // The requests that a summary took, all in one sum: they have no records of their own.
    void compaction_usage() {
        Usage usage;
        usage.scope = UsageScope::session;
        usage.tokens = normal(line_.tokens);
        if (usage.tokens.total() == 0) return;
        usage.model = text_of(line_.model);
        if (is_unique_id(line_.id)) usage.message_key = id_hash(line_.id);
        spent_on(compacted_, id_hash(line_.model)) += usage.tokens;
        emit(usage);
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

    // ---- usage ------------------------------------------------------------------------------------------

    // The input includes what was cached; should it not, it is smaller.
    static TokenCounts normal(TokenCounts t) {
        const std::uint64_t cached = t.cache_read + t.cache_write;
        if (t.input >= cached) t.input -= cached;
        t.reasoning = std::min(t.reasoning, t.output);
        return t;
    }

    LineFate model_call() {
        if (line_.tokens.total() == 0) return LineFate::ignored_kind;
        begin();
        usage();
        return LineFate::understood;
    }

    void usage() {
        const TokenCounts tokens = normal(line_.tokens);
        if (tokens.total() == 0) return;
        const bool message = line_.type == "assistant.message";
        Response* response = same_response(tokens, message);
        if (response) {
            response->both = true;
        } else {
            response = &responses_[next_++ % responses_.size()];
            *response = {response_key(),           call_hash(),   id_hash(line_.model), {}, head().lane, message, false,
                         line_.type == kModelCall, usage_number()};
        }
        Usage usage;
        usage.tokens = tokens;
        usage.model = text_of(line_.model);
        usage.message_key = response->key;
        if (usage.message_key != 0) usage.mode = UsageMode::replace;
        emit(usage);
        if (tokens.total() <= response->tokens.total()) return;
        TokenCounts& told = spent_on(told_, response->model);
        told = minus(told, response->tokens);
        told += tokens;
        response->tokens = tokens;
    }

    // A message and a record of its usage tell of one response. Older versions name no call: there the two follow each
    // other and agree on the output. The record of the model's call may name it by another id.
    Response* same_response(const TokenCounts& tokens, bool message) {
        const IdHash call = call_hash();
        const bool of_call = line_.type == kModelCall;
        const std::size_t known = std::min(next_, responses_.size());
        for (std::size_t back = 1; call != 0 && back <= known; ++back) {
            if (Response& r = response_before(back); r.call == call && !other_record(r)) return &r;
        }
        for (std::size_t back = 1; back <= known; ++back) {
            Response& r = response_before(back);
            if (r.key == 0 || r.lane != head().lane || other_record(r)) continue;
            if (call != 0 && !of_call && !r.of_call) return nullptr;
            const bool other = !r.both && r.tokens.output == tokens.output && (r.message != message || of_call);
            return other || (of_call && r.tokens == tokens) ? &r : nullptr;
        }
        return nullptr;
    }

    IdHash call_hash() const { return is_stand_in(line_.api_call_id) ? 0 : id_hash(line_.api_call_id); }

    // Two records of usage with numbers tell of two responses, however short the ids are that a server gives.
    bool other_record(const Response& r) const {
        return r.number != 0 && line_.sequence != 0 && r.number != usage_number();
    }

    std::uint64_t usage_number() const {
        if (line_.sequence == 0 || is_stand_in(line_.source_session)) return 0;
        return mix_hash(id_hash(line_.source_session), line_.sequence) | 1;
    }

    Response& response_before(std::size_t back) { return responses_[(next_ - back) % responses_.size()]; }

    static constexpr std::size_t kLongestName = 200;  // of a session

    // Ids that are short are unique in their session only.
    std::uint64_t response_key() {
        if (const std::uint64_t number = usage_number(); number != 0) return number;
        if (!is_stand_in(line_.api_call_id)) return id_hash(line_.api_call_id);
        const std::string_view id = line_.message_id.empty() ? line_.id : line_.message_id;
        if (is_stand_in(id) && !line_.timestamp.empty())
            return mix_hash(mix_hash(session_, ++unnamed_), stable_hash(line_.timestamp)) | 1;
        if (id.empty() || (session_ == 0 && !is_unique_id(id))) return 0;
        return mix_hash(session_, id_hash(id)) | 1;
    }

    void begin_run() {
        said_ = false;
        told_.clear();
        compacted_.clear();
        responses_ = {};
        next_ = 0;
    }

    // The run has told no totals: it was cut off.
    void lose_run() {
        for (const ModelSpent& told : told_) spent_on(lost_, told.model) += told.tokens;
        begin_run();
    }

    // Whether the totals include those of the shutdown before.
    bool go_on(const Spent& totals) {
        if (totals_.empty()) return false;
        for (const ModelSpent& before : totals_) {
            const auto now = std::ranges::find(totals, before.model, &ModelSpent::model);
            if (now == totals.end() || minus(before.tokens, now->tokens).total() > 0) return false;
        }
        // The same once more, or without an answer in between: these can only be the old ones.
        if (!said_ || sum_of(totals).total() == sum_of(totals_).total()) return true;
        const std::uint64_t told = sum_of(told_).output, old = sum_of(totals_).output, now = sum_of(totals).output;
        return told > 0 ? now >= old + told : old > 0 && now == old;
    }

    // What the run cost beyond what its messages told: more of their requests, where a message of the model is known.
    LineFate shutdown() {
        Spent totals;
        for (const CopilotModelTotal& total : line_.totals)
            if (const TokenCounts all = normal(total.tokens); all.total() > 0)
                spent_on(totals, id_hash(total.model)) += all;
        if (totals.empty()) {
            lose_run();
            return LineFate::understood;
        }
        const Spent before = go_on(totals) ? std::move(totals_) : Spent{};
        totals_ = totals;
        take_off_told(totals, before);
        tell(totals);
        lost_.clear();
        begin_run();
        return LineFate::understood;
    }

    void take_off_told(Spent& totals, const Spent& before) const {
        // What runs that were cut off told is in the totals of a whole session only.
        Spent told = told_;
        const std::uint64_t lost = sum_of(lost_).output, known = sum_of(before).output + sum_of(told).output + lost;
        if (lost > 0 && sum_of(totals).output >= known)
            for (const ModelSpent& spent : lost_) spent_on(told, spent.model) += spent.tokens;
        // Names of models that the totals do not have are other names of theirs.
        TokenCounts nameless;
        for (const ModelSpent& spent : told)
            if (std::ranges::find(totals, spent.model, &ModelSpent::model) == totals.end()) nameless += spent.tokens;
        for (ModelSpent& total : totals) {
            const auto of_model = [&total](const ModelSpent& s) { return s.model == total.model; };
            if (const auto at = std::ranges::find_if(before, of_model); at != before.end())
                total.tokens = minus(total.tokens, at->tokens);
            if (const auto at = std::ranges::find_if(told, of_model); at != told.end())
                take_off(total.tokens, at->tokens);
        }
        for (ModelSpent& total : totals) take_off(total.tokens, nameless);
        // Version 1.0.102 leaves out what summaries took. Should another one not, it is more than the responses told.
        for (const ModelSpent& spent : compacted_) {
            const auto of_model = [&spent](const ModelSpent& s) { return s.model == spent.model; };
            const auto at = std::ranges::find_if(totals, of_model);
            if (at != totals.end() && at->tokens.total() >= spent.tokens.total())
                at->tokens = minus(at->tokens, spent.tokens);
        }
    }

    void tell(Spent& totals) {
        bool first = true;
        std::size_t alone = 0;
        for (const CopilotModelTotal& total : line_.totals) {
            const IdHash model = id_hash(total.model);
            Usage usage;
            usage.scope = UsageScope::session;
            if (const auto at = std::ranges::find(totals, model, &ModelSpent::model); at != totals.end())
                usage.tokens = std::exchange(at->tokens, {});
            usage.model = text_of(total.model);
            if (std::exchange(first, false) && line_.context > 0) usage.context_tokens = line_.context;
            if (usage.tokens.total() == 0) continue;
            if (Response* response = alone < responses_.size() ? last_of(model) : nullptr) {
                usage.mode = UsageMode::replace;
                usage.message_key = response->key;
                usage.tokens += response->tokens;
                *response = {};
            } else {
                ++alone;
                if (is_unique_id(line_.id)) usage.message_key = mix_hash(id_hash(line_.id), model) | 1;
            }
            emit(usage);
        }
    }

    Response* last_of(std::uint64_t model) {
        for (std::size_t back = 1; back <= std::min(next_, responses_.size()); ++back) {
            Response& r = responses_[(next_ - back) % responses_.size()];
            if (r.key != 0 && (r.model == model || r.model == 0)) return &r;
        }
        return nullptr;
    }

    CopilotLine line_;
    bool open_ = false;
    IdHash session_ = 0;
    std::uint32_t turn_ = 0;
    LaneTable lanes_;
    RecentIds asked_, started_;  // calls that were told; those of them that no message told
    Recent<Refuser, 64> refusers_;
    std::string agent_name_;
    std::string name_;
    bool said_ = false;                    // the model has answered in this run
    Spent told_, lost_;                    // by the messages of this run; of runs before it that told no totals
    Spent compacted_;                      // by summaries of this run
    Spent totals_;                         // as the last shutdown had them
    std::array<Response, 4> responses_{};  // the last ones; who adds up remembers eight
    std::size_t next_ = 0;
    // Where one word stands in place of all ids, or none: responses that told usage, and answers.
    std::uint64_t unnamed_ = 0, answers_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 9> kOurs{"session.",     "assistant.",  "tool.execution_",
                                                    "user.message", "system.",     "hook.",
                                                    "subagent.",    "permission.", "abort"};
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object() || !r.has("data") || r.has("payload")) continue;
        const std::string_view type = r.text("type");
        const ProbeRecord data = r.child("data");
        if (type == "session.start" && (data.has("copilotVersion") || data.text("producer") == "copilot-agent"))
            return kCertain;
        if (starts_with_one_of(type, kOurs) && r.has("parentId") && r.has("timestamp")) best = 90;
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"session.start, session.resume", "SessionStart"},
    {"session.model_change, session.context_changed", "ContextChange"},
    {"system.message", "Message (system)"},
    {"user.message", "TurnStart and Message (human); while the agent works: queued; with a source: injected"},
    {"assistant.message", "Thinking, Message, a ToolCall for each request, Usage (output)"},
    {"tool.execution_start", "ToolCall, where no message told it"},
    {"tool.execution_complete", "ToolResult; for commands the exit code decides, or that they are still running"},
    {"tool.user_requested", "ToolCall by the user"},
    {"session.usage_record, assistant.usage, model.model_call_success", "Usage"},
    {"session.shutdown", "Usage: what the messages had not told"},
    {"session.compaction_start, session.compaction_complete, session.truncation",
     "Compaction; Usage: all requests of the summary in one"},
    {"session.context_cleared", "Compaction (reset); its initialMessage: Message (injected)"},
    {"session.snapshot_rewind", "Rewind"},
    {"abort, session.task_complete, the result of a run that prints its events", "TurnEnd"},
    {"session.error, session.warning, session.info", "Notice"},
    {"subagent.…, events with agentId", "LaneOpen, the events in the agent's own lane, LaneClose"},
    {"system.notification, skill.invoked, session.mode_notice_delivered", "Message (injected)"},
    {"permission.completed", "who denied a call: a person, or a rule, a hook, nobody to ask"},
    {"hooks, other permissions, turns of the model, pieces, states, settings, schedules", "ignored"},
};

}  // namespace

ReaderSpec copilot_cli() {
    return {"copilot-cli",
            "GitHub Copilot CLI",
            "session events (events.jsonl)",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CopilotCli>()); }};
}

}  // namespace agent_audit::readers
