#pragma once

#include "detectors/commands/command_class.hpp"
#include "detectors/commands/tool_names.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <span>
#include <string_view>

namespace agent_audit::detectors {

/// The words for a ToolClass, in its order.
std::span<const std::string_view> tool_class_names();

/// Does a call type nothing but Ctrl-C, and so end what runs? `fields`: as ToolCall::fields.
bool stops_program(RawText primary, RawText args, std::span<const CallField> fields = {});

/// The name of the running command that a call with these arguments asks after (write_stdin); empty = none is told.
std::string_view session_asked(std::string_view args);

/// Class of one call.
ToolClass classify_call(const ToolNameClass& name, RawText primary, RawText args);

}  // namespace agent_audit::detectors
