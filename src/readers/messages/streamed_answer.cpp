#include "readers/messages/streamed_answer.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/walk.hpp"
#include "readers/messages/streamed_event.hpp"

#include <agent_audit/support/json_text.hpp>

#include <array>
#include <utility>

// Anthropic   {"type":"message_start","message":{"id":"…","model":"…","usage":{…}}}
//             {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"…","name":"…","input":{}}}
//             {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"…"}}
//             {"type":"message_delta","delta":{"stop_reason":"…"},"usage":{"output_tokens":9}}
// Chat        {"object":"chat.completion.chunk","id":"…","choices":[{"delta":{"content":"…","tool_calls":[{"index":0,
//              "id":"…","function":{"name":"…","arguments":"…"}}]}}],"usage":{…}}
// Responses   {"type":"response.output_item.done","item":{…}}, {"type":"response.completed","response":{…}}
// Gemini      {"candidates":[{"content":{"parts":[{"text":"…"}]}}],"usageMetadata":{…},"responseId":"…"}, alone or
//              as the "response" of the service behind the command line
// Converse    {"messageStart":{…}}, {"contentBlockStart":{"start":{"toolUse":{…}},"contentBlockIndex":0}},
//              {"contentBlockDelta":{"delta":{"text":"…"},"contentBlockIndex":0}}, {"metadata":{"usage":{…}}}
// Ollama      {"model":"…","message":{"role":"assistant","content":"…","tool_calls":[…]},"done":false}, one a line; the
//              last one has prompt_eval_count and eval_count; of a completion "response" and "thinking" are texts
// Bedrock     {"chunk":{"bytes":"…"}}: an event of Anthropic's in base64

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 8> kAnthropicEvents{"message_start",
                                                           "content_block_start",
                                                           "content_block_delta",
                                                           "content_block_stop",
                                                           "message_delta",
                                                           "message_stop",
                                                           "ping",
                                                           "error"};
constexpr std::array<std::string_view, 3> kLastEvents{"response.completed", "response.failed", "response.incomplete"};

// The value stands in a buffer that has padding behind it. False for broken JSON.
template <class Take>
bool fields_of(json::parser& parser, std::string_view object, Take&& take) {
    json::document doc;
    json::object fields;
    return object.starts_with('{') &&
           !parser.iterate(object.data(), object.size(), object.size() + simdjson::SIMDJSON_PADDING).get(doc) &&
           !doc.get_object().get(fields) && each_field(fields, std::forward<Take>(take));
}

}  // namespace

StreamedAnswer::Taken StreamedAnswer::add(std::string_view event) {
    event_text_.assign(event);
    event_text_.resize(event.size() + simdjson::SIMDJSON_PADDING);
    const std::string_view text(event_text_.data(), event.size());
    StreamedEvent seen;
    json::document doc;
    json::object object;
    if (parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_object().get(object) || !seen.collect(object))
        return Taken::no;
    return take_event(seen);
}

void StreamedAnswer::add_all(std::string_view body) {
    if (trim_blank(body).ends_with(']') && body.starts_with('[')) {
        std::string text(body);
        text.resize(body.size() + simdjson::SIMDJSON_PADDING);
        json::parser parser;
        json::document doc;
        json::array array;
        if (parser.iterate(text.data(), body.size(), text.size()).get(doc) || doc.get_array().get(array)) return;
        for (auto item : array) {
            json::value element;
            if (std::move(item).get(element) || add(raw_value(element)) == Taken::begins_next) return;
        }
        return;
    }
    while (!body.empty()) {
        const std::size_t end = std::min(body.find('\n'), body.size());
        const std::string_view line = body.substr(0, end);
        body.remove_prefix(std::min(end + 1, body.size()));
        const bool data = line.starts_with("data:");
        if ((data || line.starts_with('{')) && add(line.substr(data ? 5 : 0)) == Taken::begins_next) return;
    }
}

StreamedAnswer::Taken StreamedAnswer::take_event(const StreamedEvent& e) {
    if (e.error.starts_with('{') && has_room()) append(error_ = {}, e.error);
    if (e.type.starts_with("response.")) return responses(e);
    if (is_one_of(e.type, kAnthropicEvents)) return anthropic(e);
    if (!e.choices.empty()) return chat(e);
    if ((e.done == "false" || e.done == "true") && (e.message.starts_with('{') || e.response.starts_with('"')))
        return ollama(e);
    if (!e.candidates.empty() || !e.gemini_usage.empty()) return gemini(e);
    if (!e.converse.empty()) return converse(e);
    return wrapped(e);
}

