#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

// What the contents of messages are made of, as the APIs of model providers and their libraries write it.

namespace agent_audit::readers {

/// A content block, or an entry of tool_calls. Whatever its dialect, its type is told in Anthropic's words.
struct Block {
    std::string_view type, id, name;
    RawText text;
    CallArgs args;
    Content content;  ///< of a result
    std::uint64_t opaque_bytes = 0;
    ResultStatus status = ResultStatus::ok;  ///< of a result; where a dialect has no word for it: unknown
    bool flagged = false;                    ///< a result that says whether it is an error,
    bool unflagged = false;                  ///< or does not, though its dialect would let it
    std::optional<int> exit_code;            ///< of a result that tells it in a field
};

/// Blocks in reused memory. A message of a million empty blocks is an attack on our memory, not a message.
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

bool is_media_block(std::string_view type);
bool is_call_block(std::string_view type);
bool is_result_block(std::string_view type);
bool is_thinking_block(std::string_view type);

/// Reads a block of any dialect: of Anthropic, Chat Completions, Bedrock's Converse, Gemini and the AI SDK. False =
/// malformed.
bool collect_block(json::object object, Block& block, ArgsDigester& args);

}  // namespace agent_audit::readers
