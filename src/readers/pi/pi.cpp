#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/walk.hpp"
#include "readers/pi/openclaw_prompt.hpp"
#include "readers/pi/pi_entry.hpp"
#include "readers/pi/pi_result.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/hash_map.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Session files of the pi coding agent and of OpenClaw, which writes the same records. One line is one entry;
// since version 2 entries form a tree, so that an entry whose parent is not the entry before it is a branch. Version 4
// frames the same entries in a log, in which several lanes may grow at once:
//
//   {"kind":"header","version":4,"id":"…","createdAt":…,"cwd":"…"}
//   {"kind":"entry","lane":"main","type":"message","id":"…","parentId":"…","seq":1,"timestamp":…,"message":{…}}
//   {"kind":"record","lane":"main","type":"step_attempt","step":"compaction","compactionReason":"threshold",…}
//   {"kind":"lane","seq":2,"lane":"side","leafId":"…"}, {"kind":"fact",…}
//
// OpenClaw wakes its agents up with user messages that no human wrote.

namespace agent_audit::readers {
namespace {

// An HTTP status in front of a provider's message ("429 {…}").
std::string_view leading_http_status(std::string_view text) {
    if (text.size() < 3 || (text.size() > 3 && text[3] >= '0' && text[3] <= '9')) return {};
    const bool digits =
        text[0] >= '1' && text[0] <= '5' && text[1] >= '0' && text[1] <= '9' && text[2] >= '0' && text[2] <= '9';
    return digits ? text.substr(0, 3) : std::string_view{};
}

constexpr std::array<std::string_view, 17> kEntries{
    "message",      "custom_message", "compaction", "branch_summary",      "model_change",
    "reset",        "custom",         "label",      "session_info",        "thinking_level_change",
    "usage",        "context_edit",   "leaf",       "active_tools_change", "model_usage",
    "session_init", "reset_boundary"};

// Notes of Oh My Pi, a fork, which neither the model nor the person sees in the conversation.
constexpr std::array<std::string_view, 8> kForkNotes{"archive",      "credential_pin",      "mcp_tool_selection",
                                                     "mode_change",  "service_tier_change", "title",
                                                     "title_change", "ttsr_injection"};

// Messages of a session that are remembered; those beyond are taken for new.
constexpr std::size_t kMostKnown = 49'152;

class Pi final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        entry_.clear();
        if (!PiCollector(entry_, args_).collect(object)) return LineFate::malformed_json;
        return interpret();
    }

private:
    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = entry_.type;
        if (type == "session" || entry_.kind == "header") return session();
        if (entry_.kind == "record" || entry_.kind == "lane" || entry_.kind == "fact") return logged();
        // What no one knows may stand before the header, and is no session of its own.
        if (!open_ && !is_one_of(type, kEntries))
            return is_one_of(type, kForkNotes) ? LineFate::ignored_kind : LineFate::unknown_kind;
        begin_entry();
        if (type == "message" || type == "message_end") return message();
        if (is_stream_state(type)) return LineFate::ignored_kind;
        if (type == "compaction_end") return streamed_compaction();
        if (type == "custom_message") return injected(Origin::injected);
        if (type == "compaction") return compaction();
        if (type == "branch_summary") return branch_summary();
        if (type == "model_change") return model_change();
        if (type == "reset" || type == "reset_boundary") {
            Compaction reset;
            reset.kind = CompactionKind::reset;
            reset.keep = Keep::none;
            emit(reset);
            return LineFate::understood;
        }
        if (type == "custom") return custom();
        if (type == "session_init") return briefed();
        // A request beside the conversation, that keeps the cache warm or finds a title.
        if (type == "usage" || type == "model_usage") {
            side_usage();
            return LineFate::understood;
        }
        if (type == "leaf" || type == "context_edit" || type == "active_tools_change") return LineFate::ignored_kind;
        if (type == "thinking_level_change" || type == "label" || type == "session_info") return LineFate::ignored_kind;
        return is_one_of(type, kForkNotes) ? LineFate::ignored_kind : LineFate::unknown_kind;
    }

    // `pi --mode json` prints every message when it is whole (message_end), and before and around it what becomes of
    // it.
    static bool is_stream_state(std::string_view type) {
        constexpr std::array kStates = std::to_array<std::string_view>({"agent_end",
                                                                        "agent_settled",
                                                                        "agent_start",
                                                                        "auto_retry_end",
                                                                        "auto_retry_start",
                                                                        "compaction_start",
                                                                        "entry_appended",
                                                                        "extension_error",
                                                                        "extension_ui_request",
                                                                        "message_start",
                                                                        "message_update",
                                                                        "model_changed",
                                                                        "queue_update",
                                                                        "response",
                                                                        "session_info_changed",
                                                                        "thinking_level_changed",
                                                                        "tool_execution_end",
                                                                        "tool_execution_start",
                                                                        "tool_execution_update",
                                                                        "turn_end",
                                                                        "turn_start"});
        return is_one_of(type, kStates);
    }

    LineFate session() {
        if (entry_.id.empty()) return LineFate::missing_field;
        const IdHash id = id_hash(entry_.id);
        new_head();
        head().time_ms = entry_time();
        head().record_id = entry_.id;
        SessionStart start;
        start.session_id = text_of(entry_.id);
        start.parent_session_id = text_of(entry_.parent_session);
        start.forked_from = text_of(entry_.branched_from);
        start.cwd = text_of(entry_.cwd);
        start.model = text_of(entry_.model);
        start.resumed = open_ && id == session_;
        if (!start.resumed) turn_ = 0;
        open_ = true;
        session_ = id;
        previous_ = 0;
        replaying_ = false;
        sub_agent_ = false;
        if (!start.resumed) known_.clear();
        lanes_.assign(1, {});
        lane_ = 0;
        emit(start);
        return LineFate::understood;
    }

    std::int64_t entry_time() {
        const std::int64_t time = entry_.timestamp.empty() ? entry_.time_ms : time_of(entry_.timestamp);
        return time != kNoTime ? time : entry_.body.time_ms;
    }

    static CompactionTrigger trigger_of(std::string_view reason) {
        return reason == "manual"     ? CompactionTrigger::manual
               : reason == "overflow" ? CompactionTrigger::overflow
                                      : CompactionTrigger::automatic;
    }

    // What version 4 keeps beside the entries. An answer and a summary have their usage themselves.
    LineFate logged() {
        if (entry_.kind == "lane") return lane_moved();
        if (entry_.kind == "fact") return LineFate::ignored_kind;
        if (entry_.type == "step_attempt" && !entry_.reason.empty()) {
            trigger_ = trigger_of(entry_.reason);
            return LineFate::understood;
        }
        const bool beside = entry_.cause == "hook" || entry_.cause == "adjustment" || entry_.cause == "deferred_fetch";
        if (entry_.type != "usage" || !beside || !open_) return LineFate::ignored_kind;
        new_head(0, turn_);
        head().time_ms = entry_time();
        side_usage();
        return LineFate::understood;
    }

    // Where the next entry of a lane will hang, which the entry says as well. Only of a new lane it is needed, for it
    // grows from there without leaving anything.
    LineFate lane_moved() {
        if (LaneState* lane = lane_of(entry_.lane); lane && lane->previous == 0)
            lane->previous = id_hash(entry_.leaf_id);
        return LineFate::ignored_kind;
    }

    struct LaneState {
        IdHash name = 0, previous = 0;
        std::uint32_t turn = 0;
        bool open = false;
    };

    // The main lane has no name here. Beyond the limit lanes are the main one: sessions have few.
    LaneState* lane_of(std::string_view name) {
        constexpr std::size_t kMostLanes = 256;
        if (name.empty() || name == "main") return nullptr;
        const IdHash id = id_hash(name);
        const auto found = std::ranges::find(lanes_, id, &LaneState::name);
        if (found != lanes_.end()) return &*found;
        if (lanes_.size() >= kMostLanes) return nullptr;
        lanes_.push_back({id});
        return &lanes_.back();
    }

    void take_lane() {
        const LaneState* wanted = lane_of(entry_.lane);
        const auto lane = static_cast<std::uint32_t>(wanted ? wanted - lanes_.data() : 0);
        if (lane == lane_) return;
        lanes_[lane_].turn = std::exchange(turn_, lanes_[lane].turn);
        lanes_[lane_].previous = std::exchange(previous_, lanes_[lane].previous);
        lane_ = lane;
    }

    void begin_entry() {
        if (!entry_.lane.empty()) take_lane();
        new_head(lane_, turn_);
        EventHeader& h = head();
        h.time_ms = entry_time();
        h.record_id = entry_.id;
        if (!open_) {  // the file begins in the middle of a session
            open_ = true;
            emit(SessionStart{});
        }
        if (lane_ != 0 && !std::exchange(lanes_[lane_].open, true)) {
            LaneOpen lane;
            lane.purpose = LanePurpose::fork;
            lane.agent_id = text_of(entry_.lane);
            emit(lane);
        }
        if (entry_.type == "leaf")
            turn_to_leaf();
        else
            follow_branch();
        if (told_before()) head().flags |= kCopied;
    }

    // OpenClaw rewrites a conversation (a result was too long, for example) by going back to the first entry that
    // changes, and writing all that follows once more: as new entries, around the messages with their old times.
    bool told_before() {
        const PiBody& m = entry_.body;
        std::uint64_t what = 0;
        if (entry_.has_message && m.time_ms != kNoTime) {
            const std::string_view whose = m.role == "toolResult" ? m.call_id : m.response_id;
            what = mix_hash(request_hash(m), mix_hash(stable_hash(m.role), stable_hash(whose)));
        } else if ((entry_.type == "compaction" || entry_.type == "branch_summary") && !entry_.summary.empty()) {
            what = mix_hash(stable_hash(entry_.summary.bytes), entry_.tokens_before);
        } else {
            return false;
        }
        if (known_.contains(what)) return replaying_;
        if (known_.size() < kMostKnown) known_.try_emplace(what);
        replaying_ = false;
        return false;
    }

    // The time at which a message began, to the millisecond, and what it took: the same in all copies of it.
    static std::uint64_t request_hash(const PiBody& m) {
        return mix_hash(mix_hash(static_cast<std::uint64_t>(m.time_ms), stable_hash(m.model)),
                        figures_hash(m.spent.tokens));
    }

    // OpenClaw notes where the next entry will hang. The note itself is no link of the chain.
    void turn_to_leaf() {
        const IdHash target = id_hash(entry_.target_id);
        if (target == 0 || target == previous_ || previous_ == 0) return;
        if (std::ranges::find(recent_, target) == recent_.end()) return;
        emit(Rewind{RewindTarget::to_record, entry_.target_id, 0});
        replaying_ = true;
        previous_ = target;
    }

    // Every entry with an id is a link of the chain, whatever its kind.
    void follow_branch() {
        if (entry_.id.empty()) return;
        const IdHash id = id_hash(entry_.id);
        const IdHash parent = id_hash(entry_.parent_id);
        if (previous_ != 0 && parent != previous_) {
            replaying_ = true;
            if (parent == 0) {
                if (entry_.parent_null) emit(Rewind{RewindTarget::all, {}, 0});
            } else if (std::ranges::find(recent_, parent) != recent_.end() || entry_.type == "branch_summary") {
                emit(Rewind{RewindTarget::to_record, entry_.parent_id, 0});
            } else {
                Notice notice;
                notice.code = plain("unknown-parent");
                notice.text = plain("an entry whose parent is not in the file, or too far back: not taken as a branch");
                emit(notice);
            }
        }
        previous_ = id;
        recent_[recent_next_++ % recent_.size()] = id;
    }

    LineFate message() {
        const PiBody& m = entry_.body;
        if (!entry_.has_message || m.role.empty()) return LineFate::missing_field;
        if (m.role == "assistant") return assistant();
        if (m.role == "user") return user();
        if (m.role == "toolResult") return tool_result();
        if (m.role == "bashExecution") return human_command(plain("bash"));
        if (m.role == "pythonExecution") return human_command(plain("python"));
        if (m.role == "fileMention") return injected(Origin::injected);
        if (m.role == "custom") return injected(Origin::injected);
        if (m.role == "hookMessage") return injected(Origin::hook);
        if (m.role == "branchSummary" || m.role == "compactionSummary") {
            if (m.summary.empty()) return LineFate::missing_field;
            emit(Message{Role::user, Origin::summary, m.summary, 0});
            return LineFate::understood;
        }
        if (m.role == "system" || m.role == "developer") {
            if (!m.has_content) return LineFate::missing_field;
            emit(Message{Role::system, Origin::injected, joined_text(), media()});
            return LineFate::understood;
        }
        return LineFate::unknown_kind;
    }

    // Text blocks as one text: nearly always there is only one. Escapes are kept, so joining keeps the form.
    RawText joined_text() {
        RawText only;
        std::size_t texts = 0;
        for (std::size_t i = 0; i < entry_.body.block_count; ++i) {
            const PiBlock& block = entry_.body.blocks[i];
            if (block.type != "text") continue;
            if (++texts == 1) {
                only = block.text;
                continue;
            }
            if (texts == 2) joined_.assign(only.bytes);
            joined_ += "\\n";
            joined_ += block.text.bytes;
        }
        return texts > 1 ? text_of(joined_) : only;
    }

    std::uint32_t media() const {
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < entry_.body.block_count; ++i)
            count += entry_.body.blocks[i].type == "image" ? 1 : 0;
        return count;
    }

    void note_dropped_blocks() {
        if (entry_.body.dropped_blocks == 0) return;
        Notice notice;
        notice.level = NoticeLevel::warning;
        notice.code = plain("too-many-blocks");
        notice.text = plain("a message with more than 10000 content blocks: the rest was not read");
        emit(notice);
    }

    bool human_wrote(std::string_view text) const {
        const PiBody& m = entry_.body;
        if (m.attribution == "agent") return false;
        if (!m.provenance.empty() && m.provenance != "external_user") return false;
        return !gateway_wrote(text);
    }

    LineFate user() {
        if (!entry_.body.has_content) return LineFate::missing_field;
        const RawText whole = joined_text();
        const GatewayPrompt prompt = split_gateway_prompt(whole.bytes);
        const std::uint32_t pictures = media();
        // Sub-agents are briefed by another agent.
        const bool briefing =
            prompt.text.starts_with("[Subagent ") || (sub_agent_ && entry_.body.attribution == "agent");
        const bool human =
            !briefing && human_wrote(prompt.text) && (!prompt.text.empty() || pictures > 0 || whole.empty());
        if (human && !prompt.notices.empty())
            emit(Message{Role::user, Origin::injected, {prompt.notices, whole.form}, 0});
        if (human && (head().flags & kCopied) == 0) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        const RawText text = human || briefing ? RawText{prompt.text, whole.form} : whole;
        emit(Message{Role::user, briefing ? Origin::agent : human ? Origin::human : Origin::injected, text, pictures});
        note_dropped_blocks();
        return LineFate::understood;
    }

    LineFate injected(Origin origin) {
        if (!entry_.body.has_content) return LineFate::missing_field;
        head().flags |= kSynthetic;  // the model is sent it as one of the user
        emit(Message{Role::user, origin, joined_text(), media()});
        note_dropped_blocks();
        return LineFate::understood;
    }

    LineFate assistant() {
        const PiBody& m = entry_.body;
        const bool failed = m.stop_reason == "error";
        const bool aborted = m.stop_reason == "aborted";
        const bool billed = m.spent.tokens.total() > 0 || entry_.spent.tokens.total() > 0;
        if (!m.has_content && !failed && !aborted && !billed) return LineFate::missing_field;
        if (m.provider == "openclaw") {  // the gateway speaks, e.g. to greet a new session
            head().flags |= kSynthetic;
        } else {
            const std::string_view id = !m.response_id.empty() ? m.response_id : entry_.id;
            head().response = id.empty() ? mix_hash(++responses_, session_) | 1 : id_hash(id);
        }
        pending_ = 0;
        for (std::size_t i = 0; i < m.block_count; ++i) assistant_block(m.blocks[i], failed);
        note_dropped_blocks();
        usage();
        if (failed) {
            provider_error(m.error);
            emit(TurnEnd{TurnStatus::failed, -1});
        } else if (aborted) {
            emit(TurnEnd{TurnStatus::aborted, -1});
        } else if (m.stop_reason == "length") {
            Notice notice;
            notice.level = NoticeLevel::warning;
            notice.layer = NoticeLayer::provider;
            notice.code = plain("length");
            notice.text = plain("the response was cut off at the output limit");
            emit(notice);
        }
        return LineFate::understood;
    }

    void assistant_block(const PiBlock& block, bool failed) {
        if (block.type == "text") {
            // Written in place of the text that never came.
            if (failed && block.text.bytes.starts_with("[assistant turn failed")) return;
            if (!block.text.empty()) emit(Message{Role::assistant, Origin::agent, block.text, 0});
        } else if (block.type == "thinking" || block.type == "redactedThinking") {
            if (!block.text.empty() || block.opaque_bytes > 0) emit(Thinking{block.text, block.opaque_bytes});
        } else if (block.type == "toolCall") {
            ToolCall call;
            call.call_id = text_of(block.id);
            call.name = text_of(block.name);
            call.args = block.args.raw;
            call.primary = block.args.primary;
            call.digest = block.args.digest;
            if (block.args.raw.empty() && !call.digest.opaque)
                call.digest = ArgsDigester::digest_none(block.name).digest;
            if (block.cut || entry_.evicted_args) call.digest.opaque = true;
            ++pending_;
            emit(call);
        }
    }

    void usage() {
        const PiBody& m = entry_.body;
        const PiSpent& spent = m.spent.tokens.total() > 0 || m.spent.cost_usd > 0 ? m.spent : entry_.spent;
        told_usage(spent, m.model, UsageScope::request);
    }

    // What a compaction, a summary of a branch, a tool's own request or a warm cache took: spent, but no prompt of
    // this conversation.
    void side_usage() {
        const PiSpent& own = entry_.has_message ? entry_.body.spent : entry_.spent;
        told_usage(own, entry_.model, UsageScope::session);
    }

    void told_usage(const PiSpent& spent, std::string_view model, UsageScope scope) {
        if ((head().flags & kCopied) != 0) return;  // the same request once more
        const std::uint64_t cost = microusd(spent.cost_usd);
        if (spent.tokens.total() == 0 && cost == 0) return;  // errors and the gateway's own messages
        Usage usage;
        usage.scope = scope;
        usage.tokens = spent.tokens;
        usage.model = text_of(model);
        if (cost > 0) usage.cost_microusd = cost;  // 0 is written for models without a price
        usage.message_key = usage_key();
        emit(usage);
    }

    // A fork copies entries with id and time, a rewritten conversation messages with theirs, and the ids of entries are
    // too short to be unique across files.
    std::uint64_t usage_key() const {
        const PiBody& m = entry_.body;
        if (entry_.has_message && m.time_ms != kNoTime) {
            const std::string_view whose = m.role == "toolResult" ? m.call_id : m.response_id;
            return (whose.empty() ? request_hash(m) : mix_hash(id_hash(whose), static_cast<std::uint64_t>(m.time_ms))) |
                   1;
        }
        if (entry_.tokens_before > 0 && !entry_.summary.empty())  // the same where it is printed, which has no time
            return mix_hash(figures_hash(entry_.spent.tokens),
                            mix_hash(stable_hash(entry_.summary.bytes), entry_.tokens_before)) |
                   1;
        if (!entry_.has_message && !entry_.timestamp.empty())
            return mix_hash(figures_hash(entry_.spent.tokens), stable_hash(entry_.timestamp)) | 1;
        const std::string_view id = !m.response_id.empty() ? m.response_id : entry_.id;
        return id.empty() ? 0 : mix_hash(id_hash(id), stable_hash(entry_.timestamp)) | 1;
    }

    void provider_error(RawText text) {
        Notice notice;
        notice.level = NoticeLevel::error;
        notice.layer = NoticeLayer::provider;
        notice.code = plain(leading_http_status(text.bytes));
        notice.text = text;
        emit(notice);
    }

    LineFate tool_result() {
        const PiBody& m = entry_.body;
        if (!m.has_content) return LineFate::missing_field;
        ToolResult result;
        result.call_id = text_of(m.call_id);
        result.name = text_of(m.tool_name);
        result.text = joined_text();
        result.media_count = media();
        result.opaque = (result.text.empty() && result.media_count > 0) || entry_.evicted_text;
        result.exit_code = m.details.exit_code;
        result.details = {m.details_json, TextForm::json_value};
        const bool shell = is_pi_shell(m.tool_name);
        if (!result.exit_code && shell) result.exit_code = number_after(result.text.bytes, "exited with code ");
        result.status = pi_status(m, result);
        if (m.tool_name == "process") end_of_killed(result);
        if (pending_ > 0)
            --pending_;
        else if (m.is_error)
            call_left_out(result);
        emit(result);
        side_usage();
        note_dropped_blocks();
        return LineFate::understood;
    }

    // OpenClaw leaves out an answer whose calls are all of tools that it does not have, and only writes that they were
    // not found.
    void call_left_out(const ToolResult& result) {
        const std::string_view told = result.text.bytes;
        if (result.name.empty() || !told.starts_with("Tool ") || !told.ends_with(" not found")) return;
        ToolCall call;
        call.call_id = result.call_id;
        call.name = result.name;
        call.digest = ArgsDigester::digest_none(result.name.bytes).digest;
        call.digest.opaque = true;
        head().response = id_hash(result.call_id.bytes);
        emit(call);
        head().response = 0;
    }

    // OpenClaw calls it a failure when the agent ends a program that runs in the background: the call that does it has
    // done what it was asked for, and what the program says of its end later is its doing.
    void end_of_killed(ToolResult& result) {
        constexpr std::string_view kAsked = "Termination requested for session ";
        std::string_view text = result.text.bytes;
        if (text.starts_with(kAsked)) {
            result.status = ResultStatus::ok;
            text.remove_prefix(kAsked.size());
            while (text.ends_with('.') || text.ends_with("\\n")) text.remove_suffix(text.ends_with('.') ? 1 : 2);
            killed_.add(id_hash(text));
        } else if (result.status == ResultStatus::error && killed_.has(id_hash(entry_.body.details.session)) &&
                   last_bytes(text, 60).find("exited with signal ") != text.npos) {
            result.status = ResultStatus::cancelled;
        }
    }

    // What the human typed to be run. Its result needs a call id of its own, lest it answer a call of the model.
    LineFate human_command(RawText runner) {
        const PiBody& m = entry_.body;
        if (m.command.empty()) return LineFate::missing_field;
        if (m.hidden) head().flags |= kHidden;
        const std::string_view id = !entry_.id.empty() ? entry_.id : entry_.timestamp;
        const CallArgs args = args_.digest_text(runner.bytes, m.command);
        ToolCall call;
        call.call_id = text_of(id);
        call.name = runner;
        call.args = args.raw;
        call.primary = args.primary;
        call.digest = args.digest;
        call.caller = Caller::user;
        emit(call);
        ToolResult result;
        result.call_id = text_of(id);
        result.name = runner;
        result.text = m.output;
        result.exit_code = m.exit_code;
        result.status = m.cancelled         ? ResultStatus::cancelled
                        : !m.exit_code      ? ResultStatus::unknown
                        : *m.exit_code == 0 ? ResultStatus::ok
                                            : ResultStatus::error;
        emit(result);
        return LineFate::understood;
    }

    LineFate compaction() {
        if (entry_.summary.empty() && entry_.first_kept_id.empty() && !entry_.has_first_kept_index)
            return LineFate::missing_field;
        Compaction compaction;
        compaction.trigger = std::exchange(trigger_, CompactionTrigger::unknown);
        compaction.summary = entry_.summary;
        if (entry_.tokens_before > 0) compaction.tokens_before = entry_.tokens_before;
        if (entry_.tokens_after > 0) compaction.tokens_after = entry_.tokens_after;
        if (!entry_.first_kept_id.empty()) {
            compaction.keep = Keep::from_record;
            compaction.keep_from = text_of(entry_.first_kept_id);
        } else if (entry_.has_first_kept_index) {
            compaction.keep = Keep::from_index;
            compaction.keep_index = entry_.first_kept_index;
        }
        side_usage();
        emit(compaction);
        return LineFate::understood;
    }

    // What was compacted stands in its result; without one it failed, or was broken off.
    LineFate streamed_compaction() {
        if (entry_.summary.empty()) return LineFate::ignored_kind;
        trigger_ = trigger_of(entry_.reason);
        return compaction();
    }

    // With what a sub-agent begins, in front of the messages.
    LineFate briefed() {
        sub_agent_ = true;
        if (entry_.system_prompt_bytes == 0) return LineFate::ignored_kind;
        ContextChange change;
        change.system_prompt_bytes = entry_.system_prompt_bytes;
        emit(change);
        return LineFate::understood;
    }

    LineFate branch_summary() {
        if (entry_.summary.empty()) return LineFate::missing_field;
        side_usage();
        emit(Message{Role::user, Origin::summary, entry_.summary, 0});
        return LineFate::understood;
    }

    LineFate model_change() {
        if (entry_.model.empty()) return LineFate::missing_field;
        ContextChange change;
        change.model = text_of(entry_.model);
        emit(change);
        return LineFate::understood;
    }

    LineFate custom() {
        if (entry_.custom_type != "openclaw:prompt-error") return LineFate::ignored_kind;
        provider_error(entry_.data_error);
        return LineFate::understood;
    }

    bool open_ = false;
    bool sub_agent_ = false;
    IdHash session_ = 0;
    std::uint32_t turn_ = 0;
    std::uint32_t pending_ = 0;  // calls of the last answer that have no result yet
    std::uint64_t responses_ = 0;
    PiEntry entry_;
    std::string joined_;
    std::vector<LaneState> lanes_ = std::vector<LaneState>(1);
    std::uint32_t lane_ = 0;
    CompactionTrigger trigger_ = CompactionTrigger::unknown;  // of the summary that is being made
    RecentIds killed_;                                        // programs in the background that the agent ended
    HashMap<bool> known_;                                     // messages of the session, by time and figures
    bool replaying_ = false;                                  // on a branch that has said nothing new yet
    IdHash previous_ = 0;
    std::array<IdHash, 512> recent_{};  // branches go back a few hundred entries at most
    std::size_t recent_next_ = 0;
};

