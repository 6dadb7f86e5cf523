#include "readers/all.hpp"
#include "readers/claude_code/claude_code_advice.hpp"
#include "readers/claude_code/claude_code_agent.hpp"
#include "readers/claude_code/claude_code_collector.hpp"
#include "readers/claude_code/claude_code_kinds.hpp"
#include "readers/claude_code/claude_code_lanes.hpp"
#include "readers/claude_code/claude_code_line.hpp"
#include "readers/claude_code/claude_code_origin.hpp"
#include "readers/claude_code/claude_code_score.hpp"
#include "readers/claude_code/claude_code_sessions.hpp"
#include "readers/claude_code/claude_code_text.hpp"
#include "readers/claude_code/claude_code_unnamed.hpp"
#include "readers/claude_code/message_queue.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/qwen_deferred.hpp"
#include "readers/messages/recent.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Claude Code session files (~/.claude/projects/**/*.jsonl), sub-agent files beside them, and what
// `claude -p --output-format stream-json` prints. One model response is spread over several lines, one content
// block each, that share message.id and repeat the usage; most "user" records are not a human.

namespace agent_audit::readers {
namespace {

// Tools with which the model runs a command by itself.
constexpr std::array<std::string_view, 2> kCommandTools{"Skill", "SlashCommand"};

// What is known of the session that is read. A stream may hold several, one behind the other.
struct SessionSoFar {
    struct Lane {
        std::uint32_t turn = 0;
        bool prompt_told = false;
    };

    Recent<bool, 16> denied_;  // calls that a rule, a mode or a classifier denied
    bool open_ = false;
    bool window_told_ = false;
    std::string session_;  // as bookkeeping names it that stands in front
    SourceSpan session_place_;
    ClaudeCodeSessions sessions_;
    std::string cwd_;  // as recorded last
    MessageQueue queue_;
    std::uint64_t told_from_queue_ = 0;
    std::uint32_t open_calls_ = 0;           // of the main lane, in this turn
    std::vector<UnnamedResponses> unnamed_;  // by lane
    IdHash own_agent_ = 0;
    ClaudeCodeAgent agent_;
    IdHash command_of_model_ = 0;  // the last response, where the model ran a command in it
    RunTotals run_;
    double run_cost_usd_ = 0;  // of the runs in this stream
    std::vector<Lane> lanes_{1};
    ClaudeCodeLanes side_lanes_;
    std::vector<IdHash> parents_;  // ring: parents that have a human or assistant child
    std::size_t parent_next_ = 0;
};

class ClaudeCode final : public JsonReader, private SessionSoFar {
public:
    explicit ClaudeCode(bool stream) : stream_(stream) {}

    void finish(EventSink& sink) override {
        set_sink(sink);
        if (open_ || session_.empty()) return;
        line() = {};
        set_place(session_place_);
        open_session();
    }

protected:
    LineFate read_object(json::object object) override {
        return lines_.read(object) && alive() ? interpret() : LineFate::malformed_json;
    }

    std::optional<LineFate> read_quickly(quick::Walk& walk) override {
        const char* const open = walk.past_blanks(walk.at());
        if (*open != '{') return std::nullopt;
        if (!lines_.read(quick::object(&walk, open)) || !walk.finished()) return std::nullopt;
        // A record within the record, or a part that is read again: simdjson has seen both.
        if (!line().data_message.empty() || !line().advised.empty()) return std::nullopt;
        if (stream_ && line().type == "result") return std::nullopt;
        return interpret();
    }

private:
    ClaudeCodeLine& line() { return lines_.line(); }
    const ClaudeCodeLine& line() const { return lines_.line(); }

    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        if (line().type.empty()) return sub_agent();
        if (line().parent_null || (stream_ && line().subtype == "init")) [[unlikely]]
            look_for_other_session();
        if (line().type == "user" || line().type == "assistant") {
            if (!line().has_message) return LineFate::missing_field;
            begin_record();
            return message();
        }
        if (line().type == "system") return system();
        if (line().type == "attachment") return attachment();
        if (line().type == "progress") return progress();
        if (line().type == "result" && stream_) return result();
        if (line().type == "cost-state" && open_) {
            begin_record();
            paid();
            return LineFate::understood;
        }
        if (line().type == "conversation_reset" && open_) {
            begin_record();
            return reset();
        }
        if (line().type == "api-request-shape") return shape();
        if (claude_code_bookkeeping(line().type)) {
            if (!open_ && session_.empty() && !line().session_id.empty()) {
                session_ = line().session_id;
                session_place_ = record().where;
            }
            if (line().type == "queue-operation") queue();
            return LineFate::ignored_kind;
        }
        return LineFate::unknown_kind;
    }

