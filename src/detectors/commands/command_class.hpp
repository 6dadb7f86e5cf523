#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstddef>

namespace agent_audit::detectors {

/// Bytes of a command by which it is classed: heredocs and inline scripts behind them can be huge.
inline constexpr std::size_t kClassedBytes = 384;

/// What a shell command does: split at && || ; | and newlines, each part judged by its first words.
/// A pause followed by a look is a poll; a pause alone is a wait.
ToolClass classify_command(RawText command);

}  // namespace agent_audit::detectors
