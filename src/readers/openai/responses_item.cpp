#include "readers/openai/responses_item.hpp"

#include "readers/json/ids.hpp"
#include "readers/messages/conversations.hpp"

namespace agent_audit::readers::responses {
namespace {

constexpr std::array<std::string_view, 27> kTypes{"apply_patch_call",
                                                  "apply_patch_call_output",
                                                  "code_interpreter_call",
                                                  "compaction",
                                                  "computer_call",
                                                  "computer_call_output",
                                                  "custom_tool_call",
                                                  "custom_tool_call_output",
                                                  "file_search_call",
                                                  "function_call",
                                                  "function_call_output",
                                                  "image_generation_call",
                                                  "item_reference",
                                                  "local_shell_call",
                                                  "local_shell_call_output",
                                                  "mcp_approval_request",
                                                  "mcp_approval_response",
                                                  "mcp_call",
                                                  "mcp_list_tools",
                                                  "message",
                                                  "reasoning",
                                                  "shell_call",
                                                  "shell_call_output",
                                                  "tool_search_call",
                                                  "tool_search_output",
                                                  "web_search_call",
                                                  "web_search_call_output"};

bool is_media(std::string_view type) {
    return type.find("image") != type.npos || type.find("audio") != type.npos || type.find("screenshot") != type.npos ||
           type == "input_file";
}

void add_text(RawText text, Item& item, std::size_t& texts) {
    ++texts;
    item.text = text;
    item.words = mix_hash(item.words, stable_hash(text.bytes));
}

// A string, or blocks of which one has the text.
bool collect_content(json::value& v, Item& item) {
    item.has_content = is_string(v) || is_array(v);
    std::size_t texts = 0;
    if (is_string(v)) {
        add_text(text_of(raw_string(v)), item, texts);
        return true;
    }
    if (!is_array(v)) return true;
    json::array array;
    std::string_view raw;
    if (v.get_array().get(array) || array.raw_json().get(raw) || array.reset().error()) return false;
    for (auto element : array) {
        json::value block;
        if (std::move(element).get(block)) return false;
        std::string_view type;
        RawText text;
        const bool whole = each_field(block, [&](const char* key, json::value& w) {
            if (key_is(key, "type"))
                type = raw_string(w);
            else if ((key_is(key, "text") || key_is(key, "refusal") || key_is(key, "transcript")) && is_string(w))
                text = text_of(raw_string(w));
            return true;
        });
        if (!whole) return false;
        if (!text.empty())
            add_text(text, item, texts);
        else if (is_media(type))
            ++item.media;
    }
    if (texts > 1) item.text = {raw, TextForm::json_value};
    return true;
}

bool has_token(std::string_view raw, std::string_view quoted) { return raw.find(quoted) != raw.npos; }

bool holds_items(const ProbeRecord& r, std::string_view key) {
    const auto raw = r.raw(key);
    if (!raw || !raw->starts_with('[')) return false;
    for (const std::string_view type :
         {"\"function_call\"", "\"function_call_output\"", "\"input_text\"", "\"output_text\"", "\"reasoning\"",
          "\"custom_tool_call\"", "\"web_search_call\"", "\"mcp_call\""}) {
        if (has_token(*raw, type)) return true;
    }
    return has_token(*raw, "\"role\"") && has_token(*raw, "\"content\"");
}

// The items of the Agents SDK for JavaScript have names of their own for what a tool gave.
std::string_view type_of(std::string_view word) {
    if (word == "function_call_result") return "function_call_output";
    return word == "computer_call_result" ? "computer_call_output" : word;
}

// What a run of the Agents SDK for JavaScript has come to, as it is kept to go on with it.
bool is_run_state(const ProbeRecord& r) { return r.has("$schemaVersion") && r.has("modelResponses"); }

// {"type":"tool_call_item","rawItem":{"type":"function_call",…},"agent":{"name":"…"}}
bool is_run_item(const ProbeRecord& r) {
    return r.text("type").ends_with("_item") && is_item_type(type_of(r.child("rawItem").text("type")));
}

// A step of the AI SDK has the messages that it made of such a response.
bool is_step(const ProbeRecord& r) { return r.has("finishReason") && r.child("response").has("messages"); }

Score score_frame(const ProbeRecord& r, int depth) {
    if (is_run_state(r)) return kCertain;
    if (is_step(r) || r.has("span_attributes")) return 0;  // a span of Braintrust's has its own input and output
    if (r.text("object") == "response" && r.has("output")) return kCertain;
    if (holds_items(r, "output") && (r.has("model") || r.has("usage") || holds_items(r, "input"))) return 90;
    const bool asks = r.has("model") || r.has("instructions") || r.has("previous_response_id");
    if (asks && r.has("input") && !r.has("messages") && (holds_items(r, "input") || r.has("output"))) return 86;
    if (asks && !r.text("input").empty() && (r.has("instructions") || r.has("tools"))) return 60;
    Score best = 0;
    for (const std::string_view key : {"response", "request", "body"}) {
        if (depth < 3 && r.has(key)) best = std::max(best, score_frame(r.child(key), depth + 1));
    }
    return best;
}

// Old rollouts of Codex are the same items with a first line and state records of their own.
bool is_foreign(const ProbeRecord& r) {
    // A part of a message that opencode keeps as a file of its own is called like an item.
    constexpr std::array<std::string_view, 10> kForeign{"payload", "record_type", "sessionId", "uuid",  "parentId",
                                                        "ts",      "run_type",    "message",   "parts", "messageID"};
    if (std::ranges::any_of(kForeign, [&r](std::string_view key) { return r.has(key); })) return true;
    return !r.has("type") && r.has("timestamp") && (r.has("instructions") || r.has("git"));
}

bool collect_conversation(json::value& v, Frame& frame) {
    if (is_string(v)) frame.conversation = raw_string(v);
    return each_field(v, [&frame](const char* key, json::value& w) {
        if (key_is(key, "id")) frame.conversation = raw_string(w);
        return true;
    });
}

}  // namespace

// Cached tokens are a part of the input.
bool collect_usage(json::value& v, TokenCounts& t) {
    std::uint64_t input = 0, cached = 0;
    const auto detail = [&](const char* k, json::value& d) {
        if (key_is(k, "cached_tokens")) cached = as_uint(d);
        if (key_is(k, "reasoning_tokens")) t.reasoning = as_uint(d);
        return true;
    };
    const bool whole = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "input_tokens") || key_is(key, "inputTokens"))
            input = as_uint(n);
        else if (key_is(key, "output_tokens") || key_is(key, "outputTokens"))
            t.output = as_uint(n);
        else if (is_object(n))
            return each_field(n, detail);
        else if (key_is(key, "inputTokensDetails") || key_is(key, "outputTokensDetails"))
            return each_element(n, [&](json::value& one) { return each_field(one, detail); });
        return true;
    });
    t.cache_read = std::min(cached, input);
    t.input = input - t.cache_read;
    return whole;
}