    // A record that follows no other, as the first of a session does. Files that were written one behind the other into
    // a pipe are as many sessions; what a file holds of others, after a resume or a compaction, belongs to its own.
    [[gnu::cold, gnu::noinline]] void look_for_other_session() {
        if (!open_ || line().session_id.empty()) return;
        const bool other_file = own_agent_ != 0 && !line().sidechain;  // behind that of a sub-agent
        if (sessions_.has(line().session_id) && !other_file) return;
        if (claude_code_goes_on(line(), record().text)) return sessions_.add(line().session_id);
        static_cast<SessionSoFar&>(*this) = SessionSoFar();
    }

    // What lies beside the file of a sub-agent comes first.
    [[gnu::cold, gnu::noinline]] LineFate sub_agent() {
        if (open_) return LineFate::missing_field;
        return agent_.read(record().text, inner_parser_) ? LineFate::understood : LineFate::missing_field;
    }

    // Bookkeeping may come first and says neither where the session runs nor with which version: the first record of
    // the conversation does.
    [[gnu::cold]] void open_session() {
        if (open_) return;
        open_ = true;
        SessionStart start;
        start.session_id = text_of(line().session_id.empty() ? std::string_view(session_) : line().session_id);
        start.cwd = text_of(line().cwd);
        cwd_ = line().cwd;
        sessions_.add(start.session_id.bytes);
        start.product_version = text_of(line().version);
        start.model = text_of(line().model.empty() ? line().top_model : line().model);
        // A sub-agent's own file begins inside the side conversation and names the agent.
        if (line().sidechain && !line().agent_id.empty()) {
            own_agent_ = id_hash(line().agent_id);
            start.sub_agent = true;
            start.parent_session_id = start.session_id;
            joined_ = agent_.label(line().agent_id);
            start.label = text_of(joined_);
            start.housekeeping =
                line().agent_id.starts_with("acompact") || line().agent_id.starts_with("aprompt_suggestion");
        }
        new_head().time_ms = time_of(line().timestamp);
        emit(start);
    }

    [[gnu::cold]] void tell_window() {
        if (window_told_ || line().version.empty()) return;
        window_told_ = true;
        ContextChange change;
        change.window_tokens = claude_code_usual_window(line().version);
        if (change.window_tokens == 0) return;
        EventHeader& h = new_head();
        h.time_ms = time_of(line().timestamp);
        h.flags |= kSynthetic;  // the record does not say it
        emit(change);
    }

    // Where the session's own shell stands. Sub-agents have one of their own.
    [[gnu::cold]] void tell_directory() {
        if (line().cwd.empty()) return;
        cwd_ = line().cwd;
        if (line().subtype == "init") return;  // tells it with the model
        ContextChange change;
        change.cwd = text_of(line().cwd);
        new_head(0, lanes_[0].turn).time_ms = time_of(line().timestamp);
        emit(change);
    }

    [[gnu::cold]] void queue() {
        const std::string_view what = line().subtype;
        if (what == "enqueue")
            queue_.enqueue(line().content.bytes, record().where, time_of(line().timestamp));
        else if (what == "dequeue")
            queue_.dequeue();
        else if (what == "remove")
            queue_.remove(open_calls_ > 0);
        else
            queue_.clear();
    }

