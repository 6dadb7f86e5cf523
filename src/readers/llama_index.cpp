#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <array>
#include <string>

// Messages of LlamaIndex: one a line, in an array, or in the chat store of a memory, a list a key.
//
//   {"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"…"}]}
//   {"role":"assistant","additional_kwargs":{"tool_calls":[{"id":"…","function":{"name":"…","arguments":"{…}"}}]},
//    "blocks":[{"block_type":"thinking","content":"…"},{"block_type":"text","text":"…"},
//    {"block_type":"tool_call","tool_call_id":"…","tool_name":"…","tool_kwargs":{…}}]}
//   {"role":"tool","additional_kwargs":{"tool_call_id":"…","name":"…"},"blocks":[{"block_type":"text","text":"…"}]}
//   {"role":"user","content":"…","additional_kwargs":{}}                                              before blocks
//   {"store":{"<key>":[…]},"class_name":"SimpleChatStore"}, {"chat_store":{…},"chat_store_key":"…"}

namespace agent_audit::readers {
namespace {

constexpr int kDeepestWrapper = 3;

struct Block {
    std::string_view type, id, name;
    RawText text;
    CallArgs args;
};

struct Turn {
    std::string_view role, call_id, name;
    RawText content;
    Reused<Block> blocks, calls;  // calls as the provider of the model has them
    bool has_text = false;

    void clear() { begin_again(*this, &Turn::blocks, &Turn::calls); }
};

class LlamaIndex final : public DocumentReader {
public:
    LlamaIndex() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        bool messages = false, message = false;
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            messages |= key_is(key, "messages") && is_array(v);
            message |= key_is(key, "role") && is_string(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (messages) {
            begin_list({});
            return stream_records(object);
        }
        if (object.reset().error()) return LineFate::malformed_json;
        return message ? read_element(object) : unwrap(object);
    }

    LineFate read_array(json::array array) override {
        begin_list({});
        return read_elements(array);
    }

    LineFate read_element(json::object element) override {
        m_.clear();
        if (!read_fields<&LlamaIndex::collect>(element)) return LineFate::malformed_json;
        if (m_.role.empty() || (!m_.has_text && m_.calls.empty())) return LineFate::missing_field;
        return tell();
    }

private:
    LineFate unwrap(json::object object) {
        const LineFate fate = stream_all_found([this, &object] {
            return each_field(object, [this](const char* key, json::value& v) { return wrapped(key, v, 0); });
        });
        label_ = {};
        return fate;
    }

    // A store has a list for each key; in a memory it stands once more inside.
    bool wrapped(const char* key, json::value& v, int depth) {
        if (key_is(key, "store"))
            return each_field(v,
                              [this](const char* k, json::value& w) { return !is_array(w) || list(w, key_text(k)); });
        if (key_is(key, "chat_history") && is_array(v)) return list(v, {});
        return depth >= kDeepestWrapper ||
               each_field(v, [this, depth](const char* k, json::value& w) { return wrapped(k, w, depth + 1); });
    }

    bool list(json::value& v, std::string_view label) {
        begin_list(label);
        return stream_found(v);
    }

