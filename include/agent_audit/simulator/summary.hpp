#pragma once

#include <agent_audit/simulator/message.hpp>

#include <functional>
#include <span>
#include <string>

/// The words of a summary, without a language model and with one.
namespace agent_audit::simulator {

/// What a compaction asks for.
struct SummaryTask {
    std::span<const MsgPtr> given_up;  ///< what the summary takes the place of, oldest first; entries may be null
    double tokens = 0;                 ///< how long it is expected to be (a share of what it replaces)
    double most_tokens = 0;            ///< the policy's cap; 0: none
};
/// What a compaction puts in the place of messages.
struct Summary {
    std::string words;      ///< WTF-8; empty: it has a length and no words
    bool measured = false;  ///< its length is that of the words; else `tokens` of the task, whatever the words are
};
using SummaryWriter = std::function<Summary(const SummaryTask& task)>;

/// Words taken from what is given up: the summary before, the goal, sentences that demand or forbid, later requests,
/// files touched, failures, and the newest answers, as far as there is room (4 bytes a token). So it can be asked what
/// a summary still names. Reads no more texts than it has room for.
Summary extractive_summary(const SummaryTask& task);

}  // namespace agent_audit::simulator
