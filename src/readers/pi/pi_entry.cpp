#include "readers/pi/pi_entry.hpp"

#include "readers/json/format_util.hpp"

namespace agent_audit::readers {
namespace {

// A message of a million empty blocks is an attack on our memory, not a message.
constexpr std::size_t kMaxBlocks = 10'000;

}  // namespace

RawText pi_joined_text(const PiBody& body, std::string& joined) {
    RawText only;
    std::size_t texts = 0;
    for (std::size_t i = 0; i < body.block_count; ++i) {
        const PiBlock& block = body.blocks[i];
        if (block.type != "text") continue;
        if (++texts == 1) {
            only = block.text;
            continue;
        }
        if (texts == 2) joined.assign(only.bytes);
        joined += "\\n";
        joined += block.text.bytes;
    }
    return texts > 1 ? text_of(joined) : only;
}

std::uint32_t pi_media_count(const PiBody& body) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < body.block_count; ++i) count += body.blocks[i].type == "image" ? 1 : 0;
    return count;
}

std::uint64_t pi_media_hash(const PiBody& body) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < body.block_count; ++i) {
        if (const std::uint64_t one = body.blocks[i].media_hash; one != 0) hash = mix_hash(hash, one);
    }
    return hash;
}

bool pi_media_stored(const PiBody& body) {
    for (std::size_t i = 0; i < body.block_count; ++i) {
        if (body.blocks[i].type == "image" && !body.blocks[i].media_stored) return false;
    }
    return pi_media_count(body) > 0;
}

bool PiCollector::collect(json::object object) {
    return each_field(object, [this](const char* key, json::value& v) { return collect_field(key, v); });
}

bool PiCollector::collect_field(const char* key, json::value& v) {
    switch (key[0]) {
        case 'b':
            if (key_is(key, "branchedFrom")) entry_.branched_from = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "cwd"))
                entry_.cwd = raw_string(v);
            else if (key_is(key, "customType"))
                entry_.custom_type = raw_string(v);
            else if (key_is(key, "content"))
                return collect_content(v);
            else if (key_is(key, "cause"))
                entry_.cause = raw_string(v);
            else if (key_is(key, "compactionReason"))
                entry_.reason = raw_string(v);
            else if (key_is(key, "createdAt"))
                entry_.time_ms = unix_time(v);
            break;
        case 'd':
            if (key_is(key, "data")) return collect_data(v);
            if (key_is(key, "details")) return collect_message_field(key, v);
            break;
        case 'e':
            if (key_is(key, "evictedContent"))
                collect_evicted(v);
            else
                return collect_message_field(key, v);
            break;
        case 'f':
            if (key_is(key, "firstKeptEntryId"))
                entry_.first_kept_id = raw_string(v);
            else if (key_is(key, "firstKeptEntryIndex"))
                collect_first_kept_index(v);
            break;
        case 'i':
            if (key_is(key, "id"))
                entry_.id = raw_string(v);
            else
                return collect_message_field(key, v);
            break;
        case 'k':
            if (key_is(key, "kind")) entry_.kind = raw_string(v);
            break;
        case 'l':
            if (key_is(key, "lane"))
                entry_.lane = raw_string(v);
            else if (key_is(key, "leafId"))
                entry_.leaf_id = raw_string(v);
            break;
        case 'm':
            if (key_is(key, "message")) {
                entry_.has_message = is_object(v);
                return each_field(v, [this](const char* k, json::value& w) { return collect_message_field(k, w); });
            }
            if (key_is(key, "modelId") || key_is(key, "model")) entry_.model = raw_string(v);
            break;
        case 'p':
            if (key_is(key, "parentId")) {
                entry_.parent_id = raw_string(v);
                entry_.parent_null = is_null(v);
            } else if (key_is(key, "parentSession") || key_is(key, "parentSessionId"))
                entry_.parent_session = raw_string(v);
            else
                return collect_message_field(key, v);
            break;
        case 'r':
            if (key_is(key, "reason")) entry_.reason = raw_string(v);
            if (key_is(key, "result")) return collect_result(v);
            return collect_message_field(key, v);
        case 's':
            if (key_is(key, "summary"))
                entry_.summary = text_of(raw_string(v));
            else if (key_is(key, "systemPrompt"))
                entry_.system_prompt_bytes = raw_value(v).size();
            else if (key_is(key, "stopReason"))
                return collect_message_field(key, v);
            break;
        case 't':
            if (key_is(key, "type"))
                entry_.type = raw_string(v);
            else if (key_is(key, "timestamp"))
                collect_time(v);
            else if (key_is(key, "tokensBefore"))
                entry_.tokens_before = as_uint(v);
            else if (key_is(key, "tokensAfter"))
                entry_.tokens_after = as_uint(v);
            else if (key_is(key, "targetId"))
                entry_.target_id = raw_string(v);
            else
                return collect_message_field(key, v);
            break;
        case 'u':
            if (key_is(key, "usage")) return collect_usage(v, entry_.spent);
            break;
        default: break;
    }
    return true;
}

