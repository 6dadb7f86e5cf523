#include "readers/messages/message_block.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/walk.hpp"
#include "readers/messages/tool_output.hpp"

#include <array>
#include <string_view>

// Anthropic       {"type":"tool_use","id":"…","name":"…","input":{…}}
//                 {"type":"tool_result","tool_use_id":"…","content":"…","is_error":true}
// Converse        {"toolUse":{"toolUseId":"…","name":"…","input":{…}}}, {"text":"…"}, {"image":{…}}
//                 {"toolResult":{"toolUseId":"…","content":[{"text":"…"},{"json":{…}}],"status":"error"}}
//                 {"reasoningContent":{"reasoningText":{"text":"…","signature":"…"}}}
//                 {"type":"toolUse","toolUseId":"…","name":"…","input":{…}}, as Strands writes it
// Gemini          {"functionCall":{"name":"…","args":{…}}}, {"functionResponse":{"name":"…","response":{…}}}
//                 {"text":"…","thought":true}, {"executableCode":{…}}, {"codeExecutionResult":{…}}; with _ from Python
// AI SDK          {"type":"tool-call","toolCallId":"…","toolName":"…","input":{…}}
//                 {"type":"tool-result","toolCallId":"…","toolName":"…","output":{"type":"error-text","value":"…"}}

namespace agent_audit::readers {
namespace {

constexpr std::string_view kCall = "tool_use", kResult = "tool_result", kThinking = "thinking", kMedia = "image";

// Whatever a tool gave, as a text.
Content content_of(json::value& v) {
    if (is_array(v)) return read_content(v);
    Content content;
    content.seen = true;
    content.text = any_text(v);
    return content;
}

class BlockCollector {
public:
    BlockCollector(Block& block, ArgsDigester& args) : b_(block), args_(args) {}

