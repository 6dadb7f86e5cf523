#pragma once

#include "readers/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::readers {

// A content block, or an entry of tool_calls.
struct Block {
    std::string_view type, id, name;
    RawText text;
    CallArgs args;
    Content content;
    std::uint64_t opaque_bytes = 0;
    bool is_error = false;
};

// Blocks in reused memory. A message of a million empty blocks is an attack on our memory, not a message.
class Blocks {
public:
    static constexpr std::size_t kMax = 10'000;

    Block* next() {
        if (used_ == kMax) {
            dropped_ = true;
            return nullptr;
        }
        if (used_ == all_.size()) all_.emplace_back();
        Block& block = all_[used_++];
        block = Block{};
        return &block;
    }
    void clear() {
        used_ = 0;
        dropped_ = false;
    }
    std::span<const Block> all() const { return {all_.data(), used_}; }
    bool dropped() const { return dropped_; }

private:
    std::vector<Block> all_;
    std::size_t used_ = 0;
    bool dropped_ = false;
};

struct UsageFields {
    bool seen = false, cache_inside = false;
    std::uint64_t prompt = 0, output = 0, cache_read = 0, cache_write = 0, cache_write_1h = 0, reasoning = 0;
    double cost_usd = 0;

    // Chat Completions counts cached tokens inside the prompt, Anthropic beside it.
    TokenCounts tokens() const {
        TokenCounts t{prompt, cache_write, cache_read, output, reasoning, cache_write_1h};
        if (cache_inside) {
            t.cache_read = std::min(cache_read, prompt);
            t.cache_write = std::min(cache_write, prompt - t.cache_read);
            t.input = prompt - t.cache_read - t.cache_write;
        }
        return t;
    }
};

// One message, collected in document order; interpreted when all keys are known.
struct Parts {
    std::string_view role, name, id, call_id, model, status;
    RawText refusal, reasoning;
    Blocks blocks, calls;
    bool has_content = false, has_error_flag = false, is_error = false;
    std::optional<int> exit_code;
    UsageFields usage;
    std::int64_t time_ms = kNoTime;

    void clear() {
        Blocks keep_blocks = std::move(blocks);
        Blocks keep_calls = std::move(calls);
        *this = Parts{};
        blocks = std::move(keep_blocks);
        calls = std::move(keep_calls);
        blocks.clear();
        calls.clear();
    }
};

bool is_media_block(std::string_view type);
bool is_call_block(std::string_view type);
bool is_result_block(std::string_view type);
bool is_thinking_block(std::string_view type);
/// A block of its own in which a client says something beside what a person typed.
bool is_reminder(const Block& block);

/// A call among the blocks of its content, as Anthropic writes them.
bool has_calls(const Parts& message);
/// How many pictures and files stand in it.
std::uint32_t media_count(const Parts& message);

enum class SpokenBlocks : unsigned char { all, reminders, but_reminders };
/// The texts that are said in a message, neither thoughts nor results, as one: nearly always there is only one. Where
/// there are more they are put together in `buffer`, which has to outlive what is returned.
RawText joined_text(const Parts& message, SpokenBlocks which, std::string& buffer);

/// Takes one field of a message, as any of the dialects spells it. False = malformed.
bool collect_part(const char* key, json::value& value, Parts& parts, ArgsDigester& args);

/// What a message says, whatever its spelling: logs that repeat the history move cache marks around, turn strings into
/// blocks and drop the reasoning.
std::uint64_t history_hash(const Parts& message);

}  // namespace agent_audit::readers
