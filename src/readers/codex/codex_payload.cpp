#include "readers/codex/codex_payload.hpp"

#include "readers/codex/codex_text.hpp"
#include "readers/json/walk.hpp"

namespace agent_audit::readers::rollout {
namespace {

void add_text(std::string_view text, Blocks& out) {
    if (++out.texts == 1) out.first = text;
    out.text = text_of(text);
    if (codex_injected(text) || codex_image_tag(text)) return;
    ++out.humans;
    out.human = text_of(text);
}

template <JsonValue Value>
bool collect_block(Value& element, Blocks& out) {
    std::string_view type, text, media;
    bool has_text = false;
    const bool whole = each_field(element, [&](const char* key, auto& v) {
        if (key_is(key, "type")) {
            type = raw_string(v);
        } else if (key_is(key, "text") && is_string(v)) {
            text = raw_string(v);
            has_text = true;
        } else if (holds_media(key)) {
            media = raw_value(v);
        }
        return true;
    });
    if (has_text) {
        add_text(text, out);
    } else if (type.find("image") != type.npos || type.find("audio") != type.npos || type == "input_file") {
        out.media_stored = is_media(media) && (out.media == 0 || out.media_stored);
        ++out.media;
        out.media_hash = with_media(out.media_hash, media);
    }
    return whole;
}

template <JsonValue Value>
bool any_blocks(Value& v, Blocks& out) {
    if (is_string(v)) {
        add_text(raw_string(v), out);
        out.seen = true;
        return true;
    }
    if (!is_array(v)) return true;
    ArrayOf<Value> array;
    std::string_view whole;
    if (v.get_array().get(array) || array.raw_json().get(whole) || array.reset().error()) return false;
    out.seen = true;
    for (auto item : array) {
        Value element;
        if (std::move(item).get(element)) return false;
        if (is_string(element))
            add_text(raw_string(element), out);
        else if (!collect_block(element, out))
            return false;
    }
    if (out.texts > 1) out.text = {whole, TextForm::json_value};
    if (out.humans > 1) out.human = {whole, TextForm::json_value};
    return true;
}

template <JsonValue Value>
bool any_duration(Value& v, std::int64_t& ms) {
    if (!is_object(v)) return true;
    std::uint64_t secs = 0, nanos = 0;
    const bool whole = each_field(v, [&](const char* key, auto& w) {
        if (key_is(key, "secs"))
            secs = as_uint(w);
        else if (key_is(key, "nanos"))
            nanos = as_uint(w);
        return true;
    });
    constexpr std::uint64_t kMost = 1'000'000'000'000;  // nothing runs for thirty thousand years
    ms = static_cast<std::int64_t>(std::min(secs, kMost) * 1000 + std::min(nanos, kMost) / 1'000'000);
    return whole;
}

class Collector {
public:
    explicit Collector(Payload& payload) : p_(payload) {}

