#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/printed_run.hpp"

#include <string>
#include <vector>

// What claude.ai hands out when somebody asks for their data: conversations.json, an array of conversations, or one of
// them.
//
//   [{"uuid":"…","name":"…","created_at":"…","chat_messages":[
//     {"uuid":"m1","sender":"human","created_at":"…","text":"…","content":[{"type":"text","text":"…"}],
//      "attachments":[{"file_name":"…","extracted_content":"…"}],"files":[],"parent_message_uuid":"…"},
//     {"uuid":"m2","sender":"assistant","content":[{"type":"thinking","thinking":"…"},
//      {"type":"tool_use","id":"…","name":"…","input":{…}},
//      {"type":"tool_result","tool_use_id":"…","name":"…","content":[{"type":"text","text":"…"}],"is_error":false},
//      {"type":"text","text":"…"}]}]}]
//
// Calls and their results stand within one message, in their order, with ids or without. "text" says the words of
// "content" once more. Nothing says what a request took.

namespace agent_audit::readers {
namespace {

enum class BlockKind : std::uint8_t { text, thinking, call, result, other };

struct Block {
    BlockKind kind = BlockKind::other;
    std::string_view id, name;
    Content content;
    RawText text;
    CallArgs args;
    bool failed = false, has_flag = false;
};

BlockKind kind_of(std::string_view type) {
    if (type == "text" || type == "voice_note") return BlockKind::text;
    if (type == "thinking") return BlockKind::thinking;
    if (type == "tool_use") return BlockKind::call;
    return type == "tool_result" ? BlockKind::result : BlockKind::other;
}

class ClaudeAi final : public DocumentReader {
public:
    ClaudeAi() : DocumentReader("chat_messages") {}

protected:
    LineFate read_object(json::object object) override {
        id_ = model_ = {};
        created_ = kNoTime;
        bool list = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "uuid"))
                id_ = raw_string(v);
            else if (key_is(key, "created_at"))
                created_ = time_of(raw_string(v));
            else if (key_is(key, "model") && is_string(v))
                model_ = raw_string(v);
            else if (key_is(key, "chat_messages"))
                list = is_array(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!list) return LineFate::unknown_kind;
        run_ = PrintedRun{};
        known_.clear();
        previous_ = root_ = 0;
        calls_ = 0;
        return stream_records(object);
    }

    LineFate read_array(json::array array) override {
        return read_each(array, [this](json::object object) {
            args_.clear();
            return read_object(object);
        });
    }

    LineFate read_element(json::object element) override {
        message_ = Spoken{};
        blocks_.clear();
        attached_.clear();
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            if (key_is(key, "content"))
                return each_element(v,
                                    [this](json::value& block) { return !is_object(block) || collect_block(block); });
            if (key_is(key, "uuid"))
                message_.id = raw_string(v);
            else if (key_is(key, "sender"))
                message_.sender = raw_string(v);
            else if (key_is(key, "text"))
                message_.text = any_text(v);
            else if (key_is(key, "created_at"))
                message_.time_ms = time_of(raw_string(v));
            else if (key_is(key, "parent_message_uuid"))
                message_.parent = raw_string(v);
            else if (key_is(key, "attachments"))
                return each_element(v, [this](json::value& one) { return collect_attachment(one); });
            else if (key_is(key, "files"))
                return each_element(v, [this](json::value&) { return ++message_.media > 0; });
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (message_.sender.empty()) return LineFate::missing_field;
        open();
        follow_tree();
        new_head(0, run_.turn).time_ms = message_.time_ms;
        head().record_id = message_.id;
        if (message_.left_out > 0)
            emit(notice_of(NoticeLayer::reader, NoticeLevel::warning, "too-many-blocks",
                           plain("a message has more than 100,000 blocks, of which the last ones were left out")));
        if (message_.sender == "human") return human();
        return message_.sender == "assistant" ? answer() : LineFate::unknown_kind;
    }

private:
    struct Spoken {
        std::string_view id, parent, sender;
        RawText text;
        std::int64_t time_ms = kNoTime;
        std::uint32_t media = 0;
        std::size_t left_out = 0;  // blocks
    };