bool PiCollector::collect_data(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "error")) entry_.data_error = text_of(raw_string(w));
        return true;
    });
}

void PiCollector::collect_first_kept_index(json::value& v) {
    const std::int64_t index = as_int(v, -1);
    entry_.has_first_kept_index = index >= 0;
    if (index >= 0) entry_.first_kept_index = static_cast<std::uint64_t>(index);
}

// Of a compaction, as --mode json prints it.
bool PiCollector::collect_result(json::value& v) {
    return each_field(v, [this](const char* k, json::value& w) {
        if (key_is(k, "summary"))
            entry_.summary = text_of(raw_string(w));
        else if (key_is(k, "firstKeptEntryId"))
            entry_.first_kept_id = raw_string(w);
        else if (key_is(k, "tokensBefore"))
            entry_.tokens_before = as_uint(w);
        else if (key_is(k, "estimatedTokensAfter"))
            entry_.tokens_after = as_uint(w);
        else if (key_is(k, "usage"))
            return collect_usage(w, entry_.spent);
        return true;
    });
}

void PiCollector::collect_time(json::value& v) {
    if (is_string(v))
        entry_.timestamp = raw_string(v);
    else
        entry_.time_ms = unix_time(v);
}

// A fork of pi moves old texts out of the file; the payloads' keys say which.
void PiCollector::collect_evicted(json::value& v) {
    const std::string_view raw = raw_value(v);
    entry_.evicted_args = raw.find(".arguments") != raw.npos;
    entry_.evicted_text = raw.find(".text\"") != raw.npos;
}

bool PiCollector::collect_details(json::value& v) {
    PiBody& m = entry_.body;
    if (!is_object(v)) {
        m.details_json = raw_value(v);
        return true;
    }
    json::object object;
    if (v.get_object().get(object) || object.raw_json().get(m.details_json) || object.reset().error()) return false;
    return each_field(object, [&m](const char* k, json::value& w) {
        if (key_is(k, "status"))
            m.details.status = raw_string(w);
        else if (key_is(k, "sessionId"))
            m.details.session = raw_string(w);
        else if (key_is(k, "exitCode"))
            m.details.exit_code = small_int(w);
        return true;
    });
}

bool PiCollector::collect_message_field(const char* key, json::value& v) {
    PiBody& m = entry_.body;
    switch (key[0]) {
        case 'a':
            if (key_is(key, "attribution")) m.attribution = raw_string(v);
            break;
        case 'c':
            if (key_is(key, "content")) return collect_content(v);
            if (key_is(key, "command") || key_is(key, "code"))
                m.command = text_of(raw_string(v));
            else if (key_is(key, "cancelled"))
                m.cancelled = is_true(v);
            break;
        case 'd':
            if (key_is(key, "details")) return collect_details(v);
            break;
        case 'e':
            if (key_is(key, "errorMessage"))
                m.error = text_of(raw_string(v));
            else if (key_is(key, "exitCode"))
                m.exit_code = small_int(v);
            else if (key_is(key, "excludeFromContext"))
                m.hidden = is_true(v);
            break;
        case 'f':
            if (key_is(key, "files")) return collect_files(v);
            break;
        case 'i':
            if (key_is(key, "isError")) m.is_error = is_true(v);
            break;
        case 'm':
            if (key_is(key, "model")) m.model = raw_string(v);
            break;
        case 'o':
            if (key_is(key, "output")) m.output = text_of(raw_string(v));
            break;
        case 'p':
            if (key_is(key, "provider"))
                m.provider = raw_string(v);
            else if (key_is(key, "provenance"))
                return collect_provenance(v);
            break;
        case 'r':
            if (key_is(key, "role"))
                m.role = raw_string(v);
            else if (key_is(key, "responseId"))
                m.response_id = raw_string(v);
            break;
        case 's':
            if (key_is(key, "stopReason"))
                m.stop_reason = raw_string(v);
            else if (key_is(key, "summary"))
                m.summary = text_of(raw_string(v));
            break;
        case 't':
            if (key_is(key, "toolCallId"))
                m.call_id = raw_string(v);
            else if (key_is(key, "toolName"))
                m.tool_name = raw_string(v);
            else if (key_is(key, "timestamp"))
                m.time_ms = unix_time(v);
            break;
        case 'u':
            if (key_is(key, "usage")) return collect_usage(v, entry_.body.spent);
            break;
        default: break;
    }
    return true;
}