    // What left the queue while a call ran, and came as no message before the next response: the model has seen it.
    [[gnu::cold]] void tell_queued() {
        for (const MessageQueue::Waiting& waiting : queue_.take_removed()) {
            const std::string_view text = waiting.text;
            const bool typed = !claude_code_begins_with_tag(text) && !text.starts_with('/') && !text.starts_with('{');
            if (!typed || claude_code_injected(text) || claude_code_from_agent(text)) continue;
            set_place(waiting.where);
            new_head(0, lanes_[0].turn).time_ms = waiting.time_ms;
            turn_begins();
            emit(Message{Role::user, Origin::queued, text_of(text), 0});
            told_from_queue_ = stable_hash(text);
        }
        set_place(record().where);
    }

    void begin_record() {
        if (!open_) open_session();
        if (!window_told_) tell_window();
        // What moves it is a command, and whose answer tells of that is a record of the user's.
        if (line().type == "user" && !line().sidechain && line().cwd != cwd_) tell_directory();
        if (line().type == "user" && line().session_id != sessions_.newest()) sessions_.add(line().session_id);
        if (queue_.any_removed() && line().type == "assistant" && !line().sidechain &&
            line().parent_tool_use_id.empty())
            tell_queued();
        const std::uint32_t lane = lane_of_record();
        if (lanes_.size() <= lane) lanes_.resize(lane + 1);
        EventHeader& h = new_head(lane, lanes_[lane].turn);
        h.time_ms = time_of(line().timestamp);
        h.record_id = line().uuid;
        const std::string_view id = line().message_id;
        const bool named = names_itself(id);
        h.response = named ? id_hash(id) : 0;
        if (!named && (!id.empty() || line().has_usage)) [[unlikely]]
            h.response = unnamed_response();
        if (line().replay) h.flags |= kCopied;
        if (!line().ids.empty()) [[unlikely]]
            take_back();
    }

    // "msg_01AbC…": told from a stand-in by two characters.
    static bool names_itself(std::string_view id) {
        return id.size() >= kUniqueId && id[kDigit] >= '1' && id[kDigit] <= '9' && id[kDigit - 1] != id[kDigit];
    }

    // Some gateways give all responses the same id, a word, and what is published has one in place of many ids. The
    // request tells such responses apart, or else what they took.
    [[gnu::cold, gnu::noinline]] IdHash unnamed_response() {
        const std::string_view id = line().message_id;
        if (line().type != "assistant" || !is_stand_in(id)) return id_hash(id);
        if (!is_stand_in(line().request_id)) return mix_hash(id_hash(id), id_hash(line().request_id)) | 1;
        if (line().usage.total() == 0) return id_hash(id);
        UnnamedResponses::Record record;
        record.prompt = line().usage.prompt();
        record.output = line().usage.output;
        record.turn = lanes_[head().lane].turn;
        record.calls = line().block_count > 0 && line().blocks[0].type == "tool_use";
        // Without a time nothing is left that a copy in another file would have in common with it, and nothing else.
        record.begun =
            line().timestamp.empty() ? mix_hash(this->record().where.file, ++untimed_) : stable_hash(line().timestamp);
        const std::uint32_t lane = head().lane;
        if (unnamed_.size() <= lane) unnamed_.resize(lane + 1);
        return unnamed_[lane].of(record, id_hash(id));
    }

    // ---- lanes ------------------------------------------------------------------------------------------

    std::uint32_t lane_of_record() {
        if (!line().parent_tool_use_id.empty()) {
            // An agent that is called again goes on where it was: it keeps its own id, and newer versions tell that.
            const std::string_view agent = line().agent_id.empty() ? line().parent_tool_use_id : line().agent_id;
            return lane_for(id_hash(agent), agent);
        }
        if (!line().sidechain) return 0;
        const IdHash agent = id_hash(line().agent_id);
        if (agent != 0) return agent == own_agent_ ? 0 : lane_for(agent, line().agent_id);
        return inline_side_lane();
    }

    std::uint32_t lane_for(IdHash key, std::string_view agent) {
        const auto [lane, opened] = side_lanes_.of_agent(key);
        if (opened) open_lane(lane, agent);
        return lane;
    }

    std::uint32_t inline_side_lane() {
        const IdHash parent = line().parent_null ? 0 : id_hash(line().parent_uuid);
        const auto [lane, opened] = side_lanes_.of_record(id_hash(line().uuid), parent);
        if (opened) open_lane(lane, {});
        return lane;
    }

