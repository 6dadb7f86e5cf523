#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>
#include <string_view>

/// Kinds of records that pi, OpenClaw and their forks write, among them those that say nothing of the conversation.
namespace agent_audit::readers {

/// The `type` of an entry of a session. A file may begin with any of them, without a header.
bool pi_entry_type(std::string_view type);

/// The `type` of a note that a fork keeps for itself.
bool pi_fork_note(std::string_view type);

/// The `type` of a record that `pi --mode json` prints around a message: it prints every message when it is whole
/// (message_end), and before and around it what becomes of it.
bool pi_stream_state(std::string_view type);

/// What becomes of each kind of record, for the reference.
std::span<const RecordKindDoc> pi_kind_docs();

}  // namespace agent_audit::readers
