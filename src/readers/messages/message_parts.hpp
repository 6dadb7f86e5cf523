#pragma once

#include "readers/json/json_util.hpp"
#include "readers/messages/message_block.hpp"
#include "readers/messages/message_usage.hpp"

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

/// A block of its own in which a client says something beside what a person typed.
bool is_reminder(const Block& block);

/// A block that says what it is, and is nothing we can read: it has neither words nor anything else we know.
bool is_unknown_block(const Block& block);

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
