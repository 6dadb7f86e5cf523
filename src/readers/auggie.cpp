#include "readers/all.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>
#include <string>

// Sessions of Auggie, the command line of Augment Code, one document each:
//
//   {"sessionId":"…","created":"…","chatHistory":[{"exchange":{"request_message":"…","response_text":"…",
//     "request_id":"…","request_nodes":[…],"response_nodes":[…]},"completed":true,"finishedAt":"…"}],
//    "agentState":{"modelId":"…"}}
//
// What was sent: {"type":0,"text_node":{"content":"…"}}, {"type":1,"tool_result_node":{"tool_use_id":"c","content":"…",
//   "is_error":false}}, {"type":4,"ide_state_node":{…}}, {"type":10,"history_summary_node":{"summary_text":"…"}}
// What came back: {"type":0,"content":"…"}, {"type":5,"tool_use":{"tool_use_id":"c","tool_name":"view",
//   "input_json":"{…}"}}, {"type":8,"thinking":{"summary":"…"}}, {"type":10,"token_usage":{"input_tokens":1,…}}

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 2> kCut{"Cancelled by user", "Tool execution was cancelled"};

struct Node {
    enum class Kind : std::uint8_t { none, text, result, summary, media, call, thinking, usage } kind = Kind::none;
    std::string_view id, name;
    RawText text;
    CallArgs args;
    TokenCounts tokens;
    std::int64_t time_ms = kNoTime, duration_ms = 0;
    std::uint64_t opaque_bytes = 0;
    bool is_error = false;
};

struct Exchange {
    std::string_view id, finished, cwd;
    RawText asked, answered;
    Reused<Node> sent, received;
    bool is_there = false;
};

class Auggie final : public DocumentReader {
public:
    Auggie() : DocumentReader("chatHistory") {}

protected:
    LineFate read_object(json::object object) override {
        id_ = {};
        model_ = {};
        open_ = has_history_ = false;
        turn_ = 0;
        if (!collect(object) || !alive()) return LineFate::malformed_json;
        return has_history_ ? stream_records(object) : LineFate::unknown_kind;
    }

    bool read_rest(json::object fields) override { return collect(fields); }

    LineFate read_element(json::object element) override {
        begin_again(exchange_, &Exchange::sent, &Exchange::received);
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            if (key_is(key, "finishedAt"))
                exchange_.finished = raw_string(v);
            else if (key_is(key, "exchange")) {
                exchange_.is_there = is_object(v);
                return each_field(v, [this](const char* k, json::value& w) { return collect_exchange(k, w); });
            }
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (!exchange_.is_there) return LineFate::missing_field;
        begin();
        request();
        response();
        return LineFate::understood;
    }

private:
    bool collect(json::object object) {
        return each_field(object, [this](const char* key, json::value& v) {
            if (key_is(key, "sessionId"))
                id_ = raw_string(v);
            else if (key_is(key, "chatHistory"))
                has_history_ = is_array(v);
            else if (key_is(key, "agentState"))
                return each_field(v, [this](const char* k, json::value& w) {
                    if (key_is(k, "modelId")) model_ = raw_string(w);
                    return true;
                });
            return true;
        });
    }

    bool collect_exchange(const char* key, json::value& v) {
        if (key_is(key, "request_id"))
            exchange_.id = raw_string(v);
        else if (key_is(key, "request_message"))
            exchange_.asked = text_of(raw_string(v));
        else if (key_is(key, "response_text"))
            exchange_.answered = text_of(raw_string(v));
        else if (key_is(key, "request_nodes"))
            return each_element(v, [this](json::value& node) { return collect_node(node, exchange_.sent); });
        else if (key_is(key, "response_nodes"))
            return each_element(v, [this](json::value& node) { return collect_node(node, exchange_.received); });
        return true;
    }

