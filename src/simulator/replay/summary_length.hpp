#pragma once

#include <cstdint>

namespace agent_audit::simulator {

/// How long a summary is, without writing one: a share of what it replaces, learnt from the summaries recorded so far.
class SummaryLength {
public:
    void observe(double tokens_in, double tokens_out);
    /// `cap`: the policy's own; 0: none.
    double tokens(double tokens_in, double cap) const;
    double share() const;
    std::uint64_t samples() const { return samples_; }

private:
    double in_ = 0, out_ = 0;
    std::uint64_t samples_ = 0;
};

}  // namespace agent_audit::simulator
