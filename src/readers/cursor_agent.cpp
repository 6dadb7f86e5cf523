#include "readers/all.hpp"
#include "readers/blocks.hpp"

#include <array>

// Transcripts of the Cursor agent: a role and blocks, nothing else. Calls mostly have neither ids nor results.
//
//   {"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nfix it\n</user_query>"}]}}
//   {"role":"assistant","message":{"content":[{"type":"text","text":"…"},{"type":"tool_use","name":"Shell","input":{…}}]}}

namespace agent_audit::readers {
namespace {

class CursorAgent final : public JsonReader {
protected:
    LineFate read_object(json::object object) override {
        role_ = {};
        blocks_.clear();
        bool has_message = false;
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "role")) role_ = raw_string(v);
            if (!key_is(key, "message")) return true;
            has_message = is_object(v);
            return each_field(v, [this](const char* k, json::value& w) {
                return !key_is(k, "content") || collect_blocks(w, blocks_, args_);
            });
        });
        if (!whole || !alive()) return LineFate::malformed_json;
        if (role_.empty()) return LineFate::unknown_kind;
        if (!has_message) return LineFate::missing_field;
        if (role_ != "user" && role_ != "assistant") return LineFate::unknown_kind;
        if (!open_) {
            open_ = true;
            new_head();
            emit(SessionStart{});
        }
        new_head(0, turn_);
        if (role_ == "user")
            user();
        else
            assistant();
        return LineFate::understood;
    }

private:
    // What Cursor adds to a prompt stands in tags of its own; without the query's tag the whole text may be a prompt.
    void user() {
        bool begun = false;
        for (const ContentBlock& block : blocks_) {
            if (block.type == "tool_result") {
                emit(result_of(block));
                continue;
            }
            if (block.text.empty()) continue;
            const std::string_view text = block.text.bytes;
            const bool human = !text.starts_with('<') || text.find("<user_query>") != text.npos;
            if (human && !std::exchange(begun, true)) {
                head().turn = ++turn_;
                emit(TurnStart{});
            }
            emit(Message{Role::user, human ? Origin::human : Origin::injected, block.text, 0});
        }
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
            } else if (!block.text.empty()) {
                emit(Message{Role::assistant, Origin::agent, block.text, 0});
            }
        }
    }

    std::string_view role_;
    ContentBlocks blocks_;
    bool open_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing framing) {
    if (framing != Framing::lines) return 0;
    std::size_t ours = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) continue;
        for (const std::string_view key : {"type", "id", "uuid", "timestamp", "content", "sessionId"}) {
            if (r.has(key)) return 0;
        }
        const ProbeRecord message = r.child("message");
        const auto content = message.raw("content");
        if ((r.text("role") == "user" || r.text("role") == "assistant") && content && content->starts_with('[') &&
            !message.has("role")) {
            ++ours;
        }
    }
    return ours > 0 && ours * 2 >= sample.size() ? 95 : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"user", "TurnStart and Message (human); texts in other tags than <user_query>: injected"},
    {"assistant", "Message and ToolCall, one a block"},
    {"tool_result, command_output", "ToolResult"},
};

}  // namespace

ReaderSpec cursor_agent() {
    return {"cursor-agent",
            "Cursor",
            "agent transcripts",
            signals(Signal::tool_calls),
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<CursorAgent>()); }};
}

}  // namespace agent_audit::readers
