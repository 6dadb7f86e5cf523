#include "readers/all.hpp"
#include "readers/cursor/cursor_prompt.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/json_reader.hpp"
#include "readers/messages/blocks.hpp"

#include <array>
#include <string>

// Transcripts of the Cursor agent: a role and blocks, mostly nothing else. Calls mostly have neither ids nor results.
// Newer versions close each turn by a record.
//
//   {"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nfix it\n</user_query>"}]}}
//   {"role":"assistant","message":{"content":[{"type":"text","text":"…"},{"type":"tool_use","name":"Shell","input":{…}}]}}
//   {"type":"turn_ended","status":"aborted","error":"…"}
//
// What a sub-agent wrote has a record of ours in front, since only the folder says whose it is:
//
//   {"row":"cursor-agent.sub-agent","parent":"…"}

namespace agent_audit::readers {
namespace {

constexpr std::string_view kSubAgent = "cursor-agent.sub-agent";

class CursorAgent final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        role_ = type_ = status_ = timestamp_ = row_ = {};
        error_ = {};
        blocks_.clear();
        bool has_message = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "role")) role_ = raw_string(v);
            if (key_is(key, "type")) type_ = raw_string(v);
            if (key_is(key, "row")) row_ = raw_string(v);
            if (key_is(key, "parent")) parent_ = raw_string(v);
            if (key_is(key, "status")) status_ = raw_string(v);
            if (key_is(key, "timestamp")) timestamp_ = raw_string(v);
            if (key_is(key, "error")) error_ = text_of(raw_string(v));
            if (!key_is(key, "message")) return true;
            has_message = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) {
                return !key_is(k, "content") || collect_blocks(w, blocks_, args_);
            });
        });
        if (!whole) return LineFate::malformed_json;
        if (row_ == kSubAgent) {
            sub_agent_ = true;
            return LineFate::understood;
        }
        const bool ends_turn = role_.empty() && type_ == "turn_ended";
        if (role_.empty() && !ends_turn) return LineFate::unknown_kind;
        if (!ends_turn && !has_message) return LineFate::missing_field;
        if (!ends_turn && role_ != "user" && role_ != "assistant") return LineFate::unknown_kind;
        begin();
        if (ends_turn)
            turn_ended();
        else if (role_ == "user")
            user();
        else
            assistant();
        return LineFate::understood;
    }

private:
    void begin() {
        if (!std::exchange(open_, true)) {
            new_head().time_ms = time_of(timestamp_);
            SessionStart start;
            start.sub_agent = sub_agent_;
            if (sub_agent_) start.parent_session_id = text_of(parent_);
            emit(start);
        }
        new_head(0, turn_).time_ms = time_of(timestamp_);
    }

    void turn_ended() {
        const bool failed = status_ == "error";
        if (failed && !error_.empty()) emit(notice_of(NoticeLayer::provider, NoticeLevel::error, "error", error_));
        emit(TurnEnd{failed                 ? TurnStatus::failed
                     : status_ == "aborted" ? TurnStatus::aborted
                     : status_ == "success" ? TurnStatus::completed
                                            : TurnStatus::unknown,
                     -1});
    }

    void user() {
        begun_ = false;
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_result") {
                emit(result_of(block));
                continue;
            }
            const CursorPrompt prompt = split_cursor_prompt(block.text);
            if (!prompt.query.empty()) begin_turn();
            said(Origin::injected, prompt.before);
            said(sub_agent_ ? Origin::agent : Origin::human, prompt.query);
            said(Origin::injected, prompt.behind);
        }
    }

    void begin_turn() {
        if (std::exchange(begun_, true)) return;
        head().turn = ++turn_;
        emit(TurnStart{});
    }

    void said(Origin origin, RawText text) {
        if (!text.empty()) emit(Message{Role::user, origin, text, 0});
    }

    void assistant() {
        head().response = ++responses_ | std::uint64_t{1} << 63;
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_use") {
                if (!block.name.empty()) emit(call_of(block.id, block.name, block.args));
            } else if (block.type == "tool_result" || block.type == "command_output") {
                ToolResult result = result_of(block);
                if (result.text.empty()) result.text = block.text;
                if (!block.is_error) result.status = ResultStatus::unknown;
                emit(result);
            } else if (block.type == "redacted") {
                emit(Thinking{{}, block.opaque_bytes});
            } else {
                answer(block.text);
            }
        }
    }

    // What the model thought stands behind what it said, in the same text; where it is kept from us, a word stands
    // for it.
    void answer(RawText text) {
        const bool thought = text.bytes.ends_with(kKeptBack);
        if (thought) {
            text.bytes.remove_suffix(kKeptBack.size());
            while (text.bytes.ends_with("\\n")) text.bytes.remove_suffix(2);
        }
        if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, 0});
        if (thought) emit(Thinking{});
    }

    static constexpr std::string_view kKeptBack = "[REDACTED]";

    std::string_view role_, type_, status_, timestamp_, row_;
    std::string parent_;
    RawText error_;
    ContentBlocks blocks_;
    bool open_ = false, begun_ = false, sub_agent_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

bool is_message(const ProbeRecord& r) {
    for (const std::string_view key : {"type", "id", "uuid", "content", "sessionId"}) {
        if (r.has(key)) return false;
    }
    const ProbeRecord message = r.child("message");
    const auto content = message.raw("content");
    return (r.text("role") == "user" || r.text("role") == "assistant") && content && !message.has("role") &&
           (content->starts_with('[') || content->starts_with('"'));
}

bool is_turn_end(const ProbeRecord& r) { return r.text("type") == "turn_ended" && r.has("status"); }

bool is_note(const ProbeRecord& r) { return r.text("row") == kSubAgent; }

Score score(std::span<const ProbeRecord> sample, Framing) {
    std::size_t messages = 0, ends = 0;
    for (const ProbeRecord& r : sample) {
        if (is_message(r))
            ++messages;
        else if (is_turn_end(r) || is_note(r))
            ++ends;
    }
    return messages > 0 && (messages + ends) * 2 >= sample.size() ? 95 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"user", "TurnStart and Message (human), of what stands in <user_query>; in other tags: injected"},
    {"assistant", "Message and ToolCall, one a block"},
    {"tool_result, command_output", "ToolResult"},
    {"turn_ended", "TurnEnd; Notice of its error"},
    {"row: cursor-agent.sub-agent", "of a file in a folder of sub-agents: the first prompt is no human's"},
};

}  // namespace

ReaderSpec cursor_agent() {
    return {"cursor-agent",
            "Cursor",
            "agent transcripts",
            Signal::tool_calls | Signal::tool_results | Signal::result_status,  // where a session has them
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CursorAgent>()); }};
}

}  // namespace agent_audit::readers
