#include "readers/messages/message_parts.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"
#include "readers/json/walk.hpp"
#include "readers/messages/conversations.hpp"

#include <agent_audit/support/hash.hpp>

#include <array>
#include <string_view>

namespace agent_audit::readers {

namespace {

class PartsCollector {
public:
    PartsCollector(Parts& parts, ArgsDigester& args) : p_(parts), args_(args) {}

    bool field(const char* key, json::value& v) {
        switch (key[0]) {
            case 'c':
                if (key_is(key, "content")) return content(v);
                if (key_is(key, "created_at") || key_is(key, "created")) p_.time_ms = time(v);
                break;
            case 'e':
                if (key_is(key, "exit_code")) p_.exit_code = small_int(v);
                break;
            case 'f':
                if (key_is(key, "function_call") && is_object(v)) return call(v);
                break;
            case 'i':
                if (key_is(key, "id"))
                    p_.id = raw_string(v);
                else if (key_is(key, "is_error")) {
                    p_.is_error = is_true(v);
                    p_.has_error_flag = p_.is_error || v.raw_json_token()[0] == 'f';
                }
                break;
            case 'm':
                if (key_is(key, "model") || key_is(key, "modelId") || key_is(key, "modelVersion") ||
                    key_is(key, "model_version"))
                    p_.model = raw_string(v);
                break;
            case 'n':
                if (key_is(key, "name")) p_.name = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "parts")) return content(v);
                break;
            case 'r':
                if (key_is(key, "role"))
                    p_.role = role(raw_string(v));
                else if (key_is(key, "responseId") || key_is(key, "response_id"))
                    p_.id = raw_string(v);
                else if (key_is(key, "refusal"))
                    p_.refusal = text_of(raw_string(v));
                else if (key_is(key, "reasoning_content") || key_is(key, "reasoning")) {
                    if (is_string(v)) p_.reasoning = text_of(raw_string(v));
                }
                break;
            case 's':
                if (key_is(key, "status")) p_.status = raw_string(v);
                break;
            case 't':
                if (key_is(key, "tool_calls")) {
                    return each_element(v, [this](json::value& e) { return !is_object(e) || call(e); });
                }
                if (key_is(key, "tool_call_id"))
                    p_.call_id = raw_string(v);
                else if (key_is(key, "timestamp") || key_is(key, "ts"))
                    p_.time_ms = time(v);
                break;
            case 'u':
                if (key_is(key, "usage") || key_is(key, "usageMetadata") || key_is(key, "usage_metadata"))
                    return collect_usage(v, p_.usage);
                break;
            default: break;
        }
        return true;
    }

private:
    // Gemini's word for it.
    static std::string_view role(std::string_view word) { return word == "model" ? "assistant" : word; }

    // A string, blocks, or whatever JSON a tool gave back.
    bool content(json::value& v) {
        p_.has_content = true;
        const char first = v.raw_json_token()[0];
        if (first == 'n') return true;
        if (first == '[') return each_element(v, [this](json::value& element) { return content_element(element); });
        plain_text(first == '"' ? text_of(raw_string(v)) : RawText{raw_value(v), TextForm::json_value});
        return true;
    }

    bool content_element(json::value& element) {
        if (is_string(element)) {
            plain_text(text_of(raw_string(element)));
            return true;
        }
        json::object object;
        if (!is_object(element)) return true;
        if (element.get_object().get(object)) return false;
        Block* next = p_.blocks.next();
        return !next || collect_block(object, *next, args_);
    }

    void plain_text(RawText text) {
        if (Block* next = p_.blocks.next()) {
            next->type = "text";
            next->text = text;
        }
    }

    // {id, function: {name, arguments}}, {id, custom: {name, input}}, {id, name, args} and the legacy {name,
    // arguments}.
    bool call(json::value& v) {
        json::object object;
        if (v.get_object().get(object)) return false;
        Block* next = p_.calls.next();
        if (!next) return true;
        std::string_view text_args;
        if (!call_fields(object, *next, text_args, 0)) return false;
        if (!text_args.empty()) next->args = args_.digest_string(next->name, text_args);
        return true;
    }

