#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>
#include <string_view>

/// Kinds of events that Copilot CLI writes: which of them say nothing of the conversation, what becomes of the others,
/// and by which of them its files are known.
namespace agent_audit::readers {

/// The only one of the records on the model's calls that tells more than the conversation: the others repeat it.
inline constexpr std::string_view kCopilotModelCall = "model.model_call_success";

/// Whether events of this `type` tell nothing the audit needs. The one above begins as some of these do: look for it
/// first.
bool copilot_tells_nothing(std::string_view type);

/// How much a few records look like events of Copilot CLI.
Score copilot_cli_score(std::span<const ProbeRecord> sample, Framing framing);

/// What becomes of each kind of event, for the reference.
std::span<const RecordKindDoc> copilot_cli_kind_docs();

}  // namespace agent_audit::readers
