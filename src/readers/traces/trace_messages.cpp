#include "readers/traces/trace_messages.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::readers {
namespace {

using Kind = TracePart::Kind;

constexpr int kDeepest = 6;  // wrappers around a message, arrays around messages
constexpr std::size_t kMostParts = 10'000;

constexpr std::array<std::string_view, 5> kCalls{"tool_call", "tool-call", "tool_use", "function_call",
                                                 "server_tool_use"};
constexpr std::array<std::string_view, 4> kResults{"tool_call_response", "tool-result", "tool_result",
                                                   "function_call_output"};
constexpr std::array<std::string_view, 4> kThoughts{"reasoning", "thinking", "reasoning_text", "summary_text"};
constexpr std::array<std::string_view, 8> kMedia{"image", "image_url", "input_image", "audio",
                                                 "file",  "blob",      "uri",         "input_audio"};

bool is_speaker(std::string_view role) {
    constexpr std::array<std::string_view, 9> kRoles{"user",   "human",     "assistant", "ai",      "model",
                                                     "system", "developer", "tool",      "function"};
    return is_one_of(role, kRoles);
}

bool is_tool_role(std::string_view word) {
    return word == "tool" || word == "function" || word.starts_with("ToolMessage") ||
           word.starts_with("FunctionMessage");
}

/// The result of a tool as AI SDK 5 has it in a prompt: {"type":"error-text","value":"…"}. Leaves the value, as the
/// span of the tool has it, and says whether it is an error.
bool take_output(TracePart& output) {
    if (output.form != TextForm::json_value) return false;
    std::string_view rest = output.text;
    for (const std::string_view next : {"{", "\"type\"", ":", "\""}) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        if (!rest.starts_with(next)) return false;
        rest.remove_prefix(next.size());
    }
    constexpr std::array<std::string_view, 4> kTypes{"text", "json", "error-text", "error-json"};
    const std::string_view type = rest.substr(0, rest.find('"'));
    const bool failed = type.starts_with("error-");
    return is_one_of(type, kTypes) && take_field(output, "value") && failed;
}

/// A part, or an entry of tool_calls, before its kind is known.
struct Loose {
    std::string_view type, id, name;
    TracePart text, args, result;
    bool has_text = false, has_args = false, has_result = false, failed = false;
};

constexpr std::array<std::string_view, 3> kNamedCalls{"toolUse", "function_call", "functionCall"};
constexpr std::array<std::string_view, 3> kNamedResults{"toolResult", "function_response", "functionResponse"};

/// Also blocks of Bedrock and of Gemini, {"toolUse":{…}} and {"function_response":{…}}: what they are is the name of
/// their one field.
bool collect_loose(json::value& v, Loose& part, bool inner = false) {
    return each_field(v, [&part, inner](const char* key, json::value& w) {
        const auto text_into = [&w](TracePart& into, bool& has) {
            if (is_null(w)) return true;
            copy_value(w, into);
            return has = true;
        };
        if (!inner && is_object(w)) {
            const bool call = is_one_of(key_text(key), kNamedCalls);
            if (call || is_one_of(key_text(key), kNamedResults)) {
                part.type = call ? kCalls[2] : kResults[2];
                return collect_loose(w, part, true);
            }
        }
        if (key_is(key, "type"))
            part.type = raw_string(w);
        else if (key_is(key, "id") || key_is(key, "call_id") || key_is(key, "toolCallId") ||
                 key_is(key, "tool_use_id") || key_is(key, "toolUseId")) {
            if (part.id.empty() || !key_is(key, "id")) part.id = raw_string(w);  // Responses items have both
        } else if (key_is(key, "name") || key_is(key, "toolName"))
            part.name = raw_string(w);
        else if (key_is(key, "text") || key_is(key, "thinking") || key_is(key, "reasoning"))
            text_into(part.text, part.has_text);
        else if (key_is(key, "content"))
            text_into(part.result, part.has_result);
        else if (key_is(key, "arguments") || key_is(key, "args") || key_is(key, "input"))
            text_into(part.args, part.has_args);
        else if (key_is(key, "response") || key_is(key, "result") || key_is(key, "output"))
            text_into(part.result, part.has_result);
        else if (key_is(key, "thought") && is_true(w))
            part.type = kThoughts[0];
        else if (key_is(key, "is_error") || key_is(key, "isError"))
            part.failed = is_true(w);
        else if (inner && key_is(key, "status"))
            part.failed = raw_string(w) == "error";
        else if (key_is(key, "function"))
            return each_field(w, [&](const char* k, json::value& x) {
                if (key_is(k, "name"))
                    part.name = raw_string(x);
                else if (key_is(k, "arguments") && !is_null(x)) {
                    copy_value(x, part.args);
                    part.has_args = true;
                }
                return true;
            });
        return true;
    });
}