    void begin_list(std::string_view label) {
        open_ = false;
        label_ = label;
    }

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "role"))
            m_.role = raw_string(v);
        else if (key_is(key, "content") && is_string(v)) {
            m_.content = text_of(raw_string(v));
            m_.has_text = true;
        } else if (key_is(key, "blocks")) {
            m_.has_text |= is_array(v);
            return blocks(v, m_.blocks);
        } else if (key_is(key, "additional_kwargs"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "tool_calls")) return blocks(w, m_.calls);
                if (key_is(k, "tool_call_id")) m_.call_id = raw_string(w);
                if (key_is(k, "name")) m_.name = raw_string(w);
                return true;
            });
        return true;
    }

    bool blocks(json::value& v, Reused<Block>& into) {
        return each_element(v, [this, &into](json::value& element) {
            Block* block = is_object(element) ? into.next() : nullptr;
            return !block ||
                   each_field(element, [this, block](const char* key, json::value& w) { return part(key, w, *block); });
        });
    }

    bool part(const char* key, json::value& v, Block& block) {
        if (key_is(key, "block_type"))
            block.type = raw_string(v);
        else if (key_is(key, "tool_call_id") || key_is(key, "id"))
            block.id = raw_string(v);
        else if (key_is(key, "tool_name") || key_is(key, "name"))
            block.name = raw_string(v);
        else if (key_is(key, "tool_kwargs") || key_is(key, "arguments") || key_is(key, "input")) {
            if (!is_null(v)) block.args = args_.digest_value({}, v);
        } else if (key_is(key, "text") || key_is(key, "content")) {
            if (is_string(v)) block.text = text_of(raw_string(v));
        } else if (key_is(key, "function"))
            return each_field(v, [this, &block](const char* k, json::value& w) { return part(k, w, block); });
        return true;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        SessionStart start;
        start.session_id = text_of(label_);
        emit(start);
    }

    static bool is_media(const Block& block) {
        constexpr std::array<std::string_view, 4> kMedia{"image", "audio", "video", "document"};
        return is_one_of(block.type, kMedia);
    }

    LineFate tell() {
        constexpr std::array<std::string_view, 3> kModels{"assistant", "chatbot", "model"};
        constexpr std::array<std::string_view, 2> kTools{"tool", "function"};
        open();
        new_head(0, turn_);
        if (is_one_of(m_.role, kModels))
            answer();
        else if (is_one_of(m_.role, kTools))
            result();
        else
            speak(m_.role != "user");
        return LineFate::understood;
    }

    /// What is said; where it is several texts, the first that says something.
    RawText said() const {
        for (const Block& block : m_.blocks) {
            if (block.type == "text" && !block.text.empty()) return block.text;
        }
        return m_.content;
    }

    void speak(bool by_program) {
        const auto media = static_cast<std::uint32_t>(std::ranges::count_if(m_.blocks, is_media));
        if (by_program) {
            emit(Message{Role::system, Origin::injected, said(), media});
            return;
        }
        head().turn = ++turn_;
        emit(TurnStart{});
        emit(Message{Role::user, Origin::human, said(), media});
    }

    void answer() {
        head().response = ++responses_ | std::uint64_t{1} << 63;
        bool called = false, spoke = false;
        for (const Block& block : m_.blocks) {
            if (block.type == "thinking" && !block.text.empty())
                emit(Thinking{block.text, 0});
            else if (block.type == "text" && !block.text.empty()) {
                spoke = true;
                emit(Message{Role::assistant, Origin::agent, block.text, 0});
            } else if (block.type == "tool_call" && !block.name.empty()) {
                called = true;
                emit(call_of(block.id, block.name, block.args));
            }
        }
        if (!spoke && !m_.content.empty()) emit(Message{Role::assistant, Origin::agent, m_.content, 0});
        for (const Block& call : m_.calls) {
            if (!called && !call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
    }

    void result() {
        ToolResult result;
        result.call_id = text_of(m_.call_id);
        result.name = text_of(m_.name);
        result.text = said();
        result.media_count = static_cast<std::uint32_t>(std::ranges::count_if(m_.blocks, is_media));
        emit(result);
    }

    Turn m_;
    std::string_view label_;  // of the list that is read
    bool open_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
};

bool is_message(const ProbeRecord& r) {
    const auto beside = r.raw("additional_kwargs");  // mostly empty
    if (r.text("role").empty() || !beside || !beside->starts_with('{')) return false;
    if (r.has("type") && !r.has("blocks")) return false;
    return r.has("blocks") || r.has("content");
}

bool begins_with_message(const ProbeRecord& r, std::string_view list) {
    const auto first = first_in(r, list);
    return first && is_message(*first);
}

bool is_store(const ProbeRecord& r) {
    return r.text("class_name") == "SimpleChatStore" && r.child("store").is_object();
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object()) continue;
        if (is_message(r) || begins_with_message(r, "messages") || begins_with_message(r, "chat_history")) return 93;
        if (is_store(r) || is_store(r.child("chat_store")) || is_store(r.child("memory").child("chat_store")))
            return 93;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{role, blocks, additional_kwargs}, one a line or in an array", "one session a file"},
    {"{store: {key: […]}}, {chat_store: {…}}", "one session a key"},
    {"{messages: […]}, {chat_history: […]}", "one session"},
    {"user, system", "TurnStart and Message (human); Message (system)"},
    {"assistant", "Message, Thinking; ToolCall from its blocks, else from additional_kwargs.tool_calls"},
    {"tool", "ToolResult; the text decides"},
};

}  // namespace

ReaderSpec llama_index() {
    return {"llama-index",
            "LlamaIndex",
            "messages of LlamaIndex: one a line, arrays, chat stores",
            Signal::tool_calls | Signal::tool_results | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<LlamaIndex>()); },
            kStreams};
}

}  // namespace agent_audit::readers