std::uint64_t Item::hash() const {
    std::uint64_t h = mix_hash(stable_hash(type.empty() ? std::string_view("message") : type), words);
    h = mix_hash(mix_hash(h, stable_hash(role)), stable_hash(call_id));
    if (type.ends_with("_output") && is_unique_id(call_id)) return h;
    return mix_hash(mix_hash(h, stable_hash(args)), stable_hash(output));
}

bool collect(const char* key, json::value& v, Item& item) {
    if (item.unwrapped) return true;  // what stands behind it in its wrapper is said in it
    switch (key[0]) {
        case 'a':
            if (key_is(key, "arguments") || key_is(key, "action"))
                item.args = raw_value(v);
            else if (key_is(key, "agent") && is_string(v))
                item.agent = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "content")) return collect_content(v, item);
            if (key_is(key, "call_id") || key_is(key, "callId"))
                item.call_id = raw_string(v);
            else if (key_is(key, "code"))
                item.args = raw_value(v);
            break;
        case 'e':
            if (key_is(key, "encrypted_content"))
                item.opaque_bytes = raw_string(v).size();
            else if (key_is(key, "error") && !is_null(v))
                item.error = raw_value(v);
            break;
        case 'i':
            if (key_is(key, "id"))
                item.id = raw_string(v);
            else if (key_is(key, "input"))
                item.args = raw_value(v);
            break;
        case 'n':
            if (key_is(key, "name")) item.name = raw_string(v);
            break;
        case 'o':
            if (key_is(key, "output") || key_is(key, "outputs"))
                item.output = is_null(v) ? std::string_view{} : raw_value(v);
            else if (key_is(key, "operation"))
                item.args = raw_value(v);
            break;
        case 'q':
            if (key_is(key, "queries")) item.args = raw_value(v);
            break;
        case 'r':
            if (key_is(key, "role"))
                item.role = raw_string(v);
            else if (key_is(key, "rawItem") && is_object(v)) {
                item = Item{};
                const bool whole =
                    each_field(v, [&item](const char* k, json::value& w) { return collect(k, w, item); });
                item.unwrapped = true;
                return whole;
            } else if (key_is(key, "results") && is_array(v))
                item.output = raw_value(v);
            break;
        case 's':
            if (key_is(key, "status"))
                item.status = raw_string(v);
            else if (key_is(key, "summary"))
                item.summary = read_content(v).text;
            else if (key_is(key, "server_label"))
                item.server = raw_string(v);
            break;
        case 't':
            if (key_is(key, "type"))
                item.type = type_of(raw_string(v));
            else if (key_is(key, "tools") && is_array(v))
                item.tool_bytes = raw_value(v).size();
            break;
        default: break;
    }
    return true;
}