    // What a node holds tells its kind; a text that came back is told by its number, as other kinds have an empty one.
    bool collect_node(json::value& v, Reused<Node>& nodes) {
        Node* node = is_object(v) ? nodes.next() : nullptr;
        if (!node) return true;
        std::uint64_t type = 0;
        RawText content;
        const bool whole = each_field(v, [&](const char* key, json::value& w) {
            if (key_is(key, "type"))
                type = as_uint(w);
            else if (key_is(key, "content"))
                content = text_of(raw_string(w));
            else if (key_is(key, "timestamp_ms"))
                node->time_ms = unix_time(w);
            else if (key_is(key, "image_node") || key_is(key, "image_id_node"))
                node->kind = Node::Kind::media;
            else if (key_is(key, "ide_state_node"))
                return collect_state(w);
            else if (const Node::Kind kind = kind_of(key); kind != Node::Kind::none && is_object(w)) {
                node->kind = kind;
                return each_field(w, [this, node](const char* k, json::value& x) { return collect_held(k, x, *node); });
            }
            return true;
        });
        if (node->kind == Node::Kind::none && type == 0 && !content.empty()) {
            node->kind = Node::Kind::text;
            node->text = content;
        }
        return whole;
    }

    static Node::Kind kind_of(const char* key) {
        if (key_is(key, "text_node")) return Node::Kind::text;
        if (key_is(key, "tool_result_node")) return Node::Kind::result;
        if (key_is(key, "history_summary_node")) return Node::Kind::summary;
        if (key_is(key, "tool_use")) return Node::Kind::call;
        if (key_is(key, "thinking")) return Node::Kind::thinking;
        if (key_is(key, "token_usage")) return Node::Kind::usage;
        return Node::Kind::none;
    }

    bool collect_held(const char* key, json::value& v, Node& node) {
        if (key_is(key, "tool_use_id"))
            node.id = raw_string(v);
        else if (key_is(key, "tool_name"))
            node.name = raw_string(v);
        else if (key_is(key, "input_json") && is_string(v))
            node.args = args_.digest_string({}, raw_string(v));
        else if (key_is(key, "content") || key_is(key, "summary") || key_is(key, "summary_text")) {
            if (node.text.empty()) node.text = any_text(v);
        } else if (key_is(key, "encrypted_content"))
            node.opaque_bytes = raw_string(v).size();
        else if (key_is(key, "is_error"))
            node.is_error = is_true(v);
        else if (key_is(key, "start_time_ms"))
            node.time_ms = unix_time(v);
        else if (key_is(key, "duration_ms"))
            node.duration_ms = as_int(v, 0);
        else
            collect_tokens(key, v, node.tokens);
        return true;
    }

    static void collect_tokens(const char* key, json::value& v, TokenCounts& tokens) {
        if (key_is(key, "input_tokens"))
            tokens.input = as_uint(v);
        else if (key_is(key, "output_tokens"))
            tokens.output = as_uint(v);
        else if (key_is(key, "cache_read_input_tokens"))
            tokens.cache_read = as_uint(v);
        else if (key_is(key, "cache_creation_input_tokens"))
            tokens.cache_write = as_uint(v);
    }

