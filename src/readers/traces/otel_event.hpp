#pragma once

#include "readers/traces/trace_reader.hpp"

#include <cstdint>
#include <span>
#include <string_view>

// What coding agents tell of themselves through OpenTelemetry's logs, one record for each thing that was done:
//
//   claude_code.user_prompt   {"session.id":"…","prompt":"…"}                     or <REDACTED>, by default
//   claude_code.api_request   {"model":"…","input_tokens":9,"output_tokens":4,"cache_read_tokens":0,"cost_usd":0.01}
//   claude_code.tool_result   {"tool_name":"Bash","success":"true","duration_ms":5,"tool_parameters":"{…}"}
//   codex.user_prompt, codex.sse_event (response.completed), codex.tool_result    {"conversation.id":"…","output":"…"}
//   gemini_cli.user_prompt, gemini_cli.api_response, gemini_cli.tool_call {"function_name":"…","function_args":"{…}"}
//
// The words of the model are in none of them.

namespace agent_audit::readers {

/// An attribute of a log record: the inside of a string, or a number as it stands.
struct OtelField {
    std::string_view name, text;
};

/// Whether a name is one that such an agent gives its events.
bool is_agent_event(std::string_view name);

/// What the record tells, as a span of its own whose id is `id`. False: nothing that is of use here.
bool read_agent_event(std::string_view name, std::span<const OtelField> fields, std::int64_t time_ns,
                      std::string_view id, TraceSpan& span);

}  // namespace agent_audit::readers