void add_call(const Loose& loose, TraceMessage& message) {
    // Some libraries write a call as a block of the content and in a list of its own.
    const bool known = !loose.id.empty() && std::ranges::any_of(message.parts, [&](const TracePart& p) {
        return p.kind == Kind::call && p.id == loose.id;
    });
    if (known || loose.name.empty() || message.parts.size() >= kMostParts) return;
    TracePart& call = message.add(Kind::call);
    call.id = loose.id;
    call.name = loose.name;
    call.untold = !loose.has_args;
    call.text = loose.args.text;
    call.form = loose.args.form;
}

void add_loose(const Loose& loose, TraceMessage& message) {
    if (message.parts.size() >= kMostParts) return;
    if (is_one_of(loose.type, kCalls)) return add_call(loose, message);
    const TracePart& source = loose.has_text ? loose.text : loose.result;
    if (is_one_of(loose.type, kResults)) {
        TracePart& part = message.add(Kind::result);
        part.id = loose.id;
        part.name = loose.name;
        part.text = (loose.has_result ? loose.result : loose.text).text;
        part.form = (loose.has_result ? loose.result : loose.text).form;
        part.failed = take_output(part) || loose.failed;
        part.untold = !loose.has_result && !loose.has_text;
    } else if (is_one_of(loose.type, kMedia)) {
        message.add(Kind::media);
    } else if (!source.text.empty()) {
        TracePart& part = message.add(is_one_of(loose.type, kThoughts) ? Kind::reasoning : Kind::text);
        part.text = source.text;
        part.form = source.form;
    }
}

class Collector {
public:
    Collector(TraceMessage& message, TraceExtras* extras) : m_(message), extras_(extras) {}

    bool collect(json::value& v, int depth) {
        return each_field(v, [this, depth](const char* key, json::value& w) { return field(key, w, depth); });
    }

