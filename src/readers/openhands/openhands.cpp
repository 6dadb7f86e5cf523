#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/openhands/openhands_event.hpp"
#include "readers/openhands/openhands_state.hpp"

#include <array>
#include <charconv>

// OpenHands writes events, one a line, one a file, or many in the `history` of a record of an evaluation:
//
//   version 0  {"id":5,"timestamp":"…","source":"agent","action":"run","args":{"command":"ls","thought":"…"},
//               "tool_call_metadata":{…},"llm_metrics":{…}}
//              {"id":6,"source":"agent","observation":"run","cause":5,"content":"…","extras":{"metadata":{"exit_code":0}}}
//   version 1  {"id":"…","source":"agent","kind":"ActionEvent","tool_name":"terminal","tool_call_id":"c","action":{…}}
//              {"id":"…","source":"environment","kind":"ObservationEvent","tool_call_id":"c","observation":{…}}
//              headless runs print "--JSON Event--" in front of each
//   2024       {"action":"run","command":"ls","thought":"…"}, {"observation":"run","exit_code":0,"content":"…"}
//              beside a folder of files, base_state.json: see openhands_state.hpp
//   evaluation {"instance_id":"…","instruction":"…","history":[…],"metrics":{…},"error":null}

namespace agent_audit::readers {
namespace {

struct Evaluation {
    std::string_view instance, model;
    TokenCounts tokens;
    std::uint64_t context = 0;
    double cost_usd = 0;
    RawText error;
};

constexpr std::array<std::string_view, 5> kQuietActions{"recall", "null", "change_agent_state", "pause", "resume"};
constexpr std::array<std::string_view, 2> kQuietObservations{"recall", "null"};
constexpr std::array<std::string_view, 8> kQuietKinds{
    "CondensationRequest", "TokenEvent",   "LLMCompletionLogEvent", "HookExecutionEvent",
    "StreamingDeltaEvent", "WarningEvent", "AskUserRequestEvent",   "AskUserResponseEvent"};
// Kinds of tools that say what a call does; others (think, other) are told by its title.
constexpr std::array<std::string_view, 7> kForeignKinds{"read", "edit", "delete", "move", "search", "execute", "fetch"};
// What the evaluation says in the place of a user.
constexpr std::array<std::string_view, 2> kInjected{"Please continue working on the task", "Please run the following"};

// Tools by the names that the model knows, where only the action was recorded.
std::string_view tool_of(std::string_view action) {
    if (action == "run") return "execute_bash";
    if (action == "run_ipython") return "execute_ipython_cell";
    return action;
}

// The tool of a call that could not be read, by the complaint about it. Still escaped, as all texts here.
std::string_view complained_of(std::string_view complaint) {
    struct Wording {
        std::string_view before, after;
    };
    constexpr std::array<Wording, 3> kWordings{{{"unction '", "'"},  // Missing required parameters for function 'x'
                                                {" in tool call ", {}},
                                                {"Tool ", " is not registered"}}};
    if (complaint.starts_with("Failed to parse tool call arguments")) return "unknown";
    complaint = complaint.substr(0, 200);
    for (const auto& [before, after] : kWordings) {
        const std::size_t at = complaint.find(before);
        if (at == complaint.npos) continue;
        const std::string_view rest = complaint.substr(at + before.size());
        const std::size_t end = after.empty() ? rest.size() : rest.find(after);
        const std::string_view name = end == rest.npos ? std::string_view() : rest.substr(0, end);
        if (!name.empty() && name.find(' ') == name.npos) return name;
    }
    return {};
}

class OpenHands final : public DocumentReader {
public:
    OpenHands() : DocumentReader("history") {}

    void finish(EventSink& sink) override {
        if (!state_.is_there()) return;
        set_sink(sink);
        tell_rest();
    }

protected:
    LineFate read_object(json::object object) override {
        e_ = OpenHandsEvent{};
        run_ = Evaluation{};
        answers_ = is_state_ = false;
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            return collect_evaluation(key, v) && collect_openhands(e_, args_, key, v);
        });
        if (!whole) return LineFate::malformed_json;
        if (is_state_ && !e_.has_history && e_.kind.empty() && e_.action.empty() && e_.observation.empty()) {
            const bool read = !object.reset().error() && state_.read(object) && alive();
            return read ? LineFate::understood : LineFate::malformed_json;
        }
        if (!e_.has_history) return answers_ ? answer(object) : event();
        run_.error = e_.error;
        open_ = false;
        const LineFate fate = stream_records(object);
        if (record().part == RecordPart::whole) open_ = false;
        return fate;
    }

