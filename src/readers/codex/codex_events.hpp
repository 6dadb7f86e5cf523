#pragma once

#include "readers/codex/codex_payload.hpp"

#include <agent_audit/model/event.hpp>

#include <optional>

/// Events that one record of a rollout tells by itself, whatever came before it: most of them are rare. All texts are
/// views of the record.
namespace agent_audit::readers {

/// Of a session_meta record, which says nothing of whether the session is resumed.
SessionStart codex_session_start(const rollout::Payload& p);

/// Of a history that gave way to a summary, or to another history.
Compaction codex_compaction(const rollout::Payload& p);

/// Of a message from another agent. Nothing: its record has no content.
std::optional<Message> codex_agent_message(const rollout::Payload& p);

/// Of a thread that was rolled back. Nothing: its record does not say how far.
std::optional<Rewind> codex_rewind(const rollout::Payload& p);

/// Of an event that tells how a call ended whose output stands further up.
ToolResult codex_update(const rollout::Payload& p);

/// Of an error or a warning. Nothing: its record has no words.
std::optional<Notice> codex_notice(const rollout::Payload& p, NoticeLevel level, NoticeLayer layer);

}  // namespace agent_audit::readers
