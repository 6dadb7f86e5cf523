#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/messages/message_roles.hpp"
#include "readers/traces/trace_messages.hpp"

#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

// Messages of LangChain and LangGraph as programs dump them: one a line, in an array, as messages[] of a state or of
// its updates, and in the three forms that the library itself writes.
//
//   {"type":"human","content":"…","additional_kwargs":{},"response_metadata":{},"id":"…"}
//   {"type":"ai","content":"…","tool_calls":[{"name":"…","args":{…},"id":"…","type":"tool_call"}],
//    "usage_metadata":{"input_tokens":9,"output_tokens":2,"input_token_details":{"cache_read":4}}}
//   {"type":"tool","content":"…","tool_call_id":"…","name":"…","status":"error"}
//   {"type":"ai","data":{"content":"…", …}}                                                        messages_to_dict
//   {"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{…}}   dumps
//   {"values":{"messages":[…]}}, {"agent":{"messages":[…]}}                                        LangGraph

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostRemembered = 200'000;  // ids of messages; beyond it all are forgotten
constexpr int kDeepestWrapper = 2;

// Under these a state holds the whole conversation so far; under any other name is what one node added.
constexpr std::array<std::string_view, 7> kStates{"values", "channel_values", "output", "outputs",
                                                  "result", "state",          "input"};

enum class Kind : std::uint8_t { unknown, human, agent, tool, system, ignored };

Kind kind_of(std::string_view type) {
    if (type == "human" || type.starts_with("HumanMessage")) return Kind::human;
    if (type == "ai" || type.starts_with("AIMessage")) return Kind::agent;
    if (type == "tool" || type == "function" || type.starts_with("ToolMessage") || type.starts_with("FunctionMessage"))
        return Kind::tool;
    if (type == "system" || type.starts_with("SystemMessage")) return Kind::system;
    return type == "remove" || type == "RemoveMessage" ? Kind::ignored : Kind::unknown;
}

struct Call {
    std::string_view id, name;
    CallArgs args;
};

struct Turn {
    std::string_view type, id, name, call_id, status, model;
    Content content;
    RawText thought;
    Reused<Call> calls, provider_calls;
    TokenCounts tokens, provider_tokens;

    void clear() { begin_again(*this, &Turn::calls, &Turn::provider_calls); }
};

/// The state, or the update, in ["values",{…}], ["updates",{…}] or [["agent:1"],"updates",{…}]; empty for all else.
std::string_view told_state(std::string_view record) {
    record = trim_blank(record);
    const auto brace = record.find('{');
    if (!record.starts_with('[') || !record.ends_with("}]") || brace == record.npos) return {};
    std::string_view before = trim_blank(record.substr(0, brace));
    if (!before.ends_with(',')) return {};
    before = trim_blank(before.substr(0, before.size() - 1));
    if (!before.ends_with("\"values\"") && !before.ends_with("\"updates\"")) return {};
    return record.substr(brace, record.size() - 1 - brace);
}

class LangChain final : public DocumentReader {
public:
    LangChain() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        bool messages = false, message = false;
        repeats_ = {};
        const bool whole = each_field(object, [&](const char* key, json::value& v) {
            message |= key_is(key, "type") && is_string(v);
            if (!key_is(key, "messages") || !is_array(v)) return true;
            messages = true;
            json::array list;
            return said_.empty() || (!v.get_array().get(list) && look_at_state(list));
        });
        if (!whole || !alive()) return LineFate::malformed_json;
        if (messages) {
            whole_state_ = true;
            const LineFate fate = stream_records(object);
            whole_state_ &= record().part == RecordPart::head;  // its messages are still to come
            return fate;
        }
        if (object.reset().error()) return LineFate::malformed_json;
        return message ? read_element(object) : unwrap(object);
    }

    LineFate read_array(json::array array) override {
        if (const std::string_view state = told_state(record().text); !state.empty()) {
            std::string_view all;
            return array.raw_json().get(all) ? LineFate::malformed_json : streamed(state);
        }
        whole_state_ = true;
        repeats_ = {};
        return said_.empty() || look_at_state(array) ? read_elements(array) : LineFate::malformed_json;
    }

    LineFate read_element(json::object element) override {
        if (!collect_message(element) || !alive()) return LineFate::malformed_json;
        const Kind kind = kind_of(m_.type);
        if (kind == Kind::unknown) return m_.type.empty() ? LineFate::missing_field : LineFate::unknown_kind;
        if (kind == Kind::ignored) return LineFate::ignored_kind;
        return says_something() ? tell(kind) : LineFate::missing_field;
    }

