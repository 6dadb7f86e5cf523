#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/tokens.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace agent_audit::readers::rollout {

/// One content array (or string) of a message or a reasoning item.
struct Blocks {
    RawText text;            // the only text block, or the raw array when there are several
    RawText human;           // the same over the blocks that a human may have written
    std::string_view first;  // the first text block
    std::uint32_t texts = 0;
    std::uint32_t humans = 0;
    std::uint32_t media = 0;
    std::uint64_t media_hash = 0;  // ToolResult::media_hash
    bool media_stored = false;     // ToolResult::media_stored
    bool seen = false;
};

/// A total_token_usage or last_token_usage object as recorded: cached is a part of input.
struct Counters {
    std::uint64_t input = 0, cached = 0, written = 0, output = 0, reasoning = 0, total = 0;
    bool seen = false;

    bool all_zero() const { return input == 0 && cached == 0 && written == 0 && output == 0 && reasoning == 0; }
    TokenCounts counts() const {
        const std::uint64_t read = std::min(cached, input);
        const std::uint64_t write = std::min(written, input - read);
        return {input - read - write, write, read, output, reasoning};
    }
    bool operator==(const Counters&) const = default;
};

/// Where a value of an unknown type was: kept as raw JSON and looked at again once the record's kind is known.
struct Raw {
    std::string_view json;

    bool seen() const { return !json.empty(); }
    bool is_string() const { return json.size() >= 2 && json[0] == '"'; }
    std::string_view inside() const { return is_string() ? json.substr(1, json.size() - 2) : std::string_view{}; }
};

/// Who wrote the blocks of a message, as newer versions say it for each. A human wrote one of them at least, or none;
/// of blocks of an unknown kind their text has to tell.
enum class Writer : std::uint8_t { unknown, human, program, hook };

/// The payload (or the bare line of the old layout), collected in document order, interpreted afterwards: `type`
/// may come last. The fields of all kinds together; only what is needed of each.
struct Payload {
    std::string_view type, role, id, name, space, call_id, status, message, kind, turn_id;
    std::string_view cwd, model, version, forked_from, parent, agent_label, record_type, time, approval_policy;
    Blocks content, summary;
    Raw arguments, action, output, input, error_info, item;
    Raw changes, invocation;  // of a patch, of a call of a server
    std::uint64_t opaque_bytes = 0, prompt_bytes = 0, instruction_bytes = 0, num_turns = 0;
    std::int64_t duration_ms = -1;
    Counters total, last;
    std::uint64_t window = 0;
    std::uint64_t history_start = 0;  // the first record of a sub-agent's own, by number; those before were copied
    bool paginated = false;           // what calls came to is kept as items
    bool history_elsewhere = false;   // what came before a fork stays in the file that it was forked from
    Writer writer = Writer::unknown;
    bool info_null = false;
    bool has_replacement = false;
    bool has_git = false, has_instructions = false;
    bool sub_agent = false, housekeeping = false;
    ResultStatus end_status = ResultStatus::unknown;  // from success / result / exit_code of an *_end event
    std::optional<int> exit_code;
    std::string_view end_text;
};

/// Takes one field of a payload. False when its JSON is broken.
bool collect_field(const char* key, json::value& v, Payload& out);
bool collect_field(const char* key, quick::value& v, Payload& out);

/// Takes a content array, or a string in its place; other types are left alone. False when its JSON is broken.
bool collect_blocks(json::value& v, Blocks& out);

/// {"secs":1,"nanos":250000000} as milliseconds; other values are left alone. False when its JSON is broken.
bool collect_duration(json::value& v, std::int64_t& ms);

}  // namespace agent_audit::readers::rollout
