#pragma once

#include "readers/claude_code/claude_code_line.hpp"

#include <agent_audit/model/event.hpp>

#include <string_view>

/// Who speaks in a record of Claude Code's, and what of it the model is sent.
namespace agent_audit::readers {

/// Of a text in a user record. `beside_results`: results of calls stand in the same record.
Origin claude_code_origin(const ClaudeCodeLine& line, std::string_view text, bool beside_results, bool of_sub_agent);

/// Of a command that was queued.
Origin claude_code_queued_origin(const ClaudeCodeLine& line);

/// Of an attachment; nothing, where the model is sent nothing of it. Not all versions say what it is sent.
RawText claude_code_sent_of_attachment(const ClaudeCodeLine& line);

}  // namespace agent_audit::readers
