#pragma once

#include <agent_audit/simulator/message.hpp>
#include <agent_audit/simulator/openclaw.hpp>
#include <agent_audit/simulator/pi.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What OpenClaw puts around a summary that a model wrote, and what it does when the model fails.
namespace agent_audit::simulator::openclaw {

/// A call that failed, as the summary lists it.
struct ToolFailure {
    std::string call_id, tool, meta, summary;
};
/// Results that were errors, the first of each call.
std::vector<ToolFailure> tool_failures(const View& view, Release release = Release::y2026_9);
/// At most 8 of them, 240 characters each; empty when there are none.
std::string failures_section(const std::vector<ToolFailure>& failures);
/// <read-files> and <modified-files>; 2026.9 gives each 900 characters.
std::string files_section(const pi::FileLists& files, Release release);
/// The last turns as text, 600 characters a message and 8,000 in all; 2026.9.
std::string recent_turns_section(const View& view, std::size_t turns = 3);
/// The last thing the person asked for, at most 800 characters; nullopt: nothing.
std::optional<std::string> latest_request(const View& view);

inline constexpr std::size_t kMaxSummaryChars = 16'000;

/// A summary as it stands in the view. 2026.9 keeps it within 16,000 characters: what a model wrote gives way first,
/// down to half of them, then the beginning of what is appended.
std::string assemble_summary(std::string_view written, const View& summarised, const View& turn_prefix,
                             const pi::FileLists& files, Release release);

/// Asks a model for a summary of some messages; nullopt: it failed.
using Summariser =
    std::function<std::optional<std::string>(const View& chunk, const std::optional<std::string>& previous)>;
/// Limits of the summary calls. Tokens.
struct FallbackOptions {
    double window_tokens = 0, max_chunk_tokens = 0;
    int tries = 3;  ///< of each chunk
    std::optional<std::string> previous;
};
/// Three levels: everything chunk by chunk; then without the messages that are too large, which notes stand for; then
/// what there is. 2026.3 says that there is none, 2026.9 takes the chunks that succeeded or gives up (nullopt: the
/// compaction is cancelled).
std::optional<std::string> summarise_with_fallback(const View& view, const Summariser& ask,
                                                   const FallbackOptions& options, Release release);

}  // namespace agent_audit::simulator::openclaw
