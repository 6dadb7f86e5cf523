#pragma once

#include <agent_audit/simulator/policy.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace agent_audit::simulator {

/// What a compaction would do to a view: [from, to) gives way to `made`, and edits shorten what stays.
struct CompactionPlan {
    std::size_t from = 0, to = 0;
    bool split_turn = false;
    double max_summary_tokens = 0;      ///< the policy's cap
    double min_calls = 1;               ///< calls of the summariser; more than one reads the input in parts
    std::vector<MsgPtr> before, after;  ///< kept or made messages that stand around the summary, in place of [from, to)
    Edits edits;                        ///< of messages outside [from, to)
    std::optional<double> longest_summary;  ///< in tokens; a longer one makes the context no smaller: it is thrown away
    double min_saving = 0;                  ///< share of the context; a compaction that frees less has stalled
    bool asks_model = true;                 ///< false: only `before` and `after` take the place of what gives way
};

/// What a policy goes by when it decides.
struct ContextSize {
    double billed = 0;     ///< expected prompt tokens by the provider's count, unseen part included
    double trailing = 0;   ///< the policy's own estimate of what came after the last answer
    double estimated = 0;  ///< the policy's own estimate of the whole view
    double unseen = 0;
    double max_output = 0;   ///< longest answer of the model; 0: unknown
    std::string_view model;  ///< its id; empty: unknown
    double model_window =
        0;                 ///< tokens of it where the window at hand is known to be only a part of them; 0: it is not
    bool refused = false;  ///< the provider did not take the prompt, or would not
    int attempt = 0;       ///< compactions tried for this request before
    std::size_t failures = 0;    ///< compactions in a row that came to nothing
    bool thrown_away = false;    ///< a summary was before, because it was too long
    const View* view = nullptr;  ///< what would be sent, for policies that count messages or events
};

/// The policy's own estimate of one message. What a new policy uses goes here (compaction.cpp).
double own_tokens(const Summarise& stage, const Msg& message);
/// Whether to summarise before this request is sent.
bool compaction_due(const Summarise& stage, const ContextSize& size, double window_tokens);
/// nullopt: there is nothing that could give way.
std::optional<CompactionPlan> plan_compaction(const Summarise& stage, const View& view, const ContextSize& size,
                                              double window_tokens);

/// What a policy sends to its summariser, by which the call is billed.
struct SummaryReading {
    bool same_prompt =
        false;  ///< the prompt as it is, with a question behind it: what was sent before may be in the cache
    bool words_only = false;  ///< texts, without calls, thoughts and images
    double result_chars = 0;  ///< characters of a tool result at most; 0: all
    double most_tokens = 0;   ///< of all together; 0: no bound
    double times = 1;         ///< how often it is sent
};
/// As the stage is set, or as the agent does it whose method it names.
SummaryReading summary_reading(const Summarise& stage);
/// The share of a message's tokens that goes to the summariser.
double share_read(const SummaryReading& reading, const Msg& message);

// Summarise::How::method, for which the three above ask these.
double own_tokens(const Method& method, const Msg& message);
bool compaction_due(const Method& method, const ContextSize& size, double window_tokens);
std::optional<CompactionPlan> plan_compaction(const Method& method, const View& view, const ContextSize& size,
                                              double window_tokens);

}  // namespace agent_audit::simulator
