#pragma once

#include "readers/messages/blocks.hpp"

namespace agent_audit::readers {

/// Collects the contents of a message of Cline or Roo Code: Anthropic's blocks, in which tools of the SDK answer with a
/// list of what they did, or the parts of the AI SDK, which become such blocks. False means broken JSON.
bool collect_cline_blocks(json::value& v, ContentBlocks& blocks, ArgsDigester& args);

/// What a call gave back, in any of the shapes in which the SDK keeps it. False means broken JSON.
bool collect_cline_result(json::value& v, ContentBlock& block);

/// Tells a response that calls tools by its first call and what it took, in a session's file and in what is printed of
/// it alike (Usage::message_key). 0: the call has no id.
std::uint64_t cline_response_key(std::string_view call, const TokenCounts& tokens);

}  // namespace agent_audit::readers
