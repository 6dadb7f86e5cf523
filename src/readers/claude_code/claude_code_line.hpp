#pragma once

#include "readers/json/json_util.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// A content block of a message.
struct ClaudeCodeBlock {
    std::string_view type;
    std::string_view id;  // tool_use: id; tool_result: tool_use_id
    std::string_view name;
    RawText text;
    CallArgs args;
    Content content;
    std::uint64_t opaque_bytes = 0;
    bool is_error = false;
};

/// What stands in one line, whatever its kind; interpreted when all keys are known.
struct ClaudeCodeLine {
    static constexpr std::size_t kMaxBlocks = 10'000;

    std::string_view type, subtype, uuid, parent_uuid, timestamp, session_id, request_id, agent_id, cwd, version;
    std::string_view parent_tool_use_id, source_tool_use_id, error_text, top_model, scope, ending, error_code,
        agent_type;
    std::string_view reason;                 // why a call was denied, or the status with which a provider refused
    std::string_view refused_call;           // which call that is about; empty: all of the record
    std::string_view origin, prompt_source;  // who wrote what a user record or a queued command says
    bool sidechain = false, has_sidechain = false, meta = false, compact_summary = false, transcript_only = false;
    bool api_error = false, parent_null = false, replay = false;
    bool has_message = false;
    std::string_view message_id, role, model;
    std::vector<ClaudeCodeBlock> blocks;  // reused: grows once
    std::size_t block_count = 0;
    bool dropped_blocks = false;
    RawText text;  // message.content as a string
    bool has_text = false;
    bool has_usage = false, has_totals = false, totals_alone = false;
    TokenCounts usage;
    std::string_view advised;  // the parts of a usage among which an advisor's are
    RawText content;           // top-level content of system records and of what is queued
    RawText attachment;
    std::string_view attachment_type, command_mode;
    RawText shape;  // of a request: its system prompt and its tools
    RawText attachment_prompt, attachment_content;
    std::string_view hook_event;
    RawText rendered;  // what the model is sent of it, where the record says that
    bool attachment_meta = false, has_rendered = false;
    std::string_view data_agent_id;
    RawText data_message;
    // compaction metadata
    std::string_view trigger;
    std::uint64_t pre_tokens = 0, post_tokens = 0, tokens_saved = 0;
    RawText ids;
    std::int64_t duration_ms = -1, retry_in_ms = -1;
    int attempt = 0;
    double cost_usd = -1;  // of the session; with `totals_alone` since the result before
    bool is_error = false;

    void clear() {
        std::vector<ClaudeCodeBlock> keep = std::move(blocks);
        *this = ClaudeCodeLine{};
        blocks = std::move(keep);
    }
    /// Null beyond the limit: a message of a million empty blocks is an attack on our memory, not a message.
    ClaudeCodeBlock* next_block() {
        if (block_count == kMaxBlocks) {
            dropped_blocks = true;
            return nullptr;
        }
        if (block_count == blocks.size()) blocks.emplace_back();
        ClaudeCodeBlock& block = blocks[block_count++];
        block = ClaudeCodeBlock{};
        return &block;
    }
};

/// The kind of denial that a record tells of this result's call ("permission-rule"); empty: none.
std::string_view claude_code_denial(const ClaudeCodeLine& line, const ClaudeCodeBlock& result);

/// How a call failed whose result is marked as an error: refused by a person or a rule, ended with the turn, or an
/// error.
ResultStatus claude_code_failed_as(const ClaudeCodeLine& line, const ClaudeCodeBlock& result);

}  // namespace agent_audit::readers