    bool collect_block(json::value& v) {
        Block block;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "type"))
                block.kind = kind_of(raw_string(w));
            else if (key_is(key, "id") || key_is(key, "tool_use_id"))
                block.id = is_string(w) ? raw_string(w) : std::string_view();
            else if (key_is(key, "name") && is_string(w))
                block.name = raw_string(w);
            else if (key_is(key, "text") || key_is(key, "thinking"))
                block.text = any_text(w);
            else if (key_is(key, "input") && !is_null(w))
                block.args = args_.digest_value({}, w);
            else if (key_is(key, "content"))
                block.content = read_content(w);
            else if (key_is(key, "is_error")) {
                block.has_flag = true;
                block.failed = is_true(w);
            }
            return true;
        });
        if (blocks_.size() < kMostBlocks)
            blocks_.push_back(block);
        else
            ++message_.left_out;
        return whole;
    }

    // A text that was pasted or drawn out of a file goes to the model with the prompt.
    bool collect_attachment(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "extracted_content") && is_string(w)) attached_.push_back(text_of(raw_string(w)));
            return true;
        });
    }

    // With the first message: a conversation without one that can be read is none.
    void open() {
        if (run_.open) return;
        new_head().time_ms = created_;
        SessionStart start;
        start.session_id = text_of(id_);
        start.model = text_of(model_);
        run_.begin_session(id_);
        open_.clear();
        emit(start);
    }

    // Where a prompt was changed or an answer made again, messages hang on an earlier one.
    void follow_tree() {
        const IdHash parent = id_hash(message_.parent);
        if (previous_ == 0) root_ = parent;
        const bool begins_anew = parent == root_;  // what the first message hangs on is none
        if (parent != 0 && previous_ != 0 && parent != previous_ && (begins_anew || known_.has(parent))) {
            run_.end_response();
            open_.clear();
            new_head(0, run_.turn).time_ms = message_.time_ms;
            if (begins_anew)
                emit(Rewind{RewindTarget::all, {}, 0});
            else
                emit(Rewind{RewindTarget::to_record, message_.parent, 0});
        }
        previous_ = id_hash(message_.id);
        known_.add(previous_);
    }

    // What was stopped gets no result any more, least of all that of a later call.
    LineFate human() {
        run_.end_response();
        open_.clear();
        head().turn = ++run_.turn;
        emit(TurnStart{});
        bool told = false;
        for (const Block& block : blocks_) {
            if (block.kind != BlockKind::text || block.text.empty()) continue;
            emit(Message{Role::user, Origin::human, block.text, told ? 0 : message_.media});
            told = true;
        }
        if (!told) emit(Message{Role::user, Origin::human, message_.text, message_.media});
        for (const RawText& text : attached_) {
            if (!text.empty()) emit(Message{Role::user, Origin::injected, text, 0});
        }
        return LineFate::understood;
    }

    LineFate answer() {
        run_.end_response();
        if (blocks_.empty() && !message_.text.empty()) {
            head().response = run_.respond();
            emit(Message{Role::assistant, Origin::agent, message_.text, 0});
        }
        for (const Block& block : blocks_) tell(block);
        head().response = 0;
        run_.end_response();
        return LineFate::understood;
    }

    void tell(const Block& block) {
        if (block.kind == BlockKind::result) return result(block);
        head().response = run_.respond();
        if (block.kind == BlockKind::call)
            call(block);
        else if (block.kind == BlockKind::thinking && !block.text.empty())
            emit(Thinking{block.text, 0});
        else if (block.kind == BlockKind::text && !block.text.empty())
            emit(Message{Role::assistant, Origin::agent, block.text, 0});
    }

    // Calls without an id get a number: their results follow in their order.
    void call(const Block& block) {
        open_.push_back(block.id.empty() ? "call-" + std::to_string(++calls_) : std::string(block.id));
        if (open_.size() > kMostOpen) open_.erase(open_.begin());
        emit(call_of(open_.back(), block.name, block.args));
    }

    void result(const Block& block) {
        run_.end_response();
        head().response = 0;
        std::string id(block.id);
        if (const auto at = id.empty() ? open_.begin() : std::ranges::find(open_, id); at != open_.end()) {
            id = *at;
            open_.erase(at);
        }
        if (id.empty()) return;
        ToolResult result;
        result.call_id = text_of(id);
        result.name = text_of(block.name);
        result.text = block.content.text;
        result.media_count = block.content.media;
        result.media_hash = block.content.media_hash;
        if (block.has_flag) result.status = block.failed ? ResultStatus::error : ResultStatus::ok;
        emit(result);
    }

    static constexpr std::size_t kMostBlocks = 100'000;  // of a message
    static constexpr std::size_t kMostOpen = 64;         // calls without a result; what is older was never answered

    std::string_view id_, model_;
    std::int64_t created_ = kNoTime;
    PrintedRun run_;
    Spoken message_;
    std::vector<Block> blocks_;
    std::vector<RawText> attached_;
    std::vector<std::string> open_;
    RecentIds known_;
    IdHash previous_ = 0, root_ = 0;
    std::uint64_t calls_ = 0;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        const auto messages = r.raw("chat_messages");
        if (messages && messages->starts_with('[') && r.has("uuid")) return kCertain;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"chat_messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{uuid, chat_messages}", "one session a record"},
    {"human", "TurnStart and Message (human)"},
    {"assistant: text, thinking", "Message, Thinking"},
    {"assistant: tool_use", "ToolCall; numbered where it has no id"},
    {"assistant: tool_result", "ToolResult, of its call or of the first that is open"},
    {"assistant: others", "ignored"},
    {"parent_message_uuid of an earlier message", "Rewind"},
};

}  // namespace

ReaderSpec claude_ai() {
    return {"claude-ai",
            "Claude (claude.ai)",
            "conversations.json of the data that claude.ai exports",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::timestamps |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<ClaudeAi>()); },
            kStreams};
}

}  // namespace agent_audit::readers
