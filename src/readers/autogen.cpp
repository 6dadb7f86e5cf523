#include "readers/all.hpp"
#include "readers/json/array_record.hpp"
#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <array>
#include <string>

// What AutoGen's AgentChat says of a run (0.4 and later): the messages and events of a team, one a line, in an array,
// or as the result of the task, and the states that agents and teams save.
//
//   {"source":"user","models_usage":null,"content":"…","type":"TextMessage"}
//   {"source":"coder","models_usage":{"prompt_tokens":90,"completion_tokens":12},
//    "content":[{"id":"…","name":"…","arguments":"{…}"}],"type":"ToolCallRequestEvent"}
//   {"source":"coder","content":[{"call_id":"…","name":"…","content":"…","is_error":false}],"type":"ToolCallExecutionEvent"}
//   {"messages":[…],"stop_reason":"Text 'TERMINATE' mentioned"}
//   {"type":"AssistantAgentState","llm_context":{"messages":[{"content":"…","source":"user","type":"UserMessage"}, …]}}

namespace agent_audit::readers {
namespace {

enum class Kind : std::uint8_t { unknown, speech, thought, calls, results, code, outcome, system, asks, ignored };

Kind kind_of(std::string_view type) {
    constexpr std::array<std::string_view, 6> kSpeech{"TextMessage",       "StopMessage", "HandoffMessage",
                                                      "MultiModalMessage", "UserMessage", "AssistantMessage"};
    // What a tool returned, said once more; pieces of what is said whole behind them.
    constexpr std::array<std::string_view, 4> kIgnored{"ToolCallSummaryMessage", "ModelClientStreamingChunkEvent",
                                                       "MemoryQueryEvent", "SelectSpeakerEvent"};
    if (is_one_of(type, kSpeech) || type.starts_with("StructuredMessage")) return Kind::speech;
    if (type == "ToolCallRequestEvent") return Kind::calls;
    if (type == "ToolCallExecutionEvent" || type == "FunctionExecutionResultMessage") return Kind::results;
    if (type == "ThoughtEvent") return Kind::thought;
    if (type == "CodeGenerationEvent") return Kind::code;
    if (type == "CodeExecutionEvent") return Kind::outcome;
    if (type == "SystemMessage") return Kind::system;
    if (type == "UserInputRequestedEvent") return Kind::asks;
    return is_one_of(type, kIgnored) ? Kind::ignored : Kind::unknown;
}

/// An element of a list of calls, or of one of results.
struct Item {
    std::string_view id, call_id, name;
    CallArgs args;
    RawText text;
    bool has_flag = false, is_error = false;
};

struct Turn {
    std::string_view type, source, timestamp;
    Content content;
    RawText thought;
    Reused<Item> items;
    TokenCounts tokens;
    CallArgs code;
    RawText output;
    std::optional<int> exit_code;
    bool has_source = false;

    void clear() { begin_again(*this, &Turn::items); }
};

class AutoGen final : public DocumentReader {
public:
    AutoGen() : DocumentReader("messages") {}

protected:
    LineFate read_object(json::object object) override {
        bool messages = false, state = false;
        stop_reason_ = {};
        const bool whole = read_fields(object, [&](const char* key, json::value& v) {
            if (key_is(key, "messages"))
                messages |= is_array(v);
            else if (key_is(key, "llm_context") || key_is(key, "agent_states"))
                state |= is_object(v);
            else if (key_is(key, "stop_reason"))
                stop_reason_ = raw_string(v);
            return true;
        });
        if (!whole) return LineFate::malformed_json;
        if (messages) return result_of_task(object);
        if (object.reset().error()) return LineFate::malformed_json;
        return state ? read_state(object) : read_element(object);
    }

    LineFate read_array(json::array array) override {
        open_ = false;
        const LineFate fate = read_elements(array);
        open_ = false;
        return fate;
    }

    LineFate read_element(json::object element) override {
        m_.clear();
        const bool whole = read_fields(element, [this](const char* key, json::value& v) {
            // AutoGen Studio keeps the message beside its own ids.
            if (key_is(key, "config") && is_object(v))
                return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
            return collect(key, v);
        });
        if (!whole) return LineFate::malformed_json;
        const Kind kind = kind_of(m_.type);
        if (kind == Kind::unknown) return m_.type.empty() ? LineFate::missing_field : LineFate::unknown_kind;
        if (kind == Kind::ignored) return LineFate::ignored_kind;
        return tell(kind);
    }

    bool read_rest(json::object fields) override {
        return each_field(fields, [this](const char* key, json::value& v) {
            if (key_is(key, "stop_reason")) stop_reason_ = raw_string(v);
            return true;
        });
    }

    LineFate end_document(json::object) override {
        end();
        return LineFate::understood;
    }

private:
    // Beside the messages of a log that is one line each, the result says them all once more.
    LineFate result_of_task(json::object object) {
        if (open_ && record().where.line > 1) {
            end();
            return LineFate::understood;
        }
        open_ = false;
        const LineFate fate = stream_records(object);
        open_ = false;
        return fate;
    }