// ---- detection ------------------------------------------------------------------------------------------

struct Look {
    bool header = false, entries = false, openclaw = false, foreign = false;
};

Look look(std::span<const ProbeRecord> sample) {
    Look seen;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        const std::string_view type = r.text("type");
        if (type == "session_start" || r.has("traceSchema") || r.has("payload") || r.has("sessionId"))
            seen.foreign = true;
        if (type == "session" && r.has("id") && r.has("timestamp") && (r.has("cwd") || r.has("version")))
            seen.header = true;
        if (r.text("kind") == "header" && r.has("id") && r.has("createdAt") && r.has("version")) seen.header = true;
        if (type == "message" && r.has("timestamp")) {
            const ProbeRecord message = r.child("message");
            if (!message.text("role").empty()) seen.entries = true;
            // The gateway writes who speaks in front of what he says.
            const auto content = message.raw("content");
            const bool relayed = content && content->find("(untrusted metadata)") != content->npos;
            if (relayed || message.text("provider") == "openclaw") seen.openclaw = true;
        }
        if (type == "custom" || type == "custom_message") {
            const std::string_view custom = r.text("customType");
            if (custom.starts_with("openclaw") || custom == "model-snapshot") seen.openclaw = true;
        }
    }
    return seen;
}

// The two formats differ in who wrote them only: exactly one of them claims a file.
Score score_as(bool openclaw, std::span<const ProbeRecord> sample) {
    const Look seen = look(sample);
    if (seen.foreign || seen.openclaw != openclaw) return 0;
    if (seen.header) return openclaw || seen.entries ? kCertain : 90;
    return seen.entries ? 60 : 0;
}