    template <JsonValue Value>
    bool field(const char* key, Value& v) {
        switch (key[0]) {
            case 'a':
                if (key_is(key, "arguments"))
                    p_.arguments.json = raw_value(v);
                else if (key_is(key, "action"))
                    p_.action.json = raw_value(v);
                else if (key_is(key, "approval_policy"))
                    p_.approval_policy = raw_string(v);
                else if (key_is(key, "agent_role"))
                    set_label(raw_string(v));
                else if (key_is(key, "agent_nickname") && p_.agent_label.empty())
                    set_label(raw_string(v));
                break;
            case 'b':
                if (key_is(key, "base_instructions")) return collect_instructions(v);
                break;
            case 'c':
                if (key_is(key, "content")) return any_blocks(v, p_.content);
                if (key_is(key, "call_id"))
                    p_.call_id = raw_string(v);
                else if (key_is(key, "cwd"))
                    p_.cwd = raw_string(v);
                else if (key_is(key, "cli_version"))
                    p_.version = raw_string(v);
                else if (key_is(key, "codex_error_info"))
                    p_.error_info.json = raw_value(v);
                else if (key_is(key, "changes"))
                    p_.changes.json = raw_value(v);
                break;
            case 'd':
                if (key_is(key, "duration_ms"))
                    p_.duration_ms = as_int(v, -1);
                else if (key_is(key, "duration"))
                    return any_duration(v, p_.duration_ms);
                else if (key_is(key, "dynamic_tools"))
                    p_.prompt_bytes += is_array(v) ? raw_value(v).size() : 0;
                break;
            case 'e':
                if (key_is(key, "encrypted_content"))
                    p_.opaque_bytes = raw_string(v).size();
                else if (is_outcome(key))
                    collect_outcome(key, v);
                break;
            case 'f':
                if (key_is(key, "forked_from_id")) p_.forked_from = raw_string(v);
                break;
            case 'g':
                if (key_is(key, "git")) p_.has_git = true;
                break;
            case 'h':
                if (key_is(key, "history_base"))
                    p_.history_elsewhere = is_object(v);
                else if (key_is(key, "history_mode"))
                    p_.paginated = raw_string(v) == "paginated";
                break;
            case 'i':
                if (key_is(key, "id"))
                    p_.id = raw_string(v);
                else if (key_is(key, "input"))
                    p_.input.json = raw_value(v);
                else if (key_is(key, "info"))
                    return collect_info(v);
                else if (key_is(key, "item"))
                    p_.item.json = raw_value(v);
                else if (key_is(key, "invocation"))
                    p_.invocation.json = raw_value(v);
                else if (key_is(key, "internal_chat_message_metadata_passthrough"))
                    return collect_writer(v);
                else if (key_is(key, "instructions")) {
                    p_.has_instructions = true;
                    p_.instruction_bytes = raw_string(v).size();
                }
                break;
            case 'k':
                if (key_is(key, "kind")) p_.kind = raw_string(v);
                break;
            case 'm':
                if (key_is(key, "message"))
                    p_.message = raw_string(v);
                else if (key_is(key, "model"))
                    p_.model = raw_string(v);
                else if (key_is(key, "model_context_window"))
                    p_.window = as_uint(v);
                break;
            case 'n':
                if (key_is(key, "name"))
                    p_.name = raw_string(v);
                else if (key_is(key, "namespace"))
                    p_.space = raw_string(v);
                else if (key_is(key, "num_turns"))
                    p_.num_turns = as_uint(v);
                break;
            case 'o':
                if (key_is(key, "output")) p_.output.json = raw_value(v);
                break;
            case 'p':
                if (key_is(key, "parent_thread_id")) p_.parent = raw_string(v);
                break;
            case 'r':
                if (key_is(key, "role"))
                    p_.role = raw_string(v);
                else if (key_is(key, "result"))
                    return collect_result(v);
                else if (key_is(key, "record_type"))
                    p_.record_type = raw_string(v);
                else if (key_is(key, "replacement_history"))
                    p_.has_replacement = is_array(v);
                break;
            case 's':
                if (key_is(key, "summary")) return !is_array(v) || any_blocks(v, p_.summary);
                if (key_is(key, "status"))
                    p_.status = raw_string(v);
                else if (key_is(key, "success")) {
                    p_.end_status = is_true(v)                     ? ResultStatus::ok
                                    : v.raw_json_token()[0] == 'f' ? ResultStatus::error
                                                                   : ResultStatus::unknown;
                } else if (key_is(key, "source"))
                    return collect_source(v);
                else if (key_is(key, "subagent_history_start_ordinal"))
                    p_.history_start = as_uint(v);
                else if (key_is(key, "stderr") && !raw_string(v).empty())
                    p_.end_text = raw_string(v);
                break;
            case 't':
                if (key_is(key, "type"))
                    p_.type = raw_string(v);
                else if (key_is(key, "tools"))
                    p_.output.json = raw_value(v);
                else if (key_is(key, "turn_id"))
                    p_.turn_id = raw_string(v);
                else if (key_is(key, "timestamp"))
                    p_.time = raw_string(v);
                break;
            case 'u':
                if (key_is(key, "usage")) return collect_counters(v, p_.last);
                break;
            default: break;  // changes, rate_limits, metadata of the turn: not needed
        }
        return true;
    }

private:
    template <JsonValue Value>
    bool collect_instructions(Value& v) {
        if (is_string(v)) p_.prompt_bytes += raw_string(v).size();
        return each_field(v, [this](const char* key, auto& w) {
            if (key_is(key, "text")) p_.prompt_bytes += raw_string(w).size();
            return true;
        });
    }

    static bool is_outcome(const char* key) { return key_is(key, "exit_code") || key_is(key, "error"); }

    // {"message":"…","codex_error_info":"context_window_exceeded"}: why a turn ended.
    template <JsonValue Value>
    void collect_outcome(const char* key, Value& v) {
        if (key_is(key, "exit_code")) return collect_exit_code(v);
        each_field(v, [this](const char* k, auto& w) {
            if (key_is(k, "message") && p_.message.empty())
                p_.message = raw_string(w);
            else if (key_is(k, "codex_error_info"))
                p_.error_info.json = raw_value(w);
            return true;
        });
    }