bool collect(const char* key, json::value& v, Frame& frame) {
    if (key_is(key, "object"))
        frame.object = raw_string(v);
    else if (key_is(key, "model"))
        frame.model = raw_string(v);
    else if (key_is(key, "instructions"))
        frame.instruction_bytes = raw_string(v).size();
    else if (key_is(key, "previous_response_id"))
        frame.previous = raw_string(v);
    else if (key_is(key, "created_at"))
        frame.time_ms = unix_time(v);
    else if (key_is(key, "id") && raw_string(v).starts_with("resp"))
        frame.response_id = raw_string(v);
    else if (key_is(key, "conversation"))
        return collect_conversation(v, frame);
    else if (key_is(key, "incomplete_details"))
        return each_field(v, [&frame](const char* k, json::value& w) {
            if (key_is(k, "reason")) frame.reason = raw_string(w);
            return true;
        });
    else if (key_is(key, "usage")) {
        frame.has_usage = is_object(v);
        return collect_usage(v, frame.tokens);
    }
    return true;
}

bool is_item_type(std::string_view type) { return std::ranges::binary_search(kTypes, type); }

bool is_own_type(std::string_view type) { return type != "message" && type != "compaction" && is_item_type(type); }

Score score(std::span<const ProbeRecord> sample, Framing) {
    Score best = 0;
    std::size_t items = 0, own = 0;
    for (const ProbeRecord& r : sample) {
        if (!r.is_object()) {
            const std::string_view json = r.json();
            const auto first = json.find_first_not_of(" \t\r\n");
            if (first == json.npos || json[first] != '[') continue;
            if ((has_token(json, "\"function_call_output\"") && has_token(json, "\"call_id\"")) ||
                (has_token(json, "\"function_call_result\"") && has_token(json, "\"callId\"")))
                best = std::max(best, 86);
            continue;
        }
        const Score frame = score_frame(r, 0);
        best = std::max(best, frame);
        if (best == kCertain) return best;
        if (frame == 0 && is_foreign(r)) return 0;
        if (is_run_item(r)) {
            ++items;
            ++own;
            continue;
        }
        const std::string_view type = type_of(r.text("type"));
        if (type.starts_with("response.") && (r.has("response") || r.has("sequence_number"))) best = std::max(best, 90);
        if (type.empty() && !r.text("role").empty() && r.has("content") && !r.has("tool_calls")) ++items;
        if (!is_item_type(type) || (type == "message" && !(r.has("role") && r.has("content")))) continue;
        ++items;
        const bool called = type.find("call") == type.npos || r.has("call_id") || r.has("callId") || r.has("id");
        if (is_own_type(type) ? called
                              : has_token(r.json(), "\"input_text\"") || has_token(r.json(), "\"output_text\""))
            ++own;
    }
    if (own > 0 && items * 2 >= sample.size()) best = std::max(best, 88);
    return best;
}

}  // namespace agent_audit::readers::responses
