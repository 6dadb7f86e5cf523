#pragma once

#include <agent_audit/simulator/policy.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace agent_audit::simulator {

/// What a compaction would do to a view: [from, to) gives way to `made`, and edits shorten what stays.
struct CompactionPlan {
    std::size_t from = 0, to = 0;
    bool split_turn = false;
    double max_summary_tokens = 0;  ///< the policy's cap
    double min_calls = 1;           ///< calls of the summariser; more than one reads the input in parts
    std::vector<MsgPtr> before, after;  ///< kept or made messages that stand around the summary, in place of [from, to)
    Edits edits;                        ///< of messages outside [from, to)
};

/// What a policy goes by when it decides.
struct ContextSize {
    double billed = 0;     ///< expected prompt tokens by the provider's count, unseen part included
    double trailing = 0;   ///< the policy's own estimate of what came after the last answer
    double estimated = 0;  ///< the policy's own estimate of the whole view
    double unseen = 0;
};

/// The policy's own estimate of one message. What a new policy uses goes here (compaction.cpp).
double own_tokens(const Summarise& stage, const Msg& message);
/// Whether to summarise before this request is sent.
bool compaction_due(const Summarise& stage, const ContextSize& size, double window_tokens);
/// nullopt: there is nothing that could give way.
std::optional<CompactionPlan> plan_compaction(const Summarise& stage, const View& view, const ContextSize& size,
                                              double window_tokens);

}  // namespace agent_audit::simulator