// Of an event in an event.
StreamedAnswer::Taken StreamedAnswer::wrapped(const StreamedEvent& e) {
    if (!e.response.empty() && e.response.find("\"candidates\"") != e.response.npos)
        return add(std::string(e.response));
    std::string_view bytes;
    std::string decoded;
    if (e.chunk.empty() || !fields_of(inner_, e.chunk, [&bytes](const char* key, json::value& v) {
            if (key_is(key, "bytes")) bytes = raw_string(v);
            return true;
        }))
        return Taken::no;
    return from_base64(bytes, decoded) && !decoded.empty() && decoded.find("\"chunk\"") == decoded.npos ? add(decoded)
                                                                                                        : Taken::no;
}

// ---- Anthropic -----------------------------------------------------------------------------------------------------

StreamedAnswer::Taken StreamedAnswer::anthropic(const StreamedEvent& e) {
    if (e.type == "message_start") {
        if (!empty()) return Taken::begins_next;
        api_ = Api::anthropic;
        std::string_view usage;
        fields_of(inner_, e.message, [&](const char* key, json::value& v) {
            if (key_is(key, "id"))
                id_ = raw_string(v);
            else if (key_is(key, "model"))
                model_ = raw_string(v);
            else if (key_is(key, "usage"))
                usage = raw_value(v);
            return true;
        });
        add_usage(usage);
        return Taken::yes;
    }
    if (api_ != Api::anthropic) return e.type == "ping" ? Taken::no : Taken::yes;
    if (e.type == "content_block_start") begin_block(e.index, e.block);
    if (e.type == "content_block_delta") add_delta(e.index, e.delta);
    if (e.type == "message_delta") add_usage(e.usage);
    return Taken::yes;
}

void StreamedAnswer::begin_block(std::string_view key, std::string_view block) {
    Block* const b = add_block(key);
    if (!b) return;
    append(b->whole, block);
    fields_of(inner_, block, [this, b](const char* k, json::value& v) {
        if (key_is(k, "type"))
            b->type = raw_string(v);
        else if (key_is(k, "id"))
            b->id = raw_string(v);
        else if (key_is(k, "name"))
            b->name = raw_string(v);
        else if (key_is(k, "text") || key_is(k, "thinking"))
            append(b->text, raw_string(v));
        return true;
    });
}

void StreamedAnswer::add_delta(std::string_view key, std::string_view delta) {
    Block* const b = block_of(key);
    if (!b) return;
    fields_of(inner_, delta, [this, b](const char* k, json::value& v) {
        if (key_is(k, "text") || key_is(k, "thinking") || key_is(k, "partial_json"))
            append(b->text, raw_string(v));
        else if (key_is(k, "signature"))
            append(b->signature, raw_string(v));
        return true;
    });
}

// ---- Chat Completions ----------------------------------------------------------------------------------------------