    bool call_fields(json::object object, Block& b, std::string_view& text_args, int depth) {
        bool late_name = false;
        const bool good = each_field(object, [&](const char* key, json::value& v) {
            if (key_is(key, "id"))
                b.id = raw_string(v);
            else if (key_is(key, "name"))
                b.name = raw_string(v);
            else if (is_args(key)) {
                if (is_string(v))
                    text_args = raw_string(v);
                else if (is_null(v))
                    return true;
                else if (b.name.empty())
                    late_name = true;
                else
                    b.args = args_.digest_value(b.name, v);
            } else if (depth == 0 && is_object(v) && (key_is(key, "function") || key_is(key, "custom"))) {
                json::object inner;
                return !v.get_object().get(inner) && call_fields(inner, b, text_args, 1);
            }
            return true;
        });
        if (!good || !late_name) return good;
        return digest_late(object, b.name, args_, b.args, is_args);
    }

    static bool is_args(const char* key) {
        return key_is(key, "arguments") || key_is(key, "args") || key_is(key, "input");
    }

    // RFC 3339, or seconds or milliseconds since 1970.
    static std::int64_t time(json::value& v) {
        if (is_string(v)) return time_ms(raw_string(v));
        const double number = number_or(v, 0);
        if (!(number > 1e8) || number > 1e14) return kNoTime;
        return static_cast<std::int64_t>(number < 1e11 ? number * 1000 : number);
    }

    Parts& p_;
    ArgsDigester& args_;
};

}  // namespace

bool is_reminder(const Block& block) { return block.text.bytes.starts_with("<system-reminder>"); }

bool is_unknown_block(const Block& b) {
    constexpr std::array<std::string_view, 6> kWordless{"text",    "input_text", "output_text",
                                                        "refusal", "compaction", "step-start"};
    return !b.type.empty() && b.text.empty() && b.opaque_bytes == 0 && !is_media_block(b.type) &&
           !is_call_block(b.type) && !is_result_block(b.type) && !is_thinking_block(b.type) &&
           !is_one_of(b.type, kWordless);
}

bool has_calls(const Parts& message) {
    return std::ranges::any_of(message.blocks.all(), [](const Block& b) { return is_call_block(b.type); });
}

std::uint32_t media_count(const Parts& message) {
    const auto count =
        std::ranges::count_if(message.blocks.all(), [](const Block& b) { return is_media_block(b.type); });
    return static_cast<std::uint32_t>(count);
}

RawText joined_text(const Parts& message, SpokenBlocks which, std::string& buffer) {
    RawText only;
    std::size_t texts = 0;
    for (const Block& b : message.blocks.all()) {
        if (b.text.empty() || is_thinking_block(b.type) || is_result_block(b.type)) continue;
        if (which != SpokenBlocks::all && is_reminder(b) != (which == SpokenBlocks::reminders)) continue;
        if (++texts == 1) {
            only = b.text;
            continue;
        }
        if (texts == 2) buffer.assign(only.bytes);
        buffer += "\\n";  // as JSON writes a line break: escapes are kept, so joining keeps the form
        buffer += b.text.bytes;
    }
    return texts > 1 ? text_of(buffer) : only;
}

bool collect_part(const char* key, json::value& value, Parts& parts, ArgsDigester& args) {
    return PartsCollector(parts, args).field(key, value);
}

namespace {

// A client sends a call back as its own language writes it: other blanks, another order of the keys.
std::uint64_t args_hash(const CallArgs& args) {
    return args.digest.opaque ? stable_hash(args.raw.bytes) : args.digest.canonical;
}

}  // namespace

std::uint64_t history_hash(const Parts& m) {
    std::uint64_t h = stable_hash(m.role);
    if (is_unique_id(m.call_id)) return mix_hash(h, stable_hash(m.call_id));
    // What clients say beside results, and in reminders, comes and goes with each request.
    const bool by_ids = std::ranges::any_of(
        m.blocks.all(), [](const Block& b) { return is_result_block(b.type) && is_unique_id(b.id); });
    for (const Block& b : m.blocks.all()) {
        if (is_thinking_block(b.type) || (by_ids && !is_result_block(b.type)) || is_reminder(b)) continue;
        h = mix_hash(h, stable_hash(b.text.bytes));
        if (!b.id.empty()) h = mix_hash(h, stable_hash(b.id));
        if (is_call_block(b.type)) h = mix_hash(h, args_hash(b.args));
        if (is_result_block(b.type) && !is_unique_id(b.id)) h = mix_hash(h, stable_hash(b.content.text.bytes));
    }
    for (const Block& c : m.calls.all()) h = mix_hash(mix_hash(h, stable_hash(c.id)), args_hash(c.args));
    return mix_hash(h, stable_hash(m.call_id));
}

}  // namespace agent_audit::readers