    // {"content_item_kinds":["user.text","agents_md.instructions",…]}
    template <JsonValue Value>
    bool collect_writer(Value& v) {
        return each_field(v, [this](const char* key, auto& kinds) {
            if (!key_is(key, "content_item_kinds")) return true;
            bool human = false, unknown = false, hook = false, any = false;
            const bool whole = each_element(kinds, [&](auto& element) {
                const std::string_view kind = raw_string(element);
                any = true;
                human |= kind.starts_with("user.");
                hook |= kind.starts_with("hooks.");
                unknown |= kind.empty() || kind == "unknown";
                return true;
            });
            if (human)
                p_.writer = Writer::human;
            else if (any && !unknown)
                p_.writer = hook ? Writer::hook : Writer::program;
            return whole;
        });
    }

    // "cli", "vscode", …; {"subagent":"review"}; {"subagent":{"thread_spawn":{"parent_thread_id":…}}};
    // {"subagent":{"other":"guardian"}}.
    template <JsonValue Value>
    bool collect_source(Value& v) {
        return each_field(v, [this](const char* key, auto& w) {
            if (!key_is(key, "subagent")) return true;
            p_.sub_agent = true;
            if (is_string(w)) sub_agent_kind(raw_string(w));
            return each_field(w, [this](const char* k, auto& x) { return this->collect_sub_agent(k, x); });
        });
    }

    template <JsonValue Value>
    bool collect_sub_agent(const char* key, Value& v) {
        if (key_is(key, "other")) sub_agent_kind(raw_string(v));
        if (!key_is(key, "thread_spawn")) return true;
        return each_field(v, [this](const char* k, auto& w) {
            if (key_is(k, "parent_thread_id"))
                p_.parent = raw_string(w);
            else if (key_is(k, "agent_role"))
                set_label(raw_string(w));
            else if (key_is(k, "agent_nickname") && p_.agent_label.empty())
                set_label(raw_string(w));
            return true;
        });
    }

    void sub_agent_kind(std::string_view kind) {
        if (p_.agent_label.empty()) p_.agent_label = kind;
        p_.housekeeping = kind == "compact" || kind == "memory_consolidation" || kind == "guardian";
    }

    void set_label(std::string_view label) {
        if (!label.empty()) p_.agent_label = label;
    }

    template <JsonValue Value>
    bool collect_info(Value& v) {
        p_.info_null = v.raw_json_token()[0] == 'n';
        return each_field(v, [this](const char* key, auto& w) {
            if (key_is(key, "total_token_usage")) return collect_counters(w, p_.total);
            if (key_is(key, "last_token_usage")) return collect_counters(w, p_.last);
            if (key_is(key, "model_context_window")) p_.window = as_uint(w);
            return true;
        });
    }

    template <JsonValue Value>
    static bool collect_counters(Value& v, Counters& out) {
        out.seen = is_object(v);
        return each_field(v, [&out](const char* key, auto& w) {
            if (key_is(key, "input_tokens"))
                out.input = as_uint(w);
            else if (key_is(key, "cached_input_tokens"))
                out.cached = as_uint(w);
            else if (key_is(key, "output_tokens"))
                out.output = as_uint(w);
            else if (key_is(key, "reasoning_output_tokens"))
                out.reasoning = as_uint(w);
            else if (key_is(key, "total_tokens"))
                out.total = as_uint(w);
            else if (key_is(key, "cache_write_input_tokens") || key_is(key, "cache_write_tokens") ||
                     key_is(key, "cache_creation_input_tokens"))
                out.written = as_uint(w);
            return true;
        });
    }

    template <JsonValue Value>
    void collect_exit_code(Value& v) {
        const std::int64_t code = as_int(v, INT64_MIN);
        if (code < INT32_MIN || code > INT32_MAX) return;
        p_.exit_code = static_cast<int>(code);
        p_.end_status = code == 0 ? ResultStatus::ok : ResultStatus::error;
    }

    // mcp_tool_call_end: {"Ok":{"content":[…],"isError":false}} or {"Err":"…"}.
    template <JsonValue Value>
    bool collect_result(Value& v) {
        return each_field(v, [this](const char* key, auto& w) {
            if (key_is(key, "Err")) {
                p_.end_status = ResultStatus::error;
                p_.end_text = raw_string(w);
            } else if (key_is(key, "Ok")) {
                p_.end_status = ResultStatus::ok;
                return each_field(w, [this](const char* k, auto& x) {
                    if ((key_is(k, "isError") || key_is(k, "is_error")) && is_true(x))
                        p_.end_status = ResultStatus::error;
                    return true;
                });
            }
            return true;
        });
    }

    Payload& p_;
};

}  // namespace

bool collect_blocks(json::value& v, Blocks& out) { return any_blocks(v, out); }
bool collect_duration(json::value& v, std::int64_t& ms) { return any_duration(v, ms); }

bool collect_field(const char* key, json::value& v, Payload& out) { return Collector(out).field(key, v); }
bool collect_field(const char* key, quick::value& v, Payload& out) { return Collector(out).field(key, v); }

}  // namespace agent_audit::readers::rollout
