#include "readers/acp/acp_line.hpp"
#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/pieces.hpp"
#include "readers/messages/printed_run.hpp"
#include "readers/messages/recent.hpp"

#include <array>
#include <string>
#include <vector>

// Messages of the Agent Client Protocol, as clients and proxies log them, with or without a frame around each: editors
// and command lines talk so with many agents.
//
//   {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
//   {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
//   {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"…"}]}}
//   {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk",
//    "content":{"type":"text","text":"…"}}}}
//   …"update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"`ls`","kind":"execute","status":"pending","rawInput":{…}}
//   …"update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[…],"rawOutput":{…}}
//   {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
//
// A call is told little by little: what it is called with may come with any of its updates, so it is told when it has
// ended. When a session is loaded the agent repeats its history before it answers.

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 8> kToolKinds{"read",   "edit",    "delete", "move",
                                                     "search", "execute", "think",  "fetch"};

constexpr std::array<std::string_view, 9> kAside{"plan",
                                                 "plan_update",
                                                 "available_commands_update",
                                                 "current_mode_update",
                                                 "config_option_update",
                                                 "session_info_update",
                                                 "terminal_update",
                                                 "terminal_output_chunk",
                                                 "compaction_summary_chunk"};

struct HeldCall {
    IdHash id = 0;
    std::string call_id, name, title, kind, input, input_text;
    EventHeader head;
};

struct Question {  // whether a call may be made
    IdHash request = 0, call = 0;
    std::array<IdHash, AcpLine::kMaxOptions> refusing{};
};

struct TerminalText {
    IdHash terminal = 0;
    std::string text;
    std::optional<int> exit_code;
};

class Acp final : public JsonReader {
public:
    void finish(EventSink& sink) override {
        set_sink(sink);
        line_ = AcpLine{};
        tell_pieces();
        tell_held();
        tell_state();
    }

protected:
    LineFate read_object(json::object object) override {
        line_ = AcpLine{};
        if (!read_acp_line(object, line_) || !alive()) return LineFate::malformed_json;
        if (!line_.is_rpc) return LineFate::unknown_kind;
        return line_.method.empty() ? response() : request();
    }

private:
    // ---- requests ---------------------------------------------------------------------------------------

    LineFate request() {
        const std::string_view method = line_.method;
        if (method == "session/update" || method == "session/notification") return update();
        if (method == "session/prompt") return prompt();
        if (method == "session/new" || method == "session/fork") return opens(false);
        if (method == "session/load" || method == "session/resume") return opens(method == "session/load");
        if (method == "session/request_permission") return question();
        if (method == "terminal/output" || method == "terminal/wait_for_exit")
            asked_.put(rpc_id(), id_hash(line_.terminal_id));
        return LineFate::ignored_kind;
    }

    IdHash rpc_id() const { return id_hash(line_.id); }

    LineFate opens(bool repeats) {
        tell_pieces();
        tell_held();
        opening_ = rpc_id();
        cwd_.assign(line_.cwd);
        if (line_.session_id.empty()) return LineFate::understood;
        open_session();
        repeating_ = repeats;
        return LineFate::understood;
    }

    void open_session() {
        new_head().time_ms = line_.time_ms;
        SessionStart start;
        start.session_id = text_of(line_.session_id);
        start.cwd = text_of(line_.cwd.empty() ? std::string_view(cwd_) : line_.cwd);
        start.resumed = run_.begin_session(line_.session_id);
        if (!start.resumed) prompted_ = false;
        emit(start);
    }

    void begin() {
        const IdHash id = id_hash(line_.session_id);
        if (!run_.open || (id != 0 && id != run_.session)) open_session();
        EventHeader& h = new_head(0, run_.turn);
        h.time_ms = line_.time_ms;
        if (repeating_) h.flags |= kCopied;
    }

    LineFate prompt() {
        if (!line_.prompt.seen) return LineFate::missing_field;
        tell_pieces();
        tell_held();
        begin();
        prompted_ = true;
        prompt_id_ = rpc_id();
        begin_turn();
        emit(Message{Role::user, Origin::human, line_.prompt.text, line_.prompt.media});
        return LineFate::understood;
    }

    void begin_turn() {
        run_.end_response();
        head().turn = ++run_.turn;
        emit(TurnStart{});
    }

    LineFate question() {
        Question& q = questions_[next_question_++ % questions_.size()];
        q = {rpc_id(), id_hash(line_.call_id), {}};
        for (std::size_t i = 0; i < line_.refusing_count; ++i) q.refusing[i] = id_hash(line_.refusing[i]);
        if (!line_.call_id.empty()) refine();
        return LineFate::understood;
    }

