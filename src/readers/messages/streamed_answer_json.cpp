#include "readers/messages/streamed_answer.hpp"

#include <agent_audit/support/unescape.hpp>

#include <string>
#include <string_view>
#include <vector>

// The answer in one piece, from what the events brought.

namespace agent_audit::readers {
namespace {

void add_string(std::string& out, std::string_view key, std::string_view raw) {
    if (raw.empty()) return;
    if (out.back() != '{') out += ',';
    out.append("\"").append(key).append("\":\"").append(raw).append("\"");
}

void add_value(std::string& out, std::string_view key, std::string_view raw) {
    if (raw.empty()) return;
    if (out.back() != '{') out += ',';
    out.append("\"").append(key).append("\":").append(raw);
}

// Arguments that came as pieces of a JSON text. One that is not whole stays a text.
std::string arguments(const std::string& pieces) {
    std::string text = decode_json_string(pieces);
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    const bool whole = !parser.parse(text).get(element) && element.is_object();
    return whole ? text : "\"" + pieces + "\"";
}

std::string joined(const std::vector<std::string>& values) {
    std::string all = "[";
    for (const std::string& value : values) {
        if (all.size() > 1) all += ',';
        all += value;
    }
    return all + "]";
}

}  // namespace

std::string StreamedAnswer::block_json(const Block& b, bool converse) {
    std::string one = "{";
    if (b.type == "text") {
        if (!converse) add_string(one, "type", b.type);
        one.append(one.size() > 1 ? "," : "").append(R"("text":")").append(b.text).append("\"");
    } else if (b.type == "thinking") {
        add_string(one, "type", b.type);
        add_string(one, "thinking", b.text);
        add_string(one, "signature", b.signature);
    } else if (b.type == "reasoningContent") {
        std::string text = "{";
        add_string(text, "text", b.text);
        add_string(text, "signature", b.signature);
        add_value(one, b.type, R"({"reasoningText":)" + text + "}}");
    } else if (b.type == "toolUse" || b.type.ends_with("tool_use")) {
        std::string call = "{";
        add_string(call, converse ? "toolUseId" : "id", b.id);
        add_string(call, "name", b.name);
        add_value(call, "input", b.text.empty() ? "{}" : arguments(b.text));
        if (!converse) add_string(call, "type", b.type);
        if (converse)
            add_value(one, b.type, call + "}");
        else
            one = call;
    } else if (b.type == "thought") {
        add_string(one, "text", b.text);
        add_value(one, "thought", "true");
    } else if (!b.whole.empty()) {
        return b.whole;
    }
    return one + "}";
}

std::string StreamedAnswer::content(bool converse) const {
    std::vector<std::string> blocks;
    for (const Block& b : blocks_) blocks.push_back(block_json(b, converse));
    return joined(blocks);
}

std::string StreamedAnswer::chat_message() const {
    std::string message = R"({"role":"assistant")";
    message.append(R"(,"content":)");
    message.append(text_.empty() && blocks_.size() + items_.size() > 0 ? "null" : "\"" + text_ + "\"");
    add_string(message, "reasoning_content", reasoning_);
    add_string(message, "refusal", refusal_);
    std::vector<std::string> calls = items_;
    for (const Block& b : blocks_) {
        std::string call = R"({"type":"function")";
        add_string(call, "id", b.id);
        std::string function = "{";
        add_string(function, "name", b.name);
        add_value(function, "arguments", "\"" + b.text + "\"");
        add_value(call, "function", function + "}");
        calls.push_back(call + "}");
    }
    if (!calls.empty()) add_value(message, "tool_calls", joined(calls));
    return message + "}";
}

std::string StreamedAnswer::in_one_piece() const {
    std::string out = "{";
    const std::string usage = usage_.empty() ? std::string{} : "{" + usage_ + "}";
    switch (api_) {
        case Api::none: out.clear(); break;
        case Api::anthropic:
            add_string(out, "id", id_);
            out.append(out.size() > 1 ? "," : "").append(R"("type":"message","role":"assistant")");
            add_string(out, "model", model_);
            add_value(out, "content", content(false));
            add_value(out, "usage", usage);
            break;
        case Api::chat:
        case Api::ollama:
            add_string(out, "id", id_);
            add_string(out, "model", model_);
            add_value(out, "choices", R"([{"index":0,"message":)" + chat_message() + "}]");
            add_value(out, "usage", usage);
            break;
        case Api::responses:
            // The last event may leave out what was told before it.
            out.append(inside(final_));
            if (out.find("\"object\"") == out.npos) add_string(out, "object", "response");
            if (!items_.empty()) add_value(out, "output", joined(items_));
            break;
        case Api::gemini:
            add_string(out, "responseId", id_);
            add_string(out, "modelVersion", model_);
            add_value(out, "candidates", R"([{"content":{"role":"model","parts":)" + content(true) + "}}]");
            add_value(out, "usageMetadata", usage);
            break;
        case Api::converse:
            add_value(out, "output", R"({"message":{"role":"assistant","content":)" + content(true) + "}}");
            add_value(out, "usage", usage);
            break;
    }
    if (!error_.empty()) add_value(out.empty() ? out = "{" : out, "error", error_);
    if (!out.empty()) out += '}';
    return out;
}

std::string StreamedAnswer::take() {
    std::string out = in_one_piece();
    api_ = Api::none;
    for (std::string* text : {&id_, &model_, &usage_, &text_, &reasoning_, &refusal_, &final_, &error_}) text->clear();
    blocks_.clear();
    items_.clear();
    size_ = 0;
    over_ = false;
    return out;
}

}  // namespace agent_audit::readers
