#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>
#include <string_view>

/// Kinds of Codex's records, among them those that tell nothing more: other records say the same, or nothing of it
/// reaches the model.
namespace agent_audit::readers {

/// By the `type` of a whole record.
bool codex_ignored_record(std::string_view type);

/// By the `type` of an event message: copies for the screen, progress, approvals.
bool codex_ignored_event(std::string_view type);

/// By the `type` of a response item.
bool codex_ignored_item(std::string_view type);

/// What becomes of each kind of record, for the reference.
std::span<const RecordKindDoc> codex_kind_docs();

/// The same of files from before September 2025.
std::span<const RecordKindDoc> codex_legacy_kind_docs();

}  // namespace agent_audit::readers