StreamedAnswer::Taken StreamedAnswer::chat(const StreamedEvent& e) {
    // An answer in one piece is no event.
    if (api_ == Api::none && e.object != "chat.completion.chunk" && e.choices.find("\"delta\"") == e.choices.npos)
        return Taken::no;
    if (!empty() && (api_ != Api::chat || (!id_.empty() && !e.id.empty() && e.id != id_))) return Taken::begins_next;
    api_ = Api::chat;
    if (id_.empty()) id_ = e.id;
    if (model_.empty()) model_ = e.model;
    add_usage(e.usage);
    json::document doc;
    json::array choices;
    if (inner_.iterate(e.choices.data(), e.choices.size(), e.choices.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_array().get(choices))
        return Taken::yes;
    for (auto item : choices) {
        json::value choice;
        if (std::move(item).get(choice)) break;
        each_field(choice, [this](const char* key, json::value& v) { return !key_is(key, "delta") || chat_delta(v); });
        break;  // the others are alternatives that went nowhere
    }
    return Taken::yes;
}

bool StreamedAnswer::chat_delta(json::value& delta) {
    return each_field(delta, [this](const char* key, json::value& v) {
        if (key_is(key, "content"))
            append(text_, raw_string(v));
        else if (key_is(key, "reasoning_content") || (key_is(key, "reasoning") && is_string(v)))
            append(reasoning_, raw_string(v));
        else if (key_is(key, "refusal"))
            append(refusal_, raw_string(v));
        else if (key_is(key, "tool_calls"))
            return each_element(v, [this](json::value& call) { return chat_call(call); });
        else if (key_is(key, "function_call"))
            return chat_call(v);
        return true;
    });
}

// Some leave out the index: a piece with an id is then another call.
bool StreamedAnswer::chat_call(json::value& call) {
    std::string_view index, id, name, args;
    const auto function = [&](const char* key, json::value& v) {
        if (key_is(key, "name"))
            name = raw_string(v);
        else if (key_is(key, "arguments"))
            args = raw_string(v);
        return true;
    };
    const bool whole = each_field(call, [&](const char* key, json::value& v) {
        if (key_is(key, "index"))
            index = token(v);
        else if (key_is(key, "id"))
            id = raw_string(v);
        else if (key_is(key, "function"))
            return each_field(v, function);
        return function(key, v);
    });
    if (!whole) return false;
    Block* b = block_of(index);
    if (b && index.empty() && !id.empty() && id != b->id) b = nullptr;
    if (!b) b = add_block(index);
    if (!b) return true;
    if (b->id.empty()) append(b->id, id);
    if (b->name.empty()) append(b->name, name);
    append(b->text, args);
    return true;
}

// ---- Responses -----------------------------------------------------------------------------------------------------

StreamedAnswer::Taken StreamedAnswer::responses(const StreamedEvent& e) {
    if (!empty() && (api_ != Api::responses || e.type == "response.created")) return Taken::begins_next;
    api_ = Api::responses;
    if (e.type == "response.output_item.done" && has_room() && items_.size() < kMostBlocks)
        append(items_.emplace_back(), e.item);
    if ((is_one_of(e.type, kLastEvents) || final_.empty()) && !e.response.empty()) {
        size_ += e.response.size();
        final_ = e.response;
    }
    return Taken::yes;
}

// ---- Gemini --------------------------------------------------------------------------------------------------------

StreamedAnswer::Taken StreamedAnswer::gemini(const StreamedEvent& e) {
    if (!empty() && (api_ != Api::gemini || (!id_.empty() && !e.gemini_id.empty() && e.gemini_id != id_)))
        return Taken::begins_next;
    api_ = Api::gemini;
    if (id_.empty()) id_ = e.gemini_id;
    if (model_.empty()) model_ = e.gemini_model;
    if (!e.gemini_usage.empty()) usage_ = inside(e.gemini_usage);  // each event repeats it
    json::document doc;
    json::array candidates;
    if (e.candidates.empty() ||
        inner_.iterate(e.candidates.data(), e.candidates.size(), e.candidates.size() + simdjson::SIMDJSON_PADDING)
            .get(doc) ||
        doc.get_array().get(candidates))
        return Taken::yes;
    std::vector<std::string_view> parts;
    for (auto item : candidates) {
        json::value candidate;
        if (std::move(item).get(candidate)) break;
        each_field(candidate, [&parts](const char* key, json::value& v) {
            if (!key_is(key, "content")) return true;
            return each_field(v, [&parts](const char* k, json::value& w) {
                return !key_is(k, "parts") || each_element(w, [&parts](json::value& part) {
                    if (is_object(part)) parts.push_back(raw_value(part));
                    return true;
                });
            });
        });
        break;
    }
    for (const std::string_view part : parts) gemini_part(part);
    return Taken::yes;
}

// Pieces of one text come as parts of their own.
void StreamedAnswer::gemini_part(std::string_view part) {
    std::string_view text;
    bool thought = false, other = false;
    const bool whole = fields_of(inner_, part, [&](const char* key, json::value& v) {
        if (key_is(key, "text"))
            text = raw_string(v);
        else if (key_is(key, "thought"))
            thought = is_true(v);
        else
            other |= !key_is(key, "thoughtSignature");
        return true;
    });
    if (!whole || (!other && text.empty())) return;
    const std::string_view type = other ? "other" : thought ? "thought" : "text";
    if (other || blocks_.empty() || blocks_.back().type != type) {
        Block* const next = add_block({});
        if (!next) return;
        next->type = type;
    }
    append(other ? blocks_.back().whole : blocks_.back().text, other ? part : text);
}

// ---- Converse ------------------------------------------------------------------------------------------------------

StreamedAnswer::Taken StreamedAnswer::converse(const StreamedEvent& e) {
    if (e.converse_key == "messageStart" && !empty()) return Taken::begins_next;
    if (e.converse_key == "messageStart") api_ = Api::converse;
    if (api_ != Api::converse) return e.converse_key == "metadata" ? Taken::no : Taken::yes;
    std::string_view index, payload, usage;
    fields_of(inner_, e.converse, [&](const char* key, json::value& v) {
        if (key_is(key, "contentBlockIndex"))
            index = token(v);
        else if (key_is(key, "start") || key_is(key, "delta"))
            payload = raw_value(v);
        else if (key_is(key, "usage"))
            usage = raw_value(v);
        return true;
    });
    add_usage(usage);
    if (payload.empty()) return Taken::yes;
    Block* b = block_of(index);
    if (!b) b = add_block(index);
    if (!b) return Taken::yes;
    fields_of(inner_, payload, [this, b](const char* key, json::value& v) {
        const bool tool = key_is(key, "toolUse");
        if (key_is(key, "text")) {
            b->type = "text";
            append(b->text, raw_string(v));
        } else if (tool || key_is(key, "reasoningContent")) {
            b->type = tool ? "toolUse" : "reasoningContent";
            return each_field(v, [this, b](const char* k, json::value& w) {
                if (key_is(k, "toolUseId"))
                    b->id = raw_string(w);
                else if (key_is(k, "name"))
                    b->name = raw_string(w);
                else if (key_is(k, "text") || key_is(k, "input"))
                    append(b->text, raw_string(w));
                else if (key_is(k, "signature"))
                    append(b->signature, raw_string(w));
                return true;
            });
        }
        return true;
    });
    return Taken::yes;
}

// ---- Ollama --------------------------------------------------------------------------------------------------------

StreamedAnswer::Taken StreamedAnswer::ollama(const StreamedEvent& e) {
    if (!empty() && (api_ != Api::ollama || over_)) return Taken::begins_next;
    api_ = Api::ollama;
    over_ = e.done == "true";
    if (model_.empty()) model_ = e.model;
    const std::string_view words = trim_blank(e.response);
    if (words.size() >= 2 && words.front() == '"') append(text_, words.substr(1, words.size() - 2));
    append(reasoning_, e.thinking);
    fields_of(inner_, e.message, [this](const char* key, json::value& v) {
        if (key_is(key, "content"))
            append(text_, raw_string(v));
        else if (key_is(key, "thinking"))
            append(reasoning_, raw_string(v));
        else if (key_is(key, "tool_calls"))
            return each_element(v, [this](json::value& call) {
                if (has_room() && items_.size() < kMostBlocks) append(items_.emplace_back(), raw_value(call));
                return true;
            });
        return true;
    });
    for (const auto& [name, count] :
         {std::pair("prompt_tokens", e.prompt_count), {"completion_tokens", e.answer_count}}) {
        if (count.empty() || count.find_first_not_of("0123456789") != count.npos) continue;
        append(usage_, usage_.empty() ? "\"" : ",\"");
        usage_.append(name).append("\":").append(count);
    }
    return Taken::yes;
}

// ---- what all have in common ---------------------------------------------------------------------------------------

std::string_view StreamedAnswer::inside(std::string_view object) {
    object = trim_blank(object);
    if (object.size() < 2 || object.front() != '{' || object.back() != '}') return {};
    return trim_blank(object.substr(1, object.size() - 2));
}

StreamedAnswer::Block* StreamedAnswer::block_of(std::string_view key) {
    for (auto b = blocks_.rbegin(); b != blocks_.rend(); ++b) {
        if (b->key == key) return &*b;
    }
    return nullptr;
}

StreamedAnswer::Block* StreamedAnswer::add_block(std::string_view key) {
    if (blocks_.size() >= kMostBlocks || !has_room()) return nullptr;
    Block& block = blocks_.emplace_back();
    block.key = key;
    return &block;
}

void StreamedAnswer::append(std::string& to, std::string_view piece) {
    if (!has_room()) return;
    size_ += piece.size();
    to += piece;
}

void StreamedAnswer::add_usage(std::string_view object) {
    const std::string_view fields = inside(object);
    if (fields.empty() || !has_room()) return;
    if (!usage_.empty()) append(usage_, ",");
    append(usage_, fields);
}

}  // namespace agent_audit::readers
