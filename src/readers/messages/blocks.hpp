#pragma once

#include "readers/json/format_util.hpp"

#include <string_view>

// Contents in Anthropic's blocks, which several agents keep in frames of their own.

namespace agent_audit::readers {

struct ContentBlock {
    std::string_view type, id, name, status;
    RawText text, summary;
    CallArgs args;
    Content content;
    std::string_view failure;  // Cline's SDK: why all that a call was to do failed
    std::uint64_t opaque_bytes = 0;
    bool is_error = false, media = false, hidden = false;
};

using ContentBlocks = Reused<ContentBlock>;

/// What became of a call, as Amp writes it.
inline bool collect_run(json::value& v, ContentBlock& block) {
    return each_field(v, [&block](const char* key, json::value& w) {
        if (key_is(key, "status"))
            block.status = raw_string(w);
        else if (key_is(key, "result") || key_is(key, "error")) {
            if (!is_null(w)) block.content.text = any_text(w);
        }
        return true;
    });
}

/// One field of a block. False means broken JSON.
inline bool collect_block_field(const char* key, json::value& w, ContentBlock& block, ArgsDigester& args) {
    switch (key[0]) {
        case 'a':
            if (key_is(key, "args") && !is_null(w)) block.args = args.digest_value({}, w);
            break;
        case 'c':
            if (key_is(key, "content") || key_is(key, "contents")) block.content = read_content(w);
            break;
        case 'd':
            if (key_is(key, "data")) block.opaque_bytes = raw_string(w).size();
            break;
        case 'h':
            if (key_is(key, "hidden")) block.hidden = is_true(w);
            break;
        case 'i':
            if (key_is(key, "id"))
                block.id = raw_string(w);
            else if (key_is(key, "input")) {
                if (!is_null(w)) block.args = args.digest_value({}, w);
            } else if (key_is(key, "is_error") || key_is(key, "isError"))
                block.is_error = is_true(w);
            break;
        case 'n':
            if (key_is(key, "name")) block.name = raw_string(w);
            break;
        case 'r':
            if (key_is(key, "run")) return collect_run(w, block);
            break;
        case 's':
            if (key_is(key, "signature"))
                block.opaque_bytes = raw_string(w).size();
            else if (key_is(key, "source"))
                block.media = true;
            else if (key_is(key, "summary")) {
                if (is_string(w)) block.summary = text_of(raw_string(w));
                return each_field(w, [&block](const char* k, json::value& x) {
                    if (key_is(k, "summary")) block.summary = text_of(raw_string(x));
                    return true;
                });
            }
            break;
        case 't':
            if (key_is(key, "type"))
                block.type = raw_string(w);
            else if (key_is(key, "text") || key_is(key, "thinking")) {
                if (is_string(w)) block.text = text_of(raw_string(w));
            } else if (key_is(key, "tool_use_id") || key_is(key, "toolUseID") || key_is(key, "toolUseId"))
                block.id = raw_string(w);
            else if (key_is(key, "toolRun"))
                return collect_run(w, block);
            break;
        default: break;
    }
    return true;
}

inline bool collect_block(json::value& v, ContentBlock& block, ArgsDigester& args) {
    return each_field(v, [&](const char* key, json::value& w) { return collect_block_field(key, w, block, args); });
}

/// Collects a string or an array of blocks. False means broken JSON.
inline bool collect_blocks(json::value& v, ContentBlocks& blocks, ArgsDigester& args) {
    if (is_string(v)) {
        if (ContentBlock* block = blocks.next()) {
            block->type = "text";
            block->text = text_of(raw_string(v));
        }
        return true;
    }
    return each_element(v, [&](json::value& element) {
        ContentBlock* block = is_object(element) ? blocks.next() : nullptr;
        return !block || collect_block(element, *block, args);
    });
}

inline ToolResult result_of(const ContentBlock& block) {
    ToolResult result;
    result.call_id = text_of(block.id);
    result.text = block.content.text;
    result.media_count = block.content.media;
    result.media_hash = block.content.media_hash;
    result.media_stored = block.content.media_stored;
    result.opaque = result.text.empty() && result.media_count > 0;
    result.status = block.is_error ? ResultStatus::error : ResultStatus::ok;
    return result;
}

}  // namespace agent_audit::readers
