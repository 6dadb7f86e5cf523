#pragma once

#include <agent_audit/model/text.hpp>

#include <string>

namespace agent_audit::readers {

/// What an MCP tool or another said, without the marks around it (see gemini_marks.hpp); of an MCP tool's failure, out
/// of the sentence that Gemini CLI and its relatives write around it:
///
///   MCP tool 'push_files' reported tool error for function call: {"name":"push_files","args":{…}}
///   with response: [{"functionResponse":{…"content":[{"type":"text","text":"409 Git Repository is
///   empty."}],"isError":true}}}]
///
/// The arguments, megabytes perhaps, stand in the call already. What is written in no such form is given back whole.
/// `room` has to live as long as the answer.
RawText mcp_answer(RawText answer, std::string& room);

}  // namespace agent_audit::readers
