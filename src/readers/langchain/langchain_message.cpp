#include "readers/langchain/langchain_message.hpp"

#include "readers/json/walk.hpp"
#include "readers/traces/trace_messages.hpp"

namespace agent_audit::readers {
namespace {

class Collector {
public:
    Collector(LangChainMessage& message, ArgsDigester& args, bool streamed)
        : m_(message), args_(args), streamed_(streamed) {}

    bool collect(const char* key, json::value& v, int depth) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "additional_kwargs")) return provider_fields(v);
                break;
            case 'c':
                if (key_is(key, "content")) {
                    if (streamed_ && is_array(v))
                        m_.blocks = raw_value(v);
                    else
                        m_.content = read_content(v);
                }
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
                else if (key_is(key, "tool_call_chunks") && streamed_)
                    return call_pieces(v);
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

private:
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

    bool calls(json::value& v, Reused<LangChainCall>& into) {
        return each_element(v, [this, &into](json::value& element) {
            LangChainCall* call = is_object(element) ? into.next() : nullptr;
            return !call || each_field(element, [this, call](const char* key, json::value& w) {
                if (key_is(key, "function"))
                    return each_field(w, [this, call](const char* k, json::value& x) { return part(k, x, *call); });
                return part(key, w, *call);
            });
        });
    }

    bool call_pieces(json::value& v) {
        return each_element(v, [this](json::value& element) {
            CallPiece* piece = is_object(element) ? m_.pieces.next() : nullptr;
            return !piece || each_field(element, [piece](const char* key, json::value& w) {
                if (key_is(key, "index") && !is_null(w))
                    piece->index = token(w);
                else if (key_is(key, "id"))
                    piece->id = raw_string(w);
                else if (key_is(key, "name"))
                    piece->name = raw_string(w);
                else if (key_is(key, "args"))
                    piece->args = raw_string(w);
                return true;
            });
        });
    }

    bool part(const char* key, json::value& v, LangChainCall& call) {
        if (key_is(key, "id"))
            call.id = raw_string(v);
        else if (key_is(key, "name"))
            call.name = raw_string(v);
        else if ((key_is(key, "args") || key_is(key, "arguments")) && !is_null(v))
            call.args = args_.digest_value({}, v);
        return true;
    }

    LangChainMessage& m_;
    ArgsDigester& args_;
    bool streamed_;
};

}  // namespace

LangChainKind langchain_kind(std::string_view type) {
    if (type == "human" || type.starts_with("HumanMessage")) return LangChainKind::human;
    if (type == "ai" || type.starts_with("AIMessage")) return LangChainKind::agent;
    if (type == "tool" || type == "function" || type.starts_with("ToolMessage") || type.starts_with("FunctionMessage"))
        return LangChainKind::tool;
    if (type == "system" || type.starts_with("SystemMessage")) return LangChainKind::system;
    return type == "remove" || type == "RemoveMessage" ? LangChainKind::ignored : LangChainKind::unknown;
}

bool LangChainMessage::collect(json::object object, ArgsDigester& digester, bool streamed) {
    clear();
    Collector collector(*this, digester, streamed);
    return each_field(object, [&](const char* key, json::value& v) { return collector.collect(key, v, 0); });
}

// The content of a whole message, which was left as it stood as long as it could have been a piece.
void LangChainMessage::read_blocks() {
    json::document doc;
    json::value whole;
    const std::size_t size = blocks.size();
    if (size > 0 && !nested_parser(size).iterate(blocks.data(), size, size + simdjson::SIMDJSON_PADDING).get(doc) &&
        !doc.get_value().get(whole))
        content = read_content(whole);
}

}  // namespace agent_audit::readers