    // An agent's context is a session; a team has several agents.
    LineFate read_state(json::object object) {
        const std::uint64_t before = emitted();
        const bool whole = read_fields(object, [this](const char* key, json::value& v) {
            if (key_is(key, "llm_context")) return context(v, {});
            if (!key_is(key, "agent_states")) return true;
            return each_field(v, [this](const char* name, json::value& agent) {
                const std::string_view label = key_text(name);
                return each_field(agent, [this, label](const char* k, json::value& w) {
                    if (!key_is(k, "agent_state")) return true;
                    return each_field(w, [this, label](const char* l, json::value& x) {
                        return !key_is(l, "llm_context") || context(x, label);
                    });
                });
            });
        });
        open_ = false;
        if (!whole) return broken_off(before);
        return emitted() > before ? LineFate::understood : LineFate::missing_field;
    }

    bool context(json::value& v, std::string_view label) {
        label_ = label;
        const bool whole = each_field(v, [this](const char* key, json::value& w) {
            if (!key_is(key, "messages") || !is_array(w)) return true;
            open_ = false;
            const LineFate fate = stream_array(w);
            return !broke_off(fate);
        });
        label_ = {};
        return whole;
    }

    bool collect(const char* key, json::value& v) {
        if (key_is(key, "type"))
            m_.type = raw_string(v);
        else if (key_is(key, "source")) {
            m_.source = raw_string(v);
            m_.has_source = true;
        } else if (key_is(key, "created_at"))
            m_.timestamp = raw_string(v);
        else if (key_is(key, "thought"))
            m_.thought = text_of(raw_string(v));
        else if (key_is(key, "content"))
            return content(v);
        else if (key_is(key, "models_usage"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "prompt_tokens"))
                    m_.tokens.input = as_uint(w);
                else if (key_is(k, "completion_tokens"))
                    m_.tokens.output = as_uint(w);
                return true;
            });
        else if (key_is(key, "code_blocks") && is_array(v))
            m_.code = args_.digest_value({}, v);
        else if (key_is(key, "result"))
            return each_field(v, [this](const char* k, json::value& w) {
                if (key_is(k, "output"))
                    m_.output = any_text(w);
                else if (key_is(k, "exit_code"))
                    m_.exit_code = small_int(w);
                return true;
            });
        return true;
    }

    // Words; calls or results; words and images; an object that the model was made to answer with.
    bool content(json::value& v) {
        if (!is_array(v)) {
            m_.content.text = any_text(v);
            return true;
        }
        return each_element(v, [this](json::value& element) {
            if (is_string(element)) {
                if (m_.content.text.empty()) m_.content.text = text_of(raw_string(element));
                return true;
            }
            ++m_.content.media;
            Item* item = is_object(element) ? m_.items.next() : nullptr;
            return !item ||
                   each_field(element, [this, item](const char* key, json::value& w) { return part(key, w, *item); });
        });
    }

    bool part(const char* key, json::value& v, Item& item) {
        if (key_is(key, "id"))
            item.id = raw_string(v);
        else if (key_is(key, "call_id"))
            item.call_id = raw_string(v);
        else if (key_is(key, "name"))
            item.name = raw_string(v);
        else if (key_is(key, "arguments") && !is_null(v))
            item.args = args_.digest_value({}, v);
        else if (key_is(key, "content"))
            item.text = any_text(v);
        else if (key_is(key, "is_error")) {
            item.is_error = is_true(v);
            item.has_flag = item.is_error || v.raw_json_token()[0] == 'f';
        }
        return true;
    }

    void open() {
        if (std::exchange(open_, true)) return;
        turn_ = 0;
        asked_ = 0;
        spoken_ = thinking_ = false;
        SessionStart start;
        start.label = text_of(label_);
        emit(start);
    }

    LineFate tell(Kind kind) {
        new_head();
        head().time_ms = time_of(m_.timestamp);
        open();
        EventHeader& h = new_head(0, turn_);
        h.time_ms = time_of(m_.timestamp);
        // In an agent's own context a message of the model may be its calls.
        if (kind == Kind::speech && m_.type == "AssistantMessage" && !m_.items.empty()) kind = Kind::calls;
        switch (kind) {
            case Kind::speech: speech(); break;
            case Kind::system: emit(Message{Role::system, Origin::injected, m_.content.text, 0}); break;
            case Kind::asks: asked_ = id_hash(m_.source); break;
            case Kind::results: results(); break;
            case Kind::outcome: outcome(); break;
            default: answer(kind); break;
        }
        return LineFate::understood;
    }

    bool is_human() const {
        if (m_.type == "AssistantMessage" || m_.tokens.total() > 0) return false;
        return !spoken_ || m_.source == "user" || (asked_ != 0 && asked_ == id_hash(m_.source));
    }

    void speech() {
        const bool human = is_human();
        spoken_ = true;
        if (human) {
            asked_ = 0;
            head().turn = ++turn_;
            emit(TurnStart{});
            emit(Message{Role::user, Origin::human, m_.content.text, m_.content.media});
            return;
        }
        if (m_.type == "UserMessage") {
            emit(Message{Role::user, Origin::agent, m_.content.text, m_.content.media});
            return;
        }
        answer(Kind::speech);
    }

