#pragma once

#include "report/json/json_writer.hpp"

#include <agent_audit/pipeline/replay.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace agent_audit::cli {

/// What `replay -f json` writes (schema replay).
void write_replay(report::JsonWriter& json, const ReplayOutcome& outcome, const std::optional<RemoteUse>& summarizer);
/// One line of `replay --turns` (schema replay-turns).
void write_turn(report::JsonWriter& json, std::size_t session, std::string_view context, const simulator::TurnRow& row);

}  // namespace agent_audit::cli
