#pragma once

#include <agent_audit/simulator/session.hpp>

#include <cstddef>
#include <optional>

namespace agent_audit::simulator {

/// Whether the provider leaves the reasoning of earlier turns out of later prompts. No recording says so, but its bills
/// do: with the next words of a person the prompt falls by what the answers before have spent on reasoning. Where the
/// person wrote so much that the fall cannot be made out, what was seen last holds; before anything was seen, nothing
/// leaves. Recordings that do not say what reasoning took are left alone.
class ReasoningWatch {
public:
    /// What is no longer sent from a request on.
    struct Left {
        std::size_t before = 0;  ///< place of a message: the reasoning of those before it
        double prefix = 0;       ///< tokens of the recorded prompt that stand before the first of it; 0: not known
    };

    /// Messages in the order of the session, with their tokens by what is known so far.
    void on_message(const Recorded& message, double tokens);
    /// A request, before its answer is told of.
    std::optional<Left> on_request(const RecordedRequest& request);
    /// What the recorded agent had sent is not what it sends now.
    void restart();

private:
    void see_carried(double fall);
    void decide(double fall);

    bool leaves_ = false;          // what was seen last
    double prefix_ = 0;            // the prompt of the first answer with reasoning since some left, or the last restart
    double reasoning_ = 0;         // tokens of it since then, as billed,
    double carried_ = 0;           // and what of it later prompts of the same turn have shown
    double newest_ = 0;            // of the last answer
    bool any_ = false;             // there was some since some left, restarts or not
    double expected_ = 0;          // of the next prompt: the last one and its answer; 0: not known
    double arrived_ = 0;           // tokens of what came since that answer
    bool expects_answer_ = false;  // the next message of the model is that of the last request
    std::optional<std::size_t> human_;  // the first of it that a person wrote
};

}  // namespace agent_audit::simulator
