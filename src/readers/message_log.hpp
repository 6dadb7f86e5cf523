#pragma once

#include <agent_audit/readers/reader.hpp>

#include <memory>
#include <span>

namespace agent_audit::readers {

/// Chat Completions and Anthropic Messages share their frame: messages with a role, one a record or many in
/// `messages[]`, alone or as requests with their responses. Tools and proxies mix the two, so one reader
/// understands both; detection tells which of them a file is.
std::unique_ptr<RecordReader> make_message_log();

enum class MessageDialect { none, chat_completions, anthropic_messages };

struct MessageLogLook {
    MessageDialect dialect = MessageDialect::none;
    bool sessions = false;        ///< records hold whole conversations
    bool borrowed_frame = false;  ///< the conversation stands in another product's record
    bool odd_roles = false;       ///< roles that no API knows: agents' names
};

/// What a sample looks like; `none` for the many other formats that have a role somewhere.
MessageLogLook look_at_messages(std::span<const ProbeRecord> sample);

}  // namespace agent_audit::readers