private:
    // What stream() gives in several modes at a time.
    LineFate streamed(std::string_view state) {
        json::document doc;
        json::object object;
        if (inner_.iterate(state.data(), state.size(), state.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object))
            return LineFate::malformed_json;
        return read_object(object);
    }

    bool collect_message(json::object element) {
        m_.clear();
        return each_field(element, [this](const char* key, json::value& v) { return collect(key, v, 0); });
    }
    bool says_something() const { return m_.content.seen || !m_.calls.empty() || !m_.provider_calls.empty(); }

    // A state, or what the nodes of a graph added to it.
    LineFate unwrap(json::object object) {
        found_ = false;
        const std::uint64_t before = emitted();
        const bool whole = each_field(object, [this](const char* key, json::value& v) { return wrapped(key, v, 1); });
        if (!whole || !alive()) return emitted() > before ? LineFate::partial : LineFate::malformed_json;
        return found_ ? LineFate::understood : LineFate::unknown_kind;
    }

    bool wrapped(const char* key, json::value& v, int depth) {
        if (!is_object(v)) return true;
        const bool state = is_one_of(key_text(key), kStates);
        return each_field(v, [this, state, depth](const char* k, json::value& w) {
            if (!key_is(k, "messages")) return depth >= kDeepestWrapper || wrapped(k, w, depth + 1);
            if (!is_array(w)) return true;
            found_ = true;
            whole_state_ = state;
            repeats_ = {};
            json::array messages;
            const bool goes_on = state && !said_.empty();
            if (goes_on && (w.get_array().get(messages) || !look_at_state(messages))) return false;
            const LineFate fate = goes_on ? stream_array(messages) : stream_array(w);
            whole_state_ = false;
            return fate != LineFate::partial && fate != LineFate::malformed_json;
        });
    }

    // ---- what a state repeats whose messages have no ids, or one word in place of all of them ------------

    // Such a state goes on with the conversation if one of them is the beginning of the other.
    // The array stands at its beginning again afterwards.
    bool look_at_state(json::array& messages) {
        repeats_ = {};
        for (auto item : messages) {
            json::value element;
            if (std::move(item).get(element) || !look_at_message(element)) break;
        }
        return alive() && !messages.reset().error();
    }

    // False: no more need be looked at.
    bool look_at_message(json::value& element) {
        json::object message;
        args_.clear();
        if (!is_object(element)) return true;
        if (element.get_object().get(message) || !collect_message(message)) return false;
        const Kind kind = kind_of(m_.type);
        if (kind == Kind::unknown || kind == Kind::ignored || !says_something()) return true;
        if (repeats_.looked == 0) repeats_.unnamed = is_stand_in(m_.id);
        if (!repeats_.unnamed) return false;
        repeats_.chain = said_behind(repeats_.chain);
        if (repeats_.looked++ < said_.size()) {
            repeats_.same = said_[repeats_.looked - 1] == repeats_.chain;
            if (!repeats_.same) return false;
            repeats_.known = repeats_.looked;
        }
        return repeats_.looked < said_.size();
    }

    // What tells a message where its id does not: what it says, and all that was said before it.
    std::uint64_t said_behind(std::uint64_t before) const {
        const std::uint64_t words = mix_hash(stable_hash(m_.content.text.bytes), stable_hash(m_.type));
        std::uint64_t key = mix_hash(mix_hash(before, words), figures_hash(m_.tokens));
        for (const Call& call : m_.calls) key = mix_hash(key, call.args.digest.canonical);
        return key;
    }

    // ---- a message ---------------------------------------------------------------------------------------

    bool collect(const char* key, json::value& v, int depth) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "additional_kwargs")) return provider_fields(v);
                break;
            case 'c':
                if (key_is(key, "content")) m_.content = read_content(v);
                break;
            case 'd':
            case 'k':
                if (depth == 0 && (key_is(key, "data") || key_is(key, "kwargs")) && is_object(v))
                    return each_field(v, [this](const char* k, json::value& w) { return collect(k, w, 1); });
                break;
            case 'i':
                if (key_is(key, "id")) return id(v);
                if (key_is(key, "invalid_tool_calls")) return calls(v, m_.calls);
                break;
            case 'n':
                if (key_is(key, "name")) m_.name = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "response_metadata")) return metadata(v);
                break;
            case 's':
                if (key_is(key, "status")) m_.status = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type")) {
                    const std::string_view type = raw_string(v);
                    if (type != "constructor") m_.type = type;
                } else if (key_is(key, "tool_calls"))
                    return calls(v, m_.calls);
                else if (key_is(key, "tool_call_id"))
                    m_.call_id = raw_string(v);
                break;
            case 'u':
                if (key_is(key, "usage_metadata")) return collect_trace_usage(v, m_.tokens);
                break;
            default: break;
        }
        return true;
    }

    // The id of a serialised object is its class.
    bool id(json::value& v) {
        if (!is_array(v)) {
            m_.id = raw_string(v);
            return true;
        }
        return each_element(v, [this](json::value& word) {
            if (is_string(word)) m_.type = raw_string(word);
            return true;
        });
    }

    // Older versions keep the calls as the provider gave them.
    bool provider_fields(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "tool_calls")) return calls(w, m_.provider_calls);
            if (key_is(key, "reasoning_content") && is_string(w)) m_.thought = text_of(raw_string(w));
            return true;
        });
    }

    bool metadata(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "model_name") || key_is(key, "model"))
                m_.model = raw_string(w);
            else if (key_is(key, "token_usage") || key_is(key, "usage"))
                return collect_trace_usage(w, m_.provider_tokens);
            return true;
        });
    }

    bool calls(json::value& v, Reused<Call>& into) {
        return each_element(v, [this, &into](json::value& element) {
            Call* call = is_object(element) ? into.next() : nullptr;
            return !call || each_field(element, [this, call](const char* key, json::value& w) {
                if (key_is(key, "function"))
                    return each_field(w, [this, call](const char* k, json::value& x) { return part(k, x, *call); });
                return part(key, w, *call);
            });
        });
    }

    bool part(const char* key, json::value& v, Call& call) {
        if (key_is(key, "id"))
            call.id = raw_string(v);
        else if (key_is(key, "name"))
            call.name = raw_string(v);
        else if ((key_is(key, "args") || key_is(key, "arguments")) && !is_null(v))
            call.args = args_.digest_value({}, v);
        return true;
    }

    // A state repeats what the ones before it held; one that begins with something new is another conversation.
    bool is_told() {
        const bool begins = std::exchange(whole_state_, false);
        if (repeats_.unnamed) {
            if (begins && !repeats_.same) open_ = false;
            if (repeats_.same && repeats_.known > 0) return repeats_.known-- > 0;
            return false;
        }
        const IdHash key = is_stand_in(m_.id) ? 0 : id_hash(m_.id);
        const bool known = key != 0 && told_.contains(key);
        if (begins && !known) open_ = false;
        if (key == 0 || known) return known;
        if (told_.size() >= kMostRemembered) told_.clear();
        told_.insert(key);
        return false;
    }

    void remember() {
        if (said_.size() < kMostRemembered) said_.push_back(said_behind(said_.empty() ? 0 : said_.back()));
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        spoken_ = false;
        said_.clear();
        SessionStart start;
        start.model = text_of(m_.model);
        emit(start);
    }

    LineFate tell(Kind kind) {
        if (is_told()) return LineFate::ignored_kind;
        new_head();
        open();
        remember();
        new_head(0, turn_);
        if (kind == Kind::agent) return answer();
        if (kind == Kind::tool) return result();
        if (kind == Kind::system) {
            emit(Message{Role::system, Origin::injected, m_.content.text, 0});
            return LineFate::understood;
        }
        // A member of a team reports in the place of the user, under its name.
        const bool human = !std::exchange(spoken_, true) || m_.name.empty() || is_human_name(m_.name);
        if (human) {
            head().turn = ++turn_;
            emit(TurnStart{});
        }
        emit(Message{Role::user, human ? Origin::human : Origin::agent, m_.content.text, m_.content.media});
        return LineFate::understood;
    }

    LineFate answer() {
        spoken_ = true;
        head().response = ++responses_ | std::uint64_t{1} << 63;
        if (!m_.thought.empty()) emit(Thinking{m_.thought, 0});
        if (!m_.content.text.empty()) emit(Message{Role::assistant, Origin::agent, m_.content.text, 0});
        for (const Call& call : m_.calls.empty() ? m_.provider_calls : m_.calls) {
            if (!call.name.empty()) emit(call_of(call.id, call.name, call.args));
        }
        Usage usage;
        usage.tokens = m_.tokens.total() > 0 ? m_.tokens : m_.provider_tokens;
        usage.model = text_of(m_.model);
        if (usage.tokens.total() > 0) emit(usage);
        return LineFate::understood;
    }

    // Older versions have no status; what a tool raised begins so.
    LineFate result() {
        ToolResult result;
        result.call_id = text_of(m_.call_id);
        result.name = text_of(m_.name);
        result.text = m_.content.text;
        if (m_.status == "error" || (m_.status.empty() && m_.content.text.bytes.starts_with("Error: ")))
            result.status = ResultStatus::error;
        else if (!m_.status.empty())
            result.status = ResultStatus::ok;
        emit(result);
        return LineFate::understood;
    }

    Turn m_;
    bool open_ = false, spoken_ = false, found_ = false;
    // Of a state without ids, as far as it was looked at.
    struct Repeats {
        std::size_t looked = 0, known = 0;  // messages; those that were told
        std::uint64_t chain = 0;            // of what was looked at
        bool unnamed = false, same = false;
    };
    Repeats repeats_;
    json::parser inner_;
    std::vector<std::uint64_t> said_;  // of each message told in the session, what it says and all before it
    bool whole_state_ = false;         // the next message is the first of a state
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    std::unordered_set<std::uint64_t> told_;
};

