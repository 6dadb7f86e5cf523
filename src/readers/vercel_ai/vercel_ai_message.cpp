#include "readers/vercel_ai/vercel_ai_message.hpp"

#include "readers/json/any_time.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

// A registry of providers names a model "provider:model"; behind other colons stands a size.
std::string_view without_provider(std::string_view model) {
    const auto colon = model.find(':');
    if (colon == model.npos || colon + 1 == model.size()) return model;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const bool provider = std::ranges::all_of(model.substr(0, colon), [&](char c) { return is_letter(c) || c == '-'; });
    return provider && is_letter(model[colon + 1]) ? model.substr(colon + 1) : model;
}

// The input has in it what a cache held, the output what was thought.
bool usage(json::value& v, TokenCounts& tokens) {
    std::uint64_t input = 0, output = 0, read = 0, written = 0, reasoning = 0;
    const auto count = [&](auto&& self, json::value& w, int depth) -> bool {
        return each_field(w, [&](const char* key, json::value& n) {
            if (is_object(n)) return depth > 0 || key_is(key, "raw") || self(self, n, depth + 1);
            if (key_is(key, "inputTokens") || key_is(key, "promptTokens"))
                input = as_uint(n);
            else if (key_is(key, "outputTokens") || key_is(key, "completionTokens"))
                output = as_uint(n);
            else if (key_is(key, "cachedInputTokens") || key_is(key, "cacheReadTokens"))
                read = as_uint(n);
            else if (key_is(key, "cacheWriteTokens"))
                written = as_uint(n);
            else if (key_is(key, "reasoningTokens"))
                reasoning = as_uint(n);
            return true;
        });
    };
    const bool whole = count(count, v, 0);
    const bool inside = read <= input && written <= input - read;
    if (input + output > 0)
        tokens = {inside ? input - read - written : input, written, read, output, std::min(reasoning, output)};
    return whole;
}

bool output(json::value& v, VercelPart& part) {
    part.has_output = !is_null(v);
    return read_tool_output(v, part.output);
}

}  // namespace

VercelWhat vercel_what(std::string_view type) {
    if (type == "text") return VercelWhat::text;
    if (type == "reasoning") return VercelWhat::reasoning;
    if (type == "step-start") return VercelWhat::step;
    if (type == "file") return VercelWhat::media;
    return type.starts_with("tool-") || type == "dynamic-tool" ? VercelWhat::tool : VercelWhat::nothing;
}

bool VercelCollector::collect(const char* key, json::value& v) {
    switch (key[0]) {
        case 'a':
            if (key_is(key, "annotations"))
                return each_element(v, [this](json::value& note) {
                    return each_field(note, [this](const char* k, json::value& w) { return metadata(k, w); });
                });
            break;
        case 'c':
            if (key_is(key, "content") && is_string(v)) {
                message_.content = text_of(raw_string(v));
                message_.has_content = true;
            } else if (key_is(key, "content") && is_object(v)) {  // Mastra's storage: {"format":2,"parts":[…]}
                return each_field(v, [this](const char* k, json::value& w) { return collect(k, w); });
            } else if (key_is(key, "createdAt") || key_is(key, "created_at"))
                message_.time_ms = any_time(v);
            else if (key_is(key, "chatId") || key_is(key, "chat_id"))
                message_.chat = raw_string(v);
            break;
        case 'e':
            if (key_is(key, "experimental_attachments"))
                return each_element(v, [this](json::value&) {
                    ++message_.attachments;
                    return true;
                });
            break;
        case 'i':
            if (key_is(key, "id")) message_.id = raw_string(v);
            break;
        case 'm':
            if (key_is(key, "metadata"))
                return each_field(v, [this](const char* k, json::value& w) { return metadata(k, w); });
            break;
        case 'p':
            if (key_is(key, "parts")) {
                message_.has_parts |= is_array(v);
                return parts(v, message_.parts);
            }
            break;
        case 'r':
            if (key_is(key, "role"))
                message_.role = raw_string(v);
            else if (key_is(key, "reasoning") && is_string(v))
                message_.reasoning = text_of(raw_string(v));
            break;
        case 't':
            if (key_is(key, "toolInvocations")) {
                message_.has_invocations |= is_array(v);
                return parts(v, message_.invocations);
            }
            if (key_is(key, "threadId")) message_.chat = raw_string(v);
            break;
        case 'w':
            if (key_is(key, "workspaceId")) message_.chat = raw_string(v);
            break;
        default: break;
    }
    return true;
}

