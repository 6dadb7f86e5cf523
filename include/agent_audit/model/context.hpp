#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/money.hpp>
#include <agent_audit/model/tokens.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// What a prompt is made of. The order is that of every output.
enum class ContextPart : std::uint8_t {
    system,     ///< system messages, and what the recording does not show: system prompt and tool definitions
    user,       ///< messages in the user's role, those of a harness included
    assistant,  ///< what the model wrote
    reasoning,
    arguments,  ///< of tool calls
    results,    ///< of tool calls
    images,
    carried,  ///< what a compaction left over: its summary and the messages it kept; or what is left of a prompt that
              ///< shrank untold
};
inline constexpr std::size_t kContextParts = 8;
constexpr std::string_view name(ContextPart part) {
    constexpr std::array<std::string_view, kContextParts> kNames{"system",    "user",    "assistant", "reasoning",
                                                                 "arguments", "results", "images",    "carried"};
    return kNames[static_cast<std::size_t>(part)];
}
using PartTokens = std::array<std::uint64_t, kContextParts>;

/// Why a request could not read from the prompt cache what the request before it had put there.
enum class CacheMiss : std::uint8_t {
    none,
    pause,       ///< the entry's time was over
    model,       ///< another model than the request before
    compaction,  ///< the history was compacted
    edit,        ///< something before the end was changed: system prompt, rewind, cleared results
    history,  ///< its beginning, system prompt and tools, was still read; what follows was not, for no recorded reason
    unknown,
};
inline constexpr std::size_t kCacheMisses = 7;
constexpr std::string_view name(CacheMiss miss) {
    constexpr std::array<std::string_view, kCacheMisses> kNames{"none", "pause",   "model",  "compaction",
                                                                "edit", "history", "unknown"};
    return kNames[static_cast<std::size_t>(miss)];
}

/// What is known of a request besides its place: from the bill, and from what is known of its model.
struct RequestFigures {
    TokenCounts tokens;
    std::uint64_t context = 0;       ///< length of the prompt
    std::uint64_t window = 0;        ///< 0 = unknown
    std::uint64_t model = 0;         ///< equal for equal models
    std::uint32_t cache_ttl_s = 0;   ///< life of a cache entry, the shortest that can be had
    std::uint64_t resend_price = 0;  ///< of one token that is sent anew instead of read from the cache, what it costs
                                     ///< more; as Money::parts(); 0 = unknown, or next to nothing was sent anew
    std::optional<Money> session_cost;  ///< of the session up to here, by list price; nothing = unknown
};

/// A request in its lane.
struct ContextRequest {
    RequestFigures figures;
    SourceSpan where;
    std::uint64_t seq = 0;
    std::int64_t time_ms = kNoTime;
    std::uint64_t ordinal = 0;         ///< among the requests of the lane, from 1
    std::uint64_t context_before = 0;  ///< prompt of the request before; 0 = none
    std::uint32_t compactions = 0;     ///< compactions of the lane before this
    bool compacted_by_hand = false;    ///< the last of them was asked for by a human
    CacheMiss miss = CacheMiss::none;
    std::uint64_t missed_tokens = 0;  ///< sent again though the request before had put them into the cache
    std::int64_t pause_ms = -1;       ///< since the request before; -1 = unknown
    double tokens_per_byte = 0;       ///< of recorded text in this lane, as far as the requests so far show it
    std::uint64_t recent_share_percent =
        100;  ///< of the prompt: what came, or was looked at again, in the recent requests
};

/// Something that takes up room in a prompt, by name.
struct ContextUser {
    std::string name;
    std::uint64_t tokens = 0;
    std::uint64_t results = 0;
};

/// How one conversation used its window.
struct LaneContext {
    static constexpr std::size_t kPoints = 16;
    static constexpr std::size_t kUsers = 5;

    std::uint32_t lane = 0;
    std::uint64_t requests = 0;
    std::uint64_t window = 0;  ///< 0 = unknown
    std::uint64_t first = 0, last = 0, peak = 0;
    std::uint64_t peak_line = 0;
    std::uint64_t grown = 0;  ///< tokens by which requests were longer than the one before, added up
    PartTokens parts{};       ///< of the fullest prompt; estimated from sizes, adds up to `peak`
    bool shrank_untold =
        false;  ///< what `parts` has as carried was left by no compaction: a prompt was shorter, and nothing says why
    std::vector<ContextUser> tools;  ///< most room first, at most kUsers
    std::vector<ContextUser> files;
    std::uint64_t rereads = 0;        ///< results that were in the window already, unchanged
    std::uint64_t reread_tokens = 0;  ///< estimated
    std::uint64_t compactions = 0;    ///< a history that was thrown away as a whole is none
    std::uint64_t freed = 0;          ///< tokens that compactions took out, as far as it is known
    std::uint64_t prompt = 0;         ///< tokens of all prompts
    std::uint64_t cache_read = 0;     ///< of them, read from the cache
    std::array<std::uint64_t, kCacheMisses> misses{}, missed_tokens{};  ///< by CacheMiss
    std::vector<std::uint64_t> course;  ///< of each few requests in a row the longest prompt; at most kPoints
};

/// One of the dearest requests of a session.
struct DearRequest {
    std::uint32_t lane = 0;
    std::uint64_t line = 0;
    TokenCounts tokens;
    Money cost;
};

/// How the window of a session was used, lane by lane.
struct ContextReport {
    static constexpr std::size_t kLanes = 32;

    std::vector<LaneContext> lanes;    ///< those with recorded requests, by number; the fullest kLanes
    std::vector<DearRequest> dearest;  ///< most first, at most 3
};

}  // namespace agent_audit
