#pragma once

#include "readers/gemini/gemini_line.hpp"

#include <agent_audit/model/event.hpp>

#include <string>

namespace agent_audit::readers {

/// The result of a call of Gemini CLI that has ended. "success" says only that the tool ran: what a command made of it,
/// and whether a person refused the call, stands in the text. `room` has to live as long as the result.
ToolResult gemini_result(const GeminiCall& call, std::string& room);

}  // namespace agent_audit::readers
