#pragma once

#include <agent_audit/support/result.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::cli {

/// What an agent hands to its hook.
struct HookPayload {
    std::string event;    ///< "PostToolUse"
    std::string session;  ///< empty: it did not say
    nlohmann::ordered_json fields;
};

inline constexpr std::size_t kLongestPayload = 8u << 20;  ///< bytes

/// An Error says in one line why the text is no payload.
Result<HookPayload> read_payload(std::string_view text);

/// The client that writes such payloads, for --client auto; empty: none is sure.
std::string_view client_of(const HookPayload& payload);

/// Of the calls of a response (PostToolBatch) those that no other event told of stay: the agent turned them down
/// itself. False: there are none.
bool keep_turned_down(HookPayload& payload);

/// The payload as a line of a hook log, with its newline: fields that readers of the log know, long texts cut to their
/// two ends with their length and hash between them, so that equal ones stay equal. `refused`: what our own hook
/// answered instead of letting the call run.
std::string log_line(const HookPayload& payload, std::string_view client, std::int64_t time_ms,
                     std::string_view refused = {});

}  // namespace agent_audit::cli