    // What the model thought comes before what it said or did, as a message of its own.
    void answer(Kind kind) {
        if (!std::exchange(thinking_, kind == Kind::thought)) ++responses_;
        head().response = responses_ | std::uint64_t{1} << 63;
        if (kind == Kind::thought) {
            emit(Thinking{m_.content.text, 0});
        } else {
            if (!m_.thought.empty()) emit(Thinking{m_.thought, 0});
            if (!m_.content.text.empty())
                emit(Message{Role::assistant, Origin::agent, m_.content.text, 0, text_of(m_.source)});
        }
        if (kind == Kind::calls) {
            for (const Item& item : m_.items) {
                if (!item.name.empty()) emit(call_of(item.id, item.name, item.args));
            }
        }
        if (kind == Kind::code) emit(call_of({}, "run_code", m_.code));
        if (m_.tokens.total() == 0) return;
        Usage usage;
        usage.tokens = m_.tokens;
        emit(usage);
    }

    // Older versions have no flag; what their tools raised begins so. That it is not set says only that the tool
    // returned.
    void results() {
        for (const Item& item : m_.items) {
            ToolResult result;
            result.call_id = text_of(item.call_id);
            result.name = text_of(item.name);
            result.text = item.text;
            if (item.has_flag ? item.is_error : item.text.bytes.starts_with("Error: "))
                result.status = ResultStatus::error;
            emit(result);
        }
    }

    void outcome() {
        ToolResult result;
        result.text = m_.output;
        result.exit_code = m_.exit_code;
        if (m_.exit_code) result.status = status_of(m_.exit_code);
        emit(result);
    }

    // A team that was stopped at a limit did not end by itself.
    void end() {
        if (!open_ || stop_reason_.empty()) return;
        constexpr std::array<std::string_view, 3> kLimits{"Maximum number of ", "Timeout of ", "Token usage limit"};
        const bool limit = starts_with_one_of(stop_reason_, kLimits);
        new_head(0, turn_);
        if (limit) emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "stop-reason", text_of(stop_reason_)));
        emit(TurnEnd{limit ? TurnStatus::failed : TurnStatus::completed, -1});
        stop_reason_ = {};
    }

    Turn m_;
    std::string_view label_, stop_reason_;
    bool open_ = false, spoken_ = false, thinking_ = false;
    std::uint32_t turn_ = 0;
    std::uint64_t responses_ = 0;
    IdHash asked_ = 0;
};

bool is_message(const ProbeRecord& r) {
    const ProbeRecord config = r.child("config");
    const ProbeRecord& m = config.is_object() ? config : r;
    return m.is_object() && kind_of(m.text("type")) != Kind::unknown && m.has("source") &&
           (m.has("content") || m.has("result") || m.has("request_id"));
}

bool begins_with_message(const ProbeRecord& r) {
    const auto first = first_in(r, "messages");
    return first && is_message(*first);
}

Score score(std::span<const ProbeRecord> sample, Framing) {
    for (const ProbeRecord& record : sample) {
        const auto inner = first_of(record);
        const ProbeRecord& r = inner ? *inner : record;
        if (!r.is_object()) continue;
        if (is_message(r) || begins_with_message(r) || begins_with_message(r.child("llm_context"))) return 97;
        if (r.text("type") == "TeamState" && r.has("agent_states")) return 97;
    }
    return 0;
}

constexpr std::string_view kStreams[] = {"messages"};

constexpr RecordKindDoc kKinds[] = {
    {"messages and events, one a line or in an array", "one session a file"},
    {"{messages, stop_reason}", "one session; TurnEnd, and Notice where a limit stopped the team"},
    {"AssistantAgentState, TeamState", "one session an agent, from its llm_context"},
    {"TextMessage, MultiModalMessage, StopMessage, HandoffMessage, StructuredMessage",
     "TurnStart and Message (human): the first one, the source user, and who was asked for input; else Message and "
     "Usage"},
    {"ThoughtEvent, thought", "Thinking"},
    {"ToolCallRequestEvent, AssistantMessage", "ToolCall; Usage"},
    {"ToolCallExecutionEvent, FunctionExecutionResultMessage", "ToolResult: is_error decides"},
    {"CodeGenerationEvent, CodeExecutionEvent", "ToolCall and ToolResult with its exit code"},
    {"UserInputRequestedEvent", "whose next message is a human's"},
    {"ToolCallSummaryMessage, ModelClientStreamingChunkEvent, MemoryQueryEvent, SelectSpeakerEvent",
     "ignored: they repeat what is told elsewhere"},
};

}  // namespace

ReaderSpec autogen() {
    return {"autogen",
            "AutoGen",
            "AgentChat: messages and events of teams, results of tasks, saved states of agents",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::exit_codes |
                Signal::token_usage | Signal::timestamps | Signal::response_ids | Signal::reasoning,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<AutoGen>()); },
            kStreams};
}

}  // namespace agent_audit::readers