    void open_lane(std::uint32_t lane, std::string_view agent) {
        lanes_.resize(std::max<std::size_t>(lanes_.size(), lane + 1));
        LaneOpen open;
        open.agent_id = text_of(agent);
        open.agent_type = text_of(line().agent_type);
        open.purpose = agent.starts_with("acompact")             ? LanePurpose::compaction
                       : agent.starts_with("aprompt_suggestion") ? LanePurpose::suggestion
                                                                 : LanePurpose::task;
        new_head(lane).time_ms = time_of(line().timestamp);
        emit(open);
    }

    // The service refused to go on with an answer, or a call in it could not be read: this is in its place.
    [[gnu::cold, gnu::noinline]] void take_back() {
        if (line().type != "user" && line().type != "assistant") return;
        const std::string_view ids = line().ids.bytes;
        const std::size_t open = ids.find('"'), close = open == ids.npos ? open : ids.find('"', open + 1);
        if (close == ids.npos) return;
        emit(Rewind{RewindTarget::before_record, ids.substr(open + 1, close - open - 1), 0});
    }

    LineFate message() {
        const LineFate fate = line().type == "user" ? user() : assistant();
        if (line().dropped_blocks) {
            Notice notice;
            notice.level = NoticeLevel::warning;
            notice.code = plain("too-many-blocks");
            notice.text = plain("a message with more than 10000 content blocks: the rest was not read");
            emit(notice);
        }
        return fate;
    }

    // ---- user records -----------------------------------------------------------------------------------

    LineFate user() {
        bool results = false;
        for (std::size_t i = 0; i < line().block_count; ++i) {
            if (line().blocks[i].type == "tool_result") {
                tool_result(line().blocks[i]);
                results = true;
                if (head().lane == 0 && open_calls_ > 0) --open_calls_;
            }
        }
        if (line().has_text) {
            user_text(line().text, 0);
            return LineFate::understood;
        }
        std::uint32_t media = 0;
        for (std::size_t i = 0; i < line().block_count; ++i) {
            const std::string_view type = line().blocks[i].type;
            media += type == "image" || type == "document";
        }
        for (std::size_t i = 0; i < line().block_count; ++i) {
            ClaudeCodeBlock& block = line().blocks[i];
            if (block.type != "text") continue;
            user_text(block.text, media, results);
            media = 0;
        }
        if (media > 0) user_text({}, media, results);
        return LineFate::understood;
    }

    void tool_result(const ClaudeCodeBlock& block) {
        ToolResult result;
        result.call_id = text_of(block.id);
        result.text = block.content.text;
        result.media_count = block.content.media;
        result.media_hash = block.content.media_hash;
        result.media_stored = block.content.media_stored;
        result.opaque = block.content.seen && block.content.text.empty() && block.content.media > 0;
        result.status = ResultStatus::ok;
        if (block.is_error) {
            const Failure failure = failure_of(block);
            result.exit_code = failure.exit_code;
            result.status = failure.status;
            result.refused_by = failure.refused_by;
            if (result.text.form == TextForm::json_string) result.text.bytes = claude_code_error(result.text.bytes);
        }
        emit(result);
    }

    struct Failure {
        std::optional<int> exit_code;
        ResultStatus status = ResultStatus::error;
        Refuser refused_by = Refuser::unknown;
    };

    [[gnu::cold, gnu::noinline]] Failure failure_of(const ClaudeCodeBlock& block) {
        Failure out{claude_code_exit_code(block.content.text.bytes), claude_code_failed_as(line(), block), {}};
        // A record of the refusal may stand before the result.
        const bool told = denied_.take(id_hash(block.id)).has_value();
        if (told && out.status == ResultStatus::error) out.status = ResultStatus::denied;
        if (out.status != ResultStatus::denied) return out;
        if (told || claude_code_refused_by_rule(claude_code_denial(line(), block))) out.refused_by = Refuser::rule;
        return out;
    }

    // The prompt for which a command stands follows it; the request is what the human typed.
    RawText request_of(RawText text) const {
        if (command_of_model_ != 0 || of_sub_agent()) return text;
        const std::string_view typed = claude_code_typed_behind_command(text.bytes);
        return typed.empty() ? text : RawText{typed, text.form};
    }

