#pragma once

#include <agent_audit/simulator/message.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::simulator::openclaw {

inline constexpr std::string_view kMissingResult =
    "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";

/// The tool calls of an assistant, in order. Calls without an id cannot be paired.
std::vector<const Block*> calls_of(const Msg& message);
/// The id a result answers to: 2026.9 knows six spellings and trims, 2026.3 two.
std::string result_id(const Msg& message);
std::string result_id_2026_3(const Msg& message);
/// The result with its tool name trimmed; an empty one is the call's, or "unknown".
MsgPtr with_tool_name(const MsgPtr& message, std::string_view call_name);
std::string name_for_missing(const Block& call);
MsgPtr missing_result(std::string_view id, std::string_view name, bool marked, double now_ms);
bool failed(const Msg& message);

/// An answer with calls, and the results they have as 2026.9 gives them out, in the order of the calls.
struct Answered {
    std::size_t message = 0;
    std::vector<MsgPtr> results;  ///< as they stand in the view
};
std::vector<Answered> answered_calls(const View& view);

}  // namespace agent_audit::simulator::openclaw