    // ---- answers ----------------------------------------------------------------------------------------

    LineFate response() {
        const IdHash id = rpc_id();
        if (!line_.has_result && !line_.has_error) return LineFate::unknown_kind;
        if (id != 0 && id == opening_) return opened();
        if ((id != 0 && id == prompt_id_) || !line_.stop_reason.empty()) return turn_end();
        if (const auto terminal = asked_.take(id)) {
            keep_terminal(*terminal);
            return LineFate::understood;
        }
        for (Question& q : questions_) {
            if (id == 0 || q.request != id) continue;
            const bool no = line_.outcome == "cancelled" || is_one_of(id_hash(line_.option), q.refusing);
            if (no && (line_.outcome == "cancelled" || !line_.option.empty())) denied_.put(q.call, true);
            q.request = 0;
            return LineFate::understood;
        }
        return LineFate::ignored_kind;
    }

    static bool is_one_of(IdHash id, const std::array<IdHash, AcpLine::kMaxOptions>& ids) {
        return id != 0 && std::ranges::find(ids, id) != ids.end();
    }

    LineFate opened() {
        tell_pieces();
        tell_held();
        opening_ = 0;
        repeating_ = false;
        if (!line_.session_id.empty() && id_hash(line_.session_id) != run_.session) open_session();
        return LineFate::understood;
    }

