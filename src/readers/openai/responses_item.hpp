#pragma once

#include "readers/json/format_util.hpp"

#include <span>
#include <string_view>

// The items of OpenAI's Responses API, as they stand in requests, in responses and alone.

namespace agent_audit::readers::responses {

/// One item, collected in document order. Arguments and outputs stay raw: most items of a request were read before, and
/// what is repeated is not worth digesting.
struct Item {
    std::string_view type, role, id, call_id, name, server, status, agent;
    RawText text;     ///< the only text of the content, or the whole content
    RawText summary;  ///< of a reasoning item
    std::uint32_t media = 0;
    std::uint64_t opaque_bytes = 0, tool_bytes = 0;
    std::uint64_t words = 0;               ///< hash of the texts, however they are wrapped
    std::string_view args, output, error;  ///< raw JSON
    bool has_content = false;
    bool unwrapped = false;  ///< found inside of what the Agents SDK puts around it

    /// An input message may come without its type.
    bool is_message() const { return type == "message" || (type.empty() && !role.empty() && has_content); }
    /// Items that requests leave out, shorten or replace when they repeat a conversation.
    bool is_comparable() const { return type != "reasoning" && type != "item_reference" && type != "compaction"; }
    /// What it says, whatever its ids and wrapping.
    std::uint64_t hash() const;
};

/// Takes one field of an item. False when its JSON is broken.
bool collect(const char* key, json::value& v, Item& item);

/// What stands around the items of a request or a response.
struct Frame {
    std::string_view object, model, previous, conversation, response_id, reason;
    std::uint64_t instruction_bytes = 0;
    TokenCounts tokens;
    std::int64_t time_ms = kNoTime;
    bool has_usage = false;
};

/// Takes one field of a frame, if it is one. False when its JSON is broken.
bool collect(const char* key, json::value& v, Frame& frame);

/// {"input_tokens":9,"input_tokens_details":{"cached_tokens":5},"output_tokens":2}, or the same in camel case. False
/// when its JSON is broken.
bool collect_usage(json::value& v, TokenCounts& tokens);

/// The types of items, sorted.
bool is_item_type(std::string_view type);
/// Types that no other format has.
bool is_own_type(std::string_view type);

Score score(std::span<const ProbeRecord> sample, Framing framing);

}  // namespace agent_audit::readers::responses
