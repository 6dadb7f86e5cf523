#pragma once

#include <agent_audit/readers/reader.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace agent_audit::readers {

/// The APIs of model providers share their frame: messages with a role, one a record or many in an array, alone or as
/// requests with their responses. Tools and proxies mix Chat Completions and Anthropic Messages, so one reader
/// understands all dialects (message_block.hpp); detection tells which of them a file is.
///
/// Where a session has no structured calls, those that stand in the texts count when the next message answers them
/// (text_calls.hpp).
std::unique_ptr<RecordReader> make_message_log();
inline constexpr std::string_view kMessageArrays[] = {"messages", "contents", "traj"};
/// The same for histories of agent teams, which keep their messages in `history[]` or `chat_history[]` as well.
std::unique_ptr<RecordReader> make_history_log();
inline constexpr std::string_view kHistoryArrays[] = {"messages", "contents", "history", "chat_history", "traj"};

enum class MessageDialect : std::uint8_t {
    none,
    chat_completions,
    anthropic_messages,
    bedrock_converse,
    gemini_api,
    ai_sdk
};

struct MessageLogLook {
    MessageDialect dialect = MessageDialect::none;
    bool sessions = false;   ///< records hold whole conversations
    bool odd_roles = false;  ///< roles that no API knows: agents' names
};

struct HistoryLook {
    bool documents = false;  ///< records with a history[] of messages
    bool team = false;       ///< messages of agents with names, one a record
};
HistoryLook look_at_history(std::span<const ProbeRecord> sample);

/// What a sample looks like; `none` for the many other formats that have a role somewhere.
MessageLogLook look_at_messages(std::span<const ProbeRecord> sample);

}  // namespace agent_audit::readers