    bool of_sub_agent() const { return head().lane != 0 || own_agent_ != 0; }

    void user_text(RawText text, std::uint32_t media, bool beside_results = false) {
        if (text.bytes.starts_with("[Request interrupted by user")) {
            queue_.take_removed();
            emit(TurnEnd{TurnStatus::aborted, -1});
            return;
        }
        if (line().compact_summary) {
            // A boundary record has already announced it; the summary completes that.
            head().flags |= kPartial;
            emit(Message{Role::user, Origin::summary, text, media});
            return;
        }
        if (text.bytes.starts_with("<bash-input>"))
            return human_command({claude_code_shell_input(text.bytes), text.form});
        if (text.bytes.starts_with("<bash-stdout>")) return human_output(text);
        if (queue_.any_removed()) queue_.told(text.bytes);
        if (!beside_results) text = request_of(text);
        const Origin origin = claude_code_origin(line(), text.bytes, beside_results, of_sub_agent());
        if (origin == Origin::human) human_begins();
        if (origin == Origin::queued) turn_begins();
        emit(Message{Role::user, origin, text, media});
    }

    // What the human ran with a `!`, and what it printed.
    void human_command(RawText command) {
        const CallArgs args = args_.digest_text("bash", command);
        ToolCall call;
        call.name = plain("bash");
        call.args = args.raw;
        call.primary = args.primary;
        call.digest = args.digest;
        call.caller = Caller::user;
        emit(call);
    }

    void human_output(RawText text) {
        const auto [out, err] = claude_code_shell_output(text.bytes);
        if (!out.empty() && !err.empty()) joined_.assign(out).append(out.ends_with("\\n") ? "" : "\\n").append(err);
        ToolResult result;
        result.text = {out.empty() ? err : err.empty() ? out : std::string_view(joined_), text.form};
        result.status = ResultStatus::ok;
        emit(result);
    }

    void human_begins() {
        // Nobody is its own parent: one word was put in for all ids.
        const IdHash parent = line().parent_uuid == line().uuid ? 0 : id_hash(line().parent_uuid);
        if (parent != 0 && std::ranges::find(parents_, parent) != parents_.end()) {
            emit(Rewind{RewindTarget::to_record, line().parent_uuid, 0});
        }
        remember_parent(parent);
        turn_begins();
    }

    void turn_begins() {
        EventHeader& h = head();
        if (h.lane == 0) open_calls_ = 0;
        h.turn = ++lanes_[h.lane].turn;
        emit(TurnStart{});
    }

    void remember_parent(IdHash parent) {
        if (parent == 0) return;
        if (parents_.size() < kRemembered) parents_.emplace_back();
        parents_[parent_next_++ % kRemembered] = parent;
    }

    // ---- assistant records ------------------------------------------------------------------------------

    LineFate assistant() {
        remember_parent(id_hash(line().parent_uuid));
        if (head().lane == 0 && head().response != command_of_model_) command_of_model_ = 0;
        if (line().api_error || line().model == "<synthetic>") {
            Notice notice;
            notice.level = line().api_error ? NoticeLevel::error : NoticeLevel::info;
            notice.layer = NoticeLayer::provider;
            notice.code = text_of(line().error_text);
            if (line().has_text) notice.text = line().text;
            for (std::size_t i = 0; i < line().block_count && notice.text.empty(); ++i)
                notice.text = line().blocks[i].text;
            // An answer that was cut off or refused was billed; the program's own words were not.
            if (line().has_usage && line().usage.total() > 0 && line().model != "<synthetic>") usage();
            head().flags |= kSynthetic;
            emit(notice);
            return LineFate::understood;
        }
        // Figures first: whoever estimates tokens where none are recorded then need not look at this text.
        if (line().has_usage) usage();
        if (line().has_text) emit(Message{Role::assistant, Origin::agent, line().text, 0});
        // Qwen Code prints its answers as Claude Code does.
        for (std::size_t i = 0; stream_ && i < line().block_count; ++i) see_through(line().blocks[i], args_, true);
        for (std::size_t i = 0; i < line().block_count; ++i) assistant_block(line().blocks[i]);
        return LineFate::understood;
    }

