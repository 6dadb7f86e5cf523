#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/messages/message_roles.hpp"
#include "readers/messages/told_messages.hpp"
#include "readers/messages/tool_output.hpp"

#include <array>
#include <string>

// Messages of Microsoft's libraries for agents: Microsoft.Extensions.AI and the Agent Framework on it, the Agent
// Framework in Python, and the histories of Semantic Kernel. They name the same things in camel case, Pascal case or
// snake case. They stand one a line, in an array, or in the saved state of a thread, a session or a workflow.
//
//   {"role":"assistant","authorName":"…","createdAt":"…","contents":[{"$type":"text","text":"…"},
//    {"$type":"functionCall","callId":"…","name":"…","arguments":{…}}]}
//   {"role":"tool","contents":[{"$type":"functionResult","callId":"…","result":…}]}
//   {"type":"message","role":"assistant","contents":[{"type":"function_call","call_id":"…","name":"…","arguments":"{…}"},
//    {"type":"function_result","call_id":"…","result":"…","exception":"…"},
//    {"type":"usage","usage_details":{"input_token_count":9,"output_token_count":2}}],"author_name":"…"}
//   {"Role":{"Label":"assistant"},"Items":[{"$type":"FunctionCallContent","Id":"…","FunctionName":"…","Arguments":{…}}]}
//   {"storeState":{"messages":[…]}}, {"chat_message_store_state":{"messages":[…]}}, {"messages":[…],"usage":{…}}

namespace agent_audit::readers {
namespace {

constexpr int kDeepestWrapper = 5;

/// The same word, whatever the case of its letters and the lines between its parts. `word` is in lower case.
bool is_word(std::string_view text, std::string_view word) {
    std::size_t i = 0;
    for (const char c : text) {
        if (c == '_') continue;
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (i == word.size() || word[i] != lower) return false;
        ++i;
    }
    return i == word.size();
}

bool ends_in_word(std::string_view text, std::string_view word) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_word(text.substr(i), word)) return true;
    }
    return false;
}

enum class Kind : std::uint8_t { unknown, text, thought, call, result, usage, error, media };

Kind kind_of(std::string_view type) {
    constexpr std::array<std::string_view, 7> kMedia{
        "data", "uri", "hostedfile", "imagecontent", "audiocontent", "binarycontent", "filereferencecontent"};
    if (is_word(type, "text") || is_word(type, "textcontent")) return Kind::text;
    if (is_word(type, "reasoning") || is_word(type, "textreasoning") || is_word(type, "reasoningcontent"))
        return Kind::thought;
    if (is_word(type, "functioncall") || is_word(type, "functioncallcontent") || is_word(type, "mcpservertoolcall"))
        return Kind::call;
    if (is_word(type, "functionresult") || is_word(type, "functionresultcontent") ||
        is_word(type, "mcpservertoolresult"))
        return Kind::result;
    if (is_word(type, "usage")) return Kind::usage;
    if (is_word(type, "error")) return Kind::error;
    return std::ranges::any_of(kMedia, [type](std::string_view word) { return is_word(type, word); }) ? Kind::media
                                                                                                      : Kind::unknown;
}

struct Item {
    std::string_view type, id, call_id, name, plugin, error_code;
    RawText text, error;
    CallArgs args;
    ToolOutput output;
};

struct Turn {
    std::string_view role, author, id, timestamp, model;
    RawText words;  // said beside the items
    Reused<Item> items;
    TokenCounts tokens;
    bool has_items = false, has_role = false;

    void clear() { begin_again(*this, &Turn::items); }
};

class AgentFramework final : public DocumentReader {
public:
    AgentFramework() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        bool messages = false, message = false;
        beside_ = Beside{};  // of a document that broke off
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            messages |= key_is(key, "messages") && is_array(v);
            message |= is_items(key) && is_array(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (message) return object.reset().error() ? LineFate::malformed_json : read_element(object);
        if (!messages) return object.reset().error() ? LineFate::malformed_json : unwrap(object);
        if (object.reset().error() || !collect_beside(object)) return LineFate::malformed_json;
        told_.begin_list();
        answers_ = 0;
        return stream_records(object);
    }

    LineFate read_array(json::array array) override {
        beside_ = Beside{};
        told_.begin_list();
        return read_elements(array);
    }

    LineFate read_element(json::object element) override {
        m_.clear();
        if (!read_fields<&AgentFramework::collect>(element)) return LineFate::malformed_json;
        if (!m_.has_role || (!m_.has_items && m_.words.empty())) return LineFate::missing_field;
        return tell();
    }

    bool read_rest(json::object fields) override { return collect_beside(fields); }

