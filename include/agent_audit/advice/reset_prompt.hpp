#pragma once

#include <agent_audit/advice/checkpoint.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// How long a prompt may be, and what it says besides the checkpoint.
struct ResetPromptOptions {
    std::uint64_t max_tokens = 4000;  ///< by estimate_tokens (tokens/estimate.hpp); at least kLeastTokens
    /// Applied to every text of the recording before it is placed; null = texts are left as they are.
    std::function<std::string(std::string_view)> redact;
    std::string reason;  ///< why the session is begun anew, in our own words; empty = it is not said
    std::vector<Repetition>
        cause{};  ///< one round of the calls that are the reason (count 0 = not known); empty = it is none
    bool counts_records = false;  ///< the lines of the state are numbers of records, and are called so

    static constexpr std::uint64_t kLeastTokens = 500;
};

/// What a fresh session is told first.
struct ResetPrompt {
    std::string system;         ///< how to read the rest: for a system message
    std::string markdown;       ///< the eight sections
    std::uint64_t tokens = 0;   ///< of both together, estimated; never more than was asked for
    std::uint64_t dropped = 0;  ///< entries that did not fit
};

/// Writes the sections goal, constraints, verified progress, decisions, what failed, do not repeat, files, next step.
/// Entries that do not fit are left out from the bottom of the longest section. Words of the recording cannot leave the
/// place where they are put: they stand in block quotes (people), code spans (calls, files), on one line (agent), and
/// what tools said in one fenced block that is called data.
ResetPrompt write_reset_prompt(const Checkpoint& state, const ResetPromptOptions& options = {});

}  // namespace agent_audit::advice