    void finish() {
        const std::string_view word = role_.empty() ? type_ : role_;
        if (is_one_of(type_, kCalls) || is_one_of(type_, kResults)) return finish_item();
        if (type_ == "reasoning" && role_.empty()) {
            m_.role = Role::assistant;
            return;
        }
        m_.role = trace_role(word);
        if (!role_.empty() && !is_speaker(role_)) m_.speaker = role_;
        if (m_.parts.empty()) say(Kind::text, text_);
        if (is_tool_role(word)) finish_tool();
    }

private:
    bool field(const char* key, json::value& v, int depth) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "additional_kwargs") && depth < kDeepest) return collect(v, depth + 1);
                if (key_is(key, "arguments") || key_is(key, "args")) return item_args(v);
                break;
            case 'c':
                if (key_is(key, "content")) return content(v);
                if (key_is(key, "call_id")) call_id_ = raw_string(v);
                break;
            case 'd':
                if (key_is(key, "data") && is_object(v) && depth < kDeepest) return collect(v, depth + 1);
                break;
            case 'f':
                if (key_is(key, "function_call") && is_object(v)) return call(v);
                break;
            case 'i':
                if (key_is(key, "id")) return id(v);
                if (key_is(key, "input")) return item_args(v);
                if (key_is(key, "is_error")) failed_ |= is_true(v);
                break;
            case 'k':
                if (key_is(key, "kwargs") && is_object(v) && depth < kDeepest) return collect(v, depth + 1);
                break;
            case 'm':
                if (key_is(key, "message") && is_object(v) && depth < kDeepest) return collect(v, depth + 1);
                break;
            case 'n':
                if (key_is(key, "name")) name_ = raw_string(v);
                break;
            case 'o':
                if (key_is(key, "output") && !is_null(v)) {
                    copy_value(v, item_.result);
                    item_.has_result = true;
                }
                break;
            case 'p':
                if (key_is(key, "parts")) return content(v);
                break;
            case 'r':
                if (key_is(key, "role"))
                    role_ = raw_string(v);
                else if (key_is(key, "reasoning_content") && is_string(v))
                    say(Kind::reasoning, raw_string(v));
                else if (key_is(key, "response_metadata") && extras_)
                    return metadata(v);
                break;
            case 's':
                if (key_is(key, "status")) failed_ |= raw_string(v) == "error";
                break;
            case 't':
                if (key_is(key, "type")) {
                    const std::string_view type = raw_string(v);
                    if ((type_.empty() || depth == 0) && type != "constructor") type_ = type;
                } else if (key_is(key, "text") && is_string(v))
                    text_ = raw_string(v);
                else if (key_is(key, "tool_calls"))
                    return each_element(v, [this](json::value& w) { return call(w); });
                else if (key_is(key, "tool_call_id") || key_is(key, "toolCallId"))
                    call_id_ = raw_string(v);
                else if (key_is(key, "toolName")) {  // an entry of a list of calls that stands alone
                    name_ = raw_string(v);
                    if (type_.empty()) type_ = kCalls[0];
                }
                break;
            case 'u':
                if (key_is(key, "usage_metadata") && extras_) return collect_trace_usage(v, extras_->tokens);
                break;
            default: break;
        }
        return true;
    }

    bool item_args(json::value& v) {
        if (is_null(v)) return true;
        copy_value(v, item_.args);
        return item_.has_args = true;
    }

    /// The id of a serialised LangChain object is its class.
    bool id(json::value& v) {
        if (!is_array(v)) {
            if (extras_ && extras_->response_id.empty()) extras_->response_id = raw_string(v);
            return true;
        }
        return each_element(v, [this](json::value& word) {
            if (is_string(word)) type_ = raw_string(word);
            return true;
        });
    }

    bool metadata(json::value& v) {
        return each_field(v, [this](const char* key, json::value& w) {
            if (key_is(key, "model_name") || key_is(key, "model"))
                extras_->model = raw_string(w);
            else if (key_is(key, "id") && is_string(w))
                extras_->response_id = raw_string(w);
            return true;
        });
    }

    bool content(json::value& v) {
        if (is_string(v)) {
            say(Kind::text, raw_string(v));
            return true;
        }
        return each_element(v, [this](json::value& element) {
            if (is_string(element)) {
                say(Kind::text, raw_string(element));
                return true;
            }
            Loose loose;
            const bool whole = collect_loose(element, loose);
            add_loose(loose, m_);
            return whole;
        });
    }

    bool call(json::value& v) {
        Loose loose;
        const bool whole = collect_loose(v, loose);
        add_call(loose, m_);
        return whole;
    }

    void say(Kind kind, std::string_view text) {
        if (text.empty() || m_.parts.size() >= kMostParts) return;
        m_.add(kind).text = text;
    }

    /// The item is the call, or its result.
    void finish_item() {
        item_.type = type_;
        item_.id = call_id_;
        item_.name = name_;
        m_.role = is_one_of(type_, kCalls) ? Role::assistant : Role::user;
        add_loose(item_, m_);
    }

    void finish_tool() {
        m_.role = Role::user;
        if (std::ranges::any_of(m_.parts, [](const TracePart& p) { return p.kind == Kind::result; })) return;
        TracePart result;
        result.kind = Kind::result;
        result.id = call_id_;
        result.name = name_;
        result.failed = failed_;
        for (const TracePart& part : m_.parts) {
            if (part.kind != Kind::text) continue;
            if (result.text.empty()) result.form = part.form;
            if (!result.text.empty()) result.text += "\\n";
            result.text += part.text;
        }
        m_.parts.assign(1, std::move(result));
    }

    TraceMessage& m_;
    TraceExtras* extras_;
    std::string_view role_, type_, name_, call_id_, text_;
    Loose item_;
    bool failed_ = false;
};

bool collect_any(json::value& v, std::vector<TraceMessage>& out, TraceExtras* extras, int depth) {
    if (is_array(v)) {
        if (depth >= kDeepest) return true;
        return each_element(v, [&](json::value& element) { return collect_any(element, out, extras, depth + 1); });
    }
    if (!is_object(v) || out.size() >= kMostTraceMessages) return true;
    TraceMessage& message = out.emplace_back();
    Collector collector(message, extras);
    const bool whole = collector.collect(v, 0);
    collector.finish();
    if (message.parts.empty()) out.pop_back();
    return whole;
}

}  // namespace

Role trace_role(std::string_view word) {
    if (word == "system" || word == "developer" || word.starts_with("SystemMessage")) return Role::system;
    if (word == "assistant" || word == "ai" || word == "model" || word.starts_with("AIMessage")) return Role::assistant;
    return Role::user;
}

void copy_value(json::value& v, TracePart& into) {
    if (is_string(v)) {
        into.text = raw_string(v);
        into.form = TextForm::json_string;
    } else {
        into.text = trim_blank(raw_value(v));
        into.form = TextForm::json_value;
    }
}

bool take_field(TracePart& part, std::string_view name) {
    std::string text = part.form == TextForm::json_string ? std::string(decode_json_string(part.text)) : part.text;
    const std::size_t size = text.size();
    if (size == 0 || text.front() != '{') return false;
    text.resize(size + simdjson::SIMDJSON_PADDING);
    json::document doc;
    json::object object;
    if (nested_parser(size).iterate(text.data(), size, text.size()).get(doc) || doc.get_object().get(object))
        return false;
    bool found = false;
    TracePart field;
    const bool whole = each_field(object, [&](const char* key, json::value& v) {
        if (found || key_text(key) != name || is_null(v)) return true;
        copy_value(v, field);
        return found = true;
    });
    if (!whole || !found) return false;
    part.text = std::move(field.text);
    part.form = field.form;
    return true;
}