    LineFate end_document(json::object) override {
        end_list();
        return LineFate::understood;
    }

private:
    /// What an answer of several messages says of them together.
    struct Beside {
        std::string_view model;
        TokenCounts tokens;
    };

    static bool is_items(const char* key) {
        return is_word(key_text(key), "contents") || is_word(key_text(key), "items");
    }

    // ---- what stands around the messages ------------------------------------------------------------------------

    LineFate unwrap(json::object object) {
        first_list_ = true;
        return stream_all_found([this, &object] { return wrapped(object, 0); });
    }

    // The requests and answers of a workflow are lists of one session.
    bool wrapped(json::object object, int depth) {
        bool listed = false;
        answers_ = 0;
        const Beside around = std::exchange(beside_, Beside{});
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "messages") && is_array(v)) {
                listed = true;
                if (std::exchange(first_list_, false)) told_.begin_list();
                return stream_found(v);
            }
            if (is_beside(key)) return beside(key, v);
            return depth >= kDeepestWrapper || inner(v, depth + 1);
        });
        if (listed) end_list();
        beside_ = around;
        return whole;
    }

    bool inner(json::value& v, int depth) {
        json::object object;
        if (is_object(v)) return !v.get_object().get(object) && wrapped(object, depth);
        return each_element(v, [this, depth](json::value& element) {
            json::object one;
            return !is_object(element) || (!element.get_object().get(one) && wrapped(one, depth));
        });
    }

    bool collect_beside(json::object object) {
        return each_field(object, [this](const char* key, json::value& v) { return beside(key, v); });
    }

    static bool is_beside(const char* key) {
        const std::string_view name = key_text(key);
        return is_word(name, "usage") || is_word(name, "usagedetails") || is_word(name, "modelid");
    }

    bool beside(const char* key, json::value& v) {
        if (!is_beside(key)) return true;
        if (is_object(v)) return usage(v, beside_.tokens);
        beside_.model = raw_string(v);
        return true;
    }

    void end_list() {
        if (open_ && beside_.tokens.total() > 0) {
            new_head(0, turn_);
            Usage usage;
            usage.tokens = beside_.tokens;
            usage.model = text_of(beside_.model);
            if (answers_ == 1)
                head().response = responses_ | kCounted;
            else
                usage.scope = UsageScope::session;
            emit(usage);
        }
        beside_ = Beside{};
        answers_ = 0;
    }

    // ---- a message ----------------------------------------------------------------------------------------------

    bool collect(const char* key, json::value& v) {
        const std::string_view name = key_text(key);
        if (is_items(key)) {
            m_.has_items |= is_array(v);
            return each_element(v, [this](json::value& element) {
                Item* item = is_object(element) ? m_.items.next() : nullptr;
                return !item ||
                       each_field(element, [this, item](const char* k, json::value& w) { return part(k, w, *item); });
            });
        }
        if (is_word(name, "role")) return role(v);
        if (is_word(name, "authorname"))
            m_.author = raw_string(v);
        else if (is_word(name, "messageid"))
            m_.id = raw_string(v);
        else if (is_word(name, "createdat"))
            m_.timestamp = raw_string(v);
        else if (is_word(name, "modelid"))
            m_.model = raw_string(v);
        else if (is_word(name, "text") || is_word(name, "content"))
            m_.words = text_of(raw_string(v));
        else if (is_word(name, "metadata"))
            return each_field(v, [this](const char* k, json::value& w) {
                return !is_word(key_text(k), "usage") || usage(w, m_.tokens);
            });
        return true;
    }

    bool role(json::value& v) {
        m_.has_role = true;
        if (is_string(v)) {
            m_.role = raw_string(v);
            return true;
        }
        return each_field(v, [this](const char* key, json::value& w) {
            if (is_word(key_text(key), "label") || is_word(key_text(key), "value")) m_.role = raw_string(w);
            return true;
        });
    }

    bool part(const char* key, json::value& v, Item& item) {
        const std::string_view name = key_text(key);
        if (name == "$type" || (name == "type" && item.type.empty()))
            item.type = raw_string(v);
        else if (is_word(name, "callid"))
            item.call_id = raw_string(v);
        else if (is_word(name, "id"))
            item.id = raw_string(v);
        else if (is_word(name, "name") || is_word(name, "functionname") || is_word(name, "toolname"))
            item.name = raw_string(v);
        else if (is_word(name, "pluginname"))
            item.plugin = raw_string(v);
        else if (is_word(name, "arguments") && !is_null(v))
            item.args = args_.digest_value({}, v);
        else if (is_word(name, "result") || is_word(name, "output"))
            return read_tool_output(v, item.output);
        else if (is_word(name, "exception") && !is_null(v))
            item.error = any_text(v);
        else if (is_word(name, "text") || is_word(name, "message"))
            item.text = text_of(raw_string(v));
        else if (is_word(name, "errorcode"))
            item.error_code = raw_string(v);
        else if (is_word(name, "details") || is_word(name, "usagedetails"))
            return usage(v, m_.tokens);
        return true;
    }

    // The input has in it what a cache held, the output what was thought.
    static bool usage(json::value& v, TokenCounts& tokens) {
        std::uint64_t input = 0, output = 0, read = 0, reasoning = 0;
        const auto count = [&](auto&& self, json::value& w, int depth) -> bool {
            return each_field(w, [&](const char* key, json::value& n) {
                if (is_object(n)) return depth > 0 || self(self, n, depth + 1);
                const std::string_view name = key_text(key);
                if (is_word(name, "inputtokencount"))
                    input = as_uint(n);
                else if (is_word(name, "outputtokencount"))
                    output = as_uint(n);
                else if (ends_in_word(name, "cachedinputtokencount") || ends_in_word(name, "cachedtokencount") ||
                         ends_in_word(name, "cachedinputtokens") || ends_in_word(name, "cachedtokens"))
                    read = as_uint(n);
                else if (ends_in_word(name, "reasoningtokencount") || ends_in_word(name, "reasoningtokens"))
                    reasoning = as_uint(n);
                return true;
            });
        };
        const bool whole = count(count, v, 0);
        if (input + output > 0)
            tokens = {read <= input ? input - read : input, 0, read, output, std::min(reasoning, output)};
        return whole;
    }

    // ---- telling ------------------------------------------------------------------------------------------------

    std::uint64_t message_key() const {
        std::uint64_t key = mix_hash(stable_hash(m_.role), stable_hash(m_.id));
        key = mix_hash(key, mix_hash(stable_hash(m_.timestamp), stable_hash(m_.words.bytes)));
        for (const Item& item : m_.items) {
            key = mix_hash(key, mix_hash(stable_hash(item.call_id), stable_hash(item.text.bytes)));
            key = mix_hash(key, mix_hash(stable_hash(item.output.text.bytes), item.args.digest.canonical));
        }
        return key;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        spoken_ = false;
        SessionStart start;
        start.model = text_of(m_.model.empty() ? beside_.model : m_.model);
        emit(start);
    }

    LineFate tell() {
        const ToldMessages::Seen seen = told_.look(message_key(), !m_.id.empty() || !m_.timestamp.empty());
        if (seen.repeated) return LineFate::ignored_kind;
        if (seen.begins_anew) open_ = false;
        const std::int64_t time = time_of(m_.timestamp);
        new_head().time_ms = time;
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time;
        h.record_id = m_.id;
        if (is_word(m_.role, "assistant"))
            answer();
        else if (is_word(m_.role, "system") || is_word(m_.role, "developer"))
            each_text([this](RawText text) { emit(Message{Role::system, Origin::injected, text, 0}); });
        else if (is_word(m_.role, "tool"))
            results();
        else
            speak();
        return LineFate::understood;
    }

    template <class Say>
    void each_text(Say&& say) {
        bool said = false;
        for (const Item& item : m_.items) {
            if (kind_of(item.type) != Kind::text || item.text.empty()) continue;
            say(item.text);
            said = true;
        }
        if (!said && !m_.words.empty()) say(m_.words);
    }

    // In a team the others speak in the place of the user, under their names.
    void speak() {
        std::uint32_t media = 0;
        for (const Item& item : m_.items) media += kind_of(item.type) == Kind::media;
        const bool human = !std::exchange(spoken_, true) || m_.author.empty() || is_human_name(m_.author);
        bool begun = false;
        const auto say = [&](RawText text) {
            if (human && !begun) {
                head().turn = ++turn_;
                emit(TurnStart{});
            }
            Message message{Role::user, human ? Origin::human : Origin::agent, text,
                            std::exchange(begun, true) ? 0 : media};
            if (!human) message.speaker = text_of(m_.author);
            emit(message);
        };
        each_text(say);
        if (!begun && media > 0) say({});
        results();
    }

    void answer() {
        spoken_ = true;
        ++answers_;
        const IdHash response = ++responses_ | kCounted;
        head().response = response;
        bool said = false;
        for (const Item& item : m_.items) {
            const Kind kind = kind_of(item.type);
            said |= kind == Kind::text && !item.text.empty();
            if (kind == Kind::text && !item.text.empty())
                say(item.text);
            else if (kind == Kind::thought && !item.text.empty())
                emit(Thinking{item.text, 0});
            else if (kind == Kind::call && !item.name.empty())
                call(item);
            else if (kind == Kind::error)
                emit(notice_of(NoticeLayer::provider, NoticeLevel::error, item.error_code, item.text));
        }
        if (!said && m_.items.empty() && !m_.words.empty()) say(m_.words);
        results();
        head().response = response;
        if (m_.tokens.total() == 0) return;
        Usage usage;
        usage.tokens = m_.tokens;
        usage.model = text_of(m_.model);
        emit(usage);
    }

    void say(RawText text) {
        Message message{Role::assistant, Origin::agent, text};
        message.speaker = text_of(m_.author);
        emit(message);
    }

    // Semantic Kernel groups functions in plugins, and the model sees both names as one.
    void call(const Item& item) {
        name_ = item.plugin;
        if (!name_.empty()) name_ += '-';
        name_ += item.name;
        emit(call_of(item.call_id.empty() ? item.id : item.call_id, name_, item.args));
    }

    // Beside a result its text may stand once more.
    void results() {
        head().response = 0;
        for (const Item& item : m_.items) {
            if (kind_of(item.type) == Kind::result) result(item);
        }
    }

    void result(const Item& item) {
        ToolResult result;
        result.call_id = text_of(item.call_id.empty() ? item.id : item.call_id);
        result.text = item.output.text.empty() ? item.error : item.output.text;
        result.status = item.output.status;
        result.exit_code = item.output.exit_code;
        result.media_count = item.output.media;
        if (!item.error.empty())
            result.status = ResultStatus::error;
        else if (is_refusal(result.text.bytes))
            result.status = ResultStatus::denied;
        else if (result.status == ResultStatus::unknown && result.exit_code)
            result.status = status_of(result.exit_code);
        emit(result);
    }

    static bool is_refusal(std::string_view text) {
        constexpr std::array<std::string_view, 2> kRefusals{"Tool call invocation rejected",
                                                            "Error: Tool call invocation was rejected"};
        return starts_with_one_of(text, kRefusals);
    }

    static constexpr std::uint64_t kCounted = std::uint64_t{1} << 63;

    Turn m_;
    Beside beside_;
    ToldMessages told_;
    std::string name_;
    bool open_ = false, spoken_ = false, first_list_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0, answers_ = 0;  // in all; in the list that is read
};