    bool collect(json::object object) {
        if (!each_field(object, [this](const char* key, json::value& v) { return field(key, v); })) return false;
        name_type();
        if (!late_args_.empty()) digest_late_args();
        return true;
    }

private:
    bool field(const char* key, json::value& v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "args")) input(v);
                break;
            case 'c':
                if (key_is(key, "content"))
                    b_.content = read_content(v);
                else if (key_is(key, "codeExecutionResult") || key_is(key, "code_execution_result"))
                    return code_result(v);
                break;
            case 'd':
                if (key_is(key, "data"))
                    b_.opaque_bytes = raw_string(v).size();
                else if (key_is(key, "document"))
                    media_ |= is_object(v);
                break;
            case 'e':
                if (key_is(key, "executableCode") || key_is(key, "executable_code")) return code(v);
                if (key_is(key, "error") && !b_.content.seen) b_.content = content_of(v);
                break;
            case 'f':
                if (key_is(key, "functionCall") || key_is(key, "function_call")) return wrapped(v, kCall);
                if (key_is(key, "functionResponse") || key_is(key, "function_response")) return wrapped(v, kResult);
                if (key_is(key, "fileData") || key_is(key, "file_data")) media_ |= is_object(v);
                break;
            case 'i':
                if (key_is(key, "id"))
                    b_.id = raw_string(v);
                else if (key_is(key, "is_error") || key_is(key, "isError"))
                    flag(v);
                else if (key_is(key, "input"))
                    input(v);
                else if (key_is(key, "image") || key_is(key, "inlineData") || key_is(key, "inline_data"))
                    media_ |= is_object(v);
                break;
            case 'n':
                if (key_is(key, "name")) b_.name = raw_string(v);
                break;
            case 'o':
                if (key_is(key, "output")) return output(v);
                break;
            case 'r':
                if (key_is(key, "refusal") || key_is(key, "reasoning"))
                    set_text(v);
                else if (key_is(key, "reasoningContent"))
                    return converse_reasoning(v);
                else if (key_is(key, "result") && !b_.content.seen)
                    b_.content = content_of(v);
                else if (key_is(key, "response"))
                    return gemini_response(v);
                break;
            case 's':
                if (key_is(key, "signature"))
                    b_.opaque_bytes = raw_string(v).size();
                else if (key_is(key, "status"))
                    status(v);
                break;
            case 't': return field_with_t(key, v);
            case 'v':
                if (key_is(key, "value"))
                    set_text(v);
                else if (key_is(key, "video"))
                    media_ |= is_object(v);
                break;
            default: break;
        }
        return true;
    }

    bool field_with_t(const char* key, json::value& v) {
        if (key_is(key, "type")) {
            b_.type = raw_string(v);
            may_be_flagged_ |= b_.type == kResult || b_.type == "toolResult";
        } else if (key_is(key, "text") || key_is(key, "thinking"))
            set_text(v);
        else if (key_is(key, "tool_use_id") || key_is(key, "toolUseId") || key_is(key, "toolCallId"))
            b_.id = raw_string(v);
        else if (key_is(key, "toolName"))
            b_.name = raw_string(v);
        else if (key_is(key, "toolUse"))
            return wrapped(v, kCall);
        else if (key_is(key, "toolResult"))
            return converse_result(v);
        else if (key_is(key, "thought"))
            thought_ = is_true(v);
        else if (key_is(key, "thoughtSignature") || key_is(key, "thought_signature"))
            signature_bytes_ = raw_string(v).size();
        return true;
    }

    void flag(json::value& v) {
        if (is_null(v)) return;
        b_.status = is_true(v) ? ResultStatus::error : ResultStatus::ok;
        b_.flagged = true;
    }

    void status(json::value& v) {
        const std::string_view word = raw_string(v);
        if (word == "error") b_.status = ResultStatus::error;
        b_.flagged = word == "error" || word == "success";
    }

    void set_text(json::value& v) {
        if (is_string(v)) b_.text = text_of(raw_string(v));
    }

    void input(json::value& v) {
        if (is_null(v)) return;
        if (b_.name.empty())
            late_args_ = raw_value(v);
        else
            b_.args = args_.digest_value(b_.name, v);
    }

    // Arguments in front of the name of their tool. They are read by themselves, as text of the record: whether the
    // rest of it is whole cannot be told here, and of a broken document nothing may be read again.
    void digest_late_args() {
        json::parser parser;
        json::document doc;
        json::value value;
        // Room for the parser is behind every record; a scalar is no document that hands out a value.
        const std::size_t room = late_args_.size() + simdjson::SIMDJSON_PADDING;
        if (late_args_.front() == '"')
            b_.args = args_.digest_string(b_.name, late_args_.substr(1, late_args_.rfind('"') - 1));
        else if (!parser.iterate(late_args_.data(), late_args_.size(), room).get(doc) && !doc.get_value().get(value))
            b_.args = args_.digest_value(b_.name, value);
    }

    // Python writes out what is not there as well.
    bool wrapped(json::value& v, std::string_view type) {
        if (!is_object(v)) return true;
        json::object object;
        if (v.get_object().get(object) || !BlockCollector(b_, args_).collect(object)) return false;
        b_.type = type;
        return true;
    }

    bool converse_result(json::value& v) {
        if (!is_object(v)) return true;
        b_.type = kResult;
        may_be_flagged_ = true;
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "toolUseId"))
                b_.id = raw_string(w);
            else if (key_is(key, "status"))
                status(w);
            else if (key_is(key, "content"))
                return converse_content(w);
            return true;
        });
    }

    // Several texts stay one, as the array they are.
    bool converse_content(json::value& v) {
        json::array array;
        std::string_view whole;
        if (!is_array(v)) return true;
        if (v.get_array().get(array) || array.raw_json().get(whole) || array.reset().error()) return false;
        b_.content = {};
        b_.content.seen = true;
        std::size_t texts = 0;
        for (auto item : array) {
            json::value element;
            if (std::move(item).get(element)) return false;
            const bool good = each_field(element, [this, &texts](const char* key, json::value& w) {
                if (key_is(key, "text") || key_is(key, "json")) {
                    b_.content.text = any_text(w);
                    ++texts;
                } else if (is_object(w)) {
                    ++b_.content.media;
                }
                return true;
            });
            if (!good) return false;
        }
        if (texts > 1) b_.content.text = {whole, TextForm::json_value};
        return true;
    }

    bool converse_reasoning(json::value& v) {
        if (!is_object(v)) return true;
        b_.type = kThinking;
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "reasoningText") && is_object(w))
                return each_field(w, [this](const char* k, json::value& x) { return field(k, x); });
            if (key_is(key, "redactedContent")) b_.opaque_bytes = raw_string(w).size();
            return true;
        });
    }

    bool gemini_response(json::value& v) {
        ToolOutput out;
        if (!read_tool_output(v, out)) return false;
        b_.content = {out.text, out.media, true};
        b_.status = out.status;
        b_.exit_code = out.exit_code;
        return true;
    }

    bool code(json::value& v) {
        if (!is_object(v)) return true;
        b_.type = kCall;
        b_.name = "code_execution";
        b_.args = args_.digest_value(b_.name, v);
        return true;
    }

    bool code_result(json::value& v) {
        if (!is_object(v)) return true;
        b_.type = kResult;
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "outcome"))
                b_.status = raw_string(w) == "OUTCOME_OK" ? ResultStatus::ok : ResultStatus::error;
            else if (key_is(key, "output"))
                b_.content = content_of(w);
            return true;
        });
    }

    // What the AI SDK sends back says of which kind it is; else it is what the tool gave.
    bool output(json::value& v) {
        if (!is_object(v)) {
            if (!b_.content.seen) b_.content = content_of(v);
            return true;
        }
        json::object object;
        std::string_view whole, kind;
        if (v.get_object().get(object) || object.raw_json().get(whole) || object.reset().error()) return false;
        Content value;
        const bool good = each_field(object, [&](const char* key, json::value& w) {
            if (key_is(key, "type"))
                kind = raw_string(w);
            else if (key_is(key, "value") || key_is(key, "reason"))
                value = content_of(w);
            return true;
        });
        constexpr std::array<std::string_view, 3> kWell{"text", "json", "content"};
        constexpr std::array<std::string_view, 2> kFailed{"error-text", "error-json"};
        if (is_one_of(kind, kFailed)) b_.status = ResultStatus::error;
        if (kind == "execution-denied") b_.status = ResultStatus::denied;
        const bool told = b_.status != ResultStatus::ok || (is_one_of(kind, kWell) && value.seen);
        b_.content = told ? value : Content{{whole, TextForm::json_value}, 0, true};
        return good;
    }

    void name_type() {
        b_.unflagged = may_be_flagged_ && !b_.flagged && b_.status == ResultStatus::ok;
        if (b_.type == "tool-call" || b_.type == "toolUse") b_.type = kCall;
        if (b_.type == "tool-result" || b_.type == "toolResult") b_.type = kResult;
        if (b_.type == "tool-error") {
            b_.type = kResult;
            b_.status = ResultStatus::error;
        }
        if (b_.type.empty() && media_) b_.type = kMedia;
        if (!thought_) return;
        b_.type = kThinking;
        b_.opaque_bytes = signature_bytes_;
    }

    Block& b_;
    ArgsDigester& args_;
    std::uint64_t signature_bytes_ = 0;
    std::string_view late_args_;
    bool media_ = false, thought_ = false;
    bool may_be_flagged_ = false;  // a result of a dialect with a flag for failures, which many programs leave out
};

}  // namespace

bool is_media_block(std::string_view type) {
    return type.find("image") != type.npos || type.find("audio") != type.npos || type == "document" || type == "file" ||
           type == "input_file" || type == "video_url";
}

bool is_call_block(std::string_view type) {
    return type == kCall || type == "server_tool_use" || type == "mcp_tool_use";
}
bool is_result_block(std::string_view type) { return type == kResult || type.ends_with("_tool_result"); }
bool is_thinking_block(std::string_view type) {
    return type == kThinking || type == "redacted_thinking" || type == "reasoning";
}

bool collect_block(json::object object, Block& block, ArgsDigester& args) {
    return BlockCollector(block, args).collect(object);
}

}  // namespace agent_audit::readers