    void assistant_block(const ClaudeCodeBlock& block) {
        if (block.type == "text") {
            emit(Message{Role::assistant, Origin::agent, block.text, 0});
        } else if (block.type == "thinking" || block.type == "redacted_thinking") {
            emit(Thinking{block.text, block.opaque_bytes});
        } else if (block.type == "tool_use" || block.type == "server_tool_use" || block.type == "mcp_tool_use") {
            ToolCall call;
            call.call_id = text_of(block.id);
            call.name = text_of(block.name);
            call.args = block.args.raw;
            call.primary = block.args.primary;
            call.digest = block.args.digest;
            call.fields = block.args.fields;
            if (call.digest.canonical == 0) call.digest = ArgsDigester::digest_none(block.name).digest;
            if (head().lane == 0) {
                ++open_calls_;
                if (std::ranges::find(kCommandTools, block.name) != kCommandTools.end())
                    command_of_model_ = head().response;
            }
            emit(call);
        } else if (block.type.ends_with("_tool_result")) {  // results of server-side tools stand in the response
            ToolResult result;
            result.call_id = text_of(block.id);
            result.text = block.content.text;
            result.status = block.is_error ? ResultStatus::error : ResultStatus::ok;
            if (head().lane == 0 && open_calls_ > 0) --open_calls_;
            emit(result);
        }
    }

    // Part of what every answer goes through: the compiler would not see that by itself, as refused requests tell it
    // too.
    [[gnu::always_inline]] void usage() {
        Usage usage;
        usage.scope = UsageScope::request;
        usage.mode = UsageMode::replace;
        usage.tokens = line().usage;
        usage.model = text_of(line().model);
        usage.message_key = head().response;
        usage.request_key = id_hash(line().request_id);
        usage.sidechain = line().sidechain;
        if (!line().advised.empty()) advisors(usage);
        tell(usage, line().model);
    }

    void tell(const Usage& usage, std::string_view model) {
        emit(usage);
        if (stream_) run_.told(usage, model, head().lane == 0 && usage.scope == UsageScope::request);
    }

    // Another model that was asked within the request is told first: the lane goes on with the model that answers.
    [[gnu::cold, gnu::noinline]] void advisors(const Usage& of) {
        std::uint64_t number = 0;
        each_claude_code_advice(inner_parser_, line().advised, [&](std::string_view model, const TokenCounts& tokens) {
            Usage usage = of;
            usage.scope = UsageScope::session;  // no prompt of this conversation
            usage.tokens = tokens;
            usage.model = text_of(model);
            if (of.message_key != 0) usage.message_key = mix_hash(of.message_key, ++number) | 1;
            tell(usage, model);
        });
    }

    void rest_of_run() {
        const std::optional<TokenCounts> all = line().has_totals ? std::nullopt : std::optional(line().usage);
        for (const RunTotals::More& more : run_.rest(all)) {
            Usage usage;
            usage.scope = UsageScope::session;
            usage.tokens = more.tokens;
            usage.model = text_of(more.model);
            if (more.of) {
                usage.mode = UsageMode::replace;
                usage.message_key = more.of->message;
                usage.request_key = more.of->request;
            } else {  // no copy of anything; a print that is read twice is one
                usage.message_key =
                    mix_hash(mix_hash(id_hash(line().session_id), id_hash(more.model)), figures_hash(more.tokens)) | 1;
            }
            emit(usage);
        }
    }

    // ---- the rest ---------------------------------------------------------------------------------------

