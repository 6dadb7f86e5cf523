#pragma once

#include "readers/traces/trace_messages.hpp"

// What tracers keep of a request or a tool, where all they know of it is what went in and what came out: Langfuse,
// Braintrust, Weave.

namespace agent_audit::readers {

/// Fills in what a model was sent and gave back. Either may be messages, an object around them, or words, also as JSON
/// inside a string. Where `counted` is empty, counts that stand in the output are taken.
void tell_observed_request(const TracePart& input, const TracePart& output, const TokenCounts& counted,
                           TraceSpan& span);
/// The same of a tool: its arguments and its result.
void tell_observed_tool(TracePart input, TracePart output, TraceSpan& span);

/// A number, or the same in a string; 0 for anything else.
double number_in(json::value& v);

}  // namespace agent_audit::readers
