#include "readers/cline/cline_result.hpp"

#include "readers/json/format_util.hpp"
#include "readers/json/ids.hpp"

// Tools of the Cline SDK do several things in one call, and answer with one entry for each:
//
//   "content":[{"query":"npm test","result":"","error":"Command failed: …","success":false},
//              {"query":"npm run lint","result":"…","success":true}]
//
// A search that finds nothing is no success either, but has no error.
//
// Roo Code's second version keeps the parts of the AI SDK: "tool-call" with toolCallId, toolName and input,
// "tool-result" with toolCallId and "output":{"type":"text","value":"…"}.

namespace agent_audit::readers {
namespace {

struct Piece {
    std::string_view type, error;
    RawText text;
    std::uint32_t media = 0;
    bool told = false, success = false;

    bool failed() const { return told && !success && !error.empty(); }
    bool is_media() const {
        return type.find("image") != type.npos || type.find("audio") != type.npos || type == "document";
    }
};

bool collect_piece(json::value& v, Piece& piece) {
    if (is_string(v)) {
        piece.text = text_of(raw_string(v));
        return true;
    }
    return each_field(v, [&piece](const char* key, json::value& w) {
        if (key_is(key, "type")) {
            piece.type = raw_string(w);
        } else if (key_is(key, "text") || key_is(key, "content") || key_is(key, "value")) {
            if (is_string(w)) piece.text = text_of(raw_string(w));
        } else if (key_is(key, "result")) {
            const Content result = read_content(w);
            piece.text = result.text;
            piece.media += result.media;
        } else if (key_is(key, "error")) {
            piece.error = raw_string(w);
        } else if (key_is(key, "success")) {
            piece.told = true;
            piece.success = is_true(w);
        }
        return true;
    });
}

// Several texts are told as they stand, which hashes and prints just as well.
struct Pieces {
    std::size_t texts = 0, operations = 0, failed = 0;
    RawText text;
    std::uint32_t media = 0;
    std::string_view failure;

    void add(const Piece& piece) {
        add(piece.text);
        add(text_of(piece.error));
        media += piece.media + (piece.is_media() ? 1 : 0);
        operations += piece.told ? 1 : 0;
        failed += piece.failed() ? 1 : 0;
        if (piece.failed()) failure = piece.error;
    }

    void add(RawText told) {
        if (told.empty()) return;
        text = told;
        ++texts;
    }
};

// What came of a call, in the parts of the AI SDK: {"type":"error-text","value":"…"}.
bool collect_output(json::value& v, ContentBlock& block) {
    if (!is_object(v)) return collect_cline_result(v, block);
    return each_field(v, [&block](const char* key, json::value& w) {
        if (key_is(key, "value")) return collect_cline_result(w, block);
        if (key_is(key, "type")) block.is_error |= raw_string(w).starts_with("error");
        return true;
    });
}

bool collect_field(const char* key, json::value& v, ContentBlock& block, ArgsDigester& args) {
    if (key_is(key, "content")) return collect_cline_result(v, block);
    if (key_is(key, "output")) return collect_output(v, block);
    if (key_is(key, "toolCallId"))
        block.id = raw_string(v);
    else if (key_is(key, "toolName"))
        block.name = raw_string(v);
    else
        return collect_block_field(key, v, block, args);
    return true;
}

}  // namespace

bool collect_cline_result(json::value& v, ContentBlock& block) {
    if (!is_array(v)) {
        block.content = read_content(v);
        return true;
    }
    json::array list;
    std::string_view whole;
    if (v.get_array().get(list) || list.raw_json().get(whole) || list.reset().error()) return false;
    Pieces pieces;
    for (auto item : list) {
        json::value element;
        Piece piece;
        if (std::move(item).get(element) || !collect_piece(element, piece)) return false;
        pieces.add(piece);
    }
    block.content.seen = true;
    block.content.media = pieces.media;
    block.content.text = pieces.texts > 1 ? RawText{whole, TextForm::json_value} : pieces.text;
    if (pieces.operations > 0 && pieces.failed == pieces.operations) block.failure = pieces.failure;
    return true;
}

bool collect_cline_blocks(json::value& v, ContentBlocks& blocks, ArgsDigester& args) {
    if (!is_array(v)) return collect_blocks(v, blocks, args);
    return each_element(v, [&](json::value& element) {
        ContentBlock* block = is_object(element) ? blocks.next() : nullptr;
        if (!block) return true;
        const bool whole =
            each_field(element, [&](const char* key, json::value& w) { return collect_field(key, w, *block, args); });
        if (block->type == "tool-call") block->type = "tool_use";
        if (block->type == "tool-result") block->type = "tool_result";
        return whole;
    });
}

std::uint64_t cline_response_key(std::string_view call, const TokenCounts& tokens) {
    return is_unique_id(call) ? mix_hash(id_hash(call), figures_hash(tokens)) | 1 : 0;
}

}  // namespace agent_audit::readers