    LineFate system() {
        if (line().session_id.empty() && session_.empty() && !open_) return LineFate::missing_field;
        begin_record();
        if (line().subtype == "compact_boundary" || line().subtype == "microcompact_boundary") return compaction();
        if (line().subtype == "api_error" || line().subtype == "api_retry") {
            Notice notice;
            notice.level = NoticeLevel::warning;
            notice.layer = NoticeLayer::provider;
            notice.code = plain(line().reason);
            notice.text = text_of(line().error_text);
            notice.attempt = line().attempt;
            notice.retry_in_ms = line().retry_in_ms;
            emit(notice);
            return LineFate::understood;
        }
        if (line().subtype == "permission_denied") {
            denied_.put(id_hash(line().refused_call), true);
            return LineFate::understood;
        }
        if (line().subtype == "turn_duration") {
            emit(TurnEnd{TurnStatus::completed, line().duration_ms});
            return LineFate::understood;
        }
        if (line().subtype == "model_refusal_fallback" || line().subtype == "model_fallback" ||
            line().subtype == "model_consent_fallback")
            return other_model();
        if (line().subtype == "session_writes_lost") {
            emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "session-writes-lost",
                           text_of(line().error_code)));
            return LineFate::understood;
        }
        if (line().subtype == "init") {
            ContextChange change;
            change.model = text_of(line().top_model);
            change.cwd = text_of(line().cwd);
            emit(change);
            return LineFate::understood;
        }
        return claude_code_aside(line().subtype) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    // Another one answers from here on: the first one refused, could not be reached, or was no longer wanted.
    LineFate other_model() {
        const bool refused = line().subtype == "model_refusal_fallback";
        if (line().subtype != "model_consent_fallback") {
            emit(notice_of(NoticeLayer::provider, NoticeLevel::warning,
                           std::string_view(refused ? "refusal" : "model-fallback"), line().content));
        }
        if (line().scope == "local" || line().top_model.empty()) return LineFate::understood;  // one answer alone
        ContextChange change;
        change.model = text_of(line().top_model);
        emit(change);
        return LineFate::understood;
    }

    LineFate reset() {
        Compaction compaction;
        compaction.kind = CompactionKind::reset;
        compaction.trigger = CompactionTrigger::manual;
        compaction.keep = Keep::none;
        emit(compaction);
        return LineFate::understood;
    }

    // What the program sends beside the messages, written down whenever it changes. The messages of a request are
    // written down as well: the conversation tells of them.
    LineFate shape() {
        if (!open_ || line().shape.empty()) return LineFate::ignored_kind;
        line().sidechain = !line().agent_id.empty();
        begin_record();
        tell_prompt_size(line().shape);
        return LineFate::understood;
    }

    void tell_prompt_size(const RawText& prompt) {
        if (std::exchange(lanes_[head().lane].prompt_told, true)) return;
        ContextChange change;
        change.system_prompt_bytes = prompt.size();
        emit(change);
    }

    LineFate compaction() {
        Compaction compaction;
        const bool micro = line().subtype == "microcompact_boundary";
        compaction.kind = micro ? CompactionKind::clear_tool_results : CompactionKind::summary;
        compaction.trigger = line().trigger == "auto"     ? CompactionTrigger::automatic
                             : line().trigger == "manual" ? CompactionTrigger::manual
                                                          : CompactionTrigger::unknown;
        if (line().pre_tokens > 0) compaction.tokens_before = line().pre_tokens;
        if (line().post_tokens > 0) compaction.tokens_after = line().post_tokens;
        if (micro && line().pre_tokens > line().tokens_saved && line().tokens_saved > 0) {
            compaction.tokens_after = line().pre_tokens - line().tokens_saved;
        }
        compaction.ids = line().ids;
        compaction.keep = micro || !line().ids.empty() ? Keep::ids : Keep::none;
        emit(compaction);
        return LineFate::understood;
    }

    LineFate attachment() {
        if (line().attachment.empty()) return LineFate::missing_field;
        begin_record();
        if (line().attachment_type == "queued_command") {
            if (queue_.any_removed()) queue_.told(line().attachment_prompt.bytes);
            if (told_from_queue_ != 0 && told_from_queue_ == stable_hash(line().attachment_prompt.bytes)) {
                told_from_queue_ = 0;  // told already, where it left the queue
                return LineFate::understood;
            }
            const Origin origin = claude_code_queued_origin(line());
            if (origin == Origin::queued) turn_begins();
            emit(Message{Role::user, origin, line().attachment_prompt, 0});
            return LineFate::understood;
        }
        // The system prompt and the tools, as every request repeats them: no message.
        if (line().attachment_type == "prompt_snapshot") {
            tell_prompt_size(line().attachment);
            return LineFate::understood;
        }
        if (line().attachment_type == "tool_results_cut") return results_cut();
        const bool hook = line().attachment_type.starts_with("hook_");
        const RawText text = claude_code_sent_of_attachment(line());
        if (text.empty()) head().flags |= kHidden;
        emit(Message{Role::user, hook ? Origin::hook : Origin::injected, text.empty() ? line().attachment : text, 0});
        return LineFate::understood;
    }

