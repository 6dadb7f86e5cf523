#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/event.hpp>

#include <optional>

namespace agent_audit::detectors {

/// The exit code of a result: as recorded, or as its text tells where the producer left all open.
std::optional<int> exit_code_of(const ToolResult& result);

/// Whether a call failed, when nothing is known of the call: what the producer said, the exit code, and then the text.
ResultStatus status_of(const ToolResult& result, std::optional<int> exit_code);

/// The same of a known call, whose tool class, command and tool name are those of `step`. `piped`: a check whose exit
/// code is another command's. A search that found nothing did not fail, and many tools say in words what they leave
/// unset.
ResultStatus status_of(const Step& step, bool piped, const ToolResult& result, std::optional<int> exit_code);

}  // namespace agent_audit::detectors