    bool collect_state(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (!key_is(key, "workspace_folders")) return true;
            return each_element(w, [this](json::value& folder) {
                return each_field(folder, [this](const char* k, json::value& x) {
                    if (key_is(k, "folder_root") && exchange_.cwd.empty()) exchange_.cwd = raw_string(x);
                    return true;
                });
            });
        });
    }

    // ---- interpreting -----------------------------------------------------------------------------------

    void begin() {
        new_head(0, turn_).time_ms = time_of(exchange_.finished);
        head().record_id = exchange_.id;
        if (std::exchange(open_, true)) return;
        SessionStart start;
        start.session_id = text_of(id_);
        start.model = text_of(model_);
        start.cwd = text_of(exchange_.cwd);
        emit(start);
    }

    // An exchange ends with the answer: when it began is not told, but results know their times.
    void request() {
        const bool nodes = exchange_.sent.begin() != exchange_.sent.end();
        for (const Node& node : exchange_.sent) {
            if (node.kind == Node::Kind::summary) compacted(node.text);
            if (node.kind == Node::Kind::result) result(node);
        }
        head().time_ms = answered_at();
        std::uint32_t media = 0;
        for (const Node& node : exchange_.sent) media += node.kind == Node::Kind::media ? 1 : 0;
        bool begun = false;
        for (const Node& node : exchange_.sent)
            if (node.kind == Node::Kind::text) said(node.text, begun, std::exchange(media, 0u));
        if (!nodes) said(exchange_.asked, begun, 0);
    }

    std::int64_t answered_at() {
        for (const Node& node : exchange_.received)
            if (node.time_ms != kNoTime) return node.time_ms;
        return time_of(exchange_.finished);
    }

    // The program itself speaks between tags: <supervisor>.
    void said(RawText text, bool& begun, std::uint32_t media) {
        if (text.empty()) return;
        const bool human = !text.bytes.starts_with("<supervisor>");
        if (human && !std::exchange(begun, true)) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, human ? Origin::human : Origin::injected, text, media});
    }

    void compacted(RawText summary) {
        Compaction compaction;
        compaction.summary = summary;
        emit(compaction);
    }

    void result(const Node& node) {
        if (node.time_ms != kNoTime)
            head().time_ms = node.time_ms + std::clamp<std::int64_t>(node.duration_ms, 0, kDay);
        ToolResult result;
        result.call_id = text_of(node.id);
        result.text = node.text;
        result.exit_code = exit_code_of(node.text.bytes);
        result.status = node.is_error ? ResultStatus::error : ResultStatus::ok;
        if (node.is_error && starts_with_one_of(node.text.bytes, kCut)) result.status = ResultStatus::cancelled;
        emit(result);
    }

    // Of a command it stands in front of what it printed.
    static std::optional<int> exit_code_of(std::string_view text) {
        constexpr std::string_view kCode = R"(<return-code>\n)";
        constexpr std::size_t kNear = 100, kLongest = 12;  // bytes
        const std::size_t at = text.substr(0, kNear).find(kCode);
        return at == text.npos ? std::nullopt : number_after(text.substr(at + kCode.size(), kLongest), {});
    }

    void response() {
        head().time_ms = answered_at();
        head().turn = turn_;
        head().response = exchange_.id.empty() ? ++responses_ | std::uint64_t{1} << 63 : id_hash(exchange_.id);
        bool any = false;
        for (const Node& node : exchange_.received) {
            any = any || node.kind == Node::Kind::text;
            if (node.kind == Node::Kind::text) answer(node.text);
            if (node.kind == Node::Kind::thinking && (!node.text.empty() || node.opaque_bytes > 0))
                emit(Thinking{node.text, node.opaque_bytes});
            if (node.kind == Node::Kind::call && !node.name.empty()) emit(call_of(node.id, node.name, node.args));
            if (node.kind == Node::Kind::usage) spent(node.tokens);
        }
        if (!any) answer(exchange_.answered);
    }

    void answer(RawText text) {
        if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, 0});
    }

    void spent(const TokenCounts& tokens) {
        if (tokens.total() == 0) return;
        Usage usage;
        usage.tokens = tokens;
        usage.message_key = id_hash(exchange_.id);
        emit(usage);
    }

    static constexpr std::int64_t kDay = 86'400'000;  // ms

    Exchange exchange_;
    std::string_view id_, model_;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    bool open_ = false, has_history_ = false;
};

Score score(std::span<const ProbeRecord> sample, Framing) {
    const auto session = [](const ProbeRecord& r) { return r.has("sessionId") && r.has("chatHistory"); };
    return std::ranges::any_of(sample, session) ? kCertain : 0;
}

constexpr std::string_view kStreams[] = {"chatHistory"};

constexpr RecordKindDoc kKinds[] = {
    {"the document", "SessionStart"},
    {"exchange", "its nodes, in this order; request_message and response_text where there are none"},
    {"request node, tool_result_node", "ToolResult: is_error; for commands the exit code"},
    {"request node, history_summary_node", "Compaction"},
    {"request node, text_node", "TurnStart and Message (human); of the program itself (<supervisor>), injected"},
    {"request node, ide_state_node", "the folder; others are ignored"},
    {"response node, text, thinking, tool_use", "Message, Thinking, ToolCall"},
    {"response node, token_usage", "Usage"},
};

}  // namespace

ReaderSpec auggie() {
    return {"auggie",
            "Auggie",
            "sessions of Augment Code's command line, one document each",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning |
                Signal::compaction,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Auggie>()); },
            kStreams};
}

}  // namespace agent_audit::readers