    // The program sends a line instead of each of these results from now on.
    LineFate results_cut() {
        Compaction compaction;
        compaction.kind = CompactionKind::clear_tool_results;
        compaction.trigger = CompactionTrigger::automatic;
        compaction.ids = line().ids;
        compaction.keep = Keep::ids;
        emit(compaction);
        return LineFate::understood;
    }

    // A copy of a message inside the parent's file: of a sub-agent, or of a skill that runs as one.
    LineFate progress() {
        if (line().data_message.empty()) return LineFate::ignored_kind;
        const std::string_view inner = line().data_message.bytes;
        const std::string agent(line().data_agent_id);
        const std::string session(line().session_id);
        json::document doc;
        json::object object;
        if (inner_parser_.iterate(inner.data(), inner.size(), inner.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object)) {
            return LineFate::ignored_kind;
        }
        if (!lines_.read(object)) return LineFate::malformed_json;
        if (line().type != "user" && line().type != "assistant") return LineFate::ignored_kind;
        if (!line().has_message) return LineFate::missing_field;
        line().session_id = session;
        line().agent_id = agent;
        line().sidechain = true;
        begin_record();
        return message();
    }

    // What the session has cost so far, its sub-agents and helpers among it.
    void paid() {
        if (line().cost_usd < 0 || line().cost_usd >= kMostUsd) return;  // that is no amount of money
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.cost_microusd = static_cast<std::uint64_t>(line().cost_usd * 1e6 + 0.5);
        emit(usage);
    }

    // Only its last line says how large the window of a run was.
    void tell_window_of_run() {
        Usage usage;
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        usage.window_tokens = run_.window();
        if (usage.window_tokens > 0) emit(usage);
    }

    LineFate result() {
        begin_record();
        if (line().totals_alone && line().cost_usd < kMostUsd) line().cost_usd = run_cost_usd_ += line().cost_usd;
        paid();
        if (line().has_totals || line().has_usage) rest_of_run();
        if (line().has_totals) tell_window_of_run();
        if (line().subtype.starts_with("error_")) {
            emit(notice_of(NoticeLayer::harness, NoticeLevel::warning,
                           line().ending.empty() ? line().subtype : line().ending, text_of(line().error_text)));
        }
        emit(TurnEnd{line().is_error ? TurnStatus::failed : TurnStatus::completed, line().duration_ms});
        return LineFate::understood;
    }

    static constexpr std::size_t kUniqueId = 12;  // characters; ids that are unique have twenty and more
    static constexpr double kMostUsd = 1e9;
    static constexpr std::size_t kDigit = 5;  // where unique ids have a digit that is no zero
    static constexpr std::size_t kRemembered = 1024;

    const bool stream_;
    std::string joined_;
    std::uint64_t untimed_ = 0;  // records of responses that have neither a name nor a time
    ClaudeCodeCollector lines_{args_, stream_ ? &run_ : nullptr};
    json::parser inner_parser_;  // for a sub-agent's message inside a progress record; allocates when first used
};

}  // namespace

ReaderSpec claude_code() {
    return {"claude-code",
            "Claude Code",
            "session files and sub-agent files of Claude Code",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::sub_agents | Signal::compaction | Signal::cost,
            claude_code_kind_docs(),
            claude_code_score_file,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<ClaudeCode>(false); }};
}

ReaderSpec claude_code_stream() {
    return {"claude-code-stream",
            "Claude Code",
            "what claude -p --output-format stream-json prints",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::response_ids | Signal::reasoning | Signal::sub_agents |
                Signal::compaction | Signal::cost,
            claude_code_kind_docs(),
            claude_code_score_stream,
            []() -> std::unique_ptr<RecordReader> { return std::make_unique<ClaudeCode>(true); }};
}

}  // namespace agent_audit::readers