bool PiCollector::collect_provenance(json::value& v) {
    return each_field(v, [this](const char* key, json::value& w) {
        if (key_is(key, "kind")) entry_.body.provenance = raw_string(w);
        return true;
    });
}

bool PiCollector::collect_usage(json::value& v, PiSpent& spent) {
    return each_field(v, [&spent](const char* key, json::value& n) {
        TokenCounts& tokens = spent.tokens;
        if (key_is(key, "input"))
            tokens.input = as_uint(n);
        else if (key_is(key, "output"))
            tokens.output = as_uint(n);
        else if (key_is(key, "cacheRead"))
            tokens.cache_read = as_uint(n);
        else if (key_is(key, "cacheWrite"))
            tokens.cache_write = as_uint(n);
        else if (key_is(key, "cacheWrite1h"))
            tokens.cache_write_1h = as_uint(n);
        else if (key_is(key, "reasoning"))
            tokens.reasoning = as_uint(n);
        else if (key_is(key, "cost")) {
            if (!is_object(n)) spent.cost_usd = number_or(n, 0);
            return each_field(n, [&spent](const char* k, json::value& c) {
                if (key_is(k, "total")) spent.cost_usd = number_or(c, 0);
                return true;
            });
        }
        return true;
    });
}

bool PiCollector::collect_content(json::value& v) {
    PiBody& m = entry_.body;
    m.has_content = true;
    if (is_string(v)) {
        text_block(raw_string(v));
        return true;
    }
    return each_element(v, [this](json::value& element) {
        if (is_string(element)) {
            text_block(raw_string(element));
            return true;
        }
        json::object object;
        if (!is_object(element)) return true;
        if (element.get_object().get(object)) return false;
        PiBlock* block = next_block();
        return !block || collect_block(object, *block);
    });
}

// What a prompt mentions, read by the program: a text each.
bool PiCollector::collect_files(json::value& v) {
    entry_.body.has_content = true;
    return each_element(v, [this](json::value& file) {
        return each_field(file, [this](const char* key, json::value& w) {
            if (key_is(key, "content")) {
                if (const std::string_view text = raw_string(w); !text.empty()) text_block(text);
            } else if (key_is(key, "image")) {
                if (PiBlock* block = next_block()) block->type = "image";
            }
            return true;
        });
    });
}

void PiCollector::text_block(std::string_view text) {
    if (PiBlock* block = next_block()) {
        block->type = "text";
        block->text = text_of(text);
    }
}

PiBlock* PiCollector::next_block() {
    PiBody& m = entry_.body;
    if (m.block_count == kMaxBlocks) {
        ++m.dropped_blocks;
        return nullptr;
    }
    if (m.block_count == m.blocks.size()) m.blocks.emplace_back();
    PiBlock& block = m.blocks[m.block_count++];
    block = PiBlock{};
    return &block;
}

bool PiCollector::collect_block(json::object object, PiBlock& block) {
    bool late_name = false;
    const bool good = each_field(object, [&](const char* key, json::value& v) {
        switch (key[0]) {
            case 'a':
                if (!key_is(key, "arguments") || is_null(v)) break;
                if (block.name.empty())
                    late_name = true;
                else
                    block.args = args_.digest_value(block.name, v);
                break;
            case 'd':
                if (key_is(key, "data") && block.type == "redactedThinking") block.opaque_bytes = raw_string(v).size();
                if (key_is(key, "data") && block.type == "image") {
                    const std::string_view data = raw_string(v);
                    block.media_hash = stable_hash(data);
                    block.media_stored = is_media(data);
                }
                break;
            case 'i':
                if (key_is(key, "id")) block.id = raw_string(v);
                break;
            case 'n':
                if (key_is(key, "name")) block.name = raw_string(v);
                break;
            case 'p':
                if (key_is(key, "partialJson")) block.cut = true;
                break;
            case 't':
                if (key_is(key, "type"))
                    block.type = raw_string(v);
                else if (key_is(key, "text") || key_is(key, "thinking"))
                    block.text = text_of(raw_string(v));
                else if (key_is(key, "thinkingSignature"))
                    block.opaque_bytes = raw_string(v).size();
                break;
            default: break;
        }
        return true;
    });
    if (!good || !late_name) return good;
    return digest_late(object, block.name, args_, block.args, [](const char* key) { return key_is(key, "arguments"); });
}

}  // namespace agent_audit::readers
