#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/json/walk.hpp"
#include "readers/pi/openclaw_prompt.hpp"
#include "readers/pi/pi_copies.hpp"
#include "readers/pi/pi_entry.hpp"
#include "readers/pi/pi_kinds.hpp"
#include "readers/pi/pi_result.hpp"
#include "readers/pi/pi_score.hpp"
#include "readers/pi/pi_tree.hpp"
#include "readers/pi/pi_usage.hpp"

#include <agent_audit/support/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Session files of the pi coding agent and of OpenClaw, which writes the same records. One line is one entry;
// since version 2 entries form a tree, so that an entry whose parent is not the entry before it is a branch. Version 4
// frames the same entries in a log, in which several lanes may grow at once:
//
//   {"kind":"header","version":4,"id":"…","createdAt":…,"cwd":"…"}
//   {"kind":"entry","lane":"main","type":"message","id":"…","parentId":"…","seq":1,"timestamp":…,"message":{…}}
//   {"kind":"record","lane":"main","type":"step_attempt","step":"compaction","compactionReason":"threshold",…}
//   {"kind":"lane","seq":2,"lane":"side","leafId":"…"}, {"kind":"fact",…}
//
// Programs made with pi's libraries, such as earlier versions of Letta Code, keep its messages without any frame:
//
//   {"id":"…","role":"assistant","content":[…],"api":"…","model":"…","usage":{…},"stopReason":"toolUse","timestamp":1}
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

class Pi final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        entry_.clear();
        if (!PiCollector(entry_, args_).collect(object)) return LineFate::malformed_json;
        if (entry_.bare()) entry_.frame();
        return interpret();
    }