    bool read_rest(json::object fields) override {
        e_ = OpenHandsEvent{};
        const bool whole = each_field(fields, [this](const char* key, json::value& v) {
            return collect_evaluation(key, v) && collect_openhands(e_, args_, key, v);
        });
        if (!e_.error.empty()) run_.error = e_.error;
        return whole;
    }

    LineFate end_document(json::object) override {
        end_of_run();
        open_ = false;
        return LineFate::understood;
    }

    LineFate read_element(json::object element) override {
        e_ = OpenHandsEvent{};
        const bool whole = each_field(
            element, [this](const char* key, json::value& v) { return collect_openhands(e_, args_, key, v); });
        return whole && alive() ? event() : LineFate::malformed_json;
    }

    // What the command line prints in front of each event when it is told to print JSON.
    LineFate read_torn(std::string_view text) override {
        return text.starts_with("--JSON Event--") ? LineFate::ignored_kind : DocumentReader::read_torn(text);
    }

private:
    bool collect_evaluation(const char* key, json::value& v) {
        if (key_is(key, "instance_id"))
            run_.instance = raw_string(v);
        else if (key_is(key, "metrics"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "accumulated_cost")) run_.cost_usd = number_or(w, 0);
                if (key_is(k, "accumulated_token_usage")) return add_openhands_tokens(w, run_.tokens, run_.context);
                return true;
            });
        else if (key_is(key, "metadata"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (!key_is(k, "llm_config")) return true;
                return each_field(w, [this](const char* name, json::value& x) {
                    if (key_is(name, "model")) run_.model = raw_string(x);
                    return true;
                });
            });
        else if (key_is(key, "agent"))
            is_state_ = is_object(v);
        else if (is_answer_key(key))
            answers_ = is_array(v);
        return true;
    }

    // What the server answers when it is asked for the events of a conversation: {"trajectory":[…]}, {"items":[…]}.
    static bool is_answer_key(const char* key) { return key_is(key, "trajectory") || key_is(key, "items"); }

    LineFate answer(json::object object) {
        open_ = false;
        const LineFate fate = stream_arrays(object, is_answer_key);
        open_ = false;
        return fate;
    }

    // ---- sessions ---------------------------------------------------------------------------------------

    void begin() {
        if (!open_) {
            open_ = true;
            turn_ = 0;
            in_turn_ = totals_ = spent_ = false;
            lanes_.clear();
            new_head().time_ms = time_of(e_.timestamp);
            SessionStart start;
            start.session_id = text_of(run_.instance);
            const std::string_view model = run_.model.empty() ? e_.model : run_.model;
            start.model = text_of(model.empty() ? state_.model() : model);
            start.cwd = text_of(state_.cwd());
            std::array<char, 24> number{};
            if (run_.instance.empty() && e_.id.empty()) {  // evaluations without names are told apart by their line
                const auto end = std::to_chars(number.data(), number.data() + number.size(), record().where.line).ptr;
                start.label = plain({number.data(), static_cast<std::size_t>(end - number.data())});
            } else {
                start.label = text_of(run_.instance);
            }
            emit(start);
        }
        EventHeader& h = new_head(lane_, lane_ == 0 ? turn_ : 0);
        h.time_ms = time_of(e_.timestamp);
        h.record_id = e_.id;
        if (e_.hidden) h.flags |= kHidden;
    }

    void end_of_run() {
        e_ = OpenHandsEvent{};
        begin();
        const std::uint64_t cost = microusd(run_.cost_usd);
        if (!spent_ && (cost > 0 || run_.tokens.total() > 0)) emit(totals_usage(run_.tokens, cost));
        if (run_.error.empty()) return;
        emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "error", run_.error));
        end_turn(TurnStatus::failed);
    }

    void end_turn(TurnStatus status) {
        if (!std::exchange(in_turn_, false)) return;
        emit(TurnEnd{status, -1});
    }

    // ---- events -----------------------------------------------------------------------------------------

    LineFate event() {
        const bool words = !e_.action.empty() || !e_.observation.empty();
        if (!e_.kind.empty() && (!words || e_.kind.ends_with("Event"))) return versioned();
        if (!e_.action.empty()) return action();
        if (!e_.observation.empty()) return observation();
        return LineFate::unknown_kind;
    }

    void turn_start() {
        head().turn = ++turn_;
        in_turn_ = true;
        emit(TurnStart{});
    }

    LineFate said(bool by_agent) {
        if (!e_.message.seen) return LineFate::missing_field;
        begin();
        if (by_agent) {
            respond();
            if (!e_.reasoning.empty()) emit(Thinking{e_.reasoning, 0});
            if (!e_.message.text.empty())
                emit(Message{Role::assistant, Origin::agent, e_.message.text, e_.message.media});
            usage();
            answered_ = true;
            return LineFate::understood;
        }
        const bool human = e_.source != "environment" && !starts_with_one_of(e_.message.text.bytes, kInjected);
        if (human) turn_start();
        emit(Message{Role::user, human ? Origin::human : Origin::injected, e_.message.text, e_.message.media});
        added(Role::user);
        return LineFate::understood;
    }

    void added(Role role) {
        if (!e_.added.empty()) emit(Message{role, Origin::injected, e_.added, 0});
    }

    void respond() {
        head().response = response_key();
        is_next_ = std::exchange(answered_, e_.response_id.empty() && !state_.is_there());
        if (head().response == 0) head().response = (is_next_ ? ++responses_ : responses_) | std::uint64_t{1} << 63;
    }

    // What the calls of a response have in common: its id, or its time and what it took where a word stands in place of
    // all ids. 0 where nothing tells.
    std::uint64_t response_key() const {
        if (!is_stand_in(e_.response_id)) return id_hash(e_.response_id);
        if (e_.response_tokens.total() == 0 || (e_.response_id.empty() && e_.responded == 0)) return 0;
        return mix_hash(figures_hash(e_.response_tokens), e_.responded) | 1;
    }

    LineFate action() {
        const std::string_view kind = e_.action;
        if (kind == "message") return said(e_.source == "agent");
        if (kind == "system") {
            begin();
            emit(Message{Role::system, Origin::injected, e_.message.text, 0});
            return LineFate::understood;
        }
        if (kind == "finish" || kind == "reject") return finished(kind == "finish");
        if (kind == "condensation") return condensation();
        if (kind == "condensation_request" || is_one_of(kind, kQuietActions)) return LineFate::ignored_kind;
        // What the editor was asked to view is an action of its own, without the word that told it from an edit.
        const bool views = kind == "read";
        call(views || e_.tool_name.empty() ? tool_of(kind) : e_.tool_name, e_.id, kind == "think");
        return LineFate::understood;
    }

    void call(std::string_view name, std::string_view id, bool think) {
        begin();
        respond();
        if (!e_.reasoning.empty()) emit(Thinking{e_.reasoning, 0});
        const RawText thought = !e_.thought.empty() ? e_.thought : think ? RawText{} : e_.args_thought;
        if (!thought.empty()) emit(Message{Role::assistant, Origin::agent, thought, 0});
        CallArgs args = e_.has_args ? e_.args : e_.own_args;
        // What is thought is all that tells one thought from another.
        if (think) args = args_.digest_text({}, e_.args_thought.empty() ? e_.thought : e_.args_thought);
        ToolCall call = call_of(id, name, args);
        if (e_.source == "user") call.caller = Caller::user;
        emit(call);
        usage();
    }

    LineFate finished(bool completed) {
        begin();
        respond();
        for (const RawText& text : {e_.thought.empty() ? e_.args_thought : e_.thought, e_.final_thought}) {
            if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, 0});
        }
        usage();
        end_turn(completed ? TurnStatus::completed : TurnStatus::failed);
        return LineFate::understood;
    }

    LineFate condensation() {
        begin();
        Compaction compaction;
        compaction.trigger = CompactionTrigger::automatic;
        compaction.kind = e_.summary.empty() ? CompactionKind::truncate : CompactionKind::summary;
        compaction.summary = e_.summary;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate observation() {
        const std::string_view kind = e_.observation;
        if (kind == "agent_state_changed") return state_changed(e_.agent_state);
        if (kind == "error" && e_.cause.empty() && e_.tool_name.empty()) {
            const std::string_view tool = complained_of(e_.message.text.bytes);
            if (e_.source == "agent" && !tool.empty()) return unusable_call(tool);
            begin();
            emit(notice_of(NoticeLayer::harness, NoticeLevel::error, "error", e_.message.text));
            emit(Message{Role::user, Origin::injected, e_.message.text, 0});
            return LineFate::understood;
        }
        if (is_one_of(kind, kQuietObservations)) return LineFate::ignored_kind;
        if (kind == "user_rejected") e_.rejected = true;
        const std::string_view text = e_.message.text.bytes;
        const bool refused = text.starts_with("ERROR:") || text.starts_with("[Your proposed edit has introduced");
        // The answer of an MCP server stands there as it was sent, its own error mark at its end.
        const bool server_error =
            kind == "mcp" && (text.ends_with("\\\"isError\\\": true}") || text.ends_with("\\\"isError\\\":true}"));
        if (kind == "error" || refused || server_error) e_.is_error = true;
        result(e_.cause);
        return LineFate::understood;
    }

    // A call that the model made and the harness could not read is recorded as the complaint about it alone.
    LineFate unusable_call(std::string_view tool) {
        begin();
        respond();
        CallArgs unknown;
        unknown.digest.opaque = true;
        emit(call_of(e_.id, tool, unknown));
        head().response = 0;
        e_.is_error = true;
        result(e_.id);
        return LineFate::understood;
    }

    void result(std::string_view call_id) {
        begin();
        answered_ = true;
        ToolResult result;
        result.call_id = text_of(call_id);
        result.name = text_of(e_.tool_name);
        result.text = e_.message.text.empty() ? e_.error : e_.message.text;
        result.media_count = e_.message.media;
        constexpr int kStillRunning = -1;
        const bool running = !e_.is_error && e_.exit_code == kStillRunning;
        if (e_.exit_code != kStillRunning) result.exit_code = e_.exit_code;
        if (e_.rejected) {
            result.status = ResultStatus::denied;
            result.refused_by = e_.rejected_by == "user"   ? Refuser::person
                                : e_.rejected_by == "hook" ? Refuser::rule
                                                           : Refuser::unknown;
        } else if (e_.is_error)
            result.status = ResultStatus::error;
        else if (running)
            result.status = ResultStatus::running;
        else if (result.exit_code)
            result.status = status_of(result.exit_code);
        else if (!e_.kind.empty())  // version 1 always says when something failed
            result.status = ResultStatus::ok;
        emit(result);
    }

    LineFate state_changed(std::string_view state) {
        begin();
        if (state == "finished" || state == "awaiting_user_input")
            end_turn(TurnStatus::completed);
        else if (state == "error" || state == "rejected" || state == "stuck")
            end_turn(TurnStatus::failed);
        else if (state == "stopped" || state == "paused")
            end_turn(TurnStatus::aborted);
        else
            return LineFate::ignored_kind;
        return LineFate::understood;
    }

    LineFate versioned() {
        const std::string_view kind = e_.kind;
        if (kind == "ActionEvent") {
            if (e_.tool_name.empty()) return LineFate::missing_field;
            call(e_.tool_name, e_.tool_call_id, e_.tool_name == "think");
            return LineFate::understood;
        }
        if (kind == "ObservationEvent" || kind == "UserRejectObservation" || kind == "AgentErrorEvent") {
            if (e_.tool_call_id.empty() && e_.action_id.empty()) return LineFate::missing_field;
            e_.rejected = kind == "UserRejectObservation";
            e_.is_error |= kind == "AgentErrorEvent";
            result(e_.tool_call_id);
            added(Role::user);
            return LineFate::understood;
        }
        if (kind == "ACPToolCallEvent") return foreign_call();
        if (kind == "MessageEvent") return said(e_.source == "agent");
        if (kind == "SystemPromptEvent") {
            begin();
            emit(Message{Role::system, Origin::injected, e_.message.text, 0});
            added(Role::system);
            return LineFate::understood;
        }
        if (kind == "Condensation") return condensation();
        if (kind == "ConversationStateUpdateEvent") return state_update();
        if (kind == "PauseEvent" || kind == "InterruptEvent") {
            begin();
            end_turn(TurnStatus::aborted);
            return LineFate::understood;
        }
        if (kind == "ConversationErrorEvent") {
            begin();
            const NoticeLayer layer = e_.code == "MaxIterationsReached" ? NoticeLayer::harness : NoticeLayer::provider;
            emit(notice_of(layer, NoticeLevel::error, e_.code, e_.error));
            end_turn(TurnStatus::failed);
            return LineFate::understood;
        }
        return is_one_of(kind, kQuietKinds) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    // A call of another agent that works in the place of the own one. It is written anew with each change, and whole
    // when it is over; the kind of the tool is what all agents have in common.
    LineFate foreign_call() {
        const bool failed = e_.is_error || e_.status == "failed";
        if (!failed && e_.status != "completed") return LineFate::ignored_kind;
        if (e_.tool_call_id.empty()) return LineFate::missing_field;
        e_.is_error = failed;
        begin();
        enter_lane();
        respond();
        constexpr std::string_view kNothing = "{}";
        const bool told = e_.own_args.raw.bytes.size() > kNothing.size();
        const std::string_view name = is_one_of(e_.tool_kind, kForeignKinds) ? e_.tool_kind : e_.title;
        emit(call_of(e_.tool_call_id, name, told ? e_.own_args : args_.digest_text({}, text_of(e_.title))));
        head().response = 0;
        if (e_.message.text.empty()) e_.message.text = e_.output;
        result(e_.tool_call_id);
        lane_ = 0;
        return LineFate::understood;
    }

    // The lane of the sub-agent that a call belongs to: it is named by the call that started it.
    void enter_lane() {
        if (e_.parent.empty()) return;
        const auto [lane, opened] = lanes_.find(id_hash(e_.parent));
        lane_ = lane;
        begin();
        if (!opened) return;
        LaneOpen open;
        open.purpose = LanePurpose::task;
        open.agent_id = text_of(e_.parent);
        emit(open);
    }

    LineFate state_update() {
        begin();
        usage();
        if (e_.has_total) return LineFate::understood;
        return state_changed(e_.key == "execution_status" ? e_.value : e_.agent_state);
    }

    // ---- usage ------------------------------------------------------------------------------------------

    static Usage totals_usage(const TokenCounts& tokens, std::uint64_t cost) {
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.tokens = tokens;
        if (cost > 0) usage.cost_microusd = cost;
        return usage;
    }

    // Running totals where they are kept; otherwise what each response says. A response with several calls is
    // repeated with each of them.
    void usage() {
        if (state_.is_there()) {
            // Where the ids were taken out, what the agent does after a result is its next response.
            const OpenHandsState::Response* response = !is_stand_in(e_.response_id) ? state_.take(e_.response_id)
                                                       : is_next_                   ? state_.take_next()
                                                                                    : nullptr;
            if (response) tell_response(*response);
        } else if (e_.has_total) {
            totals_ = spent_ = true;
            Usage usage = totals_usage(e_.total_tokens, microusd(e_.total_cost_usd));
            const std::uint64_t prompt = e_.response_tokens.prompt();
            if (prompt > 0 || e_.context_tokens > 0) usage.context_tokens = prompt > 0 ? prompt : e_.context_tokens;
            usage.model = text_of(e_.model);
            emit(usage);
        } else if (!totals_ && e_.response_tokens.total() > 0) {
            spent_ = true;
            Usage usage;
            usage.message_key = response_key();
            usage.mode = usage.message_key == 0 ? UsageMode::add : UsageMode::replace;
            usage.tokens = e_.response_tokens;
            usage.model = text_of(e_.model);
            emit(usage);
        }
    }

    void tell_response(const OpenHandsState::Response& response) {
        spent_ = true;
        Usage usage;
        usage.tokens = response.tokens;
        usage.message_key = id_hash(response.id);
        usage.model = text_of(response.model);
        if (const std::uint64_t cost = microusd(response.cost_usd); cost > 0) usage.cost_microusd = cost;
        emit(usage);
    }

    // What no event tells of was asked beside the conversation, for its summaries.
    void tell_rest() {
        const std::vector<const OpenHandsState::Response*> rest = state_.left();
        if (rest.empty() || !open_) return;
        lane_ = lanes_.find(id_hash("condenser")).lane;
        e_ = OpenHandsEvent{};
        begin();
        LaneOpen open;
        open.purpose = LanePurpose::compaction;
        emit(open);
        for (const OpenHandsState::Response* response : rest) {
            head().response = ++responses_ | std::uint64_t{1} << 63;
            emit(Message{Role::assistant, Origin::agent, {}, 0});  // what it answered is not kept
            tell_response(*response);
        }
        lane_ = 0;
    }

    OpenHandsEvent e_;
    Evaluation run_;
    OpenHandsState state_;
    bool open_ = false, in_turn_ = false, answers_ = false, is_state_ = false;
    bool totals_ = false, spent_ = false;  // running totals were seen; any usage was
    std::uint32_t turn_ = 0, lane_ = 0;
    std::uint64_t responses_ = 0;
    bool answered_ = true;  // since the last response that has no name
    bool is_next_ = false;  // the current event begins a response
    LaneTable lanes_;
};

Score score_event(const ProbeRecord& r) {
    const std::string_view kind = r.text("kind");
    if (!r.text("source").empty() &&
        (kind.ends_with("Event") || kind == "Condensation" || kind == "UserRejectObservation")) {
        return kCertain;
    }
    const bool word = !r.text("action").empty() || !r.text("observation").empty();
    if (!word || r.has("role")) return 0;
    constexpr std::array<std::string_view, 3> kSources{"agent", "user", "environment"};
    const std::string_view source = r.text("source");
    // Logs of all kinds say what came from where.
    if (!source.empty() && !is_one_of(source, kSources)) return 0;
    if (!source.empty()) return r.has("timestamp") || r.has("cause") ? kCertain : 90;
    return r.has("args") || r.has("extras") || r.has("content") || r.has("thought") ? 50 : 0;
}

bool is_state(const ProbeRecord& r) {
    const auto agent = r.raw("agent");
    return agent && agent->starts_with('{') && r.child("stats").has("usage_to_metrics");
}

bool holds_events(std::string_view array) {
    return array.find("\"observation\"") != array.npos || array.find("Event\"") != array.npos;
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const auto history = r.raw("history");
        for (const char* key : {"trajectory", "items"}) {
            const auto events = history ? std::nullopt : r.raw(key);
            if (events && events->starts_with('[') && holds_events(*events) &&
                events->find("\"source\"") != events->npos && events->find("\"action\"") != events->npos &&
                !r.has("info") && !r.has("environment"))
                return 90;
        }
        if (!history) {
            best = std::max(best, is_state(r) ? 95 : score_event(r));
            continue;
        }
        if (!history->starts_with('[') || r.has("trajectory") || r.has("mistake_agent")) continue;
        const bool events = holds_events(*history);
        const bool framed = r.has("instance_id") || r.has("git_patch") || r.has("test_result");
        if (events && framed) return kCertain;
        if (events || (framed && r.has("metrics"))) best = std::max(best, 70);
    }
    return best;
}