Score score_pi(std::span<const ProbeRecord> sample, Framing) { return score_as(false, sample); }
Score score_openclaw(std::span<const ProbeRecord> sample, Framing) { return score_as(true, sample); }

constexpr RecordKindDoc kKinds[] = {
    {"session; header", "SessionStart"},
    {"entry (version 4)", "as what it holds; LaneOpen in front of the first of another lane than main"},
    {"record (version 4)", "Usage of a hook, for example; why the context is compacted; others are ignored"},
    {"lane, fact (version 4)", "ignored"},
    {"message, user",
     "Message: human with TurnStart, without the envelope (metadata, time) that OpenClaw puts around it; or injected "
     "(wake-ups, notices of the gateway)"},
    {"message, assistant", "Message, Thinking and ToolCall, one a block; Usage"},
    {"message, assistant with stopReason error or aborted",
     "the same, then Notice (provider) and TurnEnd (failed), or TurnEnd (aborted)"},
    {"message, toolResult",
     "ToolResult: isError, else details and text decide; Usage of the tool itself, if it is there"},
    {"message, bashExecution; pythonExecution", "ToolCall by the user and its ToolResult"},
    {"message, custom; fileMention; custom_message", "Message (injected)"},
    {"custom, openclaw:prompt-error", "Notice (provider)"},
    {"custom, other", "ignored"},
    {"compaction", "Compaction (summary, what was kept); Usage of the summary, if it is there"},
    {"reset, reset_boundary", "Compaction (reset)"},
    {"branch_summary", "Rewind and Message (summary); Usage, if it is there"},
    {"model_change", "ContextChange"},
    {"usage, model_usage", "Usage of a request beside the conversation, such as keeping the cache warm"},
    {"session_init", "ContextChange (the system prompt of a sub-agent, which another agent briefs from then on)"},
    {"leaf", "Rewind, when the next entry hangs elsewhere"},
    {"a message that follows a rewind with its old time", "the same events, marked as copies, without Usage"},
    {"thinking_level_change, label, session_info, context_edit, active_tools_change", "ignored"},
    {"title, title_change, mode_change, service_tier_change, ttsr_injection, credential_pin, archive, "
     "mcp_tool_selection (Oh My Pi)",
     "ignored"},
    {"--mode json: message_end, compaction_end", "as message and compaction; what happens around them is ignored"},
    {"an entry whose parent is not the entry before", "Rewind first; Notice when the parent is unknown"},
};

constexpr Signals kTells = Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                           Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                           Signal::compaction | Signal::cost;

std::unique_ptr<RecordReader> make() { return std::make_unique<Pi>(); }

}  // namespace

ReaderSpec openclaw() {
    return {"openclaw",     "OpenClaw", "session files of OpenClaw agents, and their SQLite database", kTells, kKinds,
            score_openclaw, make};
}

ReaderSpec pi() {
    return {"pi", "pi", "session files of the pi coding agent, linear and as a tree", kTells, kKinds, score_pi, make};
}

}  // namespace agent_audit::readers