private:
    // ---- interpreting -----------------------------------------------------------------------------------

    LineFate interpret() {
        const std::string_view type = entry_.type;
        if (type == "session" || entry_.kind == "header") return session();
        if (entry_.kind == "record" || entry_.kind == "lane" || entry_.kind == "fact") return logged();
        // What no one knows may stand before the header, and is no session of its own.
        if (!open_ && !pi_entry_type(type)) return pi_fork_note(type) ? LineFate::ignored_kind : LineFate::unknown_kind;
        begin_entry();
        if (type == "message" || type == "message_end") return message();
        if (pi_stream_state(type)) return LineFate::ignored_kind;
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
        return pi_fork_note(type) ? LineFate::ignored_kind : LineFate::unknown_kind;
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
        sub_agent_ = false;
        copies_.begin(start.resumed);
        tree_.begin();
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
        if (entry_.kind == "lane") tree_.lane_moved(entry_.lane, entry_.leaf_id);
        if (entry_.kind == "lane" || entry_.kind == "fact") return LineFate::ignored_kind;
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

    void begin_entry() {
        if (!entry_.lane.empty()) tree_.take_lane(entry_.lane, turn_);
        new_head(tree_.lane(), turn_);
        EventHeader& h = head();
        h.time_ms = entry_time();
        h.record_id = entry_.id;
        if (!open_) {  // the file begins in the middle of a session
            open_ = true;
            emit(SessionStart{});
        }
        if (tree_.opens_lane()) {
            LaneOpen lane;
            lane.purpose = LanePurpose::fork;
            lane.agent_id = text_of(entry_.lane);
            emit(lane);
        }
        if (entry_.type == "leaf")
            leave(tree_.turn_to_leaf(entry_), entry_.target_id);
        else
            leave(tree_.follow(entry_), entry_.parent_id);
        if (copies_.told_before(entry_)) head().flags |= kCopied;
    }

    // An entry that hangs elsewhere leaves what was said since; a message of a branch may be one told before.
    void leave(PiBranch branch, std::string_view to) {
        if (branch == PiBranch::none) return;
        copies_.branched();
        if (branch == PiBranch::from_start) {
            emit(Rewind{RewindTarget::all, {}, 0});
        } else if (branch == PiBranch::from_entry) {
            emit(Rewind{RewindTarget::to_record, to, 0});
        } else if (branch == PiBranch::unknown) {
            Notice notice;
            notice.code = plain("unknown-parent");
            notice.text = plain("an entry whose parent is not in the file, or too far back: not taken as a branch");
            emit(notice);
        }
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
            emit(Message{Role::system, Origin::injected, pi_joined_text(entry_.body, joined_),
                         pi_media_count(entry_.body)});
            return LineFate::understood;
        }
        return LineFate::unknown_kind;
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

    // Letta Code tells the model about its surroundings in texts of their own, in front of what the human wrote.
    void reminders() {
        PiBody& m = entry_.body;
        for (std::size_t i = 0; i + 1 < m.block_count; ++i) {
            PiBlock& block = m.blocks[i];
            if (block.type != "text" || !block.text.bytes.starts_with("<system-reminder>")) return;
            emit(Message{Role::user, Origin::injected, block.text, 0});
            block.type = {};
        }
    }

    LineFate user() {
        if (!entry_.body.has_content) return LineFate::missing_field;
        reminders();
        const RawText whole = pi_joined_text(entry_.body, joined_);
        const GatewayPrompt prompt = split_gateway_prompt(whole.bytes);
        const std::uint32_t pictures = pi_media_count(entry_.body);
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
        } else if (timer_wrote(prompt.text) && (head().flags & kCopied) == 0) {
            emit(TurnStart{});  // within the turn of the person before it: nobody asked for another
        }
        const RawText text = human || briefing ? RawText{prompt.text, whole.form} : whole;
        emit(Message{Role::user, briefing ? Origin::agent : human ? Origin::human : Origin::injected, text, pictures});
        note_dropped_blocks();
        return LineFate::understood;
    }

    LineFate injected(Origin origin) {
        if (!entry_.body.has_content) return LineFate::missing_field;
        head().flags |= kSynthetic;  // the model is sent it as one of the user
        emit(Message{Role::user, origin, pi_joined_text(entry_.body, joined_), pi_media_count(entry_.body)});
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
        tell(pi_request_usage(entry_));
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

    void side_usage() { tell(pi_side_usage(entry_)); }

    void tell(const std::optional<Usage>& usage) {
        const bool again = (head().flags & kCopied) != 0;  // the same request once more
        if (usage && !again) emit(*usage);
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
        result.text = pi_joined_text(entry_.body, joined_);
        result.media_count = pi_media_count(entry_.body);
        result.media_hash = pi_media_hash(entry_.body);
        result.media_stored = pi_media_stored(entry_.body) && !entry_.evicted_text;
        result.opaque = (result.text.empty() && result.media_count > 0) || entry_.evicted_text;
        result.exit_code = m.details.exit_code;
        result.details = {m.details_json, TextForm::json_value};
        const bool shell = is_pi_shell(m.tool_name);
        if (!result.exit_code && shell) result.exit_code = pi_exit_code(result.text.bytes);
        result.status = pi_status(m, result);
        if (m.tool_name == "process") killed_.judge(m.details, result);
        if (pending_ > 0)
            --pending_;
        else if (m.is_error)
            tell_left_out(result);
        emit(result);
        side_usage();
        note_dropped_blocks();
        return LineFate::understood;
    }

    void tell_left_out(const ToolResult& result) {
        const std::optional<ToolCall> call = pi_call_left_out(result);
        if (!call) return;
        head().response = id_hash(result.call_id.bytes);
        emit(*call);
        head().response = 0;
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
    CompactionTrigger trigger_ = CompactionTrigger::unknown;  // of the summary that is being made
    PiTree tree_;
    PiCopies copies_;
    PiKilled killed_;
};

constexpr Signals kTells = Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                           Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                           Signal::compaction | Signal::cost;

std::unique_ptr<RecordReader> make() { return std::make_unique<Pi>(); }

}  // namespace

ReaderSpec openclaw() {
    constexpr std::string_view summary = "session files of OpenClaw agents, and their SQLite database";
    return {"openclaw", "OpenClaw", summary, kTells, pi_kind_docs(), openclaw_score, make};
}

ReaderSpec pi() {
    constexpr std::string_view summary = "session files of the pi coding agent, linear and as a tree";
    return {"pi", "pi", summary, kTells, pi_kind_docs(), pi_score, make};
}

}  // namespace agent_audit::readers