    LineFate turn_end() {
        tell_pieces();
        tell_held();
        begin();
        prompt_id_ = 0;
        run_.end_response();
        tell_usage();
        tell_state();
        const std::string_view why = line_.stop_reason;
        const bool ended = why.empty() || why == "end_turn";
        if (line_.has_error)
            emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", line_.error));
        else if (!ended && why != "cancelled")
            emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, why, {}));
        emit(TurnEnd{line_.has_error      ? TurnStatus::failed
                     : ended              ? TurnStatus::completed
                     : why == "cancelled" ? TurnStatus::aborted
                                          : TurnStatus::failed,
                     -1});
        return LineFate::understood;
    }

    // Agents differ in whether the input has in it what a cache held: the total tells.
    void tell_usage() {
        Usage usage;
        usage.scope = UsageScope::session;
        usage.tokens = line_.usage;
        const std::uint64_t cached = usage.tokens.cache_read + usage.tokens.cache_write;
        const bool within = line_.total == usage.tokens.input + usage.tokens.output && cached <= usage.tokens.input;
        if (within) usage.tokens.input -= cached;
        usage.tokens.reasoning = std::min(usage.tokens.reasoning, usage.tokens.output);
        if (usage.tokens.total() > 0) emit(usage);
    }

    // How full the window is and what all has cost, as told last.
    void tell_state() {
        if (used_ == 0 && cost_ < 0) return;
        if (!run_.open) return;
        new_head(0, run_.turn).time_ms = line_.time_ms;
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        if (used_ > 0) usage.context_tokens = used_;
        usage.window_tokens = window_;
        if (cost_ >= 0 && cost_ < 1e9) usage.cost_microusd = static_cast<std::uint64_t>(cost_ * 1e6 + 0.5);
        used_ = 0;
        cost_ = -1;
        emit(usage);
    }

    void keep_terminal(IdHash terminal) {
        TerminalText* kept = terminal_text(terminal);
        if (!kept) kept = &terminals_[next_terminal_++ % terminals_.size()];
        if (kept->terminal != terminal) *kept = {terminal, {}, {}};
        if (!line_.terminal_output.empty()) kept->text.assign(line_.terminal_output.bytes);
        if (line_.exit_code) kept->exit_code = line_.exit_code;
    }

    TerminalText* terminal_text(IdHash terminal) {
        for (TerminalText& t : terminals_) {
            if (terminal != 0 && t.terminal == terminal) return &t;
        }
        return nullptr;
    }

    // ---- updates ----------------------------------------------------------------------------------------

    LineFate update() {
        const std::string_view what = line_.update;
        if (what.empty()) return LineFate::missing_field;
        if (what == "usage_update") {
            used_ = line_.used;
            window_ = line_.window;
            if (line_.cost >= 0) cost_ = line_.cost;
            return LineFate::understood;
        }
        if (readers::is_one_of(what, kAside)) return LineFate::ignored_kind;
        if (what == "agent_message_chunk" || what == "agent_message") return piece(Piece::answer);
        if (what == "agent_thought_chunk" || what == "agent_thought") return piece(Piece::thought);
        if (what == "user_message_chunk" || what == "user_message") return user_piece();
        tell_pieces();
        if (what == "tool_call" || what == "tool_call_update") return tool_call();
        if (what == "compaction_update") return compaction();
        if (what == "notice") {
            begin();
            emit(notice_of(NoticeLayer::harness, NoticeLevel::info, "notice",
                           line_.title.empty() ? line_.notice : text_of(line_.title)));
            return LineFate::understood;
        }
        if (what == "state_update") return line_.stop_reason.empty() ? LineFate::ignored_kind : turn_end();
        return LineFate::unknown_kind;
    }

    enum class Piece : std::uint8_t { none, answer, thought, user };

    // Clients send the prompt, and some agents say it again.
    LineFate user_piece() {
        if (prompted_ && !repeating_) return LineFate::ignored_kind;
        return piece(Piece::user);
    }

    LineFate piece(Piece what) {
        const IdHash message = id_hash(line_.message_id);
        if (what != piece_ || message != piece_message_ || !pieces_.has_room_for(line_.text)) tell_pieces();
        if (piece_ == Piece::none) {
            begin();
            if (what == Piece::user)
                begin_turn();
            else
                respond();
            pieces_.begin(head());
            piece_ = what;
            piece_message_ = message;
        }
        pieces_.add(line_.text);
        piece_media_ += line_.media;
        return LineFate::understood;
    }

    void tell_pieces() {
        const Piece what = std::exchange(piece_, Piece::none);
        const std::uint32_t media = std::exchange(piece_media_, 0);
        const RawText text = pieces_.text();
        if (what == Piece::thought && !text.empty()) emit(Thinking{text}, pieces_.head());
        if (what == Piece::answer && !text.empty())
            emit(Message{Role::assistant, Origin::agent, text, media}, pieces_.head());
        if (what == Piece::user) emit(Message{Role::user, Origin::human, text, media}, pieces_.head());
        pieces_.clear();
    }

    void respond() { head().response = run_.respond(); }

    LineFate compaction() {
        if (line_.status == "in_progress") return LineFate::ignored_kind;
        begin();
        Compaction compaction;
        compaction.phase = line_.status == "completed" ? CompactionPhase::end : CompactionPhase::failed;
        compaction.summary = line_.text;
        compaction.keep = Keep::unknown;
        emit(compaction);
        return LineFate::understood;
    }

    // ---- calls ------------------------------------------------------------------------------------------

    LineFate tool_call() {
        if (line_.call_id.empty()) return LineFate::missing_field;
        const IdHash id = id_hash(line_.call_id);
        if (done_.contains(id)) return LineFate::understood;
        refine();
        const bool ended = line_.status == "completed" || line_.status == "failed" || line_.status == "cancelled";
        if (!ended) return LineFate::understood;
        const auto held = std::ranges::find(held_, id, &HeldCall::id);
        tell_call(*held);
        held_.erase(held);
        begin();
        run_.end_response();
        tell_result(id);
        done_.put(id, true);
        return LineFate::understood;
    }

    // Keeps what the record says of a call that has not ended.
    void refine() {
        constexpr std::size_t kMost = 64;
        const IdHash id = id_hash(line_.call_id);
        auto held = std::ranges::find(held_, id, &HeldCall::id);
        if (held == held_.end()) {
            if (held_.size() == kMost) {
                tell_call(held_.front());
                held_.erase(held_.begin());
            }
            begin();
            respond();
            held = held_.insert(held_.end(), HeldCall{id, std::string(line_.call_id), {}, {}, {}, {}, {}, head()});
            held->head.record_id = {};
        }
        const auto keep = [](std::string& kept, std::string_view said) {
            if (!said.empty()) kept.assign(said);
        };
        keep(held->name, line_.name);
        keep(held->title, line_.title);
        keep(held->kind, line_.kind);
        if (line_.input.size() > 2) held->input.assign(line_.input);
        keep(held->input_text, line_.input_text.bytes);
    }

    void tell_held() {
        for (HeldCall& call : held_) tell_call(call);
        held_.clear();
    }

    void tell_call(HeldCall& held) {
        const std::string_view name = name_of(held);
        emit(call_of(held.call_id, name, args_of(held)), held.head);
    }

    // The title tells the arguments too, mostly: it is a name where it is one word.
    static std::string_view name_of(const HeldCall& held) {
        if (!held.name.empty()) return held.name;
        if (std::ranges::find(kToolKinds, held.kind) != kToolKinds.end()) return held.kind;
        constexpr std::size_t kLongest = 64;
        const auto of_name = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                   c == '.' || c == ':';
        };
        const bool word =
            !held.title.empty() && held.title.size() <= kLongest && std::ranges::all_of(held.title, of_name);
        return word ? std::string_view(held.title) : "tool";
    }

    CallArgs args_of(HeldCall& held) {
        if (held.input.empty()) {
            const std::string_view text = held.input_text.empty() ? held.title : held.input_text;
            return text.empty() ? CallArgs{} : args_.digest_text({}, text_of(text));
        }
        const std::size_t size = held.input.size();
        held.input.append(simdjson::SIMDJSON_PADDING, ' ');
        json::document doc;
        json::value value;
        if (parser_.iterate(held.input.data(), size, held.input.size()).get(doc) || doc.get_value().get(value))
            return ArgsDigester::digest_none({});
        return args_.digest_value({}, value);
    }

    void tell_result(IdHash id) {
        ToolResult result;
        result.call_id = text_of(line_.call_id);
        result.text = line_.text.empty() ? line_.output : line_.text;
        result.media_count = line_.media;
        result.exit_code = line_.exit_code;
        if (const TerminalText* shown = terminal_text(id_hash(line_.shown_terminal))) {
            if (result.text.empty()) result.text = text_of(shown->text);
            if (!result.exit_code) result.exit_code = shown->exit_code;
        }
        result.opaque = result.text.empty() && (result.media_count > 0 || !line_.shown_terminal.empty());
        const bool refused = denied_.take(id).has_value();
        result.status = line_.status == "cancelled" ? ResultStatus::cancelled
                        : line_.status == "failed"  ? (refused ? ResultStatus::denied : ResultStatus::error)
                                                    : status_of(result.exit_code);
        emit(result);
    }

    AcpLine line_;
    PrintedRun run_;
    bool repeating_ = false, prompted_ = false;
    IdHash opening_ = 0, prompt_id_ = 0;
    std::string cwd_;
    Pieces pieces_;
    Piece piece_ = Piece::none;
    std::uint32_t piece_media_ = 0;
    IdHash piece_message_ = 0;
    std::vector<HeldCall> held_;
    Recent<bool, 256> done_, denied_;
    Recent<IdHash, 16> asked_;
    std::array<Question, 16> questions_{};
    std::size_t next_question_ = 0;
    std::array<TerminalText, 8> terminals_{};
    std::size_t next_terminal_ = 0;
    std::uint64_t used_ = 0, window_ = 0;
    double cost_ = -1;
    json::parser parser_;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        for (const std::string_view frame : {"", "message", "msg", "payload", "frame", "data", "raw", "json"}) {
            const ProbeRecord m = frame.empty() ? r : r.child(frame);
            if (!m.is_object() || !m.has("jsonrpc")) continue;
            const std::string_view method = m.text("method");
            if (method == "session/update" || method == "session/prompt") return kCertain;
            if (method.starts_with("session/")) best = std::max(best, 95);
            if (method == "initialize" && m.child("params").has("clientCapabilities")) best = std::max(best, 80);
        }
    }
    return best;
}

constexpr RecordKindDoc kKinds[] = {
    {"session/new, session/load and their answers", "SessionStart; what a loaded session repeats is copied history"},
    {"session/prompt", "TurnStart and Message (human)"},
    {"its answer", "Usage (of the turn), Notice where it failed, and TurnEnd"},
    {"agent_message_chunk, agent_thought_chunk", "Message, Thinking; pieces are joined"},
    {"user_message_chunk", "TurnStart and Message (human), where no prompt was sent"},
    {"tool_call, tool_call_update", "ToolCall and ToolResult, when the call has ended: ok, error, denied, cancelled"},
    {"session/request_permission and its answer", "whether a failed call was denied"},
    {"terminal/output, terminal/wait_for_exit", "what stands for the text of a call that shows a terminal"},
    {"usage_update", "Usage (context, window and cost), once a turn"},
    {"compaction_update", "Compaction"},
    {"notice", "Notice"},
    {"others", "ignored"},
};

}  // namespace

ReaderSpec acp() {
    return {"acp",
            "Agent Client Protocol",
            "logs of what a client and an agent say to each other",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Acp>()); }};
}

}  // namespace agent_audit::readers