// A program's own: what it is called is custom and the examples of the library.
bool VercelCollector::metadata(const char* key, json::value& v) {
    if (key_is(key, "timestamp") || key_is(key, "createdAt"))
        message_.time_ms = any_time(v);
    else if (key_is(key, "model") || key_is(key, "modelId"))
        message_.model = without_provider(raw_string(v));
    else if (key_is(key, "usage") || key_is(key, "totalUsage"))
        return usage(v, message_.tokens);
    else if (key_is(key, "contextUsage")) {
        TokenCounts last;
        const bool whole = usage(v, last);
        if (last.total() > 0) message_.context_tokens = last.total();
        return whole;
    } else if (key_is(key, "error") && is_string(v))
        message_.error = raw_string(v);
    else if (key_is(key, "synthetic"))
        message_.synthetic |= is_true(v);
    else if (key_is(key, "partial"))
        message_.partial = is_true(v);
    else if (key_is(key, "muxMetadata"))
        return each_field(v, [this](const char* k, json::value& w) {
            if (key_is(k, "type")) message_.synthetic |= raw_string(w) == "compaction-request";
            return true;
        });
    else if (key_is(key, "compacted")) {
        message_.compacted = raw_string(v);
        message_.compaction |= is_true(v) || !message_.compacted.empty();
    } else if (key_is(key, "compactionBoundary"))
        message_.compaction |= is_true(v);
    return true;
}

bool VercelCollector::parts(json::value& v, Reused<VercelPart>& into) {
    return each_element(v, [this, &into](json::value& element) {
        VercelPart* part = is_object(element) ? into.next() : nullptr;
        return !part || each_field(element, [this, part](const char* key, json::value& w) {
            return collect_part(key, w, *part);
        });
    });
}

bool VercelCollector::collect_part(const char* key, json::value& v, VercelPart& part) {
    if (key_is(key, "toolInvocation"))
        return each_field(v, [this, &part](const char* k, json::value& w) { return collect_part(k, w, part); });
    switch (key[0]) {
        case 'a':
            if (key_is(key, "args") && !is_null(v)) part.args = args_.digest_value({}, v);
            if (key_is(key, "approval"))
                return each_field(v, [&part](const char* k, json::value& w) {
                    if (key_is(k, "approved")) part.denied = w.raw_json_token()[0] == 'f';
                    return true;
                });
            break;
        case 'e':
            if (key_is(key, "errorText")) part.error = text_of(raw_string(v));
            break;
        case 'f':
            if (key_is(key, "failed")) part.failed = is_true(v);
            break;
        case 'i':
            if (key_is(key, "input") && !is_null(v)) part.args = args_.digest_value({}, v);
            break;
        case 'n':
            if (key_is(key, "nestedCalls")) return nested(v, part);
            break;
        case 'o':
            if (key_is(key, "output")) return output(v, part);
            break;
        case 'r':
            if (key_is(key, "result")) return output(v, part);
            if (key_is(key, "reasoning") && is_string(v)) part.text = text_of(raw_string(v));
            if (key_is(key, "rawInput") && part.args.raw.empty() && !is_null(v)) part.args = args_.digest_value({}, v);
            break;
        case 's':
            if (key_is(key, "state"))
                part.state = raw_string(v);
            else if (key_is(key, "step"))
                part.step = static_cast<std::uint32_t>(as_uint(v));
            break;
        case 't':
            if (key_is(key, "type"))
                part.type = raw_string(v);
            else if (key_is(key, "text") && is_string(v))
                part.text = text_of(raw_string(v));
            else if (key_is(key, "toolCallId"))
                part.call_id = raw_string(v);
            else if (key_is(key, "toolName"))
                part.name = raw_string(v);
            break;
        default: break;
    }
    return true;
}

// Calls of a program that the model wrote. They are parts like others, and make none of their own.
bool VercelCollector::nested(json::value& v, VercelPart& part) {
    if (std::exchange(in_nested_, true)) return true;
    part.nested_begin = message_.nested.size();
    const bool whole = parts(v, message_.nested);
    part.nested_end = message_.nested.size();
    in_nested_ = false;
    return whole;
}

}  // namespace agent_audit::readers