void take_result(TracePart& part) {
    if (part.form != TextForm::json_value) return;
    std::vector<TraceMessage> messages;
    collect_trace_json(part.text, messages);
    for (TraceMessage& message : messages) {
        for (TracePart& one : message.parts) {
            if (one.kind == TracePart::Kind::result) part = std::move(one);
        }
    }
}

bool take_tool_message(TracePart& part) {
    TracePart inner = part;
    if (part.form == TextForm::json_string) {
        if (!part.text.starts_with('{')) return false;
        inner.text = decode_json_string(part.text);
        inner.form = TextForm::json_value;
    }
    if (!inner.text.starts_with('{')) return false;
    take_field(inner, "output");
    take_result(inner);
    if (inner.kind != TracePart::Kind::result) return false;
    part = std::move(inner);
    return true;
}

bool collect_trace_messages(json::value& v, std::vector<TraceMessage>& out, TraceExtras* extras) {
    return collect_any(v, out, extras, 0);
}

void collect_trace_text(std::string_view raw, std::vector<TraceMessage>& out, TraceExtras* extras) {
    collect_trace_json(decode_json_string(raw), out, extras);
}

void collect_trace_json(std::string_view raw, std::vector<TraceMessage>& out, TraceExtras* extras) {
    std::string text(raw);
    const std::size_t size = text.size();
    text.resize(size + simdjson::SIMDJSON_PADDING);
    json::document doc;
    json::value v;
    if (nested_parser(size).iterate(text.data(), size, text.size()).get(doc)) return;
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first >= size || (text[first] != '[' && text[first] != '{') || doc.get_value().get(v)) return;
    collect_trace_messages(v, out, extras);
}

bool collect_trace_blocks(std::string_view raw, TraceMessage& message) {
    if (!raw.starts_with("[{")) return false;
    std::string text = R"({"role":"user","content":)";
    text.append(decode_json_string(raw)).append("}");
    std::vector<TraceMessage> messages;
    collect_trace_json(text, messages);
    if (messages.empty()) return false;
    for (TracePart& part : messages.front().parts) message.parts.push_back(std::move(part));
    return true;
}

// Cached tokens are inside the input for nearly everybody; beside it under Anthropic's names, and where they are more.
bool collect_trace_usage(json::value& v, TokenCounts& tokens) {
    std::uint64_t prompt = 0, output = 0, read = 0, written = 0, reasoning = 0;
    bool beside = false;
    const auto count = [&](auto&& self, json::value& w, int depth) -> bool {
        return each_field(w, [&](const char* key, json::value& n) {
            if (is_object(n)) return depth < 2 ? self(self, n, depth + 1) : true;
            if (key_is(key, "input_tokens") || key_is(key, "prompt_tokens"))
                prompt = as_uint(n);
            else if (key_is(key, "output_tokens") || key_is(key, "completion_tokens"))
                output = as_uint(n);
            else if (key_is(key, "cache_read") || key_is(key, "cached_tokens"))
                read = as_uint(n);
            else if (key_is(key, "cache_creation"))
                written = as_uint(n);
            else if (key_is(key, "cache_read_input_tokens") || key_is(key, "cache_creation_input_tokens")) {
                (key_is(key, "cache_read_input_tokens") ? read : written) = as_uint(n);
                beside = true;
            } else if (key_is(key, "reasoning") || key_is(key, "reasoning_tokens"))
                reasoning = as_uint(n);
            return true;
        });
    };
    const bool whole = count(count, v, 0);
    const std::uint64_t input = !beside && read + written <= prompt ? prompt - read - written : prompt;
    if (prompt + output > 0) tokens = {input, written, read, output, std::min(reasoning, output)};
    return whole;
}

bool collect_trace_error(json::value& v, TraceSpan& span) {
    span.failed = true;
    if (is_string(v)) {
        span.error = raw_string(v);
        return true;
    }
    return each_field(v, [&span](const char* key, json::value& w) {
        if (key_is(key, "message") && span.error.empty()) span.error = raw_string(w);
        if (!key_is(key, "data")) return true;
        return each_field(w, [&span](const char* k, json::value& x) {
            if (key_is(k, "error") && is_string(x) && !raw_string(x).empty()) span.error = raw_string(x);
            return true;
        });
    });
}

TraceMessage joined_answer(std::vector<TraceMessage>& messages) {
    TraceMessage all{Role::assistant, {}};
    for (TraceMessage& message : messages) {
        for (TracePart& part : message.parts) all.parts.push_back(std::move(part));
    }
    return all;
}

}  // namespace agent_audit::readers