constexpr std::string_view kStreams[] = {"history"};

constexpr RecordKindDoc kKinds[] = {
    {"{instance_id, history, metrics}", "one session; the metrics are its Usage where no event tells any"},
    {"{trajectory}, {items}", "the events that the server answers with"},
    {"message; MessageEvent", "Message; TurnStart where a human speaks"},
    {"system; SystemPromptEvent", "Message (system)"},
    {"run, read, edit, … ; ActionEvent", "Message (thought), ToolCall, Usage"},
    {"observations; ObservationEvent, AgentErrorEvent, UserRejectObservation", "ToolResult: the exit code decides"},
    {"error without a cause",
     "Notice and Message (injected); of a call that could not be read: ToolCall and ToolResult"},
    {"ACPToolCallEvent", "ToolCall and ToolResult, when the call is over; of a sub-agent: LaneOpen and its own lane"},
    {"finish, reject", "Message and TurnEnd"},
    {"agent_state_changed, execution_status, PauseEvent, InterruptEvent, ConversationErrorEvent", "TurnEnd"},
    {"condensation; Condensation", "Compaction"},
    {"llm_metrics; stats", "Usage (running totals)"},
    {"base_state.json beside the folder of events",
     "the model and the folder of the session; Usage of each response, of the condenser in a lane of its own"},
    {"recall, null, state requests, logs", "ignored"},
};

}  // namespace

ReaderSpec openhands() {
    return {"openhands",
            "OpenHands",
            "events of version 0 and 1, and evaluation output",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<OpenHands>()); },
            kStreams};
}

}  // namespace agent_audit::readers