bool is_message(const ProbeRecord& r) {
    if (!r.is_object() || (!r.has("role") && !r.has("Role"))) return false;
    for (const std::string_view list : {"contents", "Contents", "Items"}) {
        const auto raw = r.raw(list);
        const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
        if (!first) continue;
        if (first->has("$type")) return kind_of(first->text("$type")) != Kind::unknown;
        return list == "contents" && kind_of(first->text("type")) != Kind::unknown;
    }
    return false;
}

bool holds_messages(const ProbeRecord& r, int depth) {
    // Where the states of threads, sessions and workflows keep them.
    constexpr std::array<std::string_view, 12> kWrappers{"storeState",
                                                         "chat_message_store_state",
                                                         "serialized_thread",
                                                         "thread",
                                                         "state",
                                                         "stateBag",
                                                         "data",
                                                         "conversationHistory",
                                                         "in_memory",
                                                         "response",
                                                         "chatHistory",
                                                         "InMemoryChatHistoryProvider"};
    if (!r.is_object()) return false;
    if (const auto raw = r.raw("messages")) {
        const auto first = first_of(ProbeRecord(*raw));
        if (first && is_message(*first)) return true;
    }
    if (depth == 0) return false;
    return std::ranges::any_of(kWrappers, [&](std::string_view wrapper) {
        const auto raw = r.raw(wrapper);
        if (!raw) return false;
        const ProbeRecord inner(*raw);
        const auto first = first_of(inner);
        return holds_messages(first ? *first : inner, depth - 1);
    });
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (is_message(r) || holds_messages(r, kDeepestWrapper)) return 95;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{role, contents}, {Role, Items}, one a line or in an array", "one session a file"},
    {"{messages: […]}, the state of a thread, a session or a workflow",
     "one session; what repeats an earlier list, by ids or times of its messages, goes on with it"},
    {"system, user", "Message (system); TurnStart and Message (human), with the name of an agent Message (agent)"},
    {"text, reasoning, text_reasoning", "Message, Thinking"},
    {"functionCall, function_call, FunctionCallContent", "ToolCall"},
    {"functionResult, function_result, FunctionResultContent",
     "ToolResult: exception, and what the result says of error, isError, success, exitCode"},
    {"usage, Metadata.Usage", "Usage; beside the messages a sum over them"},
    {"error", "Notice (provider)"},
};

}  // namespace

ReaderSpec agent_framework() {
    return {"agent-framework",
            "Microsoft Agent Framework",
            "messages and states of the Agent Framework, Microsoft.Extensions.AI and Semantic Kernel",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<AgentFramework>()); },
            kStreams};
}

}  // namespace agent_audit::readers