bool is_message(const ProbeRecord& r) {
    if (!r.is_object() || r.has("role")) return false;
    const std::string_view type = r.text("type");
    if (type == "constructor") {
        const auto id = r.raw("id");
        return r.has("lc") && r.child("kwargs").has("content") && id && id->find("Message\"") != id->npos;
    }
    if (kind_of(type) == Kind::unknown) return false;
    const ProbeRecord data = r.child("data");
    const ProbeRecord& m = data.is_object() ? data : r;
    return m.has("content") && (m.has("additional_kwargs") || m.has("response_metadata") || m.has("usage_metadata") ||
                                (m.has("tool_calls") && m.has("invalid_tool_calls")));
}

bool begins_with_message(const ProbeRecord& r) {
    const auto raw = r.raw("messages");
    const auto first = raw ? first_of(ProbeRecord(*raw)) : std::nullopt;
    return first && is_message(*first);
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    constexpr std::array<std::string_view, 11> kWrappers{
        "values", "channel_values", "output", "outputs", "result", "state", "input", "agent", "model", "tools", "data"};
    for (const ProbeRecord& record : sample) {
        const std::string_view state = told_state(record.json());
        const auto inner = state.empty() ? first_of(record) : std::optional<ProbeRecord>(ProbeRecord(state));
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object() || r.has("run_type")) continue;
        if (is_message(r) || begins_with_message(r)) return 92;
        for (const std::string_view wrapper : kWrappers) {
            if (begins_with_message(r.child(wrapper))) return 92;
        }
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"{type, content, …}, {type, data}, {lc, id, kwargs}", "a message; one session a file of them"},
    {"{messages: […]}, {values: {messages: […]}}",
     "one session; a state that repeats an earlier one by the ids of its messages continues it"},
    {"{agent: {messages: […]}}, {tools: {messages: […]}}", "what a node added: continues the session"},
    {"[\"values\", {…}], [\"updates\", {…}], [[…], \"updates\", {…}]", "the same, as several modes stream it"},
    {"human", "TurnStart and Message (human); with the name of an agent: Message (agent)"},
    {"ai", "Message, Thinking (reasoning_content), ToolCall (tool_calls, invalid_tool_calls); Usage"},
    {"tool, function", "ToolResult: status decides"},
    {"system", "Message (system)"},
    {"remove", "ignored"},
};

}  // namespace

ReaderSpec langchain() {
    return {"langchain",
            "LangChain",
            "messages of LangChain and LangGraph: one a line, arrays, states, updates, serialised objects",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<LangChain>()); },
            kStreams};
}

}  // namespace agent_audit::readers
